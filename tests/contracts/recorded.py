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
INBOX: tuple[JsonObject, ...] = (
    {"type": "journal.note", "at": "2026-11-30T21:00:00.000000Z", "session_id": "s", "text": "remember the milk"},
    {"type": "journal.project_observed", "at": "2026-11-30T21:00:00.000000Z", "path": "/w/a", "real_path": "/w/a", "root": "/w",
     "root_commit": "9f2c", "remote": "https://example.org/a.git"},
)  # fmt: skip
"""Lines of our own inbox, which no recording of another client holds."""


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
