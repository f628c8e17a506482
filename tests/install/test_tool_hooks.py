"""`journal install --tools`: hooks around tools are there for who asks for them, stay when install runs again, and go when they are not wanted."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.facts import HOSTS, TOOL_ROLES
from ingest.install import installation
from ingest.install.installation import Request
from ingest.install.ownership import is_ours
from journal.home import Home

PROGRAM = ["/opt/j/bin/python", "-I", "-m", "journal"]
RUN = "/opt/j/bin/python -I -m journal hook"
WANTED: dict[str, dict[str, Any]] = {
    "claude": {
        "PreToolUse": [{"matcher": "Edit|Write|MultiEdit|NotebookEdit",
                        "hooks": [{"type": "command", "command": f"{RUN} before-tool --host claude || true", "timeout": 5}]}],
        "PostToolUseFailure": [{"matcher": "Bash", "hooks": [{"type": "command", "command": f"{RUN} after-tool --host claude || true", "timeout": 5}]}],
    },
    "codex": {
        "PreToolUse": [{"matcher": "apply_patch", "hooks": [{"type": "command", "command": f"{RUN} before-tool --host codex || true", "timeout": 5}]}],
        "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": f"{RUN} after-tool --host codex || true", "timeout": 5}]}],
    },
    "gemini": {
        "AfterTool": [{"matcher": "run_shell_command|replace|write_file",
                       "hooks": [{"type": "command", "command": f"{RUN} after-tool --host gemini || true", "timeout": 5000}]}],
    },
    "copilot": {
        "preToolUse": [{"type": "command", "bash": f"{RUN} before-tool --host copilot || true", "timeoutSec": 5,
                        "matcher": "edit|create|str_replace_editor|apply_patch"}],
        "postToolUse": [{"type": "command", "bash": f"{RUN} after-tool --host copilot || true", "timeoutSec": 5, "matcher": "bash"}],
    },
}  # fmt: skip


class Place:
    """One host's settings below a folder."""

    def __init__(self, host: str, folder: Path) -> None:
        self.facts = installation.facts_of(host)
        self.request = Request(Home(str(folder / "journal")), {"HOME": str(folder)}, "2026-12-03T10:00:00Z")
        self.path = Path(installation.config_path(self.facts, self.request))

    def install(self, *, tools: bool | None = None) -> bytes:
        """Install and return the file."""
        installation.install(self.facts, PROGRAM, self.request._replace(has_tools=tools))
        return self.path.read_bytes()


@pytest.mark.parametrize("host", HOSTS)
def test_hooks_around_tools_are_written_exactly_and_only_when_asked_for(host: str, tmp_path: Path) -> None:
    """Each with its matcher, and with an end of the line that refuses no tool where the program is gone."""
    place = Place(host, tmp_path)
    plain = json.loads(place.install())["hooks"]
    assert not {event.name for event in place.facts.tool_events.values()} & set(plain)
    assert json.loads(place.install(tools=True))["hooks"] == {**plain, **WANTED[host]}


@pytest.mark.parametrize("host", HOSTS)
def test_a_second_install_leaves_them_and_one_without_takes_exactly_them_out(host: str, tmp_path: Path) -> None:
    """Not a byte changes; `--no-tools` gives the file of before, `uninstall` none."""
    place = Place(host, tmp_path)
    plain = place.install()
    with_tools = place.install(tools=True)
    assert place.install() == with_tools
    assert place.install(tools=True) == with_tools
    assert place.install(tools=False) == plain
    place.install(tools=True)
    installation.uninstall(place.facts, place.request)
    assert not place.path.exists()


def test_hooks_of_the_user_around_tools_stay_where_they_are(tmp_path: Path) -> None:
    """Ours come behind them, with a group of their own, and go without them."""
    place = Place("claude", tmp_path)
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine check"}]}
    place.path.parent.mkdir(parents=True)
    place.path.write_text(json.dumps({"hooks": {"PreToolUse": [theirs]}}, indent=2))
    assert json.loads(place.install(tools=True))["hooks"]["PreToolUse"] == [theirs, *WANTED["claude"]["PreToolUse"]]
    assert json.loads(place.install(tools=False))["hooks"]["PreToolUse"] == [theirs]


def test_a_matcher_that_the_user_changed_stays(tmp_path: Path) -> None:
    """Which tools the hook is called for is the user's to narrow."""
    place = Place("claude", tmp_path)
    changed = place.install(tools=True).replace(b"Edit|Write|MultiEdit|NotebookEdit", b"Edit")
    place.path.write_bytes(changed)
    assert place.install() == changed


@pytest.mark.parametrize("role", TOOL_ROLES)
def test_their_commands_are_known_as_ours(role: str) -> None:
    """With the end of the line and without."""
    assert is_ours(f"{RUN} {role} --host copilot || true")
    assert is_ours(f"{RUN} {role} --host claude")
