"""What a projection is: tables, the statements that fill them, and a handler per domain event."""

from collections.abc import Callable, Mapping
from sqlite3 import Connection
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Where an event stands, and what its source had said before (carried forward inside the source)."""

    global_position: int
    source_id: int
    source_key: str
    """`host/native_id/path`: a stable order between sources, the same in every log."""
    host: str
    session_id: str
    record_id: str
    occurred_at: str | None
    turn_id: str | None
    """The record id of the prompt that the event follows in its session, inside this source."""
    cwd: str | None
    branch: str | None
    model: str | None
    ordinal: int
    """The event's number inside its record."""
    generation: int = 0
    """The version of the source's file that the line stands in, counted from rewrites."""
    offset_bytes: int = 0
    """Where the line begins in that version."""
    strand: int = 1
    """The line of records that it stands on, where a file's records form a tree (projections/strands.py)."""


class Rows:
    """Rows that handlers ask for, grouped by statement and written in one transaction with the checkpoint."""

    __slots__ = ("by_statement", "sessions")

    def __init__(self) -> None:
        self.by_statement: dict[str, list[tuple[Any, ...]]] = {}
        self.sessions: set[str] = set()

    def add(self, statement: str, row: tuple[Any, ...]) -> None:
        """Ask for *row* to be written by the SQL *statement*."""
        try:
            self.by_statement[statement].append(row)
        except KeyError:
            self.by_statement[statement] = [row]


Handler = Callable[[Place, Any, Rows], None]


class Projection(NamedTuple):
    """One view or a family of views that are rebuilt together."""

    name: str
    version: int
    tables: Mapping[str, str]
    """Table name to `CREATE TABLE {name} (...) STRICT` (or a virtual table), with the name as a placeholder."""
    indexes: tuple[str, ...]
    statements: tuple[str, ...]
    """The SQL of every row a handler adds, in the order in which they are executed; `{table}` names are plain."""
    handlers: Mapping[type, Handler]
    settle: Callable[[Connection, list[str]], None] | None = None
    """Brings what depends on several sources (owners, links, numbers, totals) up to date for the sessions given."""
    digest: Mapping[str, str] = {}
    """Table name to the SELECT, in a fixed order and without positions, that its digest covers."""
    columns: Mapping[str, str] = {}
    """Table name to what a row and each column of it means, written as in projections/columns.py; those tables stand there or here."""
