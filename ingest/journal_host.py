"""The journal as a host: its inbox holds what hooks and commands said, as JSONL of our own."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ingest.adapter import Adapter, Candidate
from ingest.fields import text_of
from journal.domain import DomainEvent, JsonObject, Occurrence, ProjectObserved, RecordUnrecognised, SessionAnnotated, SourceFacts
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


def _observed(record: JsonObject) -> Iterator[DomainEvent]:
    if isinstance(record.get("path"), str):
        yield ProjectObserved(record["path"], *(text_of(record.get(name)) for name in ("real_path", "root", "root_commit", "remote")))


def _no_roots(environ: dict[str, str]) -> list[str]:
    """Return nothing: the inbox lies in the journal's own home, which the command line knows."""
    return []


READERS: dict[str, Callable[[JsonObject], Iterator[DomainEvent]]] = {
    "journal.note": _note,
    "journal.project_observed": _observed,
}

ADAPTER = Adapter("journal", 1, _no_roots, discover, classify, native_id, hint, decode)
