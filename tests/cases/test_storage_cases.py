"""Cases F and J: crashes, two processes at once, and work that does not grow with the archive."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from archive import Archive, answer, claude

from journal.database import open_readonly
from projections.digest import digests

S = "aaaaaaaa-0000-4000-8000-000000000001"
KILL_PARTS = 5
"""Fifty kills in five tests, so that they run side by side."""


def command(archive: Archive, *words: str) -> list[str]:
    """Return the command line of an ingest in a process of its own."""
    return [sys.executable, "-m", "journal", *words, "--root", f"claude={archive.folder / '.claude'}"]


def fill(archive: Archive, sessions: int = 8, records: int = 400) -> None:
    """Write sessions that share nothing."""
    for number in range(sessions):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(
            claude(n + 1000 * number, session, f"prompt {n}") if n % 2 else answer(n + 1000 * number, session, "x" * 800, f"m{number}-{n}")
            for n in range(records)))


def live_digests(home: Path) -> dict[str, str]:
    """Return the digest of every view as it stands, without a rebuild."""
    with closing(open_readonly(str(home / "views.db"))) as views:
        return {name: str(digest) for name, digest in digests(views).items()}


@pytest.mark.parametrize("part", range(KILL_PARTS))
def test_kill_at_random_moments_loses_and_doubles_nothing(archive: Archive, part: int) -> None:
    """An ingest killed with SIGKILL at fifty moments (ten in each part), then run once more, ends in the digests of an undisturbed run."""
    fill(archive, sessions=6, records=100)
    archive.home = archive.folder / "undisturbed"
    archive.ingest()
    expected = live_digests(archive.home)
    script = Path(__file__).with_name("killing.py")
    done = subprocess.run([sys.executable, str(script), str(archive.folder), str(part), str(KILL_PARTS)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 10
    homes = sorted(archive.folder.glob(f"killed-{part}-*"))
    assert len(homes) == 5
    for home in homes:
        archive.home = home
        assert live_digests(home) == expected
        assert archive.rows("journal.db", "SELECT count(*), count(DISTINCT event_id) FROM events WHERE type LIKE 'claude%'") == [(600, 600)]
        verified = archive.json("verify")
        assert (verified["missing_bytes"], verified["chain_ok"]) == (0, True)


def test_f1_two_ingests_at_once(archive: Archive) -> None:
    """Of two ingests at once one works and the other waits or leaves; nothing is doubled."""
    fill(archive)
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home)}
    both = [subprocess.Popen(command(archive, "ingest"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    assert {process.wait() for process in both} <= {0, 3}
    for process in both:
        assert process.stderr is not None
        process.stderr.close()
    archive.ingest()
    assert archive.rows("journal.db", "SELECT count(*), count(DISTINCT event_id) FROM events WHERE type LIKE 'claude%'") == [(3200, 3200)]


def test_f1_a_second_run_and_hooks_during_a_first_index(archive: Archive) -> None:
    """While 4,000 files are read for the first time, a second run waits or leaves, and hooks and a note are written down at once; none meets a lock."""
    fill(archive, sessions=4000, records=2)
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(Path(__file__).parents[2])}
    first = subprocess.Popen(command(archive, "ingest"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (archive.home / "views.db").exists():
        assert first.poll() is None
    second = subprocess.Popen(command(archive, "ingest"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    payload = json.dumps({"session_id": S, "cwd": str(archive.folder), "prompt": "x"})
    hooks = [subprocess.run([sys.executable, "-m", "journal", "hook", role, "--host", "claude"], env=environment, capture_output=True, text=True,
                            check=False, input=payload) for role in ("session-start", "prompt", "stop")]  # fmt: skip
    was_reading = first.poll() is None
    assert [(hook.returncode, hook.stdout, hook.stderr) for hook in hooks] == [(0, "", "")] * 3
    said = [process.communicate(timeout=120)[1] for process in (first, second)]
    assert (first.returncode, second.returncode in {0, 3}, "locked" in "".join(said)) == (0, True, False)
    assert was_reading, "the hooks came while the first index was at work"
    archive.ingest()
    assert archive.rows("journal.db", "SELECT count(*), count(DISTINCT event_id) FROM events WHERE type LIKE 'claude%'") == [(8000, 8000)]
    assert archive.rows("journal.db", "SELECT count(*) FROM events WHERE type = 'journal.hook'") == [(3,)]


def test_j2_an_unchanged_tree_appends_nothing(archive: Archive) -> None:
    """A second ingest of an unchanged tree reads no byte."""
    fill(archive)
    archive.ingest()
    report = archive.ingest()
    assert (report["events"], report["bytes"]) == (0, 0)


def test_deleting_the_views_is_harmless(archive: Archive) -> None:
    """Without views.db the next command builds the same views again."""
    fill(archive)
    archive.ingest()
    before = archive.digests()
    for name in ("views.db", "views.db-wal", "views.db-shm"):
        (archive.home / name).unlink(missing_ok=True)
    archive.ingest()
    assert archive.digests() == before


def test_a_newer_log_is_refused_with_a_hint(archive: Archive) -> None:
    """A log written by a newer program is refused, exit 3, and left alone."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    import sqlite3
    connection = sqlite3.connect(archive.home / "journal.db")
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    status, out, err = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (status, out) == (3, "")
    assert "newer" in err


def test_damaged_views_are_said_and_built_again(archive: Archive) -> None:
    """Garbage in views.db is an error with a hint for a reader, and the next ingest builds the same views."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    before = archive.digests()
    for name in ("views.db-wal", "views.db-shm"):
        (archive.home / name).unlink(missing_ok=True)
    (archive.home / "views.db").write_bytes(b"garbage" * 1000)
    status, _, err = archive.run("sessions")
    assert (status, "journal ingest" in err) == (3, True)
    assert archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")[0] == 0
    assert archive.digests() == before


def test_a_damaged_log_is_refused_and_left_alone(archive: Archive) -> None:
    """Garbage in journal.db is an error, exit 3, and stays as it is."""
    archive.home.mkdir()
    (archive.home / "journal.db").write_bytes(b"garbage" * 1000)
    (archive.folder / ".claude").mkdir()
    status, _, err = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (status, "not a database" in err) == (3, True)
    assert (archive.home / "journal.db").read_bytes() == b"garbage" * 1000
