"""A session that says it is complete: the next one starts in a new window of a real tmux, where the user wants that."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux; CI installs it")


@pytest.fixture
def started(world: World) -> Iterator[Path]:
    """Put a program `claude` on PATH that writes down where and with what it was started, in a tmux of its own; give its notes."""
    programs, notes = world.folder / "bin", world.folder / "started"
    programs.mkdir()
    (programs / "claude").write_text(f'#!/bin/sh\npwd >> "{notes}"\nfor word in "$@"; do echo "$word" >> "{notes}"; done\n')
    (programs / "claude").chmod(0o755)
    world.environment["PATH"] = f"{programs}:{world.environment['PATH']}"
    server = ["tmux", "-L", f"journal-{os.getpid()}", "-f", "/dev/null"]
    subprocess.run([*server, "new-session", "-d", "-s", "one", "sleep", "60"], env=world.environment, check=True)
    told = subprocess.run([*server, "display-message", "-p", "#{socket_path},#{pid},0"], env=world.environment, check=True, capture_output=True, text=True)
    world.environment["TMUX"] = told.stdout.strip()
    world.still()
    yield notes
    subprocess.run([*server, "kill-server"], env=world.environment, check=False)


def complete(world: World) -> Path:
    """Say that the session is complete."""
    flag = world.project / ".journal/session-complete"
    flag.parent.mkdir(exist_ok=True)
    flag.write_text("")
    return flag


@needs_tmux
def test_k22_a_complete_session_opens_a_window_with_the_next(world: World, started: Path) -> None:
    """The stop tells the user, the flag is gone, and the host's program runs in the repository with the prompt to go on; once."""
    (world.home / "config.toml").write_text('[hooks]\non_complete = "tmux"\n')
    flag = complete(world)
    assert world.hook("stop").answer == {"systemMessage": "journal: this session is complete; the next one starts in a new tmux window"}
    assert not flag.exists()
    assert world.hook("stop").answer == {}
    end = time.monotonic() + 20
    while time.monotonic() < end and not (started.exists() and started.read_text().count("\n") == 2):
        time.sleep(0.05)
    folder, prompt = started.read_text().splitlines()
    assert (folder, prompt[:42]) == (str(world.project), "Go on with what the last session left: the")


@needs_tmux
def test_k22_without_the_setting_or_outside_tmux_nothing_starts(world: World, started: Path) -> None:
    """Off by default; without tmux around it the flag stays for `journal next`."""
    flag = complete(world)
    assert world.hook("stop").answer == {}
    (world.home / "config.toml").write_text('[hooks]\non_complete = "tmux"\n')
    del world.environment["TMUX"]
    assert world.hook("stop").answer == {}
    assert (flag.exists(), started.exists()) == (True, False)


def test_k33_next_waits_for_the_flag_and_starts_the_host_once(world: World) -> None:
    """What a task of an editor runs: it waits, takes the flag, and becomes the host's program."""
    programs = world.folder / "bin"
    programs.mkdir()
    (programs / "gemini").write_text('#!/bin/sh\npwd\necho "$1"\n')
    (programs / "gemini").chmod(0o755)
    world.environment["PATH"] = f"{programs}:{world.environment['PATH']}"
    told = world.journal("next", "--host", "gemini")
    assert (told.status, "journal next --now" in told.stderr) == (4, True)
    waiting = subprocess.Popen([sys.executable, "-m", "journal", "next", "--host", "gemini", "--wait"], cwd=world.project, env=world.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert waiting.stderr is not None
    assert "session-complete" in waiting.stderr.readline()
    flag = complete(world)
    out, _ = waiting.communicate(timeout=30)
    assert (out.splitlines(), flag.exists()) == ([str(world.project), "--prompt-interactive"], False)
    told = world.journal("next", "--host", "codex", "--now")
    assert (told.status, "codex is not on PATH" in told.stderr) == (4, True)
