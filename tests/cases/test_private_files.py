"""Case H2: whatever is written is for its user alone, whatever the umask, also what is there for a moment only."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from archive import CWD, Archive, answer, claude

S = "aaaaaaaa-0000-4000-8000-000000000001"
ROOT = Path(__file__).parents[2]
OUR_ROOTS = ("journal-home", "out", "tmp")


def run(archive: Archive, umask: int, *words: str, stdin: str = "") -> None:
    """Run a command as a user with this umask would, in a process of its own."""
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(ROOT), "TMPDIR": str(archive.folder / "tmp"), "HOME": str(archive.folder)}
    done = subprocess.run([sys.executable, "-m", "journal", *words], input=stdin, capture_output=True, text=True, check=False, umask=umask,
                          env=environment, cwd=archive.folder)  # fmt: skip
    assert done.returncode == 0, (words, done.stderr)


@contextmanager
def looking(archive: Archive) -> Iterator[dict[str, set[str]]]:
    """Look at all that lies below our folders, again and again, and collect the modes by name."""
    seen: dict[str, set[str]] = {}
    done = threading.Event()

    def look() -> None:
        while True:
            last = done.is_set()
            for root in OUR_ROOTS:
                for folder, folders, files in os.walk(archive.folder / root):
                    for name in [*folders, *files]:
                        path = Path(folder, name)
                        with suppress(OSError):
                            status = path.lstat()
                            kind = "folder" if stat.S_ISDIR(status.st_mode) else "file"
                            seen.setdefault(f"{kind} {path.relative_to(archive.folder)}", set()).add(oct(stat.S_IMODE(status.st_mode)))
            if last:
                return

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("umask", [0o022, 0o000], ids=["022", "000"])
def test_h2_all_that_is_written_is_private(archive: Archive, umask: int) -> None:
    """Log, views, -wal, -shm, locks, inbox, backups, exports, copies as of a time, figures and temporary files: folders 0700, files 0600."""
    for folder in ("out", "tmp"):
        (archive.folder / folder).mkdir(mode=0o700)
    archive.write(archive.claude_path(S), claude(1, S, "privateword", cwd=CWD), answer(2, S, "yes", "m1", cwd=CWD))
    claude_root, out = f"claude={archive.folder / '.claude'}", archive.folder / "out"
    payload = json.dumps({"session_id": S, "cwd": CWD, "transcript_path": str(archive.claude_path(S)), "hook_event_name": "Stop"})
    with looking(archive) as seen:
        run(archive, umask, "ingest", "--root", claude_root)
        with closing(sqlite3.connect(archive.home / "journal.db")) as one, closing(sqlite3.connect(archive.home / "views.db")) as two:
            for reader in (one, two):
                reader.execute("SELECT count(*) FROM sqlite_master").fetchone()  # so that -wal and -shm stay
            archive.write(archive.claude_path(S), *(claude(n, S, f"more {n}") for n in range(10, 40)), append=True)
            run(archive, umask, "ingest", "--root", claude_root)
            (archive.home / "ingest.stamp").touch(0o600)  # the hook leaves no ingest behind that works beside what follows
            os.utime(archive.home / "ingest.stamp", (time.time() + 3600, time.time() + 3600))
            run(archive, umask, "hook", "stop", "--host", "claude", stdin=payload)
            run(archive, umask, "note", "remember", "--session", S)
            run(archive, umask, "snapshot", "--session", S)
            run(archive, umask, "records", "on")
            run(archive, umask, "replay", "--verify")
            run(archive, umask, "replay")
            run(archive, umask, "replay", "--as-of", "5", "--into", str(out / "old.db"))
            for kind in ("raw", "md", "html", "json"):
                run(archive, umask, "export", S, "--format", kind, "--output", str(out / f"session.{kind}"))
            run(archive, umask, "export", "--format", "parquet", "--out", str(out / "parquet"))
            run(archive, umask, "usage", "--plot", str(out / "usage.png"))
            run(archive, umask, "backup", str(out / "log.backup"))
            run(archive, umask, "handoff", "save", "--title", "x", "--session", S)
            run(archive, umask, "handoff", "export", "--output", str(out / "handoff"))
        run(archive, umask, "backup", "restore", str(out / "log.backup"), "--yes")
        run(archive, umask, "install", "--host", "claude", "--dry-run")
        run(archive, umask, "verify")
        run(archive, umask, "compact")
    files = {name: modes for name, modes in seen.items() if name.startswith("file ") and modes != {"0o600"}}
    folders = {name: modes for name, modes in seen.items() if name.startswith("folder ") and modes != {"0o700"}}
    assert (files, folders, archive.home.stat().st_mode & 0o777) == ({}, {}, 0o700)
    names = {name.removeprefix("file ") for name in seen}
    for expected in ("journal.db", "journal.db-wal", "journal.db-shm", "views.db", "views.db-wal", "views.db-shm", "writer.lock", "config.toml"):
        assert f"journal-home/{expected}" in names
    for expected in ("old.db", "session.raw", "session.md", "session.html", "session.json", "usage.png", "log.backup"):
        assert f"out/{expected}" in names
    for place in ("journal-home/inbox/", "journal-home/backups/", "out/parquet/", "out/handoff/", "tmp/"):
        assert any(name.startswith(place) for name in names), place


@pytest.mark.parametrize("umask", [0o022, 0o000], ids=["022", "000"])
def test_h2_what_a_hook_writes_first_is_private(archive: Archive, umask: int) -> None:
    """A hook may be the first to write: the folder and the line that waits in it are the user's alone, and so is what it keeps aside."""
    (archive.folder / "tmp").mkdir(mode=0o700)
    payload = json.dumps({"session_id": S, "cwd": str(archive.folder), "hook_event_name": "SessionStart", "source": "startup"})
    with looking(archive) as seen:
        run(archive, umask, "hook", "session-start", "--host", "claude", stdin=payload)
        archive.home = archive.folder / "no-folder"
        archive.home.write_text("a file")
        run(archive, umask, "hook", "session-start", "--host", "claude", stdin=payload)
    assert {name: modes for name, modes in seen.items() if modes != ({"0o600"} if name.startswith("file ") else {"0o700"})} == {}
    assert f"file tmp/journal-{os.getuid()}/hook-errors" in seen
    assert "file journal-home/ingest.stamp" in seen
    assert (archive.folder / "journal-home").stat().st_mode & 0o777 == 0o700
    assert any(name.startswith("file journal-home/inbox/") and name.endswith(".jsonl") for name in seen)


