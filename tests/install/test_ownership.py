"""Which command lines are ours."""

import pytest

from ingest.facts import HOSTS, ROLES
from ingest.install.handlers import wanted
from ingest.install.installation import facts_of
from ingest.install.ownership import command, is_ours


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("program", [["/opt/j/bin/python", "-I", "-m", "journal"], ["/with space/it's/python3", "-I", "-m", "journal"], ["/usr/bin/journal"]])
def test_what_install_writes_is_ours(host: str, program: list[str]) -> None:
    """Every command that install generates is recognised, so that the next run finds it and the last one removes it."""
    for handler in wanted(facts_of(host), program).values():
        assert is_ours(handler.get("command") or handler["bash"])


@pytest.mark.parametrize("line", [
    "python -m journal hook stop",
    "/home/dev/.local/bin/journal hook session-start",
    "journal hook prompt --host gemini || true",
    "uvx --from agent-session-journal journal hook stop --host codex",
    "'/with space/bin/python3.12' -I -m journal hook pre-compact --host copilot",
])  # fmt: skip
def test_older_forms_are_ours(line: str) -> None:
    """Without isolation, without the host, with a fallback, by another interpreter or runner."""
    assert is_ours(line)


@pytest.mark.parametrize("line", [
    "", "journal", "journal hook", "journal hook stop extra", "journal hook stop-all", "journal hook stop --host cursor", "journal hook stop --host",
    "journal ingest", "my-journal hook stop", "journal-sync hook stop --host claude", "other && journal hook stop --host claude",
    "journal hook stop --host claude; rm -rf x", "JOURNAL_HOME=/x journal hook stop --host claude", "python -m journalism hook stop --host claude",
    "ruby -m journal hook stop", "bd hook stop --host claude", "journal hook 'stop", "echo journal hook stop --host claude", "true || true",
])  # fmt: skip
def test_foreign_commands_are_not_ours(line: str) -> None:
    """What another tool or the user wrote around ours is left alone."""
    assert not is_ours(line)


def test_a_program_named_with_bin_is_ours_by_the_whole_shape() -> None:
    """`--bin` may name anything; its commands are known by the program that the manifest remembers and by role and host."""
    line = command(["/opt/tools/run", "j"], "stop", "claude", "")
    assert line == "/opt/tools/run j hook stop --host claude"
    assert not is_ours(line)
    assert is_ours(line, [["/opt/tools/run", "j"]])
    assert not is_ours("/opt/tools/run j hook stop", [["/opt/tools/run", "j"]])


def test_the_roles_are_the_five_of_the_hook_command() -> None:
    """The facts of every host name the same five."""
    assert ROLES == ("session-start", "prompt", "pre-compact", "stop", "session-end")
    assert {tuple(facts_of(host).events) for host in HOSTS} == {ROLES}
