"""What `usage` shows on a terminal, draws into a file, and loads to do so."""

import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
CLAUDE = PROJECT / "tests/fixtures/claude/turns"
COMMAND = (sys.executable, "-m", "journal")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a home into which two recorded sessions were read."""
    values = {"HOME": str(tmp_path), "JOURNAL_HOME": str(tmp_path / "journal"), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "COLUMNS": "60",
              "PYTHONUTF8": "1"}
    subprocess.run([*COMMAND, "ingest", "--root", f"claude={CLAUDE}"], env=values, check=True, capture_output=True)
    return values


def on_a_terminal(environ: dict[str, str], *words: str) -> str:
    """Run a command whose standard output is a terminal; return what it shows."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen([*COMMAND, *words], env=environ, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert running.wait() == 0
    return shown.decode()


def test_a_chart_stands_on_a_terminal_only(environ: dict[str, str]) -> None:
    """Bars follow the table on a terminal, without colours; a pipe gets the table alone."""
    shown = on_a_terminal(environ, "usage", "--by", "day", "--timezone", "UTC")
    assert "█" in shown
    assert "\x1b" not in shown
    piped = subprocess.run([*COMMAND, "usage", "--by", "day", "--timezone", "UTC"], env=environ, capture_output=True, text=True, check=True).stdout
    assert piped.splitlines() == [
        "day         model            input  output  cache read  cache write   total  responses  cost USD",
        "2026-11-30  claude-opus-5-5    116     679      53,800        3,060  57,655          9      0.04",
        "total                          116     679      53,800        3,060  57,655          9      0.04",
    ]


@pytest.mark.parametrize(("name", "begins"), [("use.svg", b"<?xml"), ("use.png", b"\x89PNG")])
def test_a_plot_is_drawn(environ: dict[str, str], tmp_path: Path, name: str, begins: bytes) -> None:
    """A new private file of the kind that its name says."""
    pytest.importorskip("matplotlib")
    subprocess.run([*COMMAND, "usage", "--by", "session", "--plot", name], env=environ, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_plot_says_the_sessions_and_kinds(environ: dict[str, str], tmp_path: Path) -> None:
    """The text of an SVG stays text, and equal rows give equal bytes."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        subprocess.run([*COMMAND, "usage", "--by", "model", "--plot", name], env=environ, cwd=tmp_path, check=True, capture_output=True)
    drawn = (tmp_path / "a.svg").read_text()
    assert all(f">{text}<" in drawn for text in ("claude-opus-5-5", "cache read", "tokens by model"))
    assert drawn == (tmp_path / "b.svg").read_text()


@pytest.mark.parametrize("name", ["use.pdf", "use", "there.svg"])
def test_a_plot_that_cannot_be_is_refused(environ: dict[str, str], tmp_path: Path, name: str) -> None:
    """Another ending and a file that exists: exit 2, and the file stays as it was."""
    (tmp_path / "there.svg").write_text("mine")
    done = subprocess.run([*COMMAND, "usage", "--plot", name], env=environ, cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, (tmp_path / "there.svg").read_text()) == (2, "mine")


@pytest.mark.parametrize("words", [["usage", "--by", "session", "--json"], ["usage", "--by", "hour", "--timezone", "Asia/Kathmandu"], ["stats"],
                                   ["timeline", "--file", "calc.py"], ["catalog"]])  # fmt: skip
def test_figures_load_nothing_heavy(environ: dict[str, str], words: list[str]) -> None:
    """No SQLAlchemy, no plotting, no network, no detector of secrets and no decoder of lines stands behind a figure."""
    program = f"import sys; from cli.main import main; main({words!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True)
    heavy = {"sqlalchemy", "matplotlib", "numpy", "urllib.request", "detect_secrets", "orjson", "zstandard", "ingest.claude"}
    assert heavy & set(done.stderr.split()) == set()
