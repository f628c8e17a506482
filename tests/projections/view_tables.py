"""Real view tables in a file, filled by hand with events in stated places."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from projections import checkpoint, runner
from projections.catalog import PROJECTIONS
from projections.digest import digests
from projections.projection import Place, Rows
from projections.search import register_functions


def at(second: int) -> str:
    """Give a moment of one fixed minute."""
    return f"2026-01-01T00:00:{second:02d}.000000Z"


def uuid(number: int) -> str:
    """Give a record id that is unique in the world, as Claude Code and Copilot write them."""
    return f"00000000-0000-4000-8000-{number:012d}"


class Told(NamedTuple):
    """One record by hand: when, under which id, what it says, and in which session and directory."""

    second: int
    record_id: str
    events: tuple[Any, ...]
    turn_id: str | None = None
    cwd: str | None = "/w"
    session_id: str | None = None
    branch: str | None = None
    model: str | None = None


class Source(NamedTuple):
    """A source by hand; its number and key do not depend on when it is fed."""

    number: int
    session_id: str
    told: Sequence[Told]
    host: str = "claude"


class Tables:
    """The tables of every view in one SQLite file."""

    def __init__(self, folder: Path, name: str = "views.db") -> None:
        self.views = checkpoint.connect(str(folder / name))
        register_functions(self.views)
        runner.create(self.views, PROJECTIONS)
        self.position = 0

    def feed(self, source: Source, *, settle: bool = True) -> None:
        """Hand a source's events to the handlers, write what they ask for, and settle."""
        rows = Rows()
        key = f"{source.host}/{source.session_id}/{source.number}"
        for line, told in enumerate(source.told):
            self.position += 1
            session = told.session_id or source.session_id
            rows.sessions.add(session)
            for ordinal, event in enumerate(told.events):
                place = Place(self.position, source.number, key, source.host, session, told.record_id, at(told.second),
                              told.turn_id, told.cwd, told.branch, told.model, ordinal, 0, line)  # fmt: skip
                for projection in PROJECTIONS:
                    if (handler := projection.handlers.get(type(event))) is not None:
                        handler(place, event, rows)
        with checkpoint.transaction(self.views):
            self.views.execute("INSERT OR IGNORE INTO source_keys VALUES (?, ?)", (source.number, key))
            for projection in PROJECTIONS:
                for statement in projection.statements:
                    self.views.executemany(statement, rows.by_statement.get(statement, []))
            self.views.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", [(one,) for one in rows.sessions])
        if settle:
            runner.settle(self.views, PROJECTIONS)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the views."""
        return self.views.execute(query).fetchall()


def digests_after(folder: Path, name: str, sources: Sequence[Source], *, settle: bool = True) -> dict[str, Any]:
    """Feed sources in the order given, settling after each or only at the end, and give every view's digest."""
    tables = Tables(folder, name)
    for source in sources:
        tables.feed(source, settle=settle)
    if not settle:
        runner.settle(tables.views, PROJECTIONS)
    return digests(tables.views)