@pytest.mark.parametrize("umask", [0o022, 0o000], ids=["022", "000"])
def test_h2_the_backup_before_a_migration_is_private(archive: Archive, umask: int) -> None:
    """A log of the first schema is migrated after a backup; copy, folder and what Alembic writes are the user's alone."""
    (archive.folder / "tmp").mkdir(mode=0o700)
    path = archive.write(archive.claude_path(S), claude(1, S, "privateword"))
    archive.ingest()
    with closing(sqlite3.connect(archive.home / "journal.db", isolation_level=None)) as log:
        for table in ("tombstones", "forgotten", "kept_hashes"):
            log.execute(f"DROP TABLE {table}")
        log.execute("UPDATE alembic_version SET version_num = '0001'")
        log.execute("PRAGMA user_version = 1")
    archive.write(path, claude(2, S, "laterword"), append=True)
    with looking(archive) as seen:
        run(archive, umask, "ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert {name: modes for name, modes in seen.items() if modes != ({"0o600"} if name.startswith("file ") else {"0o700"})} == {}
    assert [path.name for path in (archive.home / "backups").iterdir()] == ["journal-schema-1.db"]
    assert archive.rows("backups/journal-schema-1.db", "PRAGMA user_version") == [(1,)]
    assert [len(archive.hits(word)) for word in ("privateword", "laterword")] == [1, 1]
