"""Every record of every recording, with the facts of the source that it stands in, for the tests of the contracts."""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ingest import catalog
from journal.domain import JsonObject, SourceFacts

FIXTURES = Path(__file__).parent.parent / "fixtures"
AT = {"v": 1, "at": "2026-11-30T21:00:00.000000Z", "session_id": "03d02093-6e0e-48bc-931c-fd2392ed2b6a"}
CHECKOUT = {"root": "/home/dev/proj", "branch": "main", "head": "0c3bfbd9efc214344add25b2028ffefb7cfcab65"}
INBOX: tuple[JsonObject, ...] = (
    {"type": "journal.note", "text": "remember the milk", **AT},
    {"type": "journal.annotation", "title": "The lock", "summary": "Took the lock twice.", "topics": ["lock"], "category": "bugfix", **AT},
    {"type": "journal.resumed", "child_session_id": "03d02093-6e0e-48bc-931c-fd2392ed2b6a", "parent_session_id": "9d02a7a3-6e0e-48bc-931c-fd2392ed2b6a",
     "is_fork": False, "is_run": False, "evidence": "journal resume", **AT},
    {"type": "journal.project_observed", "path": "/home/dev/proj", "real_path": "/home/dev/proj", "root": "/home/dev/proj", "root_commit": "9f2c",
     "remote": "https://example.org/a.git", **AT},
    {"type": "journal.project_observed", "path": "/home/dev/copy", "real_path": "/home/dev/copy", "root": "/home/dev/copy", "root_commit": "9f2d",
     "remote": None, "copied_from": "/home/dev/first", **AT},
    {"type": "journal.hook", "role": "session-start", "host": "claude", "payload": {"cwd": "/home/dev/proj", "source": "startup"},
     "transcript": {"path": "/home/dev/.claude/projects/-home-dev-proj/s.jsonl", "size": 64642}, "checkout": CHECKOUT, **AT},
    {"type": "journal.hook", "role": "stop", "host": "codex", "payload": {"last_assistant_message": "Done."}, "transcript": {"path": None, "size": None},
     "checkout": None, **AT},
    {"type": "journal.context", "role": "session-start", "source": "startup", "handoff": None, **AT},
    {"type": "journal.context", "role": "stop", "used": 6030, "window": 1000000, "window_source": "table", "model": "claude-opus-5-5", "compacted": False,
     "handoff": [1796073600000000, 12], "thresholds": [0.75], **AT},
    {"type": "journal.hook_answered", "role": "stop", "kind": "alert", "threshold": 0.75, "nonce": "5f1c", **AT},
    {"type": "journal.handoff", "text": "# Handoff", "path": "/home/dev/proj/.journal/handoff.md", "is_dirty": None, "mtime_us": 1796073600000000, "size": 9,
     **CHECKOUT, **AT},
    {"type": "journal.handoff_bundle", "handoff_id": "h5f1c2d3e4", "chain_id": "h5f1c2d3e4", "replaces": None, "title": "The lock", "purpose": "Ship it.",
     "root_commit": "9f2c", "remote": None, "dirty": ["calc.py"], "tags": ["lock"], "score": 0.41, "rating": "acceptable",
     "dimensions": {"evidence_coverage": 0.3}, "warnings": ["only one question"],
     "statements": [{"id": "F1", "kind": "finding", "text": "The lock is taken twice.", "details": ["calc.py:1-2"]}],
     "anchors": [{"statement": "F1", "locator": "calc.py:1-2", "kind": "range", "path": "calc.py", "start": 1, "end": 2, "symbol": None, "reason": None,
                  "shape": ["aa", "bb", [], ["cc"], "def add():"]}], **CHECKOUT, **AT},
    {"type": "journal.learning", "learning_id": "l5f1c2d3e4", "kind": "gotcha", "scope": "project", "text": "The lock is not re-entrant.", "replaces": None,
     "expires_at": "2027-11-30T21:00:00.000000Z", "origin": "person",
     "anchors": [{"locator": "calc.py:1-2", "kind": "range", "path": "calc.py", "start": 1, "end": 2, "symbol": None, "reason": None,
                  "shape": ["aa", "bb", [], ["cc"], "def add():"]}], **CHECKOUT, **AT},
    {"type": "journal.learning_judged", "learning_id": "l5f1c2d3e4", "verdict": "confirmed", "reason": None, **AT},
    {"type": "journal.learning_judged", "learning_id": "l5f1c2d3e4", "verdict": "retired", "reason": "the lock is gone", **AT},
    {"type": "journal.handoff_more", "handoff_id": "h5f1c2d3e4", "first_statement": 2, "first_anchor": 2,
     "statements": [{"id": "Q1", "kind": "question", "text": "Is it fast?", "details": [], "origin": "line 9 of the notes"}],
     "anchors": [], "files": [{"name": "summary.json", "number": 1, "text": "{}"}], **AT},
    {"type": "journal.handoffs_removed", "verb": "delete", "handoff_ids": ["h5f1c2d3e4"], **AT},
    {"type": "journal.handoff_loaded", "handoff_id": "h5f1c2d3e4", "tokens": 300, "source_tokens": 4000, **AT},
    {"type": "journal.snapshot", "note": "before the refactoring", **AT},
    {"type": "journal.forgot", "kind": "match", "events": 3, "bytes": 900, "keys": 7, "hash": "5f1c", **AT},
    {"type": "journal.hook_failed", "role": "prompt", "error": "no home", **AT},
)  # fmt: skip
"""Lines as hooks and commands write them to our own inbox, which no recording of another client holds."""


class Recorded(NamedTuple):
    """One record and its source."""

    facts: SourceFacts
    record: JsonObject


def roots(host: str) -> list[Path]:
    """Return the homes of a host that the recordings hold, also those of an earlier state."""
    found = [path for path in sorted((FIXTURES / host).glob("*")) if path.is_dir()]
    return found + sorted((FIXTURES / host).glob("*/states/*"))


@functools.cache
def records(host: str) -> tuple[Recorded, ...]:
    """Return all records of a host's recordings."""
    if host == "journal":
        return tuple(Recorded(SourceFacts(host, "/inbox/s.jsonl", ""), record) for record in INBOX)
    return tuple(found for root in roots(host) for found in _below(host, root))


def _below(host: str, root: Path) -> Iterator[Recorded]:
    adapter = catalog.adapter(host)
    for candidate in adapter.discover(str(root)):
        data = Path(candidate.path).read_bytes()
        values = [orjson.loads(line) for line in data.split(b"\n") if line.strip()] if candidate.shape == "lines" else [_document(data)]
        own = candidate.native_id if candidate.native_id is not None else adapter.native_id(candidate.path, values[0])
        for value in values:
            yield Recorded(SourceFacts(host, candidate.path, own, candidate.shape), value)


def _document(data: bytes) -> Any:
    return orjson.loads(data) if data.lstrip().startswith(b"{") else {"text": data.decode()}


@functools.cache
def shapes(host: str) -> tuple[Recorded, ...]:
    """Return one record for each shape that a host's records have: the keys and types, down to the third level."""
    found: dict[str, Recorded] = {}
    for recorded in records(host):
        found.setdefault(Path(recorded.facts.path).suffix + json.dumps(_shape(recorded.record, 3), sort_keys=True), recorded)
    return tuple(found.values())


def _shape(value: Any, depth: int) -> Any:
    if isinstance(value, dict) and depth:
        return {key: item if key in ("type", "subtype", "name") and isinstance(item, str) else _shape(item, depth - 1) for key, item in value.items()}
    return type(value).__name__
