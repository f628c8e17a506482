"""Todos of the hosts' own tools are told to the next session, whichever way the tool keeps them."""

import json
from typing import Any

import pytest
from archive import Archive, answer, claude, codex

S = "aaaaaaaa-0000-4000-8000-000000000001"


def calls(*given: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a prompt and calls with their results."""
    records = [claude(1, S, "go")]
    for number, (name, value) in enumerate(given):
        asked = answer(2 + 2 * number, S, "", f"m{number}")
        asked["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": name, "input": value}]
        back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}]}
        records += [asked, claude(3 + 2 * number, S, "", message=back)]
    return records


@pytest.mark.parametrize("given", [
    [("TodoWrite", {"todos": [{"content": "old", "status": "pending"}]}),
     ("TodoWrite", {"todos": [{"content": "Cover ints", "status": "completed"}, {"content": "Cover floats", "status": "in_progress"}]})],
    [("TaskCreate", {"subject": "Cover ints"}), ("TaskCreate", {"subject": "Cover floats"}), ("TaskUpdate", {"taskId": "1", "status": "completed"})],
], ids=["whole lists", "single items"])  # fmt: skip
def test_open_todos_are_in_a_restore(archive: Archive, given: list[tuple[str, dict[str, Any]]]) -> None:
    """The open one and no other."""
    archive.write(archive.claude_path(S), *calls(*given))
    archive.ingest()
    text = archive.json("restore", "--session", S)["text"]
    assert "Todos of the agent:\n- Cover floats\n" in text
    assert "Cover ints" not in text


def test_the_plan_of_codex_is_in_a_restore(archive: Archive) -> None:
    """`update_plan` is its todo tool."""
    plan = {"plan": [{"step": "Read", "status": "completed"}, {"step": "Write the parser", "status": "pending"}]}
    archive.write(archive.codex_path(S), codex(S, [
        ("event_msg", {"type": "user_message", "message": "go"}),
        ("response_item", {"type": "function_call", "name": "update_plan", "arguments": json.dumps(plan), "call_id": "c1"}),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "Plan updated"}),
    ]))  # fmt: skip
    archive.ingest()
    assert "- Write the parser\n" in archive.json("restore", "--session", S)["text"]


def test_more_todos_than_a_card_holds_are_counted(archive: Archive) -> None:
    """Eight and a number."""
    archive.write(archive.claude_path(S), *calls(("TodoWrite", {"todos": [{"content": f"Item {number}", "status": "pending"} for number in range(11)]})))
    archive.ingest()
    text = archive.json("restore", "--session", S)["text"]
    assert text.count("- Item ") == 8
    assert "- 3 of 11 more todos\n" in text
