"""`journal install`, `uninstall` and `setup` as a user runs them: whole processes in a throw-away home."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.install.probe import prove
from journal.errors import SettingInvalid

PROJECT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def journal(tmp_path: Path) -> Run:
    """Return a function that runs the command line in a home of its own, with a journal that a hook can run on the search path."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "journal"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    home = tmp_path / "user"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": f"{bin_folder}:/usr/bin:/bin", "PYTHONPATH": str(PROJECT)}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-m", "journal", *words], env=environ, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)  # fmt: skip

    return run


def files_of(tmp_path: Path) -> list[str]:
    """Return all files of the user, without those of the journal."""
    return sorted(str(path.relative_to(tmp_path / "user")) for path in (tmp_path / "user").rglob("*") if path.is_file() and ".local" not in path.parts)


def test_install_answers_the_keys_of_the_contract(journal: Run, tmp_path: Path) -> None:
    """`--json` says host, config, changed, backup, commands and trust; the command is quoted and absolute."""
    done = journal("install", "--host", "codex", "--bin", "journal", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {key: answer[key] for key in ("schema_version", "host", "config", "changed", "backup", "kept", "warnings", "dry_run")} == {
        "schema_version": 1, "host": "codex", "config": str(tmp_path / "user/.codex/hooks.json"), "changed": True, "backup": None,
        "kept": [], "warnings": [], "dry_run": False}  # fmt: skip
    assert answer["commands"][4] == {"role": "session-end", "event": "SessionEnd", "command": f"{tmp_path}/bin/journal hook session-end --host codex",
                                     "timeout": 3, "unit": "s"}  # fmt: skip
    assert "/hooks" in answer["trust"]
    assert json.loads((tmp_path / "user/.codex/hooks.json").read_text())["hooks"]["SessionEnd"] == [
        {"hooks": [{"type": "command", "command": f"{tmp_path}/bin/journal hook session-end --host codex", "timeout": 3}]}]


def test_a_dry_run_writes_nothing_and_tells_what_install_does(journal: Run, tmp_path: Path) -> None:
    """Nothing is made anywhere; every added line that was shown stands in the file after the real run."""
    dry = journal("install", "--host", "claude", "--bin", "journal", "--dry-run")
    assert dry.returncode == 0
    assert list((tmp_path / "user").rglob("*")) == []
    journal("install", "--host", "claude", "--bin", "journal")
    shown = [line[1:] for line in dry.stdout.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert shown == (tmp_path / "user/.claude/settings.json").read_text().splitlines()


def test_uninstall_all_leaves_nothing_in_the_hosts_folders(journal: Run, tmp_path: Path) -> None:
    """After install into all four hosts and uninstall no file of ours is left, and a dry run before says which will go."""
    for host in ("claude", "codex", "gemini", "copilot"):
        assert journal("install", "--host", host, "--bin", "journal").returncode == 0
    assert len(files_of(tmp_path)) == 84
    before = files_of(tmp_path)
    dry = json.loads(journal("uninstall", "--all", "--dry-run", "--json").stdout)
    assert files_of(tmp_path) == before
    assert sorted(path for each in dry["hosts"] for path in [each["config"], *each["deleted"]]) == [str(tmp_path / "user" / path) for path in before]
    assert journal("uninstall", "--all").returncode == 0
    assert files_of(tmp_path) == []


def test_a_broken_file_is_named_with_line_and_column(journal: Run, tmp_path: Path) -> None:
    """Exit code 2, the place and a hint on stderr, the bytes as they were."""
    settings = tmp_path / "user/.gemini/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "ui": {}\n  "hooks": {}\n}\n')
    done = journal("install", "--host", "gemini", "--bin", "journal")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"journal: {settings}: a comma or }} is missing (line 3, column 3)", "  correct the file; it was left as it is"]
    assert files_of(tmp_path) == [".gemini/settings.json"]


def test_a_dry_setup_says_what_it_finds_and_what_it_cannot_read(journal: Run, tmp_path: Path) -> None:
    """Hosts that are not on the machine are left out; a broken file is one line and exit code 1."""
    (tmp_path / "user/.codex").mkdir()
    (tmp_path / "user/.claude").mkdir()
    (tmp_path / "user/.claude/settings.json").write_text("{")
    found = json.loads(journal("setup", "--dry-run", "--json").stdout)
    assert [each["state"].partition(":")[0] for each in found["hosts"]] == ["skipped", "would change", "not on this machine", "not on this machine"]
    assert files_of(tmp_path) == [".claude/settings.json"]


def test_setup_without_a_terminal_asks_nothing_and_installs(journal: Run, tmp_path: Path) -> None:
    """Into the hosts that are there, each with what it still asks for; what cannot be read is skipped and untouched, with exit code 1."""
    (tmp_path / "user/.codex").mkdir()
    (tmp_path / "user/.claude").mkdir()
    (tmp_path / "user/.claude/settings.json").write_text("{")
    done = journal("setup", "--json")
    found = {each["host"]: each for each in json.loads(done.stdout)["hosts"]}
    assert (done.returncode, found["codex"]["state"], "Codex runs a hook only after you have trusted it" in found["codex"]["trust"]) == (1, "changed", True)
    events = json.loads((tmp_path / "user/.codex/hooks.json").read_text())["hooks"]
    assert set(events) >= {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    assert (tmp_path / "user/.claude/settings.json").read_text() == "{"
    assert {path.split("/")[0] for path in files_of(tmp_path)} == {".codex", ".claude"}


def test_a_program_that_does_not_exist_is_refused(journal: Run, tmp_path: Path) -> None:
    """`--bin` is looked up on the search path first, and nothing is written where it is not found."""
    done = journal("install", "--host", "claude", "--bin", "no-such-program")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "journal: --bin no-such-program: there is no such program")
    assert files_of(tmp_path) == []


def test_a_project_is_configured_alone(journal: Run, tmp_path: Path) -> None:
    """`--project` writes the personal file of the repository around the current directory, and tells about it."""
    (tmp_path / "user/.git").mkdir()
    answer = json.loads(journal("install", "--host", "claude", "--project", "--bin", "journal", "--json").stdout)
    assert answer["config"] == str(tmp_path / "user/.claude/settings.local.json")
    assert [warning for warning in answer["warnings"] if "repository" in warning]
    assert files_of(tmp_path) == [".claude/settings.local.json"]


@pytest.mark.parametrize(("key", "sentence"), [
    ('{"disableAllHooks": true}', "disableAllHooks is true, so Claude Code runs no hooks"),
    ('{"enabledPlugins": {"journal@agent-session-journal": true}}', "every hook runs twice"),
])  # fmt: skip
def test_what_keeps_hooks_from_running_once_is_said(journal: Run, tmp_path: Path, key: str, sentence: str) -> None:
    """A switch of the host and our own plugin beside the hooks are named at install."""
    settings = tmp_path / "user/.claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(key)
    warnings = json.loads(journal("install", "--host", "claude", "--bin", "journal", "--json").stdout)["warnings"]
    assert [warning for warning in warnings if sentence in warning]


@pytest.mark.parametrize(("line", "message"), [
    ("exit 3", "ended with 3"),
    ("echo boom >&2; exit 1", "ended with 1: boom"),
    ("echo hello", "printed something"),
    ("/no/such/python -I -m journal hook stop --host claude", "ended with 127"),
])  # fmt: skip
def test_a_command_that_fails_or_speaks_is_refused(line: str, message: str) -> None:
    """The very line is run by a shell; it must end with 0 and say nothing, since there is nothing to say."""
    with pytest.raises(SettingInvalid, match=message):
        prove(line, os.environ)


def test_the_probe_runs_in_a_journal_of_its_own(tmp_path: Path) -> None:
    """The line gets an empty stdin and a throw-away JOURNAL_HOME, which is gone afterwards."""
    prove(f'test -z "$(cat)" && mkdir -p "$JOURNAL_HOME" && echo "$JOURNAL_HOME" > {tmp_path}/where', {**os.environ, "JOURNAL_HOME": str(tmp_path / "real")})
    where = (tmp_path / "where").read_text().strip()
    assert where != str(tmp_path / "real")
    assert not Path(where).exists()


@pytest.mark.parametrize(("text", "told"), [
    ("[hooks.state.x]\ntrusted_hash = 'sha256:00'\n", None),
    ("[[hooks.Stop]]\nmatcher = ''\n", "has [hooks] as well: Codex CLI runs both and warns at every start"),
    ("[plugins.'journal@agent-session-journal']\nenabled = true\n", "the journal's plugin is on in Codex CLI as well"),
    ("[features]\nhooks = false\n", "features.hooks is false, so Codex CLI runs no hooks"),
])  # fmt: skip
def test_what_codex_says_elsewhere_about_hooks_is_said(journal: Run, tmp_path: Path, text: str, told: str | None) -> None:
    """Its trust is no second place of hooks; hooks, our plugin and a switch in config.toml are named."""
    (tmp_path / "user/.codex").mkdir()
    (tmp_path / "user/.codex/config.toml").write_text(text)
    warnings = json.loads(journal("install", "--host", "codex", "--bin", "journal", "--json").stdout)["warnings"]
    assert [warning for warning in warnings if "config.toml" in warning or "plugin" in warning] == ([] if told is None else warnings[:1])
    assert told is None or told in warnings[0]
