"""The journal as a host: its inbox holds what hooks and commands said, as JSONL of our own."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ingest import handoff_lines
from ingest.adapter import Adapter, Candidate
from ingest.fields import number_of, text_of, texts_of
from journal import jsontext
from journal.domain import DomainEvent, JsonObject, Occurrence, ProjectObserved, RecordUnrecognised, SessionAnnotated, SessionLinked, SourceFacts
from journal.own_events import HandoffSaved, HookFired, HookMeasured, LearningJudged, LearningStored, SnapshotRequested
from journal.timestamps import normalise


def discover(root: str) -> Iterator[Candidate]:
    """Yield the files of the inbox *root*."""
    with os.scandir(root) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        found = classify(root, os.path.join(root, name))
        if found:
            yield found


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is to us, if anything."""
    return Candidate(path, "lines", "") if path.endswith(".jsonl") else None


def native_id(path: str, first: Any) -> str:
    """Return no session: inbox lines name theirs."""
    return ""


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return the event type and time of a record."""
    return str(record.get("type")), normalise(record.get("at"))


def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Return what *record* says."""
    kind = record.get("type")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    events = tuple(reader(record)) if reader else (RecordUnrecognised(str(kind)),)
    session_id = record.get("session_id")
    return [Occurrence(events, normalise(record.get("at")), None, session_id if isinstance(session_id, str) else None)]


def _note(record: JsonObject) -> Iterator[DomainEvent]:
    if isinstance(record.get("text"), str):
        yield SessionAnnotated(note=record["text"])


def _annotation(record: JsonObject) -> Iterator[DomainEvent]:
    yield SessionAnnotated(text_of(record.get("title")), None, text_of(record.get("summary")), texts_of(record.get("topics")),
                           text_of(record.get("category")), is_ours=True)  # fmt: skip


def _resumed(record: JsonObject) -> Iterator[DomainEvent]:
    """Yield the link where both sessions are known; a session that goes on under its own id needs none."""
    child, parent = text_of(record.get("child_session_id")), text_of(record.get("parent_session_id"))
    if child and parent and child != parent:
        yield SessionLinked("fork" if record.get("is_fork") is True else "resume", child, parent, text_of(record.get("evidence")) or "journal resume")


def _observed(record: JsonObject) -> Iterator[DomainEvent]:
    if isinstance(record.get("path"), str):
        yield ProjectObserved(record["path"], *(text_of(record.get(name)) for name in ("real_path", "root", "root_commit", "remote", "copied_from")))


def _hook(record: JsonObject) -> Iterator[DomainEvent]:
    payload, transcript, checkout = (found if isinstance(found := record.get(name), dict) else {} for name in ("payload", "transcript", "checkout"))
    source = payload.get("source") or payload.get("trigger") or payload.get("reason")
    yield HookFired(
        str(record.get("role")), str(record.get("host")), text_of(source), text_of(transcript.get("path")), number_of(transcript.get("size")),
        text_of(payload.get("cwd")), text_of(checkout.get("root")), text_of(checkout.get("branch")), text_of(checkout.get("head")),
        text_of(payload.get("last_assistant_message")),
    )  # fmt: skip


def _measured(record: JsonObject) -> Iterator[DomainEvent]:
    yield HookMeasured(jsontext.dumps(record))


def _handoff(record: JsonObject) -> Iterator[DomainEvent]:
    if isinstance(record.get("text"), str):
        dirty = record.get("is_dirty")
        yield HandoffSaved(
            record["text"], text_of(record.get("path")), text_of(record.get("root")), text_of(record.get("branch")), text_of(record.get("head")),
            dirty if isinstance(dirty, bool) else None, number_of(record.get("mtime_us")), number_of(record.get("size")),
        )  # fmt: skip


def _learning(record: JsonObject) -> Iterator[DomainEvent]:
    name, text = text_of(record.get("learning_id")), text_of(record.get("text"))
    if name and text:
        yield LearningStored(
            name, text_of(record.get("kind")) or "solution", "global" if record.get("scope") == "global" else "project", text,
            text_of(record.get("replaces")), normalise(record.get("expires_at")), text_of(record.get("origin")) or "person",
            text_of(record.get("root")), text_of(record.get("branch")), text_of(record.get("head")), handoff_lines.anchors_in(record),
        )  # fmt: skip


def _judged(record: JsonObject) -> Iterator[DomainEvent]:
    name, verdict = text_of(record.get("learning_id")), record.get("verdict")
    if name and verdict in ("confirmed", "retired"):
        yield LearningJudged(name, str(verdict), text_of(record.get("reason")))


def _snapshot(record: JsonObject) -> Iterator[DomainEvent]:
    yield SnapshotRequested(text_of(record.get("note")))


def _error(record: JsonObject) -> Iterator[DomainEvent]:
    return iter(())


def _forgot(record: JsonObject) -> Iterator[DomainEvent]:
    """Yield nothing: that something was forgotten changes no view, what is gone is gone from the log itself."""
    return iter(())


def _no_roots(environ: dict[str, str]) -> list[str]:
    """Return nothing: the inbox lies in the journal's own home, which the command line knows."""
    return []


READERS: dict[str, Callable[[JsonObject], Iterator[DomainEvent]]] = {
    "journal.forgot": _forgot,
    "journal.note": _note,
    "journal.annotation": _annotation,
    "journal.resumed": _resumed,
    "journal.project_observed": _observed,
    "journal.hook": _hook,
    "journal.context": _measured,
    "journal.hook_answered": _measured,
    "journal.handoff": _handoff,
    "journal.learning": _learning,
    "journal.learning_judged": _judged,
    "journal.snapshot": _snapshot,
    "journal.hook_failed": _error,
    **handoff_lines.READERS,
}

ADAPTER = Adapter("journal", 5, _no_roots, discover, classify, native_id, hint, decode)
