"""Codex CLI: where its rollouts lie and what their records say, in the grammar with items and in older ones.

Source of the shapes: rollouts of 0.171.0 and older ones, described in docs/reference/hosts.md. Human prompts are the
UserMessage items (older: `user_message` events), never response items of role user, which hold harness text as well.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from ingest import patch, shell
from ingest.adapter import Adapter, Candidate
from ingest.fields import compact, count_of, number_of, text_of
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
    ToolCalled,
    ToolReturned,
    UsageReported,
    UsageTotalReported,
)
from journal.timestamps import normalise

THREAD_ID = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:|exit_code\"?:) *(-?\d+)")
BLOCKED = "Command blocked by PreToolUse hook"
HEADLESS_ORIGINATORS = ("codex_exec", "codex_sdk")
OPERATIONS = {"add": "add", "update": "edit", "delete": "delete"}
Events = Iterator[DomainEvent]


def default_roots(environ: dict[str, str]) -> list[str]:
    """Return the home of Codex; `CODEX_HOME` replaces it."""
    return [environ.get("CODEX_HOME") or os.path.join(environ.get("HOME", ""), ".codex")]


def discover(root: str) -> Iterator[Candidate]:
    """Yield rollouts, live and archived, plain and compressed, and the index of names below *root*."""
    os.scandir(root).close()
    if os.path.isfile(index := os.path.join(root, "session_index.jsonl")):
        yield Candidate(index, "lines", "")
    seen: set[str] = set()
    for name in ("archived_sessions", "sessions"):
        for folder, folders, files in os.walk(os.path.join(root, name), followlinks=True):
            real = os.path.realpath(folder)
            folders.sort() if real not in seen else folders.clear()
            for file in sorted(files) if real not in seen else ():
                found = classify(root, os.path.join(folder, file))
                if found:
                    yield found
            seen.add(real)


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is to us, if anything."""
    name = os.path.basename(path)
    if name == "session_index.jsonl":
        return Candidate(path, "lines", "")
    if not name.startswith("rollout-") or not name.endswith((".jsonl", ".jsonl.zst")):
        return None
    found = THREAD_ID.search(name)
    return Candidate(path, "lines", found[1] if found else None)


def native_id(path: str, first: Any) -> str:
    """Return the thread's id from the first record, else the file's stem."""
    payload = first.get("payload") if isinstance(first, dict) else None
    found = payload.get("id") if isinstance(payload, dict) else first.get("id") if isinstance(first, dict) else None
    return found if isinstance(found, str) else os.path.basename(path).removesuffix(".jsonl")


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return the event type and time of a record."""
    payload = record.get("payload")
    inner = payload.get("type") if isinstance(payload, dict) else None
    kind = record.get("type") or ("state" if "record_type" in record else "header")
    return f"codex.{kind}.{inner}" if isinstance(inner, str) else f"codex.{kind}", normalise(record.get("timestamp"))


def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Return what *record* says."""
    if source.path.endswith("session_index.jsonl"):
        return _index_line(record)
    kind, payload = record.get("type"), record.get("payload")
    at, ordinal = normalise(record.get("timestamp")), record.get("ordinal")
    record_id = str(ordinal) if isinstance(ordinal, int) else None
    if not isinstance(payload, dict):
        return [Occurrence(_bare(source, record), at, record_id)]
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        known = kind in ("world_state", "security_risk_score", "inter_agent_communication", "realtime_item", "inter_agent_communication_metadata")
        return [Occurrence(() if known else (RecordUnrecognised(f"codex.{kind}"),), at, record_id)]
    events = tuple(reader(source, payload))
    if record_id is not None and kind == "response_item":
        # With ordinals each command is told again by its CommandExecution item, which says what really ran.
        events = tuple(event for event in events if not isinstance(event, FileChanged))
    if kind in ("session_meta", "turn_context"):
        git = payload.get("git")
        branch = git.get("branch") if isinstance(git, dict) else None
        return [Occurrence(events, at, record_id, None, text_of(payload.get("cwd")), text_of(branch), text_of(payload.get("model")))]
    return [Occurrence(events, at, record_id)]


def _bare(source: SourceFacts, record: JsonObject) -> tuple[DomainEvent, ...]:
    """Read the form of mid-2025, which has no envelope."""
    kind = record.get("type")
    if kind is None and ("record_type" in record or "instructions" in record):
        return (SessionStarted("interactive"),) if "instructions" in record else ()
    if isinstance(kind, str) and kind in ITEMS:
        events = tuple(ITEMS[str(kind)](source, record))
        if kind == "message" and record.get("role") == "user":
            text = _content(record.get("content"))
            return (PromptSubmitted(text),) if text and not text.startswith("<") else ()
        return events
    return (RecordUnrecognised(f"codex.{kind}"),)


def _index_line(record: JsonObject) -> list[Occurrence]:
    name, thread = text_of(record.get("thread_name")), text_of(record.get("id"))
    events = (SessionAnnotated(title=name),) if name and thread else ()
    return [Occurrence(events, normalise(record.get("updated_at")), None, thread)]


def _meta(source: SourceFacts, payload: JsonObject) -> Events:
    own = text_of(payload.get("id")) or source.native_id
    spawned = payload.get("source")
    child = isinstance(spawned, dict) and "subagent" in spawned
    originator = text_of(payload.get("originator")) or ""
    headless = originator.startswith(HEADLESS_ORIGINATORS) or spawned == "exec"
    git = payload.get("git")
    yield SessionStarted("subagent" if child else "headless" if headless else "interactive", text_of(payload.get("cli_version")),
                         head_commit=text_of(git.get("commit_hash")) if isinstance(git, dict) else None)  # fmt: skip
    parent = text_of(payload.get("parent_thread_id"))
    forked = text_of(payload.get("forked_from_id"))
    if parent:
        yield SessionLinked("subagent", own, parent, "parent_thread_id")
    elif forked:
        end = payload.get("forked_from_ordinal_exclusive")
        yield SessionLinked("fork", own, forked, "forked_from_id", str(end - 1) if isinstance(end, int) else None)


