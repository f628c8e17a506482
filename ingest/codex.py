"""Codex CLI: where its rollouts lie and what their records say, in the grammar with items and in older ones.

Source of the shapes: rollouts of 0.171.0 and older ones, described in docs/reference/hosts.md. Human prompts are the
UserMessage items (older: `user_message` events), never response items of role user, which hold harness text as well.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

from ingest import walk
from ingest.adapter import Adapter, Candidate
from ingest.codex_items import ITEMS, Events, Reader, content_of, event, figures, nothing, response_item
from ingest.fields import text_of
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
    SessionLinked,
    SessionStarted,
    SourceFacts,
    UsageReported,
)
from journal.home import user_home
from journal.timestamps import normalise

THREAD_ID = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
HEADLESS_ORIGINATORS = ("codex_exec", "codex_sdk")


def default_roots(environ: dict[str, str]) -> list[str]:
    """Return the home of Codex; `CODEX_HOME` replaces it."""
    return [environ.get("CODEX_HOME") or os.path.join(user_home(environ), ".codex")]


def discover(root: str) -> Iterator[Candidate]:
    """Yield rollouts, live and archived, plain and compressed, and the index of names below *root*."""
    os.scandir(root).close()
    if os.path.isfile(index := os.path.join(root, "session_index.jsonl")):
        yield Candidate(index, "lines", "")
    for name in ("archived_sessions", "sessions"):
        for folder, files in walk.folders(os.path.join(root, name), beside=root):
            for file in files:
                found = classify(root, f"{folder}/{file}")
                if found:
                    yield found


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
            text = content_of(record.get("content"))
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


def _usage(source: SourceFacts, payload: JsonObject) -> Events:
    usage = payload.get("usage")
    response = text_of(payload.get("response_id"))
    if isinstance(usage, dict) and response:
        fresh, output, cached, written, reasoning = figures(usage)
        yield UsageReported(response, None, fresh, output, cached, written, reasoning)


def _compacted(source: SourceFacts, payload: JsonObject) -> Events:
    yield ContextCompacted(None, None, None)
    text = text_of(payload.get("message"))
    if text:
        yield MessageProduced("assistant", "summary", text)


READERS: dict[str, Reader] = {
    "session_meta": _meta, "turn_context": nothing, "response_item": response_item, "request_item": response_item,
    "event_msg": event, "token_usage_record": _usage, "compacted": _compacted,
}  # fmt: skip

ADAPTER = Adapter("codex", 5, default_roots, discover, classify, native_id, hint, decode)
