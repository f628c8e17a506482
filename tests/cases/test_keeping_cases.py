"""Copies of the log and their way back, sizes, and making it smaller."""

import contextlib
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from archive import Archive, answer, claude
from forget_world import places

from journal import database

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "aaaaaaaa-0000-4000-8000-000000000002"


def fill(archive: Archive, session: str = S, start: int = 1, count: int = 20) -> Path:
    """Write and ingest a session."""
    path = archive.write(archive.claude_path(session), *(
        claude(n, session, f"prompt {n}") if n % 2 else answer(n, session, f"answer {n}", f"m{n}") for n in range(start, start + count)))
    archive.ingest()
    return path


def test_a_backup_is_one_private_proved_file(archive: Archive, tmp_path: Path) -> None:
    """0600, no WAL beside it, the same end of the chain as the log, inbox lines included; an existing file is not overwritten."""
    fill(archive)
    archive.json("note", "taken along", "--session", S)
    target = tmp_path / "copy.db"
    told = archive.json("backup", str(target))
    assert (stat.S_IMODE(target.stat().st_mode), sorted(path.name for path in tmp_path.glob("copy.db*"))) == (0o600, ["copy.db"])
    assert (told["proved"], told["inbox_waiting"]) == (True, [])
    assert archive.rows("journal.db", "SELECT max(global_position), lower(hex(hash)) FROM events") == [(told["position"], told["hash"])]
    with contextlib.closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT count(*) FROM events WHERE type = 'journal.note'").fetchone() == (1,)
    status, _, error = archive.run("backup", str(target))
    assert (status, "the file exists" in error) == (2, True)


def test_a_folder_gets_a_file_named_by_the_moment(archive: Archive, tmp_path: Path) -> None:
    """Two backups into a folder are two files; a folder that is not there is not made."""
    fill(archive)
    folder = tmp_path / "copies"
    folder.mkdir()
    names = {Path(archive.json("backup", str(folder))["path"]).name for _ in range(2)}
    assert names == {path.name for path in folder.iterdir()}
    assert (len(names), all(name.startswith("journal-") for name in names)) == (2, True)
    assert archive.run("backup", str(tmp_path / "nowhere") + "/")[0] == 4