def _nothing(source: SourceFacts, payload: JsonObject) -> Events:
    return iter(())


def _usage(source: SourceFacts, payload: JsonObject) -> Events:
    usage = payload.get("usage")
    response = text_of(payload.get("response_id"))
    if isinstance(usage, dict) and response:
        fresh, output, cached, written, reasoning = _figures(usage)
        yield UsageReported(response, None, fresh, output, cached, written, reasoning)


def _compacted(source: SourceFacts, payload: JsonObject) -> Events:
    yield ContextCompacted(None, None, None)
    text = text_of(payload.get("message"))
    if text:
        yield MessageProduced("assistant", "summary", text)


def _response_item(source: SourceFacts, payload: JsonObject) -> Events:
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
    call, output = text_of(payload.get("call_id")), _content(payload.get("output"))
    if call is None:
        return
    found = EXIT_CODE.search(output[:2000])
    code = int(found[1]) if found else None
    yield ToolReturned(call, bool(code) or output.startswith(BLOCKED), output, code)


def _event(source: SourceFacts, payload: JsonObject) -> Events:
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
        yield UsageTotalReported(None, _figures(total), _figures(last) if isinstance(last, dict) else None,
                                 number_of(info.get("model_context_window")))  # fmt: skip


def _item(source: SourceFacts, payload: JsonObject) -> Events:
    item = payload.get("item")
    kind = item.get("type") if isinstance(item, dict) else None
    reader = COMPLETED.get(kind) if isinstance(kind, str) else None
    return reader(source, item) if reader and isinstance(item, dict) else iter((RecordUnrecognised(f"codex.item_completed.{kind}"),))


def _user_item(source: SourceFacts, item: JsonObject) -> Events:
    text = _content(item.get("content"))
    if text:
        yield PromptSubmitted(text)


def _agent_item(source: SourceFacts, item: JsonObject) -> Events:
    text = _content(item.get("content"))
    if text:
        yield MessageProduced("assistant", "answer", text, text_of(item.get("id")))


def _reasoning(source: SourceFacts, item: JsonObject) -> Events:
    parts = item.get("summary_text") or item.get("summary")
    text = parts if isinstance(parts, str) else _content(parts)
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
        yield FileChanged(path, "move" if moved else operation, added, removed, call, moved)


def _aborted(source: SourceFacts, payload: JsonObject) -> Events:
    yield SessionEnded("interrupted")


def _completed(source: SourceFacts, payload: JsonObject) -> Events:
    yield SessionEnded("error" if payload.get("error") else "complete")


def _named(source: SourceFacts, payload: JsonObject) -> Events:
    title = text_of(payload.get("thread_name"))
    if title:
        yield SessionAnnotated(title=title)


def _figures(usage: JsonObject) -> tuple[int, int, int, int, int]:
    """Return uncached input, output, cache read, cache write, reasoning; Codex counts cached inside input."""
    cached = count_of(usage.get("cached_input_tokens"))
    return (max(0, count_of(usage.get("input_tokens")) - cached), count_of(usage.get("output_tokens")), cached, 0,
            count_of(usage.get("reasoning_output_tokens")))  # fmt: skip


def _content(content: object) -> str:
    """Return the text parts of a message or an output; images leave only a mark."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p if isinstance(p, str) else str(p.get("text", f"[{p.get('type')}]")) for p in parts if isinstance(p, str | dict))


Reader = Callable[[SourceFacts, JsonObject], Events]
READERS: dict[str, Reader] = {
    "session_meta": _meta, "turn_context": _nothing, "response_item": _response_item, "request_item": _response_item,
    "event_msg": _event, "token_usage_record": _usage, "compacted": _compacted,
}  # fmt: skip
ITEMS: dict[str, Reader] = {
    "message": _nothing, "reasoning": _nothing, "function_call": _call, "custom_tool_call": _call, "local_shell_call": _call,
    "function_call_output": _output, "custom_tool_call_output": _output, "agent_message": _nothing, "additional_tools": _nothing,
    "web_search_call": _nothing, "tool_search_call": _nothing, "tool_search_output": _nothing, "ghost_snapshot": _nothing,
    "image_generation_call": _nothing,
}  # fmt: skip
EVENTS: dict[str, Reader] = {
    "user_message": _prompt, "agent_message": _answer, "token_count": _tokens, "item_completed": _item,
    "exec_command_end": _execution, "patch_apply_end": _file_change, "turn_aborted": _aborted, "task_complete": _completed,
    "thread_name_updated": _named,
}  # fmt: skip
COMPLETED: dict[str, Reader] = {
    "UserMessage": _user_item, "AgentMessage": _agent_item, "Reasoning": _reasoning, "CommandExecution": _execution,
    "FileChange": _file_change, "ContextCompaction": _nothing, "HookPrompt": _nothing, "SubAgentActivity": _nothing,
    "CollabAgentToolCall": _nothing, "WebSearch": _nothing, "McpToolCall": _nothing, "ImageView": _nothing, "Plan": _nothing,
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

ADAPTER = Adapter("codex", 1, default_roots, discover, classify, native_id, hint, decode)
