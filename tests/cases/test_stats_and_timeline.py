"""The commands `stats` and `timeline`: hours of a zone, tools and their errors, and who changed a file for which prompt."""

import json
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def call(number: int, session: str, call_id: str, tool: str, given: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return an answer that calls a tool."""
    record = answer(number, session, "", f"m{session[:1]}{number}", **fields)
    record["message"]["content"] = [{"type": "tool_use", "id": call_id, "name": tool, "input": given}]
    return record


def result(number: int, session: str, call_id: str, *, failed: bool = False, edited: str | None = None, lines: str = "+", **fields: Any) -> dict[str, Any]:
    """Return the result of a call, with an edit of one hunk where *edited* names a file."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "x", "is_error": failed}
    details = {"filePath": edited, "structuredPatch": [{"lines": [f"{sign}x" for sign in lines]}]} if edited else None
    return claude(number, session, "", message={"role": "user", "content": [block]}, **({"toolUseResult": details} if details else {}), **fields)


def edits(number: int, session: str, call_id: str, path: str, lines: str, **fields: Any) -> list[dict[str, Any]]:
    """Return a call of Edit and its result."""
    return [call(number, session, call_id, "Edit", {"file_path": path}, **fields),
            result(number + 1, session, call_id, edited=path, lines=lines, **fields)]


def test_stats_count_by_the_zone_and_by_event(archive: Archive) -> None:
    """Two messages and a call at 18:15Z on a Saturday are Sunday midnight in Kathmandu; errors are of the calls that ended."""
    at = {"timestamp": "2026-01-24T18:15:00.000Z"}
    archive.write(archive.claude_path(S), claude(1, S, "hi", **at), answer(2, S, "ok", "m1", **at), call(3, S, "c1", "Bash", {"command": "true"}, **at),
                  result(4, S, "c1", failed=True, timestamp="2026-01-24T18:20:00.000Z"),
                  call(5, S, "c2", "Bash", {"command": "true"}, timestamp="2026-01-24T18:25:00.000Z"),
                  answer(6, S, "late", "m9", timestamp="2026-01-25T20:00:00.000Z"))  # fmt: skip
    archive.ingest()
    told = archive.json("stats", "--timezone", "Asia/Kathmandu")
    grid = told["activity_by_weekday_and_hour"]
    assert (grid[6][0], sum(map(sum, grid)), grid[0][1]) == (4, 5, 1)
    assert told["hosts"] == [{"host": "claude", "sessions": 1, "prompts": 1, "answers": 2, "tool_calls": 2}]
    assert told["tools"] == [{"name": "Bash", "calls": 2, "ended": 1, "errors": 1, "error_rate": 1.0}]
    longest = told["longest_sessions"][0]
    assert (longest["session_id"], longest["active_s"], longest["span_s"]) == (S, 600, 92_700)
    assert archive.json("stats", "--timezone", "Asia/Kathmandu", "--until", "2026-01-25")["hosts"][0]["answers"] == 1


def test_stats_for_people(archive: Archive) -> None:
    """The map has seven days, the tools their error rate."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), call(3, S, "c1", "Bash", {}), result(4, S, "c1", failed=True))
    archive.ingest()
    status, out, _ = archive.run("stats", "--timezone", "UTC")
    lines = out.splitlines()
    assert (status, lines[0], lines[2][:3], lines[8][:3]) == (0, "prompts, answers and tool calls by hour (UTC)", "Mon", "Sun")
    assert "Bash  1      1       100.0%" in lines


def test_compactions_are_told_by_host_and_trigger(archive: Archive) -> None:
    """Two automatic compactions with their mean sizes."""
    boundary = {"type": "system", "subtype": "compact_boundary"}
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *(
        claude(2 + n, S, "", **boundary, compactMetadata={"trigger": "auto", "preTokens": size, "postTokens": 10}) for n, size in enumerate((100, 300))))
    archive.ingest()
    assert archive.json("stats")["compactions"] == [
        {"host": "claude", "trigger": "auto", "compactions": 2, "mean_tokens_before": 200, "mean_tokens_after": 10}]  # fmt: skip


def changes(archive: Archive, path: str, *words: str) -> list[dict[str, Any]]:
    """Return the changes of a file."""
    found: list[dict[str, Any]] = archive.json("timeline", "--file", path, *words)["changes"]
    return found


def test_timeline_names_tool_lines_and_prompt(archive: Archive) -> None:
    """Each change has its own prompt and turn; another file has none of them."""
    path = f"{CWD}/src/app.py"
    archive.write(archive.claude_path(S), claude(1, S, "make it louder"), *edits(2, S, "c1", path, "++-"), claude(5, S, "no, softer"),
                  *edits(6, S, "c2", path, "-"), *edits(8, S, "c3", f"{CWD}/lib/app.py", "+"))  # fmt: skip
    archive.ingest()
    assert changes(archive, path) == [
        {"occurred_at": f"2026-11-30T10:00:0{second}.000000Z", "session_id": S, "host": "claude", "project": CWD, "path": "src/app.py", "absolute_path": path,
         "operation": "edit", "moved_to": None, "tool": "Edit", "evidence": "tool", "lines_added": added, "lines_removed": removed, "failed": False,
         "prompt_session_id": S, "turn": turn, "prompt": prompt}
        for second, added, removed, turn, prompt in ((3, 2, 1, 1, "make it louder"), (7, 0, 1, 2, "no, softer"))]  # fmt: skip
    assert [change["path"] for change in changes(archive, "app.py")] == ["lib/app.py", "src/app.py", "src/app.py"]
    assert [change["path"] for change in changes(archive, "src/app.py", "--since", "2026-11-30T10:00:05", "--timezone", "UTC")] == ["src/app.py"]
    assert changes(archive, "pp.py") == []


def test_timeline_follows_a_file_to_its_earlier_name(archive: Archive) -> None:
    """What was done under the old name after the move is another file's."""
    old, new = f"{CWD}/old.py", f"{CWD}/new.py"
    archive.write(archive.claude_path(S), claude(1, S, "go"), *edits(2, S, "c1", old, "+"),
                  call(4, S, "c2", "Bash", {"command": "git mv old.py new.py"}), result(5, S, "c2"),
                  *edits(6, S, "c3", new, "++"), *edits(8, S, "c4", old, "-"))  # fmt: skip
    archive.ingest()
    assert [(change["absolute_path"], change["operation"], change["lines_added"]) for change in changes(archive, new)] == [
        (old, "edit", 1), (old, "move", None), (new, "edit", 2)]  # fmt: skip


def test_what_a_sub_agent_does_belongs_to_the_prompt_at_the_top(archive: Archive) -> None:
    """The change is the child's, the prompt the parent's that ran then."""
    side = {"isSidechain": True, "agentId": "a"}
    archive.write(archive.claude_path(S), claude(1, S, "first"), claude(10, S, "let an agent do it"), claude(50, S, "later"))
    archive.write(archive.claude_path(S).with_suffix("") / "subagents/agent-a.jsonl", claude(12, S, "task", **side),
                  *edits(20, S, "c1", f"{CWD}/app.py", "+", **side))  # fmt: skip
    archive.ingest()
    assert [(c["session_id"], c["prompt_session_id"], c["turn"], c["prompt"]) for c in changes(archive, "app.py")] == [
        (f"{S}:a", S, 2, "let an agent do it")]  # fmt: skip


def test_a_copied_history_changes_a_file_once(archive: Archive) -> None:
    """A fork's copies of its parent's records are no second change."""
    shared = [claude(1, S, "go"), *edits(2, S, "c1", f"{CWD}/app.py", "+")]
    archive.write(archive.claude_path(S), *shared)
    archive.write(archive.claude_path(T), *(record | {"sessionId": T, "requestSessionId": S} for record in shared), claude(9, T, "fork"))
    archive.ingest()
    assert [change["session_id"] for change in changes(archive, "app.py")] == [S]


@pytest.mark.parametrize("path", ["nothing.py", "%", "'", "a\udc80b", ""])
def test_a_file_that_no_one_changed(archive: Archive, path: str) -> None:
    """An empty answer and exit 0, whatever the name holds; people read it as a sentence."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), *edits(2, S, "c1", f"{CWD}/app.py", "+"))
    archive.ingest()
    status, out, err = archive.run("timeline", "--file", path)
    assert (status, out, "no session is known to have changed" in err) == (0, "", True)
    status, out, _ = archive.run("timeline", "--file", path, "--json")
    assert (status, json.loads(out)["changes"]) == (0, [])
