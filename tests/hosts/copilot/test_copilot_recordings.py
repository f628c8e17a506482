"""What the recorded Copilot event logs say, checked by hand against the files."""

from pathlib import Path

import orjson
import pytest

from ingest.copilot import ADAPTER
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    JsonObject,
    MessageProduced,
    Occurrence,
    PromptSubmitted,
    RecordUnrecognised,
    SessionAnnotated,
    SessionEnded,
    SessionLinked,
    SessionStarted,
    SourceFacts,
    ToolReturned,
    UsageReported,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "copilot"
SCENARIOS = sorted(str(path.relative_to(FIXTURES).parent) for path in FIXTURES.glob("**/session-state") if path.is_dir())
SESSION = "11111111-2222-4333-8444-555555555555"
PLAIN = SourceFacts("copilot", f"/h/.copilot/session-state/{SESSION}.jsonl", SESSION)


def occurrences(scenario: str, part: str = "") -> list[Occurrence]:
    """Return what the files of a scenario say whose path holds *part*."""
    found: list[Occurrence] = []
    for candidate in ADAPTER.discover(str(FIXTURES / scenario)):
        if part in candidate.path:
            data = Path(candidate.path).read_bytes()
            lines = [line for line in data.split(b"\n") if line.strip()]
            given = [orjson.loads(line) for line in lines] if candidate.shape == "lines" else [{"text": data.decode()}]
            source = SourceFacts("copilot", candidate.path, candidate.native_id or "", candidate.shape)
            found += [occurrence for record in given for occurrence in ADAPTER.decode(source, record)]
    return found


def told(scenario: str, part: str = "") -> list[DomainEvent]:
    """Return the events of the files of a scenario whose path holds *part*."""
    return [event for occurrence in occurrences(scenario, part) for event in occurrence.events]


def said(record: JsonObject, source: SourceFacts = PLAIN) -> list[DomainEvent]:
    """Return the events of one record."""
    return [event for occurrence in ADAPTER.decode(source, record) for event in occurrence.events]


def prompts(events: list[DomainEvent]) -> list[str]:
    """Return the human prompts in order."""
    return [event.text for event in events if isinstance(event, PromptSubmitted)]


def usage(events: list[DomainEvent], basis: str = "response") -> list[tuple[int, int, int, int]]:
    """Return uncached input, output, cached and reasoning tokens of each report of one basis."""
    return [
        (event.input_tokens, event.output_tokens, event.cache_read_tokens, event.reasoning_tokens)
        for event in events
        if isinstance(event, UsageReported) and event.basis == basis
    ]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_recorded_record_of_copilot_is_known(scenario: str) -> None:
    """No record of the recordings is of an unknown kind."""
    assert [event for event in told(scenario) if isinstance(event, RecordUnrecognised)] == []


def test_start_of_copilot() -> None:
    """The first record gives version, model, commit, directory and branch."""
    first = occurrences("tools", "2032cca2")[0]
    assert first.events == (
        SessionStarted("headless", "1.0.102", "claude-sonnet-4.6", None, "d2fe707c81e259764ff5286638d3af3086f86206"),
    )
    assert (first.cwd, first.branch) == ("/home/dev/demo-app", "main")


def test_resumes_of_copilot() -> None:
    """A resume is told in the same session, and each run has its end."""
    events = told("tools", "2032cca2")
    assert [event.resumed for event in events if isinstance(event, SessionStarted)] == [False, True, True]
    assert [event.reason for event in events if isinstance(event, SessionEnded)] == ["routine"] * 3
    assert prompts(events) == ["Make the greeting louder and keep notes", "What did you change?", "Go on"]


def test_fork_names_may_hold_quotes() -> None:
    """The ids of a fork are read from its line whatever its names are, and the record before it is the fork point."""
    text = f'Forked from "say "hi" (x)" ({SESSION}) as "a\nb" (22222222-2222-4333-8444-555555555555).'
    record = {"type": "session.info", "data": {"infoType": "fork", "message": text}, "id": "i", "parentId": "p"}
    assert said(record) == [SessionLinked("fork", "22222222-2222-4333-8444-555555555555", SESSION, "session.info of the fork", "p")]


def test_older_releases_do_not_tell_the_terminal() -> None:
    """Only a release that is known to tell the terminal can be said to have run without one."""
    kinds = {version: said({"type": "session.start", "data": {"copilotVersion": version}})[0] for version in ("0.0.369", "1.0.102", "1.1.0", "odd", None)}
    assert [getattr(event, "kind", None) for event in kinds.values()] == ["interactive", "headless", "headless", "interactive", "interactive"]


def test_killed_run_of_copilot() -> None:
    """A killed run has no end; its prompt and its file change are there."""
    events = told("killed/states/after-kill")
    assert prompts(events) == ["Write a file and then talk"]
    assert [event for event in events if isinstance(event, SessionEnded)] == []
    assert [(event.path, event.operation) for event in events if isinstance(event, FileChanged)] == [("/home/dev/demo-app/a.txt", "add")]


def test_usage_of_copilot_never_overlaps() -> None:
    """Cached tokens leave the input; the totals at the end of the first run are the sum of its seven responses."""
    events = told("tools", "2032cca2")
    responses = usage(events)
    assert responses[0] == (6104, 42, 6103, 5)
    assert len(responses) == 9
    assert tuple(map(sum, zip(*responses[:7], strict=True))) == (43969, 294, 43965, 35)
    assert usage(events, "shutdown_total") == [(43969, 294, 43965, 35), (50539, 336, 50535, 40), (57130, 378, 57125, 45)]


