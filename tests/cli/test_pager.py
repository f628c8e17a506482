"""On a terminal, `show` goes through the pager; elsewhere it never does."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from archive import Archive, claude

PROJECT = Path(__file__).parents[2]
S = "aaaaaaaa-0000-4000-8000-000000000001"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a home with one session, in which the pager writes a file."""
    archive = Archive(tmp_path)
    archive.write(archive.claude_path(S), claude(1, S, "hello pager"))
    archive.ingest()
    return {"HOME": str(tmp_path), "JOURNAL_HOME": str(archive.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT),
            "PAGER": f"cat > {tmp_path}/paged"}  # fmt: skip


def on_terminal(environ: dict[str, str], *words: str) -> tuple[int, str]:
    """Run a command whose standard output is a terminal; return its status and what the terminal got."""
    ours, theirs = pty.openpty()
    silent = subprocess.DEVNULL
    with subprocess.Popen([sys.executable, "-m", "journal", *words], env=environ, stdin=silent, stdout=theirs, stderr=silent) as process:
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 65536):
                said += piece
        except OSError:  # Linux tells the end of a terminal so
            pass
        os.close(ours)
        return process.wait(60), said.decode()


def test_a_terminal_gets_the_pager(environ: dict[str, str], tmp_path: Path) -> None:
    """The text is in the pager's file, in colour, and not on the terminal."""
    status, said = on_terminal(environ, "show", S)
    assert (status, said) == (0, "")
    assert "> hello pager\n" in (tmp_path / "paged").read_text()
    assert "\x1b[1m" in (tmp_path / "paged").read_text()


def test_no_color_and_no_pager(environ: dict[str, str], tmp_path: Path) -> None:
    """With both the terminal gets plain text."""
    status, said = on_terminal({**environ, "NO_COLOR": "1"}, "show", S, "--no-pager")
    assert status == 0
    assert "> hello pager" in said and "\x1b" not in said
    assert not (tmp_path / "paged").exists()


def test_a_pager_that_is_left_early_is_no_error(environ: dict[str, str]) -> None:
    """A pager that reads nothing ends the command quietly."""
    assert on_terminal({**environ, "PAGER": "true"}, "show", S)[0] == 0


def test_a_pipe_gets_no_pager(environ: dict[str, str], tmp_path: Path) -> None:
    """Into a pipe the text comes plain and at once."""
    done = subprocess.run([sys.executable, "-m", "journal", "show", S], env=environ, capture_output=True, text=True, check=True)
    assert "> hello pager\n" in done.stdout and "\x1b" not in done.stdout
    assert not (tmp_path / "paged").exists()


def test_without_any_pager_the_terminal_gets_the_text(environ: dict[str, str], tmp_path: Path) -> None:
    """A small machine has no less: the text is printed, not lost."""
    (tmp_path / "empty").mkdir()
    status, said = on_terminal({name: value for name, value in environ.items() if name != "PAGER"} | {"PATH": str(tmp_path / "empty")}, "show", S)
    assert status == 0 and "> hello pager" in said
