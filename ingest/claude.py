"""Claude Code: where its transcripts lie and what their records say.

Source of the shapes: transcripts of 2.1.332 and older ones, described in docs/reference/hosts.md.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ingest import patch, shell, walk
from ingest.adapter import Adapter, Candidate
from ingest.fields import compact, count_of, number_in, number_of, object_of, part_of, text_of
from journal.domain import (
    LIKELY,
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
)
from journal.home import user_home
from journal.timestamps import normalise

SYNTHETIC_MODEL = "<synthetic>"
NO_PROMPT = ("<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "[Request interrupted", "<bash-",
             "Caveat: The messages below", "<user-memory-input>", "<task-notification>")  # fmt: skip
STATE_KINDS = frozenset((
    "last-prompt", "atis-latch", "api-request-blob", "api-request", "api-request-shape", "queue-operation",
    "cost-state", "mode", "tools-used", "agent-name", "file-history-snapshot", "file-history-delta",
    "permission-mode", "progress", "pr-link", "relocated", "worktree-state", "bridge-session", "session-cron",
    "background-task", "content-replacement", "marble-origami-commit",
))  # fmt: skip
EDIT_TOOLS = {"Edit": "edit", "MultiEdit": "edit", "Write": "write", "NotebookEdit": "edit"}


def default_roots(environ: dict[str, str]) -> list[str]:
    """Return the homes of Claude Code; `CLAUDE_CONFIG_DIR` may name several, separated by commas."""
    named = environ.get("CLAUDE_CONFIG_DIR", "")
    if named:
        return [part.strip() for part in named.split(",") if part.strip()]
    home = user_home(environ)
    return [os.path.join(home, ".claude"), os.path.join(environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "claude")]


def discover(root: str) -> Iterator[Candidate]:
    """Yield transcripts, sub-agent transcripts and their side files below *root*."""
    projects = root if os.path.basename(root) == "projects" else os.path.join(root, "projects")
    os.scandir(root).close()
    for folder, files in walk.folders(projects, beside=root):
        for name in files:
            found = classify(root, f"{folder}/{name}")
            if found:
                yield found


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is to us, if anything."""
    folder, name = os.path.split(path)
    if name.startswith(".") or "tool-results" in path:
        return None
    parts = folder.split(os.sep)
    if name.endswith(".jsonl"):
        stem = name[: -len(".jsonl")]
        if "subagents" in parts:
            parent = parts[parts.index("subagents") - 1]
            return Candidate(path, "lines", f"{parent}:{stem[len('agent-'):]}") if stem.startswith("agent-") else None
        return Candidate(path, "lines", stem)
    if name.endswith(".meta.json") and "subagents" in parts:
        parent = parts[parts.index("subagents") - 1]
        return Candidate(path, "document", f"{parent}:{name[len('agent-') : -len('.meta.json')]}")
    if name == "custom-title.json":
        return Candidate(path, "document", parts[-1])
    return None


def native_id(path: str, first: Any) -> str:
    """Return the session's id: the stem of the file."""
    return os.path.basename(path).removesuffix(".jsonl")


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return the event type and time of a record."""
    return f"claude.{record.get('type')}", normalise(record.get("timestamp"))


def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Return what *record* says."""
    kind = record.get("type")
    if source.path.endswith(".json"):
        return _side_file(source, record)
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        events: tuple[DomainEvent, ...] = () if isinstance(kind, str) and kind in STATE_KINDS else (RecordUnrecognised(f"claude.{kind}"),)
        return [Occurrence(events, normalise(record.get("timestamp")), parent_record_id=_parent(source, record), record_id=text_of(record.get("uuid")))]
    message = record.get("message")
    model = message.get("model") if isinstance(message, dict) else None
    response = message.get("id") if kind == "assistant" and isinstance(message, dict) and model != SYNTHETIC_MODEL else None
    found = [*_run(record), *reader(record), *_links(source, record)]
    return [Occurrence(
        tuple(found), normalise(record.get("timestamp")), text_of(record.get("uuid")), _side_session(source, record),
        text_of(record.get("cwd")), text_of(record.get("gitBranch")) or None, model if isinstance(model, str) and model != SYNTHETIC_MODEL else None,
        _parent(source, record), response if isinstance(response, str) else None,
    )]  # fmt: skip


