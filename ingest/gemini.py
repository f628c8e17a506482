"""Gemini CLI: where its patch logs and older documents lie and what they say.

Source of the shapes: transcripts of 0.61.0 and older ones, described in docs/reference/hosts.md. A `.jsonl` transcript is a
log of patches: the same message id is written several times and the last one wins; `$set.messages` replaces the host's
list, which drops nothing from the journal.
"""

import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from ingest import patch, shell, walk
from ingest.adapter import Adapter, Candidate
from ingest.fields import compact, count_of, number_in, text_of
from journal.domain import (
    ContextCompacted,
    DomainEvent,
    FileChanged,
    HistoryReplaced,
    HistoryRewound,
    JsonObject,
    MessageProduced,
    Occurrence,
    ProjectObserved,
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

INJECTED = ("<session_context>", "<hook_context>")
LISTED_WITHIN = timedelta(milliseconds=100)
SNAPSHOT = "<state_snapshot>"
EXIT_CODE = re.compile(r"^Exit Code: (-?[0-9]{1,10})$", re.MULTILINE)
HOOK_CONTEXT = re.compile(r"\A(?:<hook_context>.*?</hook_context>\s*)+", re.DOTALL)
SIDE_FILES = ("logs.json", "projects.json", ".project_root")
NOTICES = ("info", "warning", "error")


def default_roots(environ: dict[str, str]) -> list[str]:
    """Return the home of Gemini; `GEMINI_CLI_HOME` replaces its parent."""
    return [os.path.join(environ.get("GEMINI_CLI_HOME") or user_home(environ), ".gemini")]


def discover(root: str) -> Iterator[Candidate]:
    """Yield transcripts, older documents, checkpoints and the files that name projects below *root*."""
    os.scandir(root).close()
    if os.path.isfile(os.path.join(root, "projects.json")):
        yield Candidate(os.path.join(root, "projects.json"), "document", "")
    for folder, files in walk.folders(os.path.join(root, "tmp"), beside=root, without=("tool-outputs", ".git")):
        for name in files:
            found = classify(root, f"{folder}/{name}")
            if found:
                yield found


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is to us, if anything."""
    name, parts = os.path.basename(path), path.split(os.sep)
    if ".tmp-" in name or ".unreadable-" in name:
        return None
    if name in SIDE_FILES or (name.startswith("checkpoint-") and name.endswith(".json")) or "checkpoints" in parts[-2:-1]:
        return Candidate(path, "document", "")
    if "chats" not in parts:
        return None
    if name.endswith(".jsonl"):
        return Candidate(path, "lines", None)
    return Candidate(path, "document", None) if name.endswith(".json") else None


def native_id(path: str, first: Any) -> str:
    """Return the session's id from the header, else the file's stem."""
    found = first.get("sessionId") if isinstance(first, dict) else None
    return found if isinstance(found, str) else os.path.basename(path).rsplit(".", 1)[0]


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return the event type and time of a record."""
    kind = record.get("type")
    if isinstance(kind, str):
        return f"gemini.{kind}", normalise(record.get("timestamp"))
    change = record.get("$set")
    if isinstance(change, dict):
        return "gemini.$set", normalise(change.get("lastUpdated"))
    if "$rewindTo" in record:
        return "gemini.$rewindTo", None
    return "gemini.header" if "sessionId" in record else "gemini.document", normalise(record.get("startTime"))


def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Return what *record* says."""
    if "chats" not in source.path.split(os.sep):
        return _side_file(source, record)
    if isinstance(record.get("$set"), dict):
        return _set(source, record["$set"])
    if "$rewindTo" in record:
        target = text_of(record.get("$rewindTo"))
        return [Occurrence((HistoryRewound(target),) if target else ())]
    if isinstance(record.get("sessionId"), str) and "type" not in record:
        return [_header(source, record), *_messages(source, record.get("messages"))]
    return [_message(source, record)]


def _header(source: SourceFacts, record: JsonObject) -> Occurrence:
    child = record.get("kind") == "subagent" or _is_child(source)
    events: list[DomainEvent] = [SessionStarted("subagent" if child else None, project_hash=text_of(record.get("projectHash")))]
    if _is_child(source):
        parent = os.path.basename(os.path.dirname(source.path))
        events.append(SessionLinked("subagent", source.native_id, parent, "folder of the sub-agent's transcript"))
    directories = record.get("directories")
    cwd = directories[0] if isinstance(directories, list) and directories else None
    if text_of(record.get("summary")):
        events.append(SessionAnnotated(title=record["summary"]))
    return Occurrence(tuple(events), normalise(record.get("startTime")), None, None, text_of(cwd))


def _is_child(source: SourceFacts) -> bool:
    """Return whether the transcript stands in a folder named after a parent session."""
    return os.path.basename(os.path.dirname(source.path)) != "chats"


def _set(source: SourceFacts, change: JsonObject) -> list[Occurrence]:
    at = normalise(change.get("lastUpdated"))
    events: list[DomainEvent] = []
    if isinstance(change.get("sessionId"), str):
        events.append(SessionStarted(resumed=True))
    found = [Occurrence(tuple(events), at)]
    messages = change.get("messages")
    if isinstance(messages, list):
        # A message kept through a compression comes again under a new id, without tokens: it is known already.
        squeezed = next((m for m in messages if isinstance(m, dict) and _content(m.get("content")).lstrip().startswith(SNAPSHOT)), None)
        kept = [m for m in messages if isinstance(m, dict) and (not squeezed or _content(m.get("content")).lstrip().startswith(SNAPSHOT))]
        listed = _messages(source, kept)
        found += [_reissued(occurrence, at) for occurrence in listed]
        if squeezed:
            # Known by its summary's own id and time: every resume lists that summary again.
            found.append(Occurrence((ContextCompacted(None, None, None),), normalise(squeezed.get("timestamp")) or at, text_of(squeezed.get("id"))))
        elif not all(_is_listed_now(occurrence, at) for occurrence in listed):  # a list made anew begins something, it undoes nothing
            found.append(Occurrence((HistoryReplaced(tuple(m["id"] for m in kept if isinstance(m.get("id"), str))),), at))
    return found


def _reissued(occurrence: Occurrence, at: str | None) -> Occurrence:
    """Return a listed message; a prompt dated to the moment of the listing was put there by the host, no human typed it now."""
    if not _is_listed_now(occurrence, at) or not any(isinstance(event, PromptSubmitted) for event in occurrence.events):
        return occurrence
    events = (MessageProduced("user", "injected", event.text) if isinstance(event, PromptSubmitted) else event for event in occurrence.events)
    return occurrence._replace(events=tuple(events))


def _is_listed_now(occurrence: Occurrence, at: str | None) -> bool:
    """Return whether a listed message bears the time of the listing itself."""
    said = occurrence.occurred_at
    return at is not None and said is not None and abs(datetime.fromisoformat(at) - datetime.fromisoformat(said)) <= LISTED_WITHIN


def _messages(source: SourceFacts, messages: object) -> list[Occurrence]:
    return [_message(source, message) for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def _message(source: SourceFacts, record: JsonObject) -> Occurrence:
    kind = record.get("type")
    if kind == "user":
        events = tuple(_user(record, _is_child(source)))
    elif kind in ("gemini", "model"):
        events = tuple(_model(source, record))
    elif kind in NOTICES:
        said = _content(record.get("content"))
        events = (MessageProduced("system", "notice", said),) if said else ()
    else:
        events = (RecordUnrecognised(f"gemini.{kind}"),)
    return Occurrence(events, normalise(record.get("timestamp")), text_of(record.get("id")), None, None, None, text_of(record.get("model")))


def _user(record: JsonObject, child: bool) -> Iterator[DomainEvent]:
    # Without a terminal, the context of a hook stands in one part with the prompt after it.
    parts = (HOOK_CONTEXT.sub("", part) for part in _parts(record.get("content")))
    said = "\n".join(part for part in parts if not part.startswith(INJECTED)).strip()
    if not said:
        return
    if said.startswith(SNAPSHOT):
        yield MessageProduced("user", "summary", said)
    elif child:
        yield MessageProduced("user", "injected", said)
    else:
        yield PromptSubmitted(said)


def _model(source: SourceFacts, record: JsonObject) -> Iterator[DomainEvent]:
    model, own = text_of(record.get("model")), text_of(record.get("id"))
    said = _content(record.get("content", record.get("parts")))
    if said:
        # `/chat resume` and a compression write earlier answers again, as parts and without what a response has.
        again = model is None and "tokens" in record and record["tokens"] is None and isinstance(record.get("content"), list)
        yield MessageProduced("assistant", "injected" if again else "answer", said, own, model)
    for thought in record.get("thoughts") or [] if isinstance(record.get("thoughts"), list) else []:
        if isinstance(thought, dict) and text_of(thought.get("description")):
            yield MessageProduced("assistant", "reasoning", f"{thought.get('subject') or ''}: {thought['description']}", own, model)
    for call in record.get("toolCalls") or [] if isinstance(record.get("toolCalls"), list) else []:
        if isinstance(call, dict) and isinstance(call.get("id"), str):
            yield from _call(call)
            yield from _of_agents(source, call)
    tokens = record.get("tokens")
    if isinstance(tokens, dict) and own:
        cached, thoughts = count_of(tokens.get("cached")), count_of(tokens.get("thoughts"))
        fresh = max(0, count_of(tokens.get("input")) - cached) + count_of(tokens.get("tool"))
        yield UsageReported(own, model, fresh, count_of(tokens.get("output")) + thoughts, cached, 0, thoughts)


def _of_agents(source: SourceFacts, call: JsonObject) -> Iterator[DomainEvent]:
    """Yield what a call says of sub-agents: the parent's call names its child, the child's last call ends it."""
    child = text_of(call.get("agentId"))
    if child and not _is_child(source):
        yield SessionLinked("subagent", child, source.native_id, "agentId of the call", call["id"])
    if _is_child(source) and call.get("name") == "complete_task" and call.get("status") == "success":
        yield SessionEnded("complete")


def _call(call: JsonObject) -> Iterator[DomainEvent]:
    own, name, given = call["id"], str(call.get("name")), call.get("args")
    yield ToolCalled(own, name, compact(given))
    if not isinstance(call.get("status"), str):
        return
    output = _response(call.get("result"), own)
    code = _exit_code(output) if name == "run_shell_command" else None
    yield ToolReturned(own, call["status"] != "success" or bool(code), output, code)
    shown = call.get("resultDisplay")
    if isinstance(shown, dict) and isinstance(shown.get("filePath"), str) and call["status"] == "success":
        added, removed = patch.count(text_of(shown.get("fileDiff")) or "")
        diff = patch.without_headers(shown.get("fileDiff"))
        yield FileChanged(shown["filePath"], "add" if shown.get("isNewFile") else "edit", added, removed, own, diff=diff)
    elif name == "run_shell_command" and isinstance(given, dict) and isinstance(given.get("command"), str):
        yield from shell.changes(given["command"], own)


def _response(result: object, own: str) -> str:
    """Return the text of a call's result parts; after a resume each call holds the results of all parallel calls."""
    parts = [part for part in (result if isinstance(result, list) else [result]) if isinstance(part, dict)]
    responses = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), dict)]
    chosen = [response for response in responses if response.get("id") == own] or responses
    inners = [response["response"] for response in chosen if isinstance(response.get("response"), dict)]
    said = (inner.get("output", inner.get("error")) for inner in inners)
    return "\n".join(text for text in said if isinstance(text, str))


def _exit_code(output: str) -> int | None:
    found = EXIT_CODE.findall(output)
    return number_in(found[-1]) if found else None


def _side_file(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Read the files that name project roots; checkpoints and prompt logs are kept and say nothing of their own."""
    name = os.path.basename(source.path)
    if name == ".project_root" and isinstance(record.get("text"), str):
        return [Occurrence((ProjectObserved(record["text"].strip()),))]
    if name == "projects.json" and isinstance(record.get("projects"), dict):
        return [Occurrence(tuple(ProjectObserved(root) for root in record["projects"]))]
    return [Occurrence(())]


def _parts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts: list[str] = []
    for part in content if isinstance(content, list) else []:
        # A thought repeats what `thoughts` says.
        text = part.get("text") if isinstance(part, dict) and not part.get("thought") else part
        if isinstance(text, str):
            texts.append(text)
    return texts


def _content(content: object) -> str:
    return "\n".join(part for part in _parts(content) if part)


ADAPTER = Adapter("gemini", 4, default_roots, discover, classify, native_id, hint, decode)
