"""Faults from outside: older backups, vanished views, readers and writers at once, hostile text."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from archive import Archive, answer, claude
from test_watch import prompts, seconds_until

S = "aaaaaaaa-0000-4000-8000-000000000001"


def process(archive: Archive, *words: str) -> "subprocess.Popen[bytes]":
    """Start a command in a process of its own."""
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen([sys.executable, "-m", "journal", *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fill(archive: Archive, sessions: int = 4) -> None:
    """Write some sessions of two hundred records."""
    for number in range(sessions):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(
            claude(n + 1000 * number, session, f"prompt {n}") if n % 2 else answer(n + 1000 * number, session, "x" * 500, f"m{number}-{n}")
            for n in range(200)))  # fmt: skip


def test_a_restored_older_log_rebuilds_the_views(archive: Archive) -> None:
    """Views that ran ahead of a restored log are noticed; what the log lacks is read again."""
    path = archive.write(archive.claude_path(S), claude(1, S, "one"))
    archive.ingest()
    shutil.copy(archive.home / "journal.db", archive.folder / "backup.db")
    archive.write(path, claude(2, S, "two"), append=True)
    archive.ingest()
    expected = archive.digests()
    for suffix in ("-wal", "-shm"):
        (archive.home / f"journal.db{suffix}").unlink(missing_ok=True)
    shutil.copy(archive.folder / "backup.db", archive.home / "journal.db")
    archive.ingest()
    assert archive.digests() == expected
    assert archive.json("replay", "--verify")["verified"] is True


@pytest.mark.parametrize("act", ["os.unlink(path)", "os.truncate(path, 100)", "os.rename(path, path + '.old')"], ids=["deleted", "cut", "renamed"])
def test_a_file_that_changes_under_the_reader_stops_nothing(archive: Archive, act: str) -> None:
    """Between discovery and opening a file is deleted, cut inside a record or renamed: the others are read, and a later pass has all that is there."""
    sessions = [f"aaaaaaaa-0000-4000-8000-{number:012d}" for number in range(3)]
    paths = [archive.write(archive.claude_path(name), claude(10 * n, name, f"word{n}"), claude(10 * n + 1, name, "more")) for n, name in enumerate(sessions)]
    script = (
        "import os, sys\n"
        "path, left = sys.argv.pop(1), [1]\n"
        "def look(event, args):\n"
        "    if event == 'open' and left and str(args[0]) == path:\n"
        f"        left.clear(); {act}\n"
        "sys.addaudithook(look)\n"
        "from cli.main import main\n"
        "sys.exit(main(sys.argv[1:]) or bool(left) * 9)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(paths[1]), "ingest", "--json", "--root", f"claude={archive.folder / '.claude'}"],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert [len(archive.hits(f"word{n}")) for n in (0, 2)] == [1, 1]
    archive.write(paths[1], claude(10, sessions[1], "word1"), claude(11, sessions[1], "back"))
    archive.ingest()
    assert [len(archive.hits(f"word{n}")) for n in range(3)] == [1, 1, 1]
    verified = archive.json("verify")
    assert (verified["missing_bytes"], verified["chain_ok"]) == (0, True)
    assert archive.json("replay", "--verify")["verified"] is True


def test_kill_during_replay_leaves_whole_views(archive: Archive) -> None:
    """A replay killed at any moment leaves the old views, and the next one ends in the same digests."""
    fill(archive)
    archive.ingest()
    expected = archive.digests()
    rng = random.Random(3)
    for _ in range(6):
        running = process(archive, "replay")
        time.sleep(rng.uniform(0.05, 0.5))
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert archive.rows("views.db", "SELECT count(*) FROM sessions") == [(4,)]
    assert archive.digests() == expected


def test_ingest_and_replay_at_once(archive: Archive) -> None:
    """Two ingests and two replays at once end well, and the views say what the log says."""
    fill(archive)
    archive.ingest()
    roots = ("--root", f"claude={archive.folder / '.claude'}")
    running = [process(archive, "ingest", *roots), process(archive, "replay"), process(archive, "ingest", *roots), process(archive, "replay")]
    assert [one.wait() for one in running] == [0, 0, 0, 0]
    assert archive.json("replay", "--verify")["verified"] is True


def test_views_deleted_under_a_running_watch_come_back(archive: Archive) -> None:
    """After views.db is gone, the next change brings all of it back."""
    path = archive.write(archive.claude_path(S), claude(1, S, "one"))
    running = process(archive, "watch", "--root", f"claude={archive.folder / '.claude'}")
    try:
        seconds_until(archive.home, 1)
        for suffix in ("", "-wal", "-shm"):
            (archive.home / f"views.db{suffix}").unlink(missing_ok=True)
        archive.write(path, claude(2, S, "two"), append=True)
        seconds_until(archive.home, 2)
    finally:
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=15) == 0
    assert prompts(archive.home) == 2


def test_terminal_escapes_never_reach_a_terminal(archive: Archive) -> None:
    """Control characters of a transcript are left out of tables, and JSON escapes them."""
    archive.write(archive.claude_path(S), claude(1, S, "red \x1b[31mtext\x07 \x9b2J end"))
    archive.ingest()
    for words in (("sessions", "--all"), ("search", "end", "--all"), ("sessions", "--all", "--json")):
        out = archive.run(*words)[1]
        assert not any((ord(character) < 32 and character != "\n") or 127 <= ord(character) < 160 for character in out), words


def test_a_home_that_cannot_be_written_is_one_clear_line(archive: Archive) -> None:
    """A home below a file is an error with the path and a hint, exit 3."""
    (archive.folder / "file").write_text("x")
    archive.home = archive.folder / "file" / "home"
    (archive.folder / ".claude").mkdir()
    status, out, err = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (status, out, len(err.splitlines())) == (3, "", 2)
