"""Commands that read handoffs: load, list, show, diff and score."""

import argparse
import contextlib
import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import read_views
from journal.errors import Ambiguous, NotFound
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.checkout import Checkout
    from projections.drift import Anchor

COLUMNS = ("handoff_id", "chain_id", "replaces", "session_id", "saved_at", "root", "root_commit", "remote", "branch", "head", "dirty", "title",
           "purpose", "tags", "score", "rating", "dimensions", "warnings")  # fmt: skip
STORED_AS_JSON = ("dirty", "tags", "dimensions", "warnings")
FRESH = "handoff_id NOT IN (SELECT replaces FROM handoff_bundles WHERE replaces IS NOT NULL)"
SHOWN = 5
"""So many lines of each section are told without --deep."""


def load(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what a handoff says, what became of its evidence, and what to look at first."""
    from projections import handoff_report

    with contextlib.closing(read_views(settings)) as views:
        place = _place()
        bundle = chosen(views, asked.query, place, foreign=True)
        rows = _statements(views, bundle["handoff_id"])
        anchors = _anchors(views, bundle["handoff_id"])
        is_own = _is_own(views, bundle, place)
    seen = _seen(bundle, anchors, place if is_own else None)
    report = handoff_report.of(bundle, rows, anchors, seen, is_own=is_own, shown=1 << 30 if asked.deep else SHOWN)
    if asked.json:
        print_json(report.answer)
    else:
        print_text(report.text)
    return 0


def listing(settings: Settings, asked: argparse.Namespace) -> int:
    """List handoffs, newest first."""
    with contextlib.closing(read_views(settings)) as views:
        where, values = ("1", ()) if asked.all else _scope(views, _place())
        where = where if asked.all else f"{where} AND {FRESH}"
        rows = views.execute(f"SELECT {', '.join(COLUMNS)} FROM handoff_bundles WHERE {where} ORDER BY saved_at DESC, handoff_id LIMIT ?",
                             (*values, asked.limit)).fetchall()  # fmt: skip
        total = views.execute(f"SELECT count(*) FROM handoff_bundles WHERE {where}", values).fetchone()[0]
    found = [_bundle(row) for row in rows]
    if asked.json:
        names = ("handoff_id", "title", "root", "branch", "saved_at", "session_id", "rating", "score", "tags", "replaces")
        print_json({"handoffs": [{name: one[name] for name in names} for one in found], "total": total})
        return 0
    print_table(("handoff", "saved", "quality", "branch", "title"),
                [(one["handoff_id"], (one["saved_at"] or "")[:16].replace("T", " "), one["rating"], one["branch"], one["title"]) for one in found])  # fmt: skip
    if total > len(found):
        say(f"{len(found)} of {total} shown; more: --limit {total}")
    if not found:
        say("no handoffs here; save one: journal handoff save --notes FILE, or try: journal handoff list --all")
    return 0


def show(settings: Settings, asked: argparse.Namespace) -> int:
    """Print a handoff as it was saved."""
    with contextlib.closing(read_views(settings)) as views:
        bundle = chosen(views, asked.query, _place(), foreign=True)
        statements = _statements(views, bundle["handoff_id"])
        anchors = _anchors(views, bundle["handoff_id"])
    told = [{"id": name, "kind": kind, "text": text, "details": details,
             "anchors": [{"locator": one.locator, "kind": one.kind, "reason": one.reason} for one in anchors if one.statement_id == name]}
            for name, kind, text, details in statements]  # fmt: skip
    if asked.json:
        print_json({**bundle, "statements": told})
        return 0
    from projections import handoff_report

    print_text(handoff_report.as_saved(bundle, told))
    return 0


def diff(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell which statements of the second handoff are new, kept or gone against the first, and which questions it answers."""
    from projections import handoff_report

    with contextlib.closing(read_views(settings)) as views:
        place = _place()
        before, after = (chosen(views, name, place, foreign=True) for name in (asked.before, asked.after))
        old, new = (_statements(views, one["handoff_id"]) for one in (before, after))
        old_places, new_places = (_anchors(views, one["handoff_id"]) for one in (before, after))
    answer = handoff_report.compared(old, new, old_places, new_places)
    if asked.json:
        print_json({"before": before["handoff_id"], "after": after["handoff_id"], **answer})
        return 0
    for name in ("new", "changed", "gone", "resolved"):
        for one in answer[name]:
            print_text(f"{name}: {one['kind']}: {one['text']}")
    print_text(f"{answer['kept']} statements are the same")
    return 0


def score(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the quality of a handoff, and what to fix first."""
    with contextlib.closing(read_views(settings)) as views:
        bundle = chosen(views, asked.query, _place(), foreign=True)
    if asked.json:
        print_json({"handoff_id": bundle["handoff_id"], "title": bundle["title"], "quality": bundle["rating"], "score": bundle["score"],
                    "dimensions": bundle["dimensions"], "warnings": bundle["warnings"]})  # fmt: skip
        return 0
    print_text(f"{bundle['handoff_id']}: {bundle['rating']} ({bundle['score']:.2f})")
    print_table(("dimension", "value"), list(bundle["dimensions"].items()))
    for warning in bundle["warnings"]:
        print_text(f"- {warning}")
    return 0


def chosen(views: sqlite3.Connection, query: str, place: "Checkout | None", *, foreign: bool) -> dict[str, Any]:
    """Return the handoff that *query* names: `latest` or one of this project, with *foreign* any project's by its whole id.

    Raises: NotFound, Ambiguous.
    """
    query = query.encode(errors="replace").decode()
    where, values = _scope(views, place)
    columns = ", ".join(COLUMNS)
    row = views.execute(f"SELECT {columns} FROM handoff_bundles WHERE handoff_id = ? AND ({'1' if foreign else where})",
                        (query, *(() if foreign else values))).fetchone()  # fmt: skip
    if row:
        return _bundle(row)
    rows = views.execute(f"SELECT {columns} FROM handoff_bundles WHERE {where} AND {FRESH} ORDER BY saved_at DESC, handoff_id", values).fetchall()
    found = [_bundle(row) for row in rows]
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


def _place() -> "Checkout | None":
    from ingest import checkout

    return checkout.find(os.getcwd())


def _scope(views: sqlite3.Connection, place: "Checkout | None") -> tuple[str, tuple[str, ...]]:
    """Return the condition for the handoffs of the project here: by its folder, or after a move by its first commit and remote."""
    here = os.path.realpath(os.getcwd())
    if place is None:
        folders = [here]
        while (parent := os.path.dirname(folders[-1])) != folders[-1]:
            folders.append(parent)
        near = next((folder for folder in folders if views.execute("SELECT 1 FROM handoff_bundles WHERE root = ? LIMIT 1", (folder,)).fetchone()), here)
        return "root = ?", (near,)
    if views.execute("SELECT 1 FROM handoff_bundles WHERE root = ? LIMIT 1", (place.repository,)).fetchone():
        return "root = ?", (place.repository,)
    from ingest.observation import observe

    seen = observe(here)
    gone = [root for (root,) in views.execute("SELECT DISTINCT root FROM handoff_bundles WHERE root_commit = ? AND remote IS ?",
                                              (seen["root_commit"], seen["remote"])) if root and not os.path.isdir(root)]  # fmt: skip
    return (f"root IN ({', '.join('?' * len(gone))})", tuple(gone)) if gone else ("root = ?", (place.repository,))


def _is_own(views: sqlite3.Connection, bundle: dict[str, Any], place: "Checkout | None") -> bool:
    where, values = _scope(views, place)
    return bool(views.execute(f"SELECT 1 FROM handoff_bundles WHERE handoff_id = ? AND {where}", (bundle["handoff_id"], *values)).fetchone())


def _bundle(row: tuple[Any, ...]) -> dict[str, Any]:
    found = dict(zip(COLUMNS, row, strict=True))
    return found | {name: json.loads(found[name]) for name in STORED_AS_JSON}


def _statements(views: sqlite3.Connection, handoff_id: str) -> list[tuple[str, str, str, list[str]]]:
    rows = views.execute("SELECT statement_id, kind, text, details FROM handoff_statements WHERE handoff_id = ? ORDER BY number", (handoff_id,))
    return [(name, kind, text, json.loads(details)) for name, kind, text, details in rows]


def _anchors(views: sqlite3.Connection, handoff_id: str) -> "list[Anchor]":
    rows = views.execute("SELECT statement_id, locator, kind, path, start, end, symbol, reason, shape FROM handoff_anchors WHERE handoff_id = ?"
                         " ORDER BY number", (handoff_id,)).fetchall()  # fmt: skip
    return [anchor_of(row) for row in rows]


def anchor_of(row: tuple[Any, ...]) -> "Anchor":
    """Return an anchor of its columns in the views, the shape as JSON."""
    from journal.ranges import Shape
    from projections.drift import Anchor

    *fields, shape = row
    told = json.loads(shape) if shape else None
    kept = Shape(told[0], told[1], tuple(told[2]), tuple(told[3]), told[4]) if isinstance(told, list) and len(told) == 5 else None
    return Anchor._make([*fields, kept])


def _seen(bundle: dict[str, Any], anchors: "list[Anchor]", place: "Checkout | None") -> Any:
    """Return what the checkout shows now of a handoff."""
    return seen(bundle["root"], bundle["head"], anchors, place)


def seen(root: str | None, head: str | None, anchors: "list[Anchor]", place: "Checkout | None") -> Any:
    """Return what the checkout shows now: files, and git's view since the commit *head*, by at most three processes."""
    from ingest import checkout
    from ingest.anchoring import Files, Git, symbol_line
    from projections.drift import World
    from projections.handoff_report import Seen

    root = place.root if place else root
    is_here = bool(root) and os.path.isdir(root or "")
    here = place or (checkout.find(root or "") if is_here else None)
    files = Files(here.root if here else root or "/")
    world = World(files.lines, files.is_folder, symbol_line, is_here, None, {}, ())
    if here is None:
        return Seen(world, None, None, None, files)
    git = Git(here.root)
    commits = git.commits(sorted({one.path for one in anchors if one.kind == "commit"}))
    distance = changes = None
    if head:
        distance = git.distance(head)
        changes = git.changes(head) if distance is not None else None
    world = world._replace(commits=commits, renamed=changes.renamed if changes else {}, changed=changes.changed if changes else ())
    return Seen(world, here.branch, here.head, distance, files)
