"""Ctrl-C in the middle of long work: what was committed stays, and the same command goes on from there."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from archive import Archive, answer, claude, line

S = "aaaaaaaa-0000-4000-8000-000000000001"
LINES = 5_000


def long_session(archive: Archive) -> int:
    """Write a transcript of some megabytes, long enough to be interrupted in; return how many lines it has."""
    rows = []
    for number in range(LINES):
        at = f"2026-11-30T10:00:00.{number % 1000:03d}Z"
        if number % 2:
            rows.append(claude(number, S, f"prompt {number} " + "lorem ipsum " * 20, timestamp=at))
        else:
            rows.append(answer(number, S, f"answer {number}", f"m{number}", timestamp=at))
    archive.write(archive.claude_path(S), b"".join(map(line, rows)))
    return LINES


def interrupted(archive: Archive, words: list[str], is_under_way: Callable[[Path], bool]) -> "subprocess.CompletedProcess[bytes]":
    """Start a command, send SIGINT once it is under way, and return how it ended."""
    environ = {**os.environ, "HOME": str(archive.folder), "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-m", "journal", *words], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    limit = time.monotonic() + 30
    while not is_under_way(archive.home) and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def count(home: Path, database: str, sql: str) -> int:
    """Return a number from a database that another process writes; 0 while it is not there."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{home / database}?mode=ro", uri=True)) as connection:
            row = connection.execute(sql).fetchone()
            return int(row[0] or 0) if row else 0
    except sqlite3.OperationalError:
        return 0


def wal_bytes(home: Path) -> int:
    """Return the size of the views' WAL."""
    path = home / "views.db-wal"
    return path.stat().st_size if path.exists() else 0


def test_ingest_goes_on_after_an_interrupt_while_it_reads(archive: Archive) -> None:
    """Exit 130 and one hint; the next ingest appends the rest, every line once, and the log is proved."""
    lines = long_session(archive)
    done = interrupted(archive, ["ingest"], lambda home: count(home, "journal.db", "SELECT max(global_position) FROM events") > 0)
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (130, b"", False)
    before = count(archive.home, "journal.db", "SELECT count(*) FROM events")
    assert 0 < before < lines
    assert archive.json("ingest")["events"] == lines - before
    assert (archive.json("verify")["missing_bytes"], archive.json("verify")["chain_ok"]) == (0, True)
    assert archive.json("replay", "--verify")["verified"] is True


def test_ingest_goes_on_after_an_interrupt_while_it_builds_views(archive: Archive) -> None:
    """The first build commits batch by batch: the next ingest goes on from its checkpoint."""
    lines = long_session(archive)
    done = interrupted(archive, ["ingest"], lambda home: count(home, "views.db", "SELECT position FROM checkpoints") > 0)
    position = count(archive.home, "views.db", "SELECT position FROM checkpoints")
    assert (done.returncode, 0 < position < lines) == (130, True)
    archive.json("ingest")
    assert archive.sessions()[S]["messages"] == lines
    assert archive.json("replay", "--verify")["verified"] is True


def test_an_interrupted_replay_leaves_the_views_as_they_were(archive: Archive) -> None:
    """A rebuild is one transaction: after Ctrl-C the old views stand whole, and a second replay gives the same."""
    long_session(archive)
    archive.json("ingest")
    before = archive.digests()
    with contextlib.closing(sqlite3.connect(archive.home / "views.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    done = interrupted(archive, ["replay"], lambda home: wal_bytes(home) > 100_000)
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (130, b"", False)
    assert len(archive.sessions()) == 1
    assert archive.json("replay", "--verify")["verified"] is True
    assert archive.digests() == before
