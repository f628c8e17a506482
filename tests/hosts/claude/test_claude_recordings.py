"""What the recorded Claude Code transcripts say, checked by hand against the files."""

from pathlib import Path

import orjson
import pytest

from ingest.claude import ADAPTER
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    MessageProduced,
    PromptSubmitted,
    RecordUnrecognised,
    SessionLinked,
    SessionStarted,
    SourceFacts,
    ToolReturned,
    UsageReported,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude"
SCENARIOS = sorted(folder.name for folder in FIXTURES.iterdir())


def told(scenario: str) -> list[DomainEvent]:
    """Return every event of a scenario, file by file."""
    found: list[DomainEvent] = []
    for candidate in ADAPTER.discover(str(FIXTURES / scenario)):
        data = Path(candidate.path).read_bytes()
        source = SourceFacts("claude", candidate.path, candidate.native_id or "")
        for line in data.split(b"\n") if candidate.shape == "lines" else [data]:
            if line.strip():
                found += [event for occurrence in ADAPTER.decode(source, orjson.loads(line)) for event in occurrence.events]
    return found


def answers(scenario: str) -> list[str]:
    """Return the texts of the answers."""
    return [event.text for event in told(scenario) if isinstance(event, MessageProduced) and event.kind == "answer"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_recorded_record_is_known(scenario: str) -> None:
    """No record of the recordings is of an unknown kind."""
    assert [event for event in told(scenario) if isinstance(event, RecordUnrecognised)] == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_names_its_client(scenario: str) -> None:
    """Each scenario starts with the client's version."""
    assert {event.client_version for event in told(scenario) if isinstance(event, SessionStarted)} == {"2.1.332"}


def test_compaction_summary_is_no_prompt() -> None:
    """Case D7: a manual compaction leaves two human prompts, one summary and the boundary's figures."""
    events = told("compact")
    assert [event.text.split(" #plan")[0] for event in events if isinstance(event, PromptSubmitted)] == [
        "Start a session to compact.", "Go on after the compaction.",
    ]  # fmt: skip
    assert [event.trigger for event in events if isinstance(event, ContextCompacted)] == ["manual"]
    assert len([event for event in events if isinstance(event, MessageProduced) and event.kind == "summary"]) == 1
    assert answers("compact") == ["Base answer.", "Base done.", "After compaction answer."]


def test_synthetic_messages_give_no_usage() -> None:
    """Case C20: an API error is a notice without usage or model."""
    events = told("error")
    notices = [event for event in events if isinstance(event, MessageProduced)]
    assert [(event.kind, event.text, event.model) for event in notices] == [("notice", "API Error: 400 mock says no", None)]
    assert not [event for event in events if isinstance(event, UsageReported)]


def test_fork_names_its_parent() -> None:
    """Copied assistant lines of a fork name the session that asked."""
    links = {event for event in told("turns") if isinstance(event, SessionLinked)}
    assert {(link.kind, link.child_session_id, link.parent_session_id) for link in links} == {
        ("fork", "013aefe6-d54f-448f-9d79-ed4f588b0f43", "03d02093-6e0e-48bc-931c-fd2392ed2b6a"),
    }  # fmt: skip


def test_clear_links_the_new_file() -> None:
    """Attachments after /clear carry the old session's id."""
    links = {(event.kind, event.child_session_id, event.parent_session_id) for event in told("interactive") if isinstance(event, SessionLinked)}
    assert links == {("clear", "8c5a1350-826f-4931-8819-235cb39835b2", "ffb628b5-eaa9-467c-9e1a-9b94c259a697")}


def test_subagent_is_a_child_of_its_own() -> None:
    """Case C8: the agent's file is the session `<parent>:<agentId>`."""
    parent = "9d482481-a21b-490d-bbaf-db07511b169b"
    links = {(event.kind, event.child_session_id, event.parent_session_id) for event in told("subagent") if isinstance(event, SessionLinked)}
    assert links == {("subagent", f"{parent}:afbe4437e5404f6f1", parent)}
    assert sorted(answers("subagent")) == ["Counting.", "Delegating.", "The subagent counted 3 files.", "There are 3 files."]


def test_bash_redirection_is_shell_evidence() -> None:
    """`touch made_by_bash` is a file change read off the command line."""
    changes = [event for event in told("interactive") if isinstance(event, FileChanged)]
    assert [(event.path, event.operation, event.evidence) for event in changes] == [("made_by_bash", "write", "shell")]


def test_denied_tool_is_an_error() -> None:
    """A call that a hook denied returned an error."""
    assert [event.is_error for event in told("tool_denied") if isinstance(event, ToolReturned)] == [True]
