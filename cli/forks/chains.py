"""Commands that show how sessions hang together: `chain` and `tree`."""

import argparse
import contextlib
import sqlite3
from typing import Any

from cli.layout import cut
from cli.render import print_json, print_table, print_text, say, terminal_width
from cli.wiring import IN_PROJECT, current_project, read_views, session_by_prefix
from journal.settings import Settings

SHORTEST_TITLE = 20
"""Columns that a title has in a tree, however narrow the terminal is."""
SESSION = "SELECT host, title, started_at, last_at FROM sessions WHERE session_id = ?"
ROOT = "SELECT root_session_id FROM session_tree WHERE session_id = ?"
BELOW = """SELECT t.depth, t.session_id, s.parent_session_id, s.link_kind, s.host, s.title, s.last_at, s.turns FROM session_tree AS t
JOIN sessions AS s USING (session_id) WHERE t.root_session_id = ?"""
WITH_BRANCHES = """FROM session_tree AS r JOIN sessions USING (session_id) WHERE r.depth = 0 AND sessions.last_at IS NOT NULL AND {scope}
AND EXISTS (SELECT 1 FROM session_tree AS b WHERE b.root_session_id = r.session_id AND b.depth > 0)"""


def chain(settings: Settings, asked: argparse.Namespace) -> int:
    """Show the chain of a session, the oldest first."""
    from projections import registry_rows

    with contextlib.closing(read_views(settings)) as views:
        session_id = session_by_prefix(views, asked.session)
        lineage = registry_rows.lineage(views)
        members: list[dict[str, Any]] = []
        for one in lineage.chain(session_id):
            host, title, started_at, last_at = views.execute(SESSION, (one.session_id,)).fetchone() or (None, None, None, None)
            links = [lineage.links[one.session_id, parent] for parent in one.continued_from]
            members.append({"session_id": one.session_id, "position": one.position, "depth": one.depth, "host": host, "title": title,
                            "started_at": started_at, "last_at": last_at, "continued_from": list(one.continued_from),
                            "continued_as": list(one.continued_as), "kind": links[0].kind if links else None,
                            "evidence": links[0].evidence if links else None})  # fmt: skip
    heads = [one["session_id"] for one in members if one["position"] in ("head", "alone")]
    if asked.json:
        print_json({"session_id": session_id, "chain": members, "heads": heads})
        return 0
    rows = [("*" if one["session_id"] == session_id else "", one["session_id"], one["position"], one["kind"], one["host"] or "not in the journal",
             (one["last_at"] or "")[:16].replace("T", " "), one["title"]) for one in members]  # fmt: skip
    print_table(("", "session", "position", "by", "host", "last", "title"), rows)
    if len(members) == 1:
        say("nothing goes on from it, and it goes on from nothing")
    elif heads != [session_id]:
        say(f"it goes on as {', '.join(heads)}")
    return 0


def tree(settings: Settings, asked: argparse.Namespace) -> int:
    """Show sessions under those they came from; without a session, the trees that have branches, newest first."""
    with contextlib.closing(read_views(settings)) as views:
        if asked.session:
            roots = [views.execute(ROOT, (session_by_prefix(views, asked.session),)).fetchone()[0]]
            total = 1
        else:
            known = WITH_BRANCHES.format(scope="1" if asked.all else IN_PROJECT.replace("session_id IN", "sessions.session_id IN", 1))
            values = {"project": None if asked.all else current_project(views), "limit": asked.limit}
            total = views.execute(f"SELECT count(*) {known}", values).fetchone()[0]
            rows = views.execute(f"SELECT sessions.session_id {known} ORDER BY sessions.last_at DESC, 1 LIMIT :limit", values)
            roots = [session_id for (session_id,) in rows.fetchall()]
        trees: list[dict[str, Any]] = [{"root_session_id": root, "sessions": _branches(views, root)} for root in roots]
    if asked.json:
        print_json({"trees": trees, "total": total})
        return 0
    for one in trees:
        for row in one["sessions"]:
            by = f" {row['kind']}" if row["kind"] else ""
            lead = f"{'  ' * row['depth']}{row['session_id']}{by}: "
            tail = f" ({row['host']}, {row['turns']} turn{'' if row['turns'] == 1 else 's'})"
            title, width = row["title"] or "", terminal_width()
            print_text(lead + (cut(title, max(SHORTEST_TITLE, width - len(lead) - len(tail))) if width else title) + tail)
    if total > len(trees):
        say(f"{len(trees)} of {total} trees shown; more: --limit {total}")
    if not trees:
        say("no session here came from another one" if asked.all else "no session of this project came from another one; try: journal tree --all")
    return 0


def _branches(views: sqlite3.Connection, root: str) -> list[dict[str, Any]]:
    """Return a tree's sessions, each right below the one that it came from, the older branch first."""
    children: dict[str | None, list[dict[str, Any]]] = {}
    whole: list[dict[str, Any]] = []
    for depth, session_id, parent, kind, host, title, last_at, turns in views.execute(f"{BELOW} ORDER BY s.started_at, t.session_id", (root,)):
        one = {"session_id": session_id, "depth": depth, "parent_session_id": parent, "kind": kind, "host": host, "title": title, "last_at": last_at,
               "turns": turns}  # fmt: skip
        children.setdefault(parent if depth else None, []).append(one)
    waiting = list(reversed(children.pop(None, [])))
    while waiting:
        one = waiting.pop()
        whole.append(one)
        waiting += reversed(children.pop(one["session_id"], []))
    return whole
