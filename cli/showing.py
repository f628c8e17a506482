"""`journal show`: one session for reading, on a terminal through a pager."""

import argparse
import contextlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator

from cli.outlet import cleaned
from cli.render import SCHEMA_VERSION, write
from cli.wiring import decoders, read_views, session_by_prefix
from journal.database import open_log
from journal.errors import NotFound
from journal.home import Home
from journal.settings import Settings
from projections.records import Records
from projections.transcript import Called, Item, Said, Wanted, transcript

DEPTHS = {"brief": Wanted(diffs=False, children=False), "normal": Wanted(), "full": Wanted(whole=True, copies=True)}
TELLING = ("messages", "tool_calls", "usage", "damaged_records", "unknown_records")
TOLD_BY = " UNION ALL ".join(f"SELECT session_id FROM {view} WHERE source_id = ?1" for view in TELLING)
"""The sessions of what a source tells, once for each thing told."""


def show(settings: Settings, asked: argparse.Namespace) -> int:
    """Show a session's turns, tools, edits, compactions, sub-agents, damage, notes and usage."""
    if asked.session.startswith("SNAP_"):
        from cli.snapshots import show as show_snapshot

        return show_snapshot(settings, asked)
    views = read_views(settings)
    session_id = session_by_prefix(views, asked.session)
    around = _around(settings, views, session_id, asked.around)
    items = items_of(settings, views, session_id, DEPTHS[asked.depth]._replace(reveal=asked.reveal, around=around))
    if asked.json:
        from cli.transcripts.structure import pieces

        write(pieces(items, SCHEMA_VERSION))
        return 0
    from cli.transcripts.text import Terminal

    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    terminal = Terminal(asked.depth, colours=colours, width=min(shutil.get_terminal_size().columns, 120))
    write(terminal.lines(items), page=not asked.no_pager)
    return 0


def items_of(settings: Settings, views: sqlite3.Connection, session_id: str, wanted: Wanted) -> Iterator[Item]:
    """Return the items of a session, without secrets unless they are to be revealed."""
    records = Records(open_log(Home(settings.home).journal_db, writable=False), decoders()[0])
    items = transcript(views, records, session_id, wanted)
    return items if wanted.reveal else without_secrets(items)


def without_secrets(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items as they may leave; pictures pass as they are, since no rule can read them."""
    for item in items:
        if isinstance(item, Called | Said) and item.images:
            yield cleaned(item._replace(images=()))._replace(images=item.images)
        else:
            yield cleaned(item)


def _around(settings: Settings, views: sqlite3.Connection, session_id: str, position: int | None) -> int | None:
    """Return the position of the item that *position* belongs to: a result stands with its call.

    Raises: NotFound: the log has no such position, or it is of another session.
    """
    if position is None:
        return None
    row = views.execute(
        "SELECT global_position FROM tool_calls WHERE session_id = ?1 AND returned_position = ?2"
        " UNION ALL SELECT global_position FROM messages WHERE session_id = ?1 AND last_position = ?2 LIMIT 1",
        (session_id, position),
    ).fetchone()
    if row is not None:
        return int(row[0])
    said_here = f"the numbers in brackets of journal show {session_id}"
    owners = _sessions_at(settings, views, position)
    if owners is None:
        raise NotFound(f"the log has no position {position}", hint=f"give one of {said_here}")
    if not owners:
        raise NotFound(f"position {position} is of no session", hint=f"give one of {said_here}")
    if session_id not in owners:
        raise NotFound(f"position {position} is of session {owners[0]}, not of {session_id}", hint=f"run: journal show {owners[0]} --around {position}")
    return position


def _sessions_at(settings: Settings, views: sqlite3.Connection, position: int) -> list[str] | None:
    """Return the sessions that the source of a position tells of, the one with most to say first; None where there is no such position."""
    with contextlib.closing(open_log(Home(settings.home).journal_db, writable=False)) as log:
        row = log.execute("SELECT source_id FROM events WHERE global_position = ?", (position,)).fetchone()
    if row is None:
        return None
    return [session for (session,) in views.execute(
        f"SELECT session_id FROM ({TOLD_BY}) WHERE session_id IN (SELECT session_id FROM sessions) GROUP BY 1 ORDER BY count(*) DESC, 1", row)]  # fmt: skip