def test_tools_of_copilot() -> None:
    """A command that exits with 3 and a missing path are errors."""
    returned = [event for event in told("tools", "2032cca2") if isinstance(event, ToolReturned)]
    assert [(event.tool_call_id, event.is_error, event.exit_code) for event in returned] == [
        ("call_0001", False, None), ("call_0002", False, None), ("call_0003", False, None), ("call_0004", False, None),
        ("call_0005", True, 3), ("call_0006", True, None), ("call_0007", False, None), ("call_0008", False, 0),
    ]  # fmt: skip
    assert returned[5].output_text == "Path does not exist"


def test_file_changes_of_copilot() -> None:
    """A new file and an edit are told with absolute path and lines; looking at a file is no change."""
    changes = [event for event in told("tools") if isinstance(event, FileChanged)]
    assert [(event.path, event.operation, event.lines_added, event.lines_removed) for event in changes] == [
        ("/home/dev/demo-app/notes.txt", "add", 2, 0),
        ("/home/dev/demo-app/app.py", "edit", 1, 1),
    ]


def test_patch_of_copilot_names_both_files() -> None:
    """One free-form patch changes two files."""
    changes = [event for event in told("patch", "a352dac2") if isinstance(event, FileChanged)]
    assert [(event.path, event.operation) for event in changes] == [
        ("/home/dev/demo-app/app.py", "edit"), ("/home/dev/demo-app/extra.txt", "add"),
    ]  # fmt: skip


def test_fork_of_copilot_is_linked() -> None:
    """The fork names its parent in the text of one record, and repeats the parent's record ids."""
    fork, parent = "d2b70ce3-ef16-4eff-a80e-2296b64667c4", "2b746364-b38f-453f-8b9f-e1013341025e"
    events = told("interactive")
    assert [(event.kind, event.child_session_id, event.parent_session_id) for event in events if isinstance(event, SessionLinked)] == [
        ("fork", fork, parent)
    ]
    ids = [{occurrence.record_id for occurrence in occurrences("interactive", session)} for session in (fork, parent)]
    assert len(ids[0] & ids[1] - {None}) > 50


def test_title_of_copilot_is_told_when_given() -> None:
    """Only a name that the user gave is a title; else the name is the first prompt."""
    titles = [event.title for scenario in ("tools", "interactive") for event in told(scenario) if isinstance(event, SessionAnnotated)]
    assert titles == ["fixed one", "branch-two"]


def test_sub_agent_of_copilot_is_a_session() -> None:
    """Events with an agent id belong to a child; the task it was given is no human prompt."""
    parent, child = "7caeaca1-a0a8-4a2c-8089-132300be7489", "7caeaca1-a0a8-4a2c-8089-132300be7489:fcbb02ed-421b-456f-980e-0ef94c19b840"
    found = occurrences("subagent")
    assert {occurrence.session_id for occurrence in found} == {None, child}
    own = [event for occurrence in found if occurrence.session_id == child for event in occurrence.events]
    assert {(event.kind, event.child_session_id, event.parent_session_id) for event in own if isinstance(event, SessionLinked)} == {
        ("subagent", child, parent)
    }
    assert [(event.kind, event.text) for event in own if isinstance(event, MessageProduced)] == [
        ("injected", "Find where greet is defined"), ("answer", "greet is in app.py line 1."),
    ]  # fmt: skip
    assert usage(own) == [(1959, 42, 1958, 5), (2001, 42, 2000, 5)]


def test_compactions_of_copilot() -> None:
    """Three compactions with their sizes, and their summaries are no answers."""
    events = told("auto_compact")
    assert [(event.trigger, event.pre_tokens, event.post_tokens) for event in events if isinstance(event, ContextCompacted)] == [
        ("threshold", 28601, 15771), ("threshold", 22249, 15771), ("threshold", 19052, 12574),
    ]  # fmt: skip
    kinds = [event.kind for event in events if isinstance(event, MessageProduced)]
    assert (kinds.count("summary"), kinds.count("answer")) == (3, 10)


def test_older_layouts_of_copilot_are_found() -> None:
    """Flat logs and whole-file documents carry their session's id in the name; lock files are no sessions."""
    root = "/h/.copilot/"
    names = [f"session-state/{SESSION}.jsonl", f"history-session-state/session_{SESSION}_1760000000000.json",
             f"session-state/.session-operation-locks/{SESSION}.lock"]  # fmt: skip
    found = [ADAPTER.classify(root, root + name) for name in names]
    assert [candidate and (candidate.shape, candidate.native_id) for candidate in found] == [("lines", SESSION), ("document", SESSION), None]


def test_older_document_of_copilot() -> None:
    """A document of 2025 gives its prompts and answers."""
    source = SourceFacts("copilot", f"/h/.copilot/history-session-state/session_{SESSION}_1.json", SESSION, "document")
    history = [{"role": "user", "content": "hi", "time": "2025-10-01T00:00:00Z"}, {"role": "assistant", "content": "hello"}]
    assert said({"history": history, "workspacePath": "/w"}, source) == [PromptSubmitted("hi"), MessageProduced("assistant", "answer", "hello")]


def test_session_without_usage_records_is_estimated() -> None:
    """Output figures of single messages are estimates, kept apart from responses (C21)."""
    events = said({"type": "assistant.message", "data": {"messageId": "m", "content": "hello", "outputTokens": 12}})
    assert usage(events, "message_estimate") == [(0, 12, 0, 0)]


@pytest.mark.parametrize("kind", [[], {}, None, 7, "brand-new-kind"])
def test_odd_type_of_copilot_is_unknown(kind: object) -> None:
    """A type of another kind is an unknown record and no error (B8, B10)."""
    assert [type(event) for event in said({"type": kind, "data": []})] == [RecordUnrecognised]