def _parent(source: SourceFacts, record: JsonObject) -> str | None:
    """Return the record that one of the tree follows; lines of a sub-agent in its parent's file are no part of the file's own tree."""
    if not isinstance(record.get("uuid"), str) or "parentUuid" not in record or (record.get("isSidechain") and ":" not in source.native_id):
        return None
    follows = text_of(record.get("parentUuid"))
    likely = None if follows else text_of(record.get("logicalParentUuid"))
    return f"{LIKELY}{likely}" if likely else follows or ""


def _side_session(source: SourceFacts, record: JsonObject) -> str | None:
    """Return the sub-agent's own session for sidechain lines that older versions wrote into the main file."""
    if not record.get("isSidechain") or ":" in source.native_id:
        return None
    return f"{source.native_id}:{record.get('agentId') or 'sidechain'}"


def _links(source: SourceFacts, record: JsonObject) -> Iterator[DomainEvent]:
    """Yield the links to other sessions that one record gives evidence for."""
    own = source.native_id
    if ":" in own:
        yield SessionLinked("subagent", own, own.split(":", 1)[0], "folder of the sub-agent's transcript")
        return
    side = _side_session(source, record)
    if side:
        yield SessionLinked("subagent", side, own, "isSidechain")
    asked, named, process = record.get("requestSessionId"), record.get("sessionId"), record.get("session_id")
    if isinstance(asked, str) and asked != own:
        yield SessionLinked("fork", own, asked, "requestSessionId", text_of(record.get("uuid")))
    elif isinstance(named, str) and named != own:
        yield SessionLinked("resume", own, named, "sessionId of copied records", text_of(record.get("uuid")))
    elif isinstance(process, str) and process != own and record.get("type") == "attachment":
        yield SessionLinked("clear", own, process, "session_id of the process")


def _user(record: JsonObject) -> Iterator[DomainEvent]:
    content = (record.get("message") or {}).get("content") if isinstance(record.get("message"), dict) else None
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content if isinstance(content, list) else []
    texts = []
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            yield from _result(record, block)
        elif isinstance(block, dict) and isinstance(block.get("text"), str):
            texts.append(block["text"])
    text = "\n".join(texts).strip()
    if not text:
        return
    if record.get("isCompactSummary"):
        yield MessageProduced("user", "summary", text)
    elif record.get("isMeta") or record.get("isSidechain") or record.get("rowSource") in ("harness", "hook") or text.startswith(NO_PROMPT):
        if text.startswith("<command-name>/clear"):
            return
        yield MessageProduced("user", "injected", text)
    else:
        yield PromptSubmitted(text)


def _run(record: JsonObject) -> Iterator[DomainEvent]:
    """Yield the start of a session at a root of its tree; a compaction's boundary is a root as well, but no start."""
    if record.get("parentUuid") is None and "uuid" in record and record.get("subtype") != "compact_boundary":
        entry = record.get("entrypoint")
        kind = "subagent" if record.get("isSidechain") else "headless" if entry in ("sdk-cli", "sdk-ts", "sdk-py") else "interactive"
        yield SessionStarted(kind, text_of(record.get("version")))


def _result(record: JsonObject, block: JsonObject) -> Iterator[DomainEvent]:
    call, failed = text_of(block.get("tool_use_id")), bool(block.get("is_error"))
    if call is None:
        return
    output = _flat(block.get("content"))
    details = record.get("toolUseResult")
    exit_code = None
    if failed and isinstance(details, str) and details.startswith("Error: Exit code "):
        exit_code = number_in(details[17:].split("\n", 1)[0].strip())
    yield ToolReturned(call, failed, output, exit_code)
    if isinstance(details, dict) and isinstance(details.get("filePath"), str) and not failed:
        yield _edited(details, call)


def _edited(details: JsonObject, call: str) -> DomainEvent:
    """Return the file change that an edit tool's structured result tells."""
    added = removed = 0
    shown: list[str] = []
    patches = details.get("structuredPatch")
    for hunk in patches if isinstance(patches, list) else []:
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        if isinstance(lines, list):
            shown.append(patch.hunk_header(hunk.get("oldStart"), hunk.get("oldLines"), hunk.get("newStart"), hunk.get("newLines")))
            shown += (line for line in lines if isinstance(line, str))
        for line in lines if isinstance(lines, list) else []:
            added += isinstance(line, str) and line.startswith("+")
            removed += isinstance(line, str) and line.startswith("-")
    created = details.get("type") == "create"
    content = details.get("content")
    if created and isinstance(content, str):
        added = content.count("\n") + (not content.endswith("\n") and content != "")
        shown = [patch.created(content)]
    operation = "add" if created else "write" if details.get("type") == "update" else "edit"
    return FileChanged(details["filePath"], operation, added, removed, call, diff="\n".join(shown) or None)


