"""What the recorded Gemini transcripts say, checked by hand against the files."""

from pathlib import Path

import orjson
import pytest

from ingest.gemini import ADAPTER
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    HistoryReplaced,
    HistoryRewound,
    JsonObject,
    MessageProduced,
    ProjectObserved,
    PromptSubmitted,
    RecordUnrecognised,
    SessionLinked,
    SessionStarted,
    SourceFacts,
    ToolReturned,
    UsageReported,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "gemini"
SCENARIOS = sorted(str(path.relative_to(FIXTURES).parent) for path in FIXTURES.glob("**/tmp") if path.is_dir())
PLAIN = SourceFacts("gemini", "/h/.gemini/tmp/p/chats/session-x.jsonl", "x")


def records(path: str, shape: str) -> list[JsonObject]:
    """Return the records of a file as the log gives them."""
    data = Path(path).read_bytes()
    if shape == "lines":
        return [orjson.loads(line) for line in data.split(b"\n") if line.strip()]
    value = orjson.loads(data) if path.endswith(".json") else {"text": data.decode()}
    return [value] if isinstance(value, dict) else []


def told(scenario: str, part: str = "") -> list[DomainEvent]:
    """Return every event of the files of a scenario whose path holds *part*."""
    found: list[DomainEvent] = []
    for candidate in ADAPTER.discover(str(FIXTURES / scenario)):
        if part in candidate.path:
            given = records(candidate.path, candidate.shape)
            native_id = candidate.native_id if candidate.native_id is not None else ADAPTER.native_id(candidate.path, given[0])
            source = SourceFacts("gemini", candidate.path, native_id, candidate.shape)
            found += [event for record in given for occurrence in ADAPTER.decode(source, record) for event in occurrence.events]
    return found


def said(record: JsonObject) -> list[DomainEvent]:
    """Return the events of one record of a main transcript."""
    return [event for occurrence in ADAPTER.decode(PLAIN, record) for event in occurrence.events]


def prompts(events: list[DomainEvent]) -> list[str]:
    """Return the human prompts, each once, in order."""
    return list(dict.fromkeys(event.text for event in events if isinstance(event, PromptSubmitted)))


def usage(events: list[DomainEvent]) -> list[tuple[int, int, int, int]]:
    """Return uncached input, output, cached and reasoning tokens of each response."""
    rows = {
        event.response_id: (event.input_tokens, event.output_tokens, event.cache_read_tokens, event.reasoning_tokens)
        for event in events
        if isinstance(event, UsageReported)
    }
    return list(rows.values())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_recorded_record_of_gemini_is_known(scenario: str) -> None:
    """No record of the recordings is of an unknown kind."""
    assert [event for event in told(scenario) if isinstance(event, RecordUnrecognised)] == []


def test_session_context_is_no_prompt() -> None:
    """The first user message is injected and says nothing (B12)."""
    assert prompts(told("tools", "11111111")) == ["Say hello"]


def test_prompt_behind_hook_context_is_told() -> None:
    """A prompt in one part with a hook's context is told without it."""
    assert prompts(told("inject")) == ["Injection test", "Injection test on resume"]


def test_usage_of_gemini_never_overlaps() -> None:
    """Cached tokens leave the input and thoughts join the output: 12243 input of which 6121 cached, 42 + 7 output."""
    assert usage(told("tools/states/after-run-1"))[0] == (6122, 49, 6121, 7)


def test_tools_of_gemini() -> None:
    """Each call returns its own text, a failing command its exit code, a missing file an error."""
    events = told("tools/states/after-run-2", "21-05-35f9c6c3")
    returned = {event.tool_call_id: (event.is_error, event.exit_code, event.output_text) for event in events if isinstance(event, ToolReturned)}
    assert list(returned.values())[:2] == [
        (False, None, 'def greet(name):\n    return "Hello " + name\n'),
        (False, None, "Directory listing for /home/dev/demo-app:\napp.py (44 bytes)\nREADME.md (34 bytes)\n\n(1 ignored)"),
    ]
    assert [values[:2] for values in returned.values()] == [
        (False, None), (False, None), (False, None), (False, None), (True, 3), (True, None), (False, None), (False, None),
    ]  # fmt: skip


def test_file_changes_of_gemini() -> None:
    """A new file and an edit are told with absolute path and lines."""
    changes = [event for event in told("tools/states/after-run-1") if isinstance(event, FileChanged)]
    assert [(event.path, event.operation, event.lines_added, event.lines_removed) for event in changes] == [
        ("/home/dev/demo-app/notes.txt", "add", 2, 0),
        ("/home/dev/demo-app/app.py", "edit", 1, 1),
    ]


def test_thoughts_are_no_answer() -> None:
    """After a resume an answer is a list of parts with the thought among them; the answer stays as it was."""
    answers = [event.text for event in told("tools/states/after-run-2") if isinstance(event, MessageProduced) and event.kind == "answer"]
    assert list(dict.fromkeys(answers)) == [
        "I will read it.", "Now the edit.", "I edited app.py and wrote notes.txt.", "Earlier I edited app.py.",
    ]  # fmt: skip


