"""What the response items, events and completed items of a Codex rollout say.

Human prompts are the UserMessage items (older: `user_message` events), never response items of role user, which hold harness text as well.
"""

import re
from collections.abc import Callable, Iterator

import orjson

from ingest import patch, shell
from ingest.fields import compact, count_of, number_in, number_of, part_of, text_of
from journal.domain import (
    DomainEvent,
    FileChanged,
    JsonObject,
    MessageProduced,
    PromptSubmitted,
    RecordUnrecognised,
    SessionAnnotated,
    SessionLinked,
    SourceFacts,
    ToolCalled,
    ToolReturned,
    TurnEnded,
    UsageTotalReported,
)

EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:|exit_code\"?:) *(-?\d+)")
SCRIPTED = "exec-"
"""How the ids of what a script of the tool `exec` did begin; other items bear the id of the model's own call."""
OPERATIONS = {"add": "add", "update": "edit", "delete": "delete"}
BLOCKED = "Command blocked by PreToolUse hook"
Events = Iterator[DomainEvent]
Reader = Callable[[SourceFacts, JsonObject], Events]


def nothing(source: SourceFacts, payload: JsonObject) -> Events:
    """Read a record that is known and says nothing of its own."""
    return iter(())


def response_item(source: SourceFacts, payload: JsonObject) -> Events:
    """Read what is replayed to the model."""
    kind = payload.get("type")
    reader = ITEMS.get(kind) if isinstance(kind, str) else None
    return reader(source, payload) if reader else iter((RecordUnrecognised(f"codex.response_item.{kind}"),))


def _call(source: SourceFacts, payload: JsonObject) -> Events:
    call, name = text_of(payload.get("call_id")) or text_of(payload.get("id")), str(payload.get("name") or payload.get("type"))
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    text = given if isinstance(given, str) else compact(given)
    if call is None:
        return
    yield ToolCalled(call, name, text)
    if name in ("shell", "exec_command", "shell_command"):
        yield from shell.changes(_command(text), call)


def _command(arguments: str) -> str:
    try:
        given = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return ""
    command = given.get("cmd", given.get("command")) if isinstance(given, dict) else None
    return command if isinstance(command, str) else str(command[-1]) if isinstance(command, list) and command else ""


def _output(source: SourceFacts, payload: JsonObject) -> Events:
    call, output = text_of(payload.get("call_id")), content_of(payload.get("output"))
    if call is None:
        return
    found = EXIT_CODE.search(output[:2000])
    code = number_in(found[1]) if found else None
    yield ToolReturned(call, bool(code) or output.startswith(BLOCKED), output, code)


def event(source: SourceFacts, payload: JsonObject) -> Events:
    """Read what happened in a turn."""
    kind = payload.get("type")
    reader = EVENTS.get(kind) if isinstance(kind, str) else None
    if reader:
        return reader(source, payload)
    return iter(()) if isinstance(kind, str) and kind in QUIET_EVENTS else iter((RecordUnrecognised(f"codex.event_msg.{kind}"),))


def _prompt(source: SourceFacts, payload: JsonObject) -> Events:
    text = text_of(payload.get("message"))
    if text:
        yield PromptSubmitted(text)


def _answer(source: SourceFacts, payload: JsonObject) -> Events:
    text = text_of(payload.get("message"))
    if text:
        yield MessageProduced("assistant", "answer", text)


def _tokens(source: SourceFacts, payload: JsonObject) -> Events:
    info = payload.get("info")
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if isinstance(info, dict) and isinstance(total, dict):
        last = info.get("last_token_usage")
        yield UsageTotalReported(None, figures(total), figures(last) if isinstance(last, dict) else None,
                                 number_of(info.get("model_context_window")))  # fmt: skip


def _item(source: SourceFacts, payload: JsonObject) -> Events:
    item = payload.get("item")
    kind = item.get("type") if isinstance(item, dict) else None
    reader = COMPLETED.get(kind) if isinstance(kind, str) else None
    return reader(source, item) if reader and isinstance(item, dict) else iter((RecordUnrecognised(f"codex.item_completed.{kind}"),))


def _user_item(source: SourceFacts, item: JsonObject) -> Events:
    text = content_of(item.get("content"))
    if text:
        yield PromptSubmitted(text)


def _agent_item(source: SourceFacts, item: JsonObject) -> Events:
    text = content_of(item.get("content"))
    if text:
        yield MessageProduced("assistant", "answer", text, text_of(item.get("id")))


def _reasoning(source: SourceFacts, item: JsonObject) -> Events:
    parts = item.get("summary_text") or item.get("summary")
    text = parts if isinstance(parts, str) else content_of(parts)
    if text:
        yield MessageProduced("assistant", "reasoning", text)


def _execution(source: SourceFacts, item: JsonObject) -> Events:
    """Read a command that ran: an item, or the older exec_command_end event."""
    call, command = text_of(item.get("id")) or text_of(item.get("call_id")), item.get("command")
    if call is None:
        return
    text = str(command[-1]) if isinstance(command, list) and command else str(command or "")
    yield ToolCalled(call, "exec_command", compact({"cmd": text}))
    code = number_of(item.get("exit_code"))
    yield ToolReturned(call, bool(code) or item.get("status") == "failed", text_of(item.get("aggregated_output")) or "", code)
    if "call_id" not in item:  # the older event stands beside a function_call, which has told the same files
        yield from shell.changes(text, call)