def _assistant(record: JsonObject) -> Iterator[DomainEvent]:
    message = record.get("message")
    if not isinstance(message, dict):
        return
    model, response = text_of(message.get("model")), text_of(message.get("id"))
    synthetic = model == SYNTHETIC_MODEL
    content = message.get("content")
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content if isinstance(content, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            yield MessageProduced("assistant", "notice" if synthetic else "answer", block["text"], response,
                                  None if synthetic else model, text_of(record.get("parentUuid")))  # fmt: skip
        elif kind == "thinking" and isinstance(block.get("thinking"), str) and block["thinking"]:
            yield MessageProduced("assistant", "reasoning", block["thinking"], response, model, text_of(record.get("parentUuid")))
        elif kind == "tool_use" and isinstance(block.get("id"), str):
            yield from _call(block)
    if not synthetic and isinstance(message.get("usage"), dict):
        yield _used(response or f"~{record.get('uuid')}", model, message["usage"])


def _used(response: str, model: str | None, usage: JsonObject) -> UsageReported:
    """Return the tokens of a usage object; Claude counts cached tokens beside input, and thinking inside output."""
    ages = object_of(usage.get("cache_creation"))
    for_an_hour = count_of(ages.get("ephemeral_1h_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens")) or for_an_hour + count_of(ages.get("ephemeral_5m_input_tokens"))
    return UsageReported(
        response, model, count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens")), count_of(usage.get("cache_read_input_tokens")),
        written, count_of(object_of(usage.get("output_tokens_details")).get("thinking_tokens")), cache_write_1h_tokens=min(for_an_hour, written),
    )  # fmt: skip


def _call(block: JsonObject) -> Iterator[DomainEvent]:
    given = block.get("input")
    name = str(block.get("name"))
    yield ToolCalled(block["id"], name, compact(given) if given is not None else "")
    if name == "Bash" and isinstance(given, dict) and isinstance(given.get("command"), str):
        yield from shell.changes(given["command"], block["id"])


def _system(record: JsonObject) -> Iterator[DomainEvent]:
    subtype = record.get("subtype")
    if subtype == "compact_boundary":
        details = record.get("compactMetadata")
        details = details if isinstance(details, dict) else {}
        yield ContextCompacted(text_of(details.get("trigger")), number_of(details.get("preTokens")), number_of(details.get("postTokens")))


def _attachment(record: JsonObject) -> Iterator[DomainEvent]:
    """Yield the start that a SessionStart hook's record tells; a host that goes on in the same file leaves no other trace of it."""
    attached = object_of(record.get("attachment"))
    if str(attached.get("type")).startswith("hook_") and attached.get("hookName") == "SessionStart:resume":
        yield SessionStarted(client_version=text_of(record.get("version")), resumed=True)


def _title(record: JsonObject) -> Iterator[DomainEvent]:
    title = record.get("customTitle") or record.get("aiTitle") or record.get("summary")
    if isinstance(title, str) and title.strip():
        yield SessionAnnotated(title=title.strip())


def _ended(record: JsonObject) -> Iterator[DomainEvent]:
    yield SessionEnded("exit")


def _side_file(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Read `.meta.json` of a sub-agent and `custom-title.json` of a session."""
    events: list[DomainEvent] = []
    if source.path.endswith(".meta.json"):
        events.append(SessionLinked("subagent", source.native_id, source.native_id.split(":", 1)[0], "meta.json", text_of(record.get("toolUseId"))))
        if isinstance(record.get("description"), str):
            events.append(SessionAnnotated(title=record["description"]))
        if record.get("finished") is True:
            events.append(SessionEnded("complete"))
    else:
        events += _title(record)
    return [Occurrence(tuple(events))]


def _flat(content: object) -> str:
    """Return the text of a tool result; images leave a mark with size and hash."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part_of(block) for block in content if isinstance(block, dict))


READERS: dict[str, Callable[[JsonObject], Iterator[DomainEvent]]] = {
    "user": _user,
    "assistant": _assistant,
    "system": _system,
    "attachment": _attachment,
    "custom-title": _title,
    "ai-title": _title,
    "summary": _title,
    "cost-state": _ended,
}

ADAPTER = Adapter("claude", 6, default_roots, discover, classify, native_id, hint, decode)