def test_sub_agent_of_gemini_is_linked_by_its_folder() -> None:
    """The child names the parent of its folder, works in the recorded directory and has no human prompt."""
    events = told("subagent", "30d7dbbe")
    assert [(event.kind, event.child_session_id, event.parent_session_id) for event in events if isinstance(event, SessionLinked)] == [
        ("subagent", "30d7dbbe-5492-4664-950c-355f57adea8b", "0f45463d-8b08-4c38-9683-92c21f51e850")
    ]
    assert prompts(events) == []
    assert usage(events) == [(1644, 49, 1643, 7), (1691, 42, 1691, 0)]


def test_rewind_of_gemini() -> None:
    """A rewind names the message it dropped; the prompts before it are told again and are the same records."""
    events = told("rewind")
    assert [event.record_id for event in events if isinstance(event, HistoryRewound)] == ["a335b2cc-5a74-4242-9c82-d60f771a3565"]
    assert prompts(events) == [
        "prompt number 1", "prompt number 2", "prompt number 3", "prompt after the rewind", "prompt that gets interrupted",
    ]  # fmt: skip


def test_compression_of_gemini_is_told_once() -> None:
    """A state snapshot is a compaction and a summary, no prompt; messages kept under new ids are not told again."""
    events = told("auto_compress")
    assert len([event for event in events if isinstance(event, ContextCompacted)]) == 1
    assert [event.text for event in events if isinstance(event, MessageProduced) and event.kind == "summary"] == [
        "<state_snapshot><overall_goal>MOCK SNAPSHOT of the work so far</overall_goal></state_snapshot>"
    ]
    assert prompts(events) == ["prompt number 1\nprompt number 2", "prompt number 3", "prompt number 4", "prompt number 5"]


def test_legacy_document_of_gemini() -> None:
    """A whole-file document is a session with its messages under their own ids."""
    events = told("legacy", "03-04-99999999.json")
    assert prompts(events) == ["Old question", "Go on"]
    assert usage(events) == [(10, 2, 0, 0), (6130, 42, 6130, 0)]


def test_project_root_of_gemini() -> None:
    """The root of a project comes from `.project_root`, its hash from the header."""
    events = told("tools")
    assert {event.path for event in events if isinstance(event, ProjectObserved)} == {"/home/dev/demo-app"}
    hashes = {event.project_hash for event in events if isinstance(event, SessionStarted)}
    assert hashes == {"4f15e4aa9286a8f37647f6fc7ce7ce2758005cbea77042c7667a00a31a1469ef"}


def test_patch_log_replays() -> None:
    """Header, bare message, whole list, the same id twice and a rewind are all read (B11)."""
    assert said({"id": "u", "type": "user", "content": [{"text": "hi"}]}) == [PromptSubmitted("hi")]
    assert said({"$set": {"messages": [{"id": "u", "type": "user", "content": "hi"}]}}) == [PromptSubmitted("hi"), HistoryReplaced(("u",))]
    assert said({"$rewindTo": "u"}) == [HistoryRewound("u")]
    assert usage([*said({"id": "g", "type": "gemini", "tokens": {"input": 5, "output": 1}}),
                  *said({"id": "g", "type": "gemini", "tokens": {"input": 5, "output": 9}})]) == [(5, 9, 0, 0)]  # fmt: skip


def test_files_of_gemini_that_are_no_transcripts() -> None:
    """Half-written and set-aside files are skipped (B11)."""
    folder = "/h/.gemini/tmp/p/chats/"
    names = ["session-a.jsonl", "session-a.json", "session-a.jsonl.tmp-12", "session-a.jsonl.unreadable-17"]
    found = [ADAPTER.classify("/h/.gemini", folder + name) for name in names]
    assert [candidate and candidate.shape for candidate in found] == ["lines", "document", None, None]


@pytest.mark.parametrize("output", ["Exit Code: --5", "Exit Code: ²", "Exit Code: " + "9" * 5000, "the log says Exit Code: 3 here"])
def test_text_like_an_exit_code_is_none(output: str) -> None:
    """Only a whole line with a small number is an exit code."""
    result = [{"functionResponse": {"response": {"output": output}}}]
    call = {"id": "t", "name": "run_shell_command", "args": {}, "status": "success", "result": result}
    returned = [event for event in said({"type": "gemini", "toolCalls": [call]}) if isinstance(event, ToolReturned)]
    assert [(event.is_error, event.exit_code) for event in returned] == [(False, None)]


@pytest.mark.parametrize("kind", [[], {}, None, 7, "brand-new-kind"])
def test_odd_type_of_gemini_is_unknown(kind: object) -> None:
    """A type of another kind is an unknown record and no error (B8, B10)."""
    assert [type(event) for event in said({"type": kind, "x": 1})] == [RecordUnrecognised]
