"""The `handoffs` view: every version of every handoff, redacted, with the checkout it was written in."""

import sqlite3

from journal.own_events import HandoffSaved
from journal.redaction import redact
from projections.projection import Place, Projection, Rows
from projections.projects import project_of

# Hooks of several sessions may see the same version of a file: it is one handoff, of the session that saw it first.
SAVED = """INSERT INTO handoffs VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (handoff_id) DO UPDATE SET
session_id = excluded.session_id, saved_at = excluded.saved_at, branch = excluded.branch, head = excluded.head, is_dirty = excluded.is_dirty
WHERE (coalesce(excluded.saved_at, ''), excluded.session_id) < (coalesce(saved_at, ''), session_id)"""
PROJECT = "UPDATE handoffs SET project = ? WHERE session_id = ? AND root IS ?"


def _saved(place: Place, event: HandoffSaved, rows: Rows) -> None:
    version = f"{event.path}|{event.mtime_us}|{event.size}" if event.path and event.mtime_us else place.record_id
    rows.add(SAVED, (version, place.session_id, place.occurred_at, event.root, event.branch, event.head,
                     None if event.is_dirty is None else int(event.is_dirty), event.path, event.mtime_us, event.size, redact(event.text)))  # fmt: skip


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Give the handoffs of the sessions their project: the repository that they were written in."""
    for session_id in session_ids:
        for (root,) in views.execute("SELECT DISTINCT root FROM handoffs WHERE session_id = ?", (session_id,)).fetchall():
            views.execute(PROJECT, (project_of(views, root), session_id, root))


PROJECTION = Projection(
    name="handoffs",
    version=1,
    tables={
        "handoffs": """CREATE TABLE {name} (handoff_id TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, saved_at TEXT, root TEXT,
            project TEXT, branch TEXT, head TEXT, is_dirty INTEGER, path TEXT, mtime_us INTEGER, size INTEGER, text TEXT NOT NULL) STRICT"""
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS handoffs_by_project ON handoffs (project, saved_at)",
        "CREATE INDEX IF NOT EXISTS handoffs_by_session ON handoffs (session_id)",
    ),
    statements=(SAVED,),
    handlers={HandoffSaved: _saved},
    settle=settle,
    digest={"handoffs": "SELECT * FROM handoffs ORDER BY handoff_id"},
)
