"""What the recorded Codex rollouts say, checked by hand against the files."""

from pathlib import Path

import orjson
import pytest

from ingest.codex import ADAPTER
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    JsonObject,
    MessageProduced,
    PromptSubmitted,
    RecordUnrecognised,
    SessionLinked,
    SourceFacts,
    ToolReturned,
    UsageTotalReported,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
SCENARIOS = sorted(folder.name for folder in FIXTURES.iterdir())
OLD = SourceFacts("codex", "rollout-old.jsonl", "old")


def told(scenario: str) -> list[DomainEvent]:
    """Return every event of a scenario, file by file."""
    found: list[DomainEvent] = []
    for candidate in ADAPTER.discover(str(FIXTURES / scenario)):
        source = SourceFacts("codex", candidate.path, candidate.native_id or "")
        for line in Path(candidate.path).read_bytes().split(b"\n"):
            if line.strip():
                found += [event for occurrence in ADAPTER.decode(source, orjson.loads(line)) for event in occurrence.events]
    return found


def old(record: JsonObject) -> list[DomainEvent]:
    """Return the events of one record in an older grammar."""
    return [event for occurrence in ADAPTER.decode(OLD, record) for event in occurrence.events]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_recorded_record_is_known(scenario: str) -> None:
    """No record of the recordings is of an unknown kind."""
    assert [event for event in told(scenario) if isinstance(event, RecordUnrecognised)] == []


@pytest.mark.parametrize(("scenario", "linked"), [
    ("turns", ["fork"]), ("codemode_turns", ["fork"]), ("subagent", ["subagent", "subagent"]), ("codemode_subagent", ["subagent", "subagent"]),
])  # fmt: skip
def test_threads_are_linked(scenario: str, linked: list[str]) -> None:
    """Forks and sub-agents name their parent in the first line; the parent names the agent that it spawned."""
    assert [event.kind for event in told(scenario) if isinstance(event, SessionLinked)] == linked


@pytest.mark.parametrize("scenario", ["turns", "codemode_turns"])
def test_each_patch_is_one_change(scenario: str) -> None:
    """A patch is told by its item alone, with absolute path, in direct mode as in code mode."""
    changes = [event for event in told(scenario) if isinstance(event, FileChanged)]
    assert [(event.path, event.operation, event.lines_added, event.lines_removed) for event in changes] == [
        ("/home/dev/proj/calc.py", "edit", 1, 1),
        ("/home/dev/proj/test_calc.py", "add", 5, 0),
        ("/home/dev/proj/README.md", "edit", 1, 1),
    ]


def test_prompts_are_the_user_items() -> None:
    """The prompts of a thread, its resumes and its fork are told once each."""
    assert [event.text.split(" #plan")[0] for event in told("turns") if isinstance(event, PromptSubmitted)] == [
        "Please fix add() in calc.py and add a test.", "Now rename the readme title.",
        "Thanks, what did we do?", "In this fork, try multiplication.",
    ]  # fmt: skip


def test_compaction_summary_is_told_once() -> None:
    """The summary comes from `compacted`, and no answer repeats it."""
    events = told("auto_compact")
    assert len([event for event in events if isinstance(event, ContextCompacted)]) == 1
    assert len([event for event in events if isinstance(event, MessageProduced) and event.kind == "summary"]) == 1


def test_denied_tool_is_an_error() -> None:
    """A call that a hook denied returned an error."""
    assert [event.is_error for event in told("tool_denied") if isinstance(event, ToolReturned)] == [True]


def test_cached_input_is_inside_input() -> None:
    """Case C23: 100 input with 80 cached and 20 output with 15 reasoning is 20 + 80 + 20."""
    usage = {"input_tokens": 100, "cached_input_tokens": 80, "output_tokens": 20, "reasoning_output_tokens": 15}
    payload = {"type": "token_count", "info": {"total_token_usage": usage, "model_context_window": 258400}}
    assert old({"type": "event_msg", "payload": payload}) == [UsageTotalReported(None, (20, 20, 80, 0, 15), None, 258400)]


def test_null_info_is_no_usage() -> None:
    """Case C11: rate limits alone tell no usage."""
    assert old({"type": "event_msg", "payload": {"type": "token_count", "info": None}}) == []


def test_bare_grammar_of_2025() -> None:
    """A prompt without envelope is read, its header and state lines are known."""
    content = [{"type": "input_text", "text": "Hi"}]
    assert old({"type": "message", "role": "user", "content": content}) == [PromptSubmitted("Hi")]
    assert old({"record_type": "state"}) == []


def test_failed_patch_changes_nothing() -> None:
    """A patch that could not be applied changes no file."""
    payload = {"type": "patch_apply_end", "call_id": "c", "success": False, "changes": {"/a": {"type": "add", "content": "x\n"}}}
    assert old({"type": "event_msg", "payload": payload}) == []
