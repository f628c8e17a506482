"""The hosts' facts: units, places and names as documented and as the hosts want them, and cheap to import."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.facts import HOSTS, TOOL_ROLES, Facts
from ingest.install import plugins, wrappers
from ingest.install.handlers import wanted
from ingest.install.installation import facts_of

PROJECT = Path(__file__).parents[2]
REFERENCE = (PROJECT / "docs/reference/hooks.md").read_text()


def test_e8_timeouts_are_in_the_unit_of_each_host() -> None:
    """15 s for a session start and 10 s else; milliseconds in Gemini, 3 s at most for Codex' session end (E8)."""
    found = {host: [(event, handler[facts_of(host).timeout_key]) for event, handler in wanted(facts_of(host), ["j"]).items()] for host in HOSTS}
    assert found == {
        "claude": [("SessionStart", 15), ("UserPromptSubmit", 10), ("PreCompact", 10), ("Stop", 10), ("SessionEnd", 10)],
        "codex": [("SessionStart", 15), ("UserPromptSubmit", 10), ("PreCompact", 10), ("Stop", 10), ("SessionEnd", 3)],
        "gemini": [("SessionStart", 15000), ("BeforeAgent", 10000), ("PreCompress", 10000), ("AfterAgent", 10000), ("SessionEnd", 10000)],
        "copilot": [("sessionStart", 15), ("userPromptSubmitted", 10), ("preCompact", 10), ("agentStop", 10), ("sessionEnd", 10)],
    }


@pytest.mark.parametrize(("host", "environ", "home"), [
    ("claude", {"HOME": "/u"}, "/u/.claude"),
    ("claude", {"HOME": "/u", "CLAUDE_CONFIG_DIR": "/c"}, "/c"),
    ("codex", {"HOME": "/u", "CODEX_HOME": "/c"}, "/c"),
    ("gemini", {"HOME": "/u", "GEMINI_CLI_HOME": "/c"}, "/c/.gemini"),
    ("copilot", {"HOME": "/u", "COPILOT_HOME": "/c"}, "/c"),
    ("copilot", {"HOME": "/u", "COPILOT_HOME": ""}, "/u/.copilot"),
])  # fmt: skip
def test_the_homes_variable_moves_the_home(host: str, environ: dict[str, str], home: str) -> None:
    """Gemini's names the folder that holds the home, the others' the home itself."""
    assert facts_of(host).home_of(environ) == home


def around(facts: Facts, role: str) -> str:
    """Return the cell of a role around tools: event, timeout, tools."""
    event = facts.tool_events.get(role)
    return f"`{event.name}`, {event.timeout}, `{event.matcher}`" if event else "none: it would not reach the model"


@pytest.mark.parametrize("host", HOSTS)
def test_the_reference_says_what_the_facts_say(host: str) -> None:
    """Every cell of the host's column in docs/reference/hooks.md is what the program uses."""
    facts = facts_of(host)
    head = next(line for line in REFERENCE.splitlines() if line.startswith("| what |"))
    column = 1 + [cell.strip() for cell in head.split("|")][2:].index(facts.title)
    table = REFERENCE[REFERENCE.index(head) :].partition("\n\n")[0]
    lines = [line.replace(r"\|", "¦") for line in table.splitlines()]
    rows = {cells[1].strip(): cells[1 + column].strip().replace("¦", "|") for cells in (line.split("|") for line in lines)}
    assert {key: value for key, value in rows.items() if key not in {"what", "---"}} == {
        "home": f"`~/{facts.home}`",
        "moved by": f"`{facts.home_variable}`" + (" (the folder that holds it)" if facts.variable_holds_parent else ""),
        "hooks of a user": f"`{facts.user_file}`",
        "hooks of a project": f"`{facts.project_file}`",
        "form": facts.config_form,
        **{role: f"`{event.name}`, {event.timeout}" for role, event in facts.events.items()},
        **{role: around(facts, role) for role in TOOL_ROLES},
        "unit of timeouts": f"{facts.timeout_unit} (`{facts.timeout_key}`)",
        "answer": facts.dialect,
        "stop goes on with": f"`{facts.block_word}`",
        "host's cap, characters": f"{facts.host_cap:,}" if facts.host_cap else "none measured",
        "we inject at most": f"{facts.inject_cap:,}",
        "after the command": f"`{facts.fallback.strip()}`" if facts.fallback else "nothing",
        "commands": f"`{facts.commands_folder}/`, {facts.commands_form}",
    }
    assert f"- **{facts.title}.** {facts.trust} {facts.trust_project}" in re.sub(r"\n  ", " ", REFERENCE)


def test_facts_are_cheap_to_import() -> None:
    """A hook that reads its host's facts imports nothing but them."""
    code = "import sys; before = set(sys.modules); import ingest.facts.codex; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == "['ingest', 'ingest.facts', 'ingest.facts.codex']\n"


def test_the_plugins_in_the_tree_are_what_the_facts_make() -> None:
    """`python -m ingest.install.plugins` was run after the last change of facts or wrappers, and nothing else lies there."""
    folder = Path(plugins.FOLDER)
    assert {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()} == plugins.contents()


def test_wrappers_name_the_handoff_headings_once() -> None:
    """The snapshot command asks for the eight headings, in their order."""
    assert wrappers.HEADINGS.split(", ") == ["Current task", "Status", "Remaining", "Decisions", "Risks", "Open questions", "Sources of truth", "Next steps"]
    assert [wrapper.name for wrapper in wrappers.WRAPPERS if wrappers.HEADINGS in wrapper.instruction] == ["snapshot"]
