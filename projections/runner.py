"""Catching up: events of the log are salvaged, decoded, placed and handed to the projections."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from journal import reader, salvage
from journal.domain import JsonObject, Occurrence, RecordDamaged, SourceFacts
from journal.errors import ProjectionError
from projections import checkpoint, raw_records
from projections.catalog import OPTIONAL, PROJECTIONS
from projections.checkpoint import Checkpoint
from projections.damage import SourceRead
from projections.isolation import ROW_FAULTS, Placed, decoded, handled, undoable, written_apart
from projections.placement import Carry, Line, place, source_key
from projections.projection import Handler, Place, Projection, Rows
from projections.raw_records import RecordRead
from projections.search import register_functions

BATCH = 1000
SMALLEST_BATCH = 16
BATCH_BYTES = 4 * 1024 * 1024
"""Batches shrink above this many bytes, so that memory stays bounded where lines are long."""
SETTLE_AT_ONCE = 500

Decode = Callable[[SourceFacts, JsonObject], list[Occurrence]]


class CaughtUp(NamedTuple):
    """What a catch-up did."""

    events: int
    bytes: int
    sessions: int
    rebuilt: bool
    position: int


def catch_up(
    log: sqlite3.Connection,
    views: sqlite3.Connection,
    decode: Mapping[str, Decode],
    versions: Mapping[str, int],
    *,
    projections: Sequence[Projection] = PROJECTIONS,
    until: int | None = None,
    as_of: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CaughtUp:
    """Bring the views up to the log, or to position *until*; rebuild them where their checkpoint does not fit.

    A rebuild is one transaction: readers see the old views whole until it ends. A first build commits batch by batch.
    """
    head = reader.head(log)
    fresh = Checkpoint(head.log_id, 0, "", checkpoint.versions_text(versions), checkpoint.projections_text(projections))
    last = head.position if until is None else min(until, head.position)
    register_functions(views)
    known = checkpoint.read(views)
    if known is not None and checkpoint.fits(known, log, fresh) and _is_complete(views, projections) and not _order_changed(log, views):
        return Pass(log, views, decode, projections=projections, as_of=as_of).run(known, last, progress=progress)
    if known is None:
        with checkpoint.transaction(views):
            create(views, projections)
            checkpoint.write(views, fresh)
        return Pass(log, views, decode, projections=projections, as_of=as_of).run(fresh, last, rebuilt=True, progress=progress)
    with checkpoint.forgetting_old_rules(views, known), checkpoint.transaction(views):
        create(views, projections)
        checkpoint.write(views, fresh)
        return Pass(log, views, decode, projections=projections, as_of=as_of).run(fresh, last, rebuilt=True, progress=progress)


def _is_complete(views: sqlite3.Connection, projections: Sequence[Projection]) -> bool:
    """Tell whether every table, index and trigger is there; one that somebody dropped is built again with the others."""
    there = {name for (name,) in views.execute("SELECT name FROM sqlite_master")}
    return there.issuperset(_names(projections))


def _names(projections: Sequence[Projection]) -> frozenset[str]:
    """Return the names of all that the views consist of, also what full text keeps its index in and can be dropped without."""
    indexes = [statement.partition("IF NOT EXISTS ")[2].partition(" ")[0] for projection in projections for statement in projection.indexes]
    texts = {name: text for projection in projections for name, text in projection.tables.items()}
    full_text = [f"{name}_{part}" for name, text in texts.items() if "USING fts5" in text for part in ("idx", "docsize")]
    return frozenset([*checkpoint.TABLES, *texts, *indexes, *full_text])


def _order_changed(log: sqlite3.Connection, views: sqlite3.Connection) -> bool:
    """Tell whether files of one session have moved so that they come in another order than the one their rows were written in."""
    moved: dict[tuple[str, str], list[tuple[str, str]]] = {}
    stored = dict(views.execute("SELECT source_id, source_key FROM source_keys").fetchall())
    facts = reader.source_facts(log)
    if all(stored.get(source_id) in (None, source_key(fact)) for source_id, fact in facts.items()):
        return False
    for source_id, fact in facts.items():
        if source_id in stored:
            moved.setdefault((fact.host, fact.native_id), []).append((stored[source_id], source_key(fact)))
    return any([new for _, new in sorted(keys)] != sorted(new for _, new in keys) for keys in moved.values())


def create(views: sqlite3.Connection, projections: Sequence[Projection], *, internal: bool = True) -> None:
    """Create empty tables in place of those there are; without *internal* the runner's own stay as they are."""
    wanted = [(name, text) for projection in projections for name, text in projection.tables.items()]
    gone: list[str] = []
    if internal:
        wanted = [*checkpoint.TABLES.items(), *wanted]
        gone = [name for projection in OPTIONAL for name in projection.tables]
    for name in [*gone, *(name for name, _ in reversed(wanted))]:
        for kind in views.execute("SELECT type FROM sqlite_master WHERE name = ?", (name,)).fetchall():
            views.execute(f"DROP {kind[0]} {name}")
    for name, text in wanted:
        views.execute(text.format(name=name))
    # All of them, since a projection may declare an index on another's table; each says IF NOT EXISTS.
    for projection in [*PROJECTIONS, *projections]:
        for statement in projection.indexes:
            views.execute(statement)


