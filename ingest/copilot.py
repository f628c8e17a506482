"""GitHub Copilot CLI: where its event logs lie and what they say.

Source of the shapes: transcripts of 1.0.102 and older ones, described in docs/reference/hosts.md. Shapes drift inside one
schema version, so that every field is optional here. Sub-agents stand in the same file and become sessions of their own.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from ingest import patch, shell
from ingest.adapter import Adapter, Candidate
from ingest.fields import compact, count_of, number_of, object_of, text_of
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    HistoryRewound,
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
    TurnContinued,
    UsageReported,
)
from journal.home import user_home
from journal.timestamps import normalise

FORKED = re.compile(r'\AForked from ".*" \(([0-9a-f-]{36})\) as ".*" \(([0-9a-f-]{36})\)', re.DOTALL)
RELEASE = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})")
TELLS_TERMINAL = (1, 0, 102)
"""The oldest release known to write, in a terminal only, the model that a session starts with."""
AFTER_LAST_LINE = re.compile(r"\n[+-](?=\n+(?:diff --git |\Z)|\Z)")
"""apply_patch shows what stands after a file's last newline as one more, empty, line."""
LEGACY_ID = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
OPERATIONS = {"create": "add", "edit": "edit", "delete": "delete", "add": "add", "update": "edit"}
KNOWN = frozenset(
    "hook.start session.info session.warning session.error session.usage_checkpoint session.truncation session.auto_mode_resolved"
    " session.permissions_changed session.compaction_start session.handoff system.message system.notification"
    " assistant.turn_start assistant.turn_end assistant.reasoning permission.requested permission.completed subagent.selected"
    " subagent.configured abort tool.user_requested skill.invoked user.input_requested"
    " user.input_completed".split()
)


def default_roots(environ: dict[str, str]) -> list[str]:
    """Return the home of Copilot; `COPILOT_HOME` replaces it."""
    return [environ.get("COPILOT_HOME") or os.path.join(user_home(environ), ".copilot")]


def discover(root: str) -> Iterator[Candidate]:
    """Yield event logs, workspace files and the older layouts below *root*."""
    os.scandir(root).close()
    for name in ("history-session-state", "session-state"):
        for folder, folders, files in os.walk(os.path.join(root, name)):
            folders[:] = sorted(sub for sub in folders if not sub.startswith("."))
            for file in sorted(files):
                found = classify(root, os.path.join(folder, file))
                if found:
                    yield found


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is to us, if anything."""
    folder, name = os.path.split(path)
    parent = os.path.basename(folder)
    if name == "events.jsonl":
        return Candidate(path, "lines", parent)
    if name == "workspace.yaml":
        return Candidate(path, "document", parent)
    if parent == "session-state" and name.endswith(".jsonl"):
        return Candidate(path, "lines", name[: -len(".jsonl")])
    if parent == "history-session-state" and name.endswith(".json"):
        found = LEGACY_ID.search(name)
        return Candidate(path, "document", found[1] if found else name[: -len(".json")])
    return None


def native_id(path: str, first: Any) -> str:
    """Return the session's id: the name of its folder."""
    return os.path.basename(os.path.dirname(path))


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return the event type and time of a record."""
    return f"copilot.{record.get('type') or 'document'}", normalise(record.get("timestamp"))


def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Return what *record* says."""
    if source.path.endswith("workspace.yaml"):
        return _workspace(record)
    if source.path.endswith(".json"):
        return _legacy(record)
    kind, data = record.get("type"), record.get("data")
    data = data if isinstance(data, dict) else {}
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is not None:
        events = list(reader(record, data))
    elif isinstance(kind, str) and (kind in KNOWN or kind.startswith("model.")):
        events = []
    else:
        events = [RecordUnrecognised(f"copilot.{kind}")]
    agent = text_of(record.get("agentId"))
    session = None
    if agent:
        session = f"{source.native_id}:{agent}"
        call = text_of(data.get("toolCallId")) if kind == "subagent.started" else None
        events.append(SessionLinked("subagent", session, source.native_id, "agentId of the events", call))
    context = object_of(data.get("context"))
    cwd, branch = text_of(context.get("cwd")), text_of(context.get("branch"))
    return [Occurrence(tuple(events), normalise(record.get("timestamp")), text_of(record.get("id")), session, cwd, branch, text_of(data.get("model")))]


