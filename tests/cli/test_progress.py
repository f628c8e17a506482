"""Progress: on a terminal only, the share of what was left at the start, the rate so far, and a guess only once there is a rate."""

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cli.progress import CLEAR, Meter, Seen, line
from ingest.course import Course

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (Seen("reading", 0.0, 0, 0.0), "reading    0%  0.0 MB"),
        (Seen("reading", 0.25, 5_000_000, 1.0), "reading   25%  5.0 MB  5.0 MB/s"),
        (Seen("reading", 0.25, 20_000_000, 4.0), "reading   25%  20.0 MB  5.0 MB/s  about 0:12 left"),
        (Seen("reading", 0.005, 20_000_000, 4.0), "reading    0%  20.0 MB  5.0 MB/s"),
        (Seen("reading", 0.02, 1_000_000_000, 200.0), "reading    2%  1000.0 MB  5.0 MB/s  about 3 h left"),
        (Seen("reading", 1.0, 20_000_000, 4.0), "reading  100%  20.0 MB  5.0 MB/s  finishing"),
    ],
)
def test_the_line_says_no_more_than_is_known(seen: Seen, text: str) -> None:
    """No time left before two seconds or one per cent; at the end `finishing`, since sessions are still settled."""
    assert line(seen) == text


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_nothing_is_shown_in_the_first_half_second_and_little_after() -> None:
    """A hundred tellings in one second show no more than six lines."""
    clock, written = Clock(), list[str]()
    tell = Meter(written.append, clock).by_bytes("reading")
    assert tell is not None
    for step in range(100):
        clock.seconds = step / 100
        tell(step, 100)
        if clock.seconds < 0.4:
            assert written == []
    assert 1 <= len(written) <= 6


def test_a_catch_up_counts_from_where_it_began() -> None:
    """Half of the 100 new events of a log of 1,000 is half, not 95 %; the bytes told are added up."""
    clock, written = Clock(), list[str]()
    tell = Meter(written.append, clock).by_position("views", 1000)
    assert tell is not None
    for seconds, position in ((0, 900), (10, 950)):
        clock.seconds = float(seconds)
        tell(position, 1_000_000)
    assert written == [CLEAR + "views   50%  2.0 MB  0.2 MB/s  about 0:10 left"]


def test_without_a_terminal_nobody_needs_to_tell() -> None:
    """No callback is given, so that nothing is counted for nobody."""
    assert Meter(None).by_bytes("x") is None
    assert Meter(None).by_position("x", 1) is None


def test_a_file_counts_for_what_waited_in_it() -> None:
    """A compressed file of 10 bytes that holds 50 counts 10; one that could not be read is passed over."""
    told: list[tuple[int, int]] = []
    course = Course(lambda done, total: told.append((done, total)), [10, 5, 20])
    course.within(50)
    for _ in range(3):
        course.next()
    assert told == [(0, 35), (10, 35), (10, 35), (15, 35), (35, 35)]


def _all_of(master: int) -> str:
    """Return all that was written to a pseudo-terminal whose other end is closed; one read may give a part."""
    pieces = []
    with contextlib.suppress(OSError):  # Linux ends it with EIO
        while piece := os.read(master, 65536):
            pieces.append(piece)
    os.close(master)
    return b"".join(pieces).decode()


def test_a_terminal_is_left_clean(tmp_path: Path) -> None:
    """What takes long on a pseudo-terminal ends with every progress line taken back; to a pipe none is written."""
    environ = {"HOME": str(tmp_path), "JOURNAL_HOME": str(tmp_path / "journal"), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "TERM": "xterm"}
    roots = ["--root", f"claude={PROJECT / 'tests/fixtures/claude/turns'}"]
    program = "import sys, cli.progress as p; p.FIRST_S = p.EVERY_S = 0.0; from cli.main import main; sys.exit(main(sys.argv[1:]))"
    export = ["export", "latest", "--format", "md", "--output", str(tmp_path / "out.md")]
    for words in (["ingest", *roots], ["replay"], ["verify"], ["secrets", "--all"], export, ["forget", "--match", "calculator", "--dry-run"]):
        master, slave = pty.openpty()
        done = subprocess.run([sys.executable, "-c", program, *words], env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=slave, timeout=60, check=False)
        os.close(slave)
        shown = _all_of(master)
        assert done.returncode == 0
        assert "MB/s" in shown
        assert "%" not in shown.rpartition(CLEAR)[2]
        piped = subprocess.run([sys.executable, "-c", program, *words], env=environ, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert b"\x1b" not in piped.stderr + piped.stdout
