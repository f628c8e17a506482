"""`journal setup` as a person meets it: on a terminal, with answers that are typed."""

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
LONGEST_S = 120


class Terminal:
    """A process that reads and writes a pseudo-terminal."""

    def __init__(self, home: Path, *words: str) -> None:
        self.ours, theirs = pty.openpty()
        environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(PROJECT), "TERM": "xterm"}
        self.process = subprocess.Popen([sys.executable, "-m", "journal", "setup", *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=home, env=environ,
                                        start_new_session=True, preexec_fn=_take_terminal)  # fmt: skip  # noqa: PLW1509  ends at once in exec
        os.close(theirs)
        self.shown = ""
        self._read_up_to = 0

    def until(self, sign: str) -> str:
        """Return what is shown up to *sign*, since the last call."""
        end = time.monotonic() + LONGEST_S
        while sign not in self.shown[self._read_up_to :]:
            if not self._read(max(0.0, end - time.monotonic())):
                raise AssertionError(f"{sign!r} was never shown: {self.shown}")
        start, self._read_up_to = self._read_up_to, self.shown.index(sign, self._read_up_to) + len(sign)
        return self.shown[start : self._read_up_to]

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.ours, text.encode())

    def end(self) -> int:
        """Wait for the process; return its exit status."""
        while self._read(LONGEST_S):
            pass
        return self.process.wait(LONGEST_S)

    def _read(self, seconds: float) -> bool:
        with contextlib.suppress(OSError):  # the terminal is gone when its last process is
            if select.select([self.ours], [], [], seconds)[0]:
                read = os.read(self.ours, 65536)
                self.shown += read.decode().replace("\r\n", "\n")
                return bool(read)
        return False


def _take_terminal() -> None:
    """Make the terminal the one that this process is controlled from, so that Ctrl-C reaches it."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with Claude Code, which has settings of its own, and Codex."""
    user = tmp_path / "user"
    (user / ".codex").mkdir(parents=True)
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text('{\n  "model": "opus"\n}\n')
    return user


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    """Return a terminal in which `journal setup` runs."""
    opened = Terminal(home)
    yield opened
    if opened.process.poll() is None:
        opened.process.kill()
        opened.process.wait()
    os.close(opened.ours)


def files(home: Path) -> dict[str, str]:
    """Return every file of the home with its text."""
    return {str(path.relative_to(home)): path.read_text() for path in sorted(home.rglob("*")) if path.is_file()}


def test_setup_shows_what_it_found_and_would_change_before_it_asks(terminal: Terminal, home: Path) -> None:
    """The hosts and their state, then the lines that Claude Code's settings would get, and nothing is written before the answer."""
    shown = terminal.until("[y/N]")
    before = files(home)
    states = {line.split()[0]: line for line in shown.splitlines() if line.startswith(("claude ", "codex ", "gemini ", "copilot "))}
    assert [host for host, line in states.items() if line.endswith("would change")] == ["claude", "codex"]
    assert [host for host, line in states.items() if line.endswith("not on this machine")] == ["gemini", "copilot"]
    added = "".join(line for line in shown.splitlines() if line.startswith("+"))
    assert all(f"hook {role} --host claude" in added for role in ("session-start", "prompt", "pre-compact", "stop", "session-end"))
    assert f"and 20 commands below {home}/.claude/commands\n" in shown
    assert before == {".claude/settings.json": '{\n  "model": "opus"\n}\n'}


def test_a_refusal_changes_nothing(terminal: Terminal, home: Path) -> None:
    """`n` for one and Enter for the other: each is said to be left as it is, and no file is touched."""
    assert f"Let claude run the journal's hooks ({home}/.claude/settings.json)?" in terminal.until("[y/N]")
    terminal.type("n\n")
    terminal.until("claude: left as it is")
    assert f"Let codex run the journal's hooks ({home}/.codex/hooks.json)?" in terminal.until("[y/N]")
    terminal.type("\n")
    terminal.until("codex: left as it is")
    assert terminal.end() == 0
    assert files(home) == {".claude/settings.json": '{\n  "model": "opus"\n}\n'}


def test_an_agreement_installs_into_that_host_alone(terminal: Terminal, home: Path) -> None:
    """Five hooks beside what was there, the commands, what the host still asks for; the host that was refused has nothing."""
    terminal.until("[y/N]")
    terminal.type("y\n")
    terminal.until("[y/N]")
    terminal.type("no\n")
    terminal.until("claude: installed. ")
    assert terminal.end() == 0
    settings = json.loads((home / ".claude/settings.json").read_text())
    assert (settings["model"], len(settings["hooks"])) == ("opus", 5)
    assert (home / ".claude/commands/journal.md").exists()
    assert list((home / ".codex").iterdir()) == []


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_leaving_at_a_question_changes_nothing(terminal: Terminal, home: Path, key: str) -> None:
    """Ctrl-C ends it, Ctrl-D is no agreement; not even what was agreed to before is half done."""
    terminal.until("[y/N]")
    terminal.type("y\n")
    terminal.until("[y/N]")
    terminal.type(key)
    status = terminal.end()
    told = files(home)
    if key == "\x03":
        assert (status, told) == (130, {".claude/settings.json": '{\n  "model": "opus"\n}\n'})
    else:
        assert (status, "codex: left as it is" in terminal.shown) == (0, True)
        assert [path for path in told if path.startswith(".codex")] == []


def test_a_second_setup_asks_nothing(home: Path) -> None:
    """Once installed, both hosts are said to be, and the terminal comes back at once."""
    first = Terminal(home, "--yes")
    assert first.end() == 0
    second = Terminal(home)
    assert second.end() == 0
    os.close(first.ours)
    os.close(second.ours)
    assert "[y/N]" not in first.shown + second.shown
    assert [line.split()[-1] for line in second.shown.splitlines() if line.startswith(("claude ", "codex "))] == ["installed", "installed"]


def test_a_dry_run_shows_the_same_and_asks_nothing(home: Path) -> None:
    """What each host's settings would get; no question, no file."""
    shown = Terminal(home, "--dry-run")
    assert shown.end() == 0
    os.close(shown.ours)
    assert ("hook stop --host claude" in shown.shown, "hook stop --host codex" in shown.shown, "[y/N]" in shown.shown) == (True, True, False)
    assert files(home) == {".claude/settings.json": '{\n  "model": "opus"\n}\n'}