def _start(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    context = object_of(data.get("context"))
    version = text_of(data.get("copilotVersion"))
    kind = "headless" if _release(version) >= TELLS_TERMINAL else "interactive"
    yield SessionStarted(kind, version, text_of(data.get("selectedModel")), None, text_of(context.get("headCommit")))


def _release(version: str | None) -> tuple[int, ...]:
    """Return the numbers of a version to compare; what is no version is older than all."""
    found = RELEASE.match(version or "")
    return tuple(int(part) for part in found.groups()) if found else ()


def _model_change(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    """Read that a model was chosen; a terminal tells the one it starts with, a run without a terminal does not."""
    if data.get("source") == "startup":
        yield SessionStarted("interactive")


def _resume(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    yield SessionStarted(resumed=True)


def _info(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    found = FORKED.search(text_of(data.get("message")) or "")
    if data.get("infoType") == "fork" and found:
        yield SessionLinked("fork", found[2], found[1], "session.info of the fork", text_of(record.get("parentId")))
    elif data.get("infoType") == "rewind":
        yield HistoryRewound(None)


def _hook_end(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    """Read a hook's answer: its reason against the end of a turn comes back as a user message without a mark."""
    output = object_of(data.get("output"))
    reason = (text_of(output.get("reason")) or "").strip()
    if data.get("hookType") == "agentStop" and output.get("decision") == "block" and reason:
        yield TurnContinued(reason)


def _agent_started(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    title = text_of(data.get("agentDescription")) or text_of(data.get("agentDisplayName"))
    if title and title.strip():
        yield SessionAnnotated(title=title.strip())


def _agent_ended(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    yield SessionEnded("error" if record.get("type") == "subagent.failed" else "complete")


def _shutdown(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    yield SessionEnded(text_of(data.get("shutdownType")) or "shutdown")
    metrics = data.get("modelMetrics")
    for model, figures in metrics.items() if isinstance(metrics, dict) else ():
        usage = figures.get("usage") if isinstance(figures, dict) else None
        if isinstance(usage, dict):
            yield _usage_of(f"shutdown:{model}", model, usage, "shutdown_total")


def _usage(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    usage = data.get("usage")
    if isinstance(usage, dict):
        accounting = object_of(usage.get("accounting"))
        # Forks and rewritten files repeat a record under its id. The number of a request starts again after a rewind, and an
        # API's own call id may not be unique.
        named = text_of(accounting.get("sourceSessionId"))
        numbered = f"{named}.{accounting.get('sequence')}" if named else text_of(usage.get("apiCallId")) or compact(usage)
        own = text_of(record.get("id")) or numbered
        yield _usage_of(own, text_of(usage.get("model")), usage, "response")


def _usage_of(own: str, model: str | None, usage: JsonObject, basis: str) -> UsageReported:
    """Return the tokens of a usage object; Copilot counts cached tokens, read and written, inside input."""
    cached, written = count_of(usage.get("cacheReadTokens")), count_of(usage.get("cacheWriteTokens"))
    fresh = max(0, count_of(usage.get("inputTokens")) - cached - written)
    return UsageReported(own, model, fresh, count_of(usage.get("outputTokens")), cached, written, count_of(usage.get("reasoningTokens")), basis,
                         window_tokens=number_of(usage.get("maxPromptTokens")))  # fmt: skip


def _prompt(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    said = (text_of(data.get("content")) or "").strip()
    if said:
        yield MessageProduced("user", "injected", said) if data.get("source") else PromptSubmitted(said)


def _answer(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    model, own = text_of(data.get("model")), text_of(data.get("messageId"))
    if text_of(data.get("reasoningText")):
        yield MessageProduced("assistant", "reasoning", data["reasoningText"], own, model)
    if (text_of(data.get("content")) or "").strip():
        yield MessageProduced("assistant", "answer", data["content"], own, model)
    for asked in data.get("toolRequests") or [] if isinstance(data.get("toolRequests"), list) else []:
        if isinstance(asked, dict) and isinstance(asked.get("toolCallId"), str):
            given = asked.get("arguments")
            yield ToolCalled(asked["toolCallId"], str(asked.get("name")), given if isinstance(given, str) else compact(given))
            command = given.get("command") if isinstance(given, dict) else None
            if isinstance(command, str) and asked.get("name") in ("bash", "shell", "powershell"):
                yield from shell.changes(command, asked["toolCallId"])
    if own and count_of(data.get("outputTokens")):
        yield UsageReported(f"message:{own}", model, 0, count_of(data.get("outputTokens")), basis="message_estimate")


def _tool_started(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    call, given = text_of(data.get("toolCallId")), data.get("arguments")
    if call:
        yield ToolCalled(call, str(data.get("toolName")), given if isinstance(given, str) else compact(given))


def _tool_ended(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    call = text_of(data.get("toolCallId"))
    if call is None:
        return
    result = object_of(data.get("result"))
    error = object_of(data.get("error"))
    executed = object_of(data.get("shellExecution"))
    code = number_of(executed.get("exitCode"))
    output = text_of(result.get("content")) or text_of(error.get("message")) or ""
    yield ToolReturned(call, data.get("success") is False or bool(code), output, code)
    edits = [edit for edit in data.get("fileEdits") or [] if isinstance(edit, dict)] if isinstance(data.get("fileEdits"), list) else []
    shown = text_of(result.get("detailedContent")) or ""
    if "addedPaths" in object_of(object_of(data.get("toolTelemetry")).get("restrictedProperties")):
        shown = AFTER_LAST_LINE.sub("", shown)
    parts, counted = patch.parts(shown), patch.per_file(shown)
    for edit in edits:
        path = text_of(edit.get("path"))
        if path:
            operation = OPERATIONS.get(str(edit.get("kind")), "edit")
            added, removed = counted.get(path) or (patch.count(shown) if len(edits) == 1 else (None, None))
            yield FileChanged(path, operation, added, removed, call, diff=patch.without_headers(parts.get(path) or (shown if len(edits) == 1 else None)))


def _compaction(record: JsonObject, data: JsonObject) -> Iterator[DomainEvent]:
    yield ContextCompacted(text_of(data.get("trigger")), number_of(data.get("preCompactionTokens")), number_of(data.get("postCompactionTokens")))
    if text_of(data.get("summaryContent")):
        yield MessageProduced("assistant", "summary", data["summaryContent"])


def _workspace(record: JsonObject) -> list[Occurrence]:
    """Read the flat `key: value` lines of workspace.yaml."""
    pairs = dict(line.split(": ", 1) for line in (text_of(record.get("text")) or "").splitlines() if ": " in line and not line.startswith(" "))
    name = pairs.get("name", "").strip().strip("'\"")
    events: tuple[DomainEvent, ...] = (SessionAnnotated(title=name),) if name and pairs.get("user_named") == "true" else ()
    return [Occurrence(events, normalise(pairs.get("updated_at", "").strip("'\"")), None, None, pairs.get("cwd"), pairs.get("branch"))]


def _legacy(record: JsonObject) -> list[Occurrence]:
    """Read a whole-file document of 2025."""
    found = []
    for index, item in enumerate(record.get("history") or [] if isinstance(record.get("history"), list) else []):
        said = text_of(item.get("content")) if isinstance(item, dict) else None
        if said:
            event: DomainEvent = PromptSubmitted(said) if item.get("role") == "user" else MessageProduced("assistant", "answer", said)
            found.append(Occurrence((event,), normalise(item.get("time")), str(index), None, text_of(record.get("workspacePath"))))
    return found or [Occurrence((RecordUnrecognised("copilot.document"),))]


READERS: dict[str, Callable[[JsonObject, JsonObject], Iterator[DomainEvent]]] = {
    "session.start": _start, "session.resume": _resume, "session.shutdown": _shutdown, "session.usage_record": _usage,
    "session.model_change": _model_change, "hook.end": _hook_end, "subagent.started": _agent_started,
    "subagent.completed": _agent_ended, "subagent.failed": _agent_ended, "session.info": _info,
    "session.compaction_complete": _compaction, "user.message": _prompt, "assistant.message": _answer,
    "tool.execution_start": _tool_started, "tool.execution_complete": _tool_ended,
}  # fmt: skip

ADAPTER = Adapter("copilot", 4, default_roots, discover, classify, native_id, hint, decode)
