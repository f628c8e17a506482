"""Rebuilding views from the log: all or some of them, beside them to compare, or as they stood at an earlier point."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from journal.errors import NotFound, ProjectionError
from projections import checkpoint
from projections.catalog import PROJECTIONS
from projections.digest import digests
from projections.projection import Projection
from projections.runner import CaughtUp, Decode, Pass, catch_up, create, settle
from projections.search import register_functions

Progress = Callable[[int, int], None]

# Triggers stand with the table that they watch, and go with it.
_TOGETHER = {"messages": ("search",), "tool_calls": ("search",), "search": ("messages", "tool_calls")}


class Difference(NamedTuple):
    """A view whose rows are not what the log says."""

    view: str
    live: str
    rebuilt: str


def rebuild(
    log: sqlite3.Connection,
    views: sqlite3.Connection,
    decode: Mapping[str, Decode],
    versions: Mapping[str, int],
    *,
    names: tuple[str, ...] = (),
    projections: Sequence[Projection] = PROJECTIONS,
    progress: Progress | None = None,
) -> CaughtUp:
    """Build all views, or those of the projections or tables named, again in one transaction.

    Whoever reads meanwhile sees the old rows; a rebuild that is broken off leaves them in place.
    """
    if not names:
        with checkpoint.forgetting_old_rules(views, checkpoint.read(views)), checkpoint.transaction(views):
            views.execute("DROP TABLE IF EXISTS checkpoints")
            return catch_up(log, views, decode, versions, projections=projections, progress=progress)
    some = named(names, projections)
    catch_up(log, views, decode, versions, projections=projections)
    known = checkpoint.read(views)
    if known is None:
        raise ProjectionError("the views have no checkpoint", hint="journal replay")
    start = known._replace(position=0, hash="")
    with checkpoint.transaction(views):
        create(views, some, internal=False)
        partial = Pass(log, views, decode, projections=some, keep=False)
        done = partial.run(start, known.position, rebuilt=True, progress=progress)
        _settle_again(views)
    return done


def _settle_again(views: sqlite3.Connection) -> None:
    """Settle all sessions in all views, since owners and totals read each other's rows."""
    views.execute("INSERT OR IGNORE INTO unsettled SELECT DISTINCT session_id FROM sessions")
    views.execute("INSERT OR IGNORE INTO unsettled SELECT DISTINCT session_id FROM messages")
    settle(views, PROJECTIONS)


def named(names: tuple[str, ...], projections: Sequence[Projection] = PROJECTIONS) -> list[Projection]:
    """Find projections by their name or by one of their tables, with those that must be built with them."""
    wanted: set[str] = set()
    for name in names:
        found = [p.name for p in projections if name == p.name or name in p.tables]
        if not found:
            raise NotFound(f"no view is called {name}", hint="journal replay --help")
        wanted.update(found)
    for name in tuple(wanted):
        wanted.update(_TOGETHER.get(name, ()))
    if "search" in wanted:
        wanted.update(_TOGETHER["search"])
    return [projection for projection in projections if projection.name in wanted]


def verify(
    log: sqlite3.Connection,
    views: sqlite3.Connection,
    decode: Mapping[str, Decode],
    versions: Mapping[str, int],
    *,
    projections: Sequence[Projection] = PROJECTIONS,
    progress: Progress | None = None,
) -> list[Difference]:
    """Build the views beside in a temporary file, up to the same position, and name those that differ."""
    known = checkpoint.read(views)
    if known is None:
        raise NotFound("there are no views yet", hint="journal ingest")
    with tempfile.TemporaryDirectory(prefix="journal-verify-") as folder:
        beside = build_at(
            log, os.path.join(folder, "views.db"), decode, versions, position=known.position, projections=projections, progress=progress
        )
        try:
            rebuilt = digests(beside, projections)
        finally:
            beside.close()
    live = digests(views, projections)
    return [Difference(view, live[view], rebuilt[view]) for view in rebuilt if live[view] != rebuilt[view]]


def build_at(
    log: sqlite3.Connection,
    path: str,
    decode: Mapping[str, Decode],
    versions: Mapping[str, int],
    *,
    position: int | None = None,
    time: str | None = None,
    projections: Sequence[Projection] = PROJECTIONS,
    progress: Progress | None = None,
) -> sqlite3.Connection:
    """Build views in another file as of a position or of a time; gives the open connection."""
    views = checkpoint.connect(path)
    views.execute("PRAGMA synchronous=OFF")
    register_functions(views)
    catch_up(log, views, decode, versions, projections=projections, until=position, as_of=time, progress=progress)
    return views