def test_a_backup_while_an_ingester_writes_is_whole(archive: Archive, tmp_path: Path) -> None:
    """Copies made while another process ingests are each proved; the last holds everything."""
    for number in range(1, 40):
        archive.write(archive.claude_path(f"aaaaaaaa-0000-4000-8000-{number:012d}"), *(
            claude(n, S, "x" * 300, uuid=f"{number:08d}-0000-4000-8000-{n:012d}") for n in range(200)))
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home)}
    process = subprocess.Popen([sys.executable, "-m", "journal", "ingest", "--root", f"claude={archive.folder / '.claude'}"],
                               env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (archive.home / "journal.db").exists():
        pass
    made = []
    while process.poll() is None:
        status, _, _ = archive.run("backup", str(tmp_path / f"{len(made)}.db"))
        made.append(status)
    assert archive.json("backup", str(tmp_path / "last.db"))["events"] == archive.rows("journal.db", "SELECT count(*) FROM events")[0][0]
    assert (process.returncode, set(made) <= {0}) == (0, True)


def test_a_damaged_copy_is_refused(archive: Archive, tmp_path: Path) -> None:
    """A restore proves the file first: a changed byte, a foreign database and a missing file change nothing."""
    fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    before = archive.digests()
    with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
        copy.execute("UPDATE segments SET seed = zeroblob(16)")
    sqlite3.connect(tmp_path / "foreign.db").close()
    for path, code in ((target, 3), (tmp_path / "foreign.db", 3), (tmp_path / "none.db", 4)):
        assert archive.run("backup", "restore", str(path), "--yes")[0] == code
    assert archive.digests() == before
    assert not (archive.home / "backups").exists()


def test_an_older_log_that_is_restored_is_noticed(archive: Archive, tmp_path: Path) -> None:
    """Views stand ahead of the restored log: they are built again, and what the files have since is read again."""
    path = fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    archive.write(path, claude(90, S, "after the backup"), append=True)
    fill(archive, T, 200)
    newest = archive.digests()
    status, _, error = archive.run("backup", "restore", str(target))
    assert (status, "--yes" in error) == (2, True)
    told = archive.json("backup", "restore", str(target), "--yes")
    assert (told["events"] > 20, Path(told["aside"]).parent) == (True, archive.home / "backups")
    assert [hit["snippet"] for hit in archive.hits("after the backup")] == ["after the backup"]
    assert (archive.digests(), archive.json("verify")["chain_ok"]) == (newest, True)
    assert archive.json("replay", "--verify")["verified"] is True


def test_views_ahead_of_a_restored_log_are_built_again(archive: Archive, tmp_path: Path) -> None:
    """Where the files are gone as well, the views show what the restored log has and no more."""
    path = fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    older = archive.digests()
    archive.write(path, claude(90, S, "after the backup"), append=True)
    archive.ingest()
    shutil.rmtree(archive.folder / ".claude")
    archive.json("backup", "restore", str(target), "--yes")
    assert archive.hits("after the backup") == []
    assert archive.digests() == older


def test_a_log_is_restored_where_there_is_none(archive: Archive, tmp_path: Path) -> None:
    """On a fresh home nothing is kept aside, and everything is there."""
    fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    expected = archive.digests()
    archive.home = archive.folder / "fresh"
    assert archive.json("backup", "restore", str(target), "--yes")["aside"] is None
    assert archive.digests() == expected
    assert stat.S_IMODE((archive.home / "journal.db").stat().st_mode) == 0o600


def test_a_damaged_log_is_moved_aside(archive: Archive, tmp_path: Path) -> None:
    """A log that SQLite cannot open does not keep a backup from being restored, and its bytes are kept."""
    fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    expected = archive.digests()
    for name in ("journal.db-wal", "journal.db-shm"):
        (archive.home / name).unlink(missing_ok=True)
    (archive.home / "journal.db").write_bytes(b"no database at all" * 400)
    told = archive.json("backup", "restore", str(target), "--yes")
    assert Path(told["aside"]).read_bytes() == b"no database at all" * 400
    assert archive.digests() == expected


def test_what_was_forgotten_stays_forgotten_after_a_restore(archive: Archive, tmp_path: Path) -> None:
    """A backup from before the forget brings back neither the text nor a record that had it."""
    fill(archive)
    archive.write(archive.claude_path(T), claude(300, T, "the word is Kalmar-9913"), claude(301, T, "and more"))
    archive.ingest()
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    archive.json("forget", "--match", "Kalmar-9913", "--yes")
    told = archive.json("backup", "restore", str(target), "--yes")
    assert (told["scrubbed"], places(archive.home, "Kalmar-9913")) == (1, [])
    assert [hit["snippet"] for hit in archive.hits("and more")] == ["and more"]
    assert archive.json("verify")["missing_bytes"] == 0


def test_an_older_schema_is_restored(archive: Archive, tmp_path: Path) -> None:
    """A backup of the first schema is brought to the present one, without another copy of it."""
    fill(archive)
    target = tmp_path / "copy.db"
    archive.json("backup", str(target))
    with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
        for table in ("tombstones", "forgotten", "kept_hashes"):
            copy.execute(f"DROP TABLE {table}")
        copy.execute("UPDATE alembic_version SET version_num = '0001'")
        copy.execute("PRAGMA user_version = 1")
    archive.json("backup", "restore", str(target), "--yes")
    assert archive.rows("journal.db", "PRAGMA user_version") == [(database.SCHEMA_VERSION,)]
    assert (archive.json("verify")["chain_ok"], len(list((archive.home / "backups").iterdir()))) == (True, 1)


def test_forget_reaches_backups_when_asked(archive: Archive) -> None:
    """Without --backups they are told as places where it still stands; with it they are scrubbed and still prove whole."""
    fill(archive)
    (archive.home / "backups").mkdir()
    copy = Path(archive.json("backup", str(archive.home / "backups"))["path"])
    told = archive.json("forget", "--match", "prompt 3", "--yes")
    assert [(found["path"], found["count"]) for found in told["elsewhere"] if found["kind"] == "backup"] == [(str(copy), 1)]
    told = archive.json("forget", "--match", "prompt 3", "--yes", "--backups")
    assert (told["events_in_backups"], [found["kind"] for found in told["elsewhere"]]) == (1, ["transcript"])
    assert places(archive.home, "prompt 3") == []
    archive.json("backup", "restore", str(copy), "--yes")
    assert (places(archive.home, "prompt 3"), archive.json("verify")["chain_ok"]) == ([], True)


def test_size_adds_up(archive: Archive) -> None:
    """Hosts and types tell the bytes that were read; tables of both databases have sizes, exact or estimated."""
    path = fill(archive)
    told = archive.json("size")
    (claude_host,) = [host for host in told["hosts"] if host["host"] == "claude"]
    assert (claude_host["sources"], claude_host["events"], claude_host["read_bytes"]) == (1, 20, path.stat().st_size)
    assert claude_host["kept_bytes"] < claude_host["read_bytes"]
    assert {kind["type"]: kind["events"] for kind in told["types"] if kind["type"].startswith("claude")} == {"claude.user": 10, "claude.assistant": 10}
    assert {"journal.db", "views.db", "inbox/"} <= set(told["files"])
    tables = {(row["database"], row["table"]) for row in told["tables"]}
    assert {("journal.db", "segments"), ("views.db", "messages"), ("views.db", "messages_fts_data")} <= tables
    status, out, _ = archive.run("size")
    assert status == 0 and re.search(r"^all +[\d.]+ [kM]B$", out, re.MULTILINE)
    assert re.search(r"^views\.db: table or index +size\n\w+ +\d+ kB\n(?:\w+ +\d+ kB\n)*\d+ smaller ones +\d+ kB$", out, re.MULTILINE)


def test_sizes_are_estimated_where_sqlite_tells_none(archive: Archive) -> None:
    """The sum of the lengths of values stands for each table."""
    from cli.space import estimates

    fill(archive)
    with contextlib.closing(sqlite3.connect(archive.home / "journal.db")) as log:
        sizes = dict(estimates(log))
        assert sizes["segments"] > log.execute("SELECT sum(length(data)) FROM segments").fetchone()[0] > 0
    assert sizes["parts"] == 0


def test_compact_changes_no_digest_and_no_read_byte(archive: Archive) -> None:
    """Forty small segments become one, free pages go; every view, the export and the chain stay as they were."""
    path = fill(archive, count=1)
    for number in range(40):
        archive.write(path, claude(100 + number, S, f"appended {number} " + "words " * 50), append=True)
        archive.ingest()
    before = archive.digests()
    told = archive.json("compact")
    before_sum, after_sum = (sum(size for name, size in told[when].items() if "db" in name) for when in ("before", "after"))
    assert (told["merged_segments"] >= 40, after_sum < before_sum) == (True, True)
    assert (archive.digests(), archive.json("verify")["chain_ok"]) == (before, True)
    target = archive.folder / "out.jsonl"
    archive.json("export", S, "--output", str(target))
    assert target.read_bytes() == path.read_bytes()
    assert archive.json("replay", "--verify")["verified"] is True
    assert archive.json("compact")["merged_segments"] == 0
    assert len(archive.hits("appended")) == 20


@pytest.mark.parametrize("words", [("backup", "x.db"), ("size",), ("compact",)])
def test_without_a_log_there_is_nothing_to_keep(archive: Archive, words: tuple[str, ...]) -> None:
    """Exit 4 with the command that makes one."""
    status, _, error = archive.run(*words)
    assert (status, "journal ingest" in error) == (4, True)
