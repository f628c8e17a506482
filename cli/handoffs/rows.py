"""Handoffs as the views hold them, and which of them belong to the project here."""

import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

from journal.errors import Ambiguous, NotFound
from projections.handoff_bundles import IS_REMOVED, IS_REPLACED

if TYPE_CHECKING:
    from ingest.checkout import Checkout
    from projections.drift import Anchor

COLUMNS = ("handoff_id", "chain_id", "replaces", "session_id", "saved_at", "root", "root_commit", "remote", "branch", "head", "dirty", "title",
           "purpose", "tags", "score", "rating", "dimensions", "warnings", "facts")  # fmt: skip
STORED_AS_JSON = ("dirty", "tags", "dimensions", "warnings", "facts")
LISTED = f"NOT {IS_REMOVED} AND NOT {IS_REPLACED}"
STATEMENTS = "SELECT statement_id, kind, text, details FROM handoff_statements WHERE handoff_id = ? ORDER BY number"
ORIGINS = "SELECT statement_id, origin FROM handoff_statements WHERE handoff_id = ? AND origin IS NOT NULL"
ANCHORS = "SELECT statement_id, locator, kind, path, start, end, symbol, reason, shape FROM handoff_anchors WHERE handoff_id = ? ORDER BY number"


def chosen(views: sqlite3.Connection, query: str, place: "Checkout | None", *, foreign: bool, removed: bool = False) -> dict[str, Any]:
    """Return the handoff that *query* names: `latest` or one of this project, with *foreign* any project's by its whole id.

    A whole id finds a handoff that a later one replaced too; one that was deleted only with *removed*.
    Raises: NotFound, Ambiguous.
    """
    query = query.encode(errors="replace").decode()
    where, values = scope(views, place)
    columns = ", ".join(COLUMNS)
    row = views.execute(f"SELECT {columns}, {IS_REMOVED} FROM handoff_bundles WHERE handoff_id = ? AND ({'1' if foreign else where})",
                        (query, *(() if foreign else values))).fetchone()  # fmt: skip
    if row and row[-1] and not removed:
        raise NotFound(f"the handoff {query} was deleted", hint=f"bring it back: journal handoff undelete {query}")
    if row:
        return bundle_of(row[:-1])
    most = "LIMIT 1" if query == "latest" else ""
    rows = views.execute(f"SELECT {columns} FROM handoff_bundles WHERE {where} AND {LISTED} ORDER BY saved_at DESC, handoff_id {most}", values).fetchall()
    found = [bundle_of(row) for row in rows]
    if query != "latest":
        words = query.casefold().split()
        starting = [one for one in found if one["handoff_id"].startswith(query)]
        found = starting or [one for one in found if all(word in one["title"].casefold() for word in words)]
        if len(found) > 1:
            raise Ambiguous(f"{query} fits several handoffs", candidates=[f"{one['handoff_id']} {one['title']}" for one in found[:20]], hint="give the id")
    if not found:
        raise NotFound(f"this project has no handoff {query}" if query != "latest" else "this project has no handoff",
                       hint="see all projects': journal handoff list --all")  # fmt: skip
    return found[0]


def here() -> "Checkout | None":
    """Return the checkout that the current folder lies in."""
    from ingest import checkout

    return checkout.find(os.getcwd())


def scope(views: sqlite3.Connection, place: "Checkout | None") -> tuple[str, tuple[str, ...]]:
    """Return the condition for the handoffs of the project here: by its folder, or after a move by its first commit and remote."""
    folder = os.path.realpath(os.getcwd())
    if place is None:
        folders = [folder]
        while (parent := os.path.dirname(folders[-1])) != folders[-1]:
            folders.append(parent)
        near = next((one for one in folders if views.execute("SELECT 1 FROM handoff_bundles WHERE root = ? LIMIT 1", (one,)).fetchone()), folder)
        return "root = ?", (near,)
    if views.execute("SELECT 1 FROM handoff_bundles WHERE root = ? LIMIT 1", (place.repository,)).fetchone():
        return "root = ?", (place.repository,)
    from ingest.observation import observe

    seen = observe(folder)
    gone = [root for (root,) in views.execute("SELECT DISTINCT root FROM handoff_bundles WHERE root_commit = ? AND remote IS ?",
                                              (seen["root_commit"], seen["remote"])) if root and not os.path.isdir(root)]  # fmt: skip
    return (f"root IN ({', '.join('?' * len(gone))})", tuple(gone)) if gone else ("root = ?", (place.repository,))


def is_own(views: sqlite3.Connection, bundle: dict[str, Any], place: "Checkout | None") -> bool:
    """Tell whether a handoff belongs to the project here."""
    where, values = scope(views, place)
    return bool(views.execute(f"SELECT 1 FROM handoff_bundles WHERE handoff_id = ? AND {where}", (bundle["handoff_id"], *values)).fetchone())


def bundle_of(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a row of `handoff_bundles` as an object."""
    found = dict(zip(COLUMNS, row, strict=True))
    return found | {name: json.loads(found[name]) for name in STORED_AS_JSON}


def statements(views: sqlite3.Connection, handoff_id: str) -> list[tuple[str, str, str, list[str]]]:
    """Return (id, kind, text, details) of each statement, in order."""
    return [(name, kind, text, json.loads(details)) for name, kind, text, details in views.execute(STATEMENTS, (handoff_id,))]


def origins(views: sqlite3.Connection, handoff_id: str) -> dict[str, str]:
    """Return where each statement comes from, as far as that is known."""
    return dict(views.execute(ORIGINS, (handoff_id,)).fetchall())


def anchors(views: sqlite3.Connection, handoff_id: str) -> "list[Anchor]":
    """Return the anchors of a handoff, in order."""
    return [anchor_of(row) for row in views.execute(ANCHORS, (handoff_id,)).fetchall()]


def anchor_of(row: tuple[Any, ...]) -> "Anchor":
    """Return an anchor of its columns in the views, the shape as JSON."""
    from journal.ranges import Shape
    from projections.drift import Anchor

    *fields, shape = row
    told = json.loads(shape) if shape else None
    kept = Shape(told[0], told[1], tuple(told[2]), tuple(told[3]), told[4]) if isinstance(told, list) and len(told) == 5 else None
    return Anchor._make([*fields, kept])


def lineage(views: sqlite3.Connection, handoff_id: str) -> dict[str, list[str]]:
    """Return the handoffs that this one took the place of, and those that took its place."""
    older = [name for (name,) in views.execute("SELECT older FROM handoff_links WHERE newer = ? ORDER BY older", (handoff_id,))]
    newer = [name for (name,) in views.execute("SELECT newer FROM handoff_links WHERE older = ? ORDER BY newer", (handoff_id,))]
    return {"older": older, "newer": newer}
