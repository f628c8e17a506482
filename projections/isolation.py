"""One record that our own code cannot take stops nothing else: it is counted with its fault, and the others go on.

A decoder, a handler or a row's types may be wrong for a record nobody has seen yet. The log holds the record; the
view `damaged_records` then says `not decoded` or `not projected` with the kind of fault, `journal status` counts it,
and a corrected decoder or projection, by its raised version, takes it at the next rebuild.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from journal.domain import JsonObject, Occurrence, RecordDamaged, SourceFacts
from projections import checkpoint
from projections.projection import Handler, Place, Rows

FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What wrong assumptions about a record raise; a full disk, a lock or an interrupt is none of them."""
ROW_FAULTS = (*FAULTS, sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
"""What SQLite's binding raises for a row that its table cannot take."""

Placed = list[tuple[Place, object]]
"""Domain events, and the one of the runner itself, with their places."""


def decoded(
    decode: Callable[[SourceFacts, JsonObject], list[Occurrence]], facts: SourceFacts, value: JsonObject
) -> list[Occurrence]:
    """Decode one value; a fault is told as damage of its line."""
    try:
        return decode(facts, value)
    except FAULTS as fault:
        return [Occurrence((RecordDamaged(f"not decoded: {type(fault).__name__}"),))]


def handled(placed: Placed, handlers: Mapping[type, Iterable[Handler]]) -> Rows:
    """Return the rows that the handlers ask for.

    Raises: one of FAULTS: a handler's own; `written_apart` then finds the record.
    """
    rows = Rows()
    sessions = rows.sessions
    for where, event in placed:
        if where[0]:  # the runner's own events stand at no position and settle nothing
            sessions.add(where[4])
        for handle in handlers.get(event.__class__, ()):
            handle(where, event, rows)
    sessions.discard("")
    return rows


@contextmanager
def undoable(views: sqlite3.Connection) -> Iterator[None]:
    """Undo what was written within where a row fails: as a transaction, or as a part of the open one.

    A savepoint in every transaction would let SQLite keep each page that a row with a trigger changes, row by row, in a file: 5 % of
    a first ingest.
    """
    if not views.in_transaction:
        with checkpoint.transaction(views):
            yield
        return
    views.execute("SAVEPOINT batch")
    try:
        yield
    except ROW_FAULTS:
        views.execute("ROLLBACK TO batch")
        raise
    finally:
        if views.in_transaction:
            views.execute("RELEASE batch")


def written_apart(
    views: sqlite3.Connection,
    placed: Placed,
    handlers: Mapping[type, Iterable[Handler]],
    write: Callable[[Rows], None],
) -> None:
    """Handle and write each event by itself, inside the caller's transaction; one that fails leaves only its fault."""
    for where, event in placed:
        views.execute("SAVEPOINT one_event")
        try:
            write(handled([(where, event)], handlers))
        except ROW_FAULTS as fault:
            views.execute("ROLLBACK TO one_event")
            damage = RecordDamaged(f"not projected: {type(event).__name__}: {type(fault).__name__}")
            write(handled([(where, damage)], handlers))
        views.execute("RELEASE one_event")