def settle(views: sqlite3.Connection, projections: Iterable[Projection]) -> int:
    """Settle every session that is marked, projection by projection, and take the marks off; gives their number."""
    if views.execute("SELECT 1 FROM unsettled LIMIT 1").fetchone() is None:
        return 0
    with checkpoint.transaction(views):
        for projection in projections:
            if projection.settle is None:
                continue
            waiting = [row[0] for row in views.execute("SELECT session_id FROM unsettled ORDER BY session_id")]
            for start in range(0, len(waiting), SETTLE_AT_ONCE):
                projection.settle(views, waiting[start : start + SETTLE_AT_ONCE])
        return views.execute("DELETE FROM unsettled").rowcount


class Pass:
    """One run over a stretch of the log, for all projections or for some."""

    def __init__(
        self,
        log: sqlite3.Connection,
        views: sqlite3.Connection,
        decode: Mapping[str, Decode],
        *,
        projections: Sequence[Projection] = PROJECTIONS,
        as_of: str | None = None,
        keep: bool = True,
    ) -> None:
        self.log = log
        self.views = views
        self.decode = decode
        self.projections = projections
        self.as_of = as_of
        self.keep = keep
        """Whether carries and checkpoint are read and moved; a replay of some views leaves them as they are."""
        self.handlers = _handlers(projections)
        self.carries: dict[int, Carry] = {}
        self.keys: dict[int, str] = {}
        self.facts: dict[int, SourceFacts] = {}

    def run(
        self,
        start: Checkpoint,
        last: int,
        *,
        rebuilt: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> CaughtUp:
        """Project the events after *start* up to position *last*, then settle."""
        position, events, size, limit = start.position, 0, 0, BATCH // 4
        while position < last:
            stored = reader.read_events(self.log, position, min(limit, last - position), is_short=True)
            stored = [event for event in stored if event.global_position <= last]
            if not stored:
                break
            placed, read = self._place(stored)
            position = stored[-1].global_position
            reached = start._replace(position=position, hash=checkpoint.hash_at(self.log, position))
            self._write(placed, {event.source_id for event in stored}, reached)
            events += len(stored)
            size += read
            limit = max(SMALLEST_BATCH, limit // 2) if read > BATCH_BYTES else min(BATCH, limit * 2)
            if progress is not None:
                progress(position, read)
        return CaughtUp(events, size, settle(self.views, self.projections), rebuilt, position)

    def _place(self, stored: Sequence[reader.StoredEvent]) -> tuple[Placed, int]:
        """Salvage, decode and place a batch; gives the placed events, what was read per source at the end, and the bytes."""
        placed: Placed = []
        parse = salvage.salvage
        counts: dict[tuple[int, int], list[int]] = {}
        ends: dict[tuple[int, int], Carry] = {}
        size = 0
        for position, source_id, generation, offset, length, data in stored:
            facts, key, carry = self._source(source_id, generation)
            counted = counts.get((source_id, generation))
            if counted is None:
                counted, ends[source_id, generation] = counts.setdefault((source_id, generation), [0, 0, 0]), carry
            counted[0] += 1
            counted[1] += length
            size += length
            values, damage = parse(data) if facts.shape == "lines" else salvage.salvage_document(data)
            if not data and length:
                damage = "long"
            counted[2] += bool(values or damage)
            decode = self.decode.get(facts.host)
            occurrences: list[Occurrence] = []
            if decode is not None:
                for value in values:
                    occurrences += decoded(decode, facts, value)
            if damage is not None:
                occurrences.append(Occurrence((RecordDamaged(damage, salvage.skipped(data, damage)),)))
            if RecordRead in self.handlers:
                occurrences += raw_records.occurrences(values)
            if occurrences:
                line = Line(position, source_id, generation, offset, data)
                placed += place(line, facts, key, carry, occurrences, as_of=self.as_of)
            if self.as_of is not None and carry.occurred_at is not None and carry.occurred_at > self.as_of:  # a line that is not there yet
                counted[:] = counted[0] - 1, counted[1] - length, counted[2] - bool(values or damage)
        for (source_id, generation), (lines, read, records) in counts.items():
            if not lines:
                continue
            # Not by `_source`: to ask for an earlier generation of the batch would drop what the last one carries.
            facts, key = self.facts[source_id], self.keys[source_id]
            where = Place(0, source_id, key, facts.host, facts.native_id, "", None, None, None, None, None, 0, generation)
            placed.append((where, SourceRead(lines, read, facts.path, records)))
            strands = ends[source_id, generation].strands.told()
            if strands is not None:
                placed.append((where, strands))
        return placed, size

    def _source(self, source_id: int, generation: int) -> tuple[SourceFacts, str, Carry]:
        """Give a source's facts, its key as first seen and its carry in this generation."""
        facts = self.facts.get(source_id)
        if facts is None:
            self.facts = reader.source_facts(self.log)
            facts = self.facts[source_id]
        carry = self.carries.get(source_id)
        if carry is None:
            carry = self._load(source_id, generation, facts)
        if carry.generation != generation:
            carry = self.carries[source_id] = Carry(generation)
        return facts, self.keys[source_id], carry

    def _load(self, source_id: int, generation: int, facts: SourceFacts) -> Carry:
        """Read what an earlier catch-up knew of a source."""
        query = "SELECT source_key FROM source_keys WHERE source_id = ?"
        key = self.views.execute(query, (source_id,)).fetchone()
        self.keys[source_id] = key[0] if key else source_key(facts)
        row = None
        if self.keep:
            row = self.views.execute("SELECT value FROM carries WHERE source_id = ?", (source_id,)).fetchone()
        carry = self.carries[source_id] = Carry.load(row[0]) if row else Carry(generation)
        return carry

    def _write(self, placed: Placed, touched: set[int], reached: Checkpoint) -> None:
        """Hand a batch to the projections and write their rows with the checkpoint; where that fails, event by event."""
        try:
            with undoable(self.views):
                self._advance(touched, reached)
                self._write_rows(handled(placed, self.handlers))
        except ROW_FAULTS:
            with checkpoint.transaction(self.views):
                self._advance(touched, reached)
                written_apart(self.views, placed, self.handlers, self._write_rows)

    def _write_rows(self, rows: Rows) -> None:
        """Write rows in catalog order, and mark their sessions to be settled."""
        views = self.views
        waiting: dict[str, list[tuple[Any, ...]]] = rows.by_statement
        for projection in self.projections:
            for statement in projection.statements:
                if (batch := waiting.pop(statement, None)) is not None:
                    views.executemany(statement, batch)
        if waiting:
            raise ProjectionError(f"a handler used an undeclared statement: {next(iter(waiting))}")
        views.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", [(session,) for session in rows.sessions])

    def _advance(self, touched: set[int], reached: Checkpoint) -> None:
        """Write the keys and the carries of the sources of a batch, and the checkpoint behind it; rows look the keys up."""
        self.views.executemany("INSERT OR IGNORE INTO source_keys VALUES (?, ?)", [(s, self.keys[s]) for s in touched])
        if self.keep:
            carried = [(source_id, self.carries[source_id].dump()) for source_id in touched]
            self.views.executemany("INSERT OR REPLACE INTO carries VALUES (?, ?)", carried)
            checkpoint.write(self.views, reached)


def _handlers(projections: Iterable[Projection]) -> dict[type, list[Handler]]:
    """Collect the handlers of each event type, in catalog order."""
    found: dict[type, list[Handler]] = {}
    for projection in projections:
        for kind, handler in projection.handlers.items():
            found.setdefault(kind, []).append(handler)
    return found