def _file_change(source: SourceFacts, item: JsonObject) -> Events:
    """Read an applied patch: an item, or the older patch_apply_end event."""
    call, changes = text_of(item.get("id")) or text_of(item.get("call_id")), item.get("changes")
    if call is not None and call.startswith(SCRIPTED):
        yield ToolCalled(call, "apply_patch", compact({"files": list(changes) if isinstance(changes, dict) else []}))
        yield ToolReturned(call, item.get("status") == "failed", text_of(item.get("stdout")) or text_of(item.get("stderr")) or "")
    if item.get("success") is False or item.get("status") == "failed":
        return
    for path, change in changes.items() if isinstance(changes, dict) else ():
        if not isinstance(change, dict):
            continue
        operation = OPERATIONS.get(str(change.get("type")), "edit")
        content, diff, moved = text_of(change.get("content")), text_of(change.get("unified_diff")), text_of(change.get("move_path"))
        added, removed = patch.count(diff) if diff else (content.count("\n") + (not content.endswith("\n")) if content else 0, 0)
        if operation == "delete":
            added, removed = 0, added
        yield FileChanged(path, "move" if moved else operation, added, removed, call, moved, diff=_shown(operation, content, diff))


def _shown(operation: str, content: str | None, diff: str | None) -> str | None:
    return diff or (patch.deleted if operation == "delete" else patch.created)(content or "") or None


def _spawned(source: SourceFacts, item: JsonObject) -> Events:
    """Read the call that started a sub-agent's thread."""
    threads = item.get("receiver_thread_ids") if item.get("tool") == "spawn_agent" else None
    for child in threads if isinstance(threads, list) else ():
        if isinstance(child, str):
            yield SessionLinked("subagent", child, source.native_id, "call that spawned the agent", text_of(item.get("id")))


def _activity(source: SourceFacts, item: JsonObject) -> Events:
    child = text_of(item.get("agent_thread_id"))
    if child and item.get("kind") == "started":
        yield SessionLinked("subagent", child, source.native_id, "call that spawned the agent", text_of(item.get("id")))


def _aborted(source: SourceFacts, payload: JsonObject) -> Events:
    yield TurnEnded("interrupted")


def _completed(source: SourceFacts, payload: JsonObject) -> Events:
    yield TurnEnded("error" if payload.get("error") else "complete")


def _named(source: SourceFacts, payload: JsonObject) -> Events:
    title = text_of(payload.get("thread_name"))
    if title:
        yield SessionAnnotated(title=title)


def figures(usage: JsonObject) -> tuple[int, int, int, int, int]:
    """Return uncached input, output, cache read, cache write, reasoning; Codex counts cached tokens, read and written, inside input."""
    cached, written = count_of(usage.get("cached_input_tokens")), count_of(usage.get("cache_write_input_tokens"))
    return (max(0, count_of(usage.get("input_tokens")) - cached - written), count_of(usage.get("output_tokens")), cached, written,
            count_of(usage.get("reasoning_output_tokens")))  # fmt: skip


def content_of(content: object) -> str:
    """Return the text parts of a message or an output; images leave a mark with size and hash."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p if isinstance(p, str) else part_of(p) for p in parts if isinstance(p, str | dict))


ITEMS: dict[str, Reader] = {
    "message": nothing, "reasoning": nothing, "function_call": _call, "custom_tool_call": _call, "local_shell_call": _call,
    "function_call_output": _output, "custom_tool_call_output": _output, "agent_message": nothing, "additional_tools": nothing,
    "web_search_call": nothing, "tool_search_call": nothing, "tool_search_output": nothing, "ghost_snapshot": nothing,
    "image_generation_call": nothing,
}  # fmt: skip
EVENTS: dict[str, Reader] = {
    "user_message": _prompt, "agent_message": _answer, "token_count": _tokens, "item_completed": _item,
    "exec_command_end": _execution, "patch_apply_end": _file_change, "turn_aborted": _aborted, "task_complete": _completed,
    "thread_name_updated": _named,
}  # fmt: skip
COMPLETED: dict[str, Reader] = {
    "UserMessage": _user_item, "AgentMessage": _agent_item, "Reasoning": _reasoning, "CommandExecution": _execution,
    "FileChange": _file_change, "ContextCompaction": nothing, "HookPrompt": nothing, "SubAgentActivity": _activity,
    "CollabAgentToolCall": _spawned, "WebSearch": nothing, "McpToolCall": nothing, "ImageView": nothing, "Plan": nothing,
}  # fmt: skip
QUIET_EVENTS = frozenset((
    "task_started", "thread_settings_applied", "agent_reasoning", "context_compacted", "web_search_end",
    "mcp_tool_call_end", "error", "entered_review_mode", "exited_review_mode", "sub_agent_activity",
    "guardian_assessment", "image_generation_end", "view_image_tool_call", "dynamic_tool_call_request",
    "dynamic_tool_call_response", "undo_completed", "thread_goal_updated", "exec_command_begin",
    "patch_apply_begin", "web_search_begin", "mcp_tool_call_begin", "agent_reasoning_raw_content",
    "collab_agent_spawn_end", "collab_agent_interaction_end", "collab_waiting_end", "collab_close_end",
    "thread_rolled_back",
))  # fmt: skip
