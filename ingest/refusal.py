"""What must not come into the log again: a record that was forgotten, under its own id, in other bytes or in another file."""

import re
import sqlite3
from collections.abc import Iterator, Mapping

from ingest.adapter import Adapter
from ingest.tail import Batch
from journal.domain import Occurrence, SourceFacts
from journal.salvage import salvage
from journal.scrubbing import without
from journal.tombstones import Forgotten, blank, forgotten

FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a decoder raises on a record it cannot take; such a record has no id, and is known by its bytes."""
ELEMENT_ID = re.compile(rb'"id"\s*:\s*"([^"\\]{36})"')


class Refusal:
    """Judges lines and documents by the keys of what was forgotten."""

    def __init__(self, known: Forgotten, adapters: Mapping[str, Adapter]) -> None:
        self.known = known
        self.keys = known.keys
        self.adapters = adapters

    def has(self, facts: SourceFacts, data: bytes) -> bool:
        """Tell whether a line is a forgotten record: the same bytes, the same id, or a forgotten phrase in it."""
        if not data.strip():
            return False
        if self.known.has_line(data) or self.known.has_phrase(data):
            return True
        if not self.known.may_have_record(facts.host, facts.native_id, data):
            return False
        return any(self.known.has_record(facts.host, session_id, record_id) for session_id, record_id in record_ids(self.adapters, facts, data))

    def document(self, facts: SourceFacts, data: bytes) -> bytes:
        """Return a whole file without what was forgotten."""

        def is_forgotten(part: bytes) -> bool:
            return self.known.has_line(part) or self.known.has_phrase(part) or any(
                self.known.has_record(facts.host, facts.native_id, record_id) for record_id in element_ids(part))  # fmt: skip

        return without(data, is_forgotten)

    def lines(self, facts: SourceFacts, batch: Batch) -> tuple[list[bytes], list[tuple[int, bytes]]]:
        """Return the lines of a batch with those blank that were forgotten, and where these stand with their keys."""
        pieces, buried, offset = [], [], batch.offset
        for data in batch.lines:
            is_refused = self.has(facts, data)
            if is_refused:
                buried.append((offset, self.keys.line(data)))
            pieces.append(blank(data) if is_refused else data)
            offset += len(data)
        return pieces, buried

    def hidden(self, name: str) -> str:
        """Return the name under which the log knows a path or an id that holds what was forgotten."""
        return self.keys.hidden(name)

    def named(self, name: str) -> str:
        """Return *name*, or its hidden form where a forgotten phrase stands in it."""
        return self.keys.hidden(name) if self.known.has_phrase(name.encode(errors="replace")) else name


def refusal(connection: sqlite3.Connection, adapters: Mapping[str, Adapter]) -> Refusal | None:
    """Return the judge of this log, or None where nothing was forgotten."""
    known = forgotten(connection)
    return Refusal(known, adapters) if known is not None and known.known else None


def decoded(adapters: Mapping[str, Adapter], facts: SourceFacts, data: bytes) -> Iterator[Occurrence]:
    """Yield what a line says, as far as the host's decoder can take it."""
    adapter = adapters.get(facts.host)
    for value in salvage(data).values if adapter else ():
        try:
            yield from adapter.decode(facts, value) if adapter else []
        except FAULTS:
            continue


def record_ids(adapters: Mapping[str, Adapter], facts: SourceFacts, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield session and id of the records of a line that have an id of their own."""
    for one in decoded(adapters, facts, data):
        if one.record_id is not None:
            yield one.session_id or facts.native_id, one.record_id


def element_ids(part: bytes) -> list[str]:
    """Return the ids of 36 characters that an element of a document names itself by."""
    return [found.decode() for found in ELEMENT_ID.findall(part)]
