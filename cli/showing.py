"""`journal show`: one session for reading, on a terminal through a pager."""

import argparse
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator

from cli.outlet import cleaned
from cli.render import SCHEMA_VERSION, write
from cli.wiring import decoders, read_views, session_by_prefix
from journal.errors import NotFound
from journal.home import Home
from journal.settings import Settings
from projections.records import Records
from projections.transcript import Called, Item, Said, Wanted, transcript

DEPTHS = {"brief": Wanted(diffs=False, children=False), "normal": Wanted(), "full": Wanted(whole=True, copies=True)}


def show(settings: Settings, asked: argparse.Namespace) -> int:
    """Show a session's turns, tools, edits, compactions, sub-agents, damage, notes and usage."""
    if asked.session.startswith("SNAP_"):
        from cli.snapshots import show as show_snapshot

        return show_snapshot(settings, asked)
    views = read_views(settings)
    session_id = session_by_prefix(views, asked.session)
    around = _around(views, session_id, asked.around)
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
    from journal.database import open_log

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


def _around(views: sqlite3.Connection, session_id: str, position: int | None) -> int | None:
    """Return the position of the item that *position* belongs to: a result stands with its call.

    Raises: NotFound: the session has no record at or near it.
    """
    if position is None:
        return None
    row = views.execute(
        "SELECT global_position FROM tool_calls WHERE session_id = ?1 AND returned_position = ?2"
        " UNION ALL SELECT global_position FROM messages WHERE session_id = ?1 AND last_position = ?2 LIMIT 1",
        (session_id, position),
    ).fetchone()
    if row is None and views.execute("SELECT 1 FROM messages WHERE session_id = ?1 UNION ALL SELECT 1 FROM tool_calls WHERE session_id = ?1 LIMIT 1",
                                     (session_id,)).fetchone() is None:  # fmt: skip
        raise NotFound(f"session {session_id} has nothing to show around a position", hint=f"run: journal show {session_id}")
    return row[0] if row else position
