"""The rows from which it is told what a session was about; only reads, and only when asked."""

import json
import sqlite3

from projections.lineage import Lineage, Link
from projections.registry import Annotation, Material

PROMPTS = """SELECT substr(text, 1, 2000) FROM messages WHERE session_id = ? AND kind = 'prompt' AND is_copy = 0 AND dropped_by IS NULL
ORDER BY occurred_at, record_id, ordinal LIMIT 5"""
ANSWER = """SELECT substr(text, 1, 2000) FROM messages WHERE session_id = ? AND kind = 'answer' AND is_copy = 0 AND dropped_by IS NULL
ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT 1"""
FILES = """SELECT path, count(*) FROM file_changes WHERE session_id = ? AND is_copy = 0 GROUP BY path ORDER BY count(*) DESC, path"""
ANNOTATIONS = """SELECT title, summary, topics, category, annotated_at FROM session_annotations WHERE session_id = ?
ORDER BY annotated_at DESC, record_id DESC"""
LINKS = "SELECT child_session_id, parent_session_id, kind, evidence, occurred_at FROM session_links WHERE kind <> 'subagent'"


def material(views: sqlite3.Connection, session_id: str) -> Material:
    """Return what the views hold of what a session was about."""
    title = views.execute("SELECT title FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    answer = views.execute(ANSWER, (session_id,)).fetchone()
    return Material(
        title[0] if title else None, [row[0] for row in views.execute(PROMPTS, (session_id,))], answer[0] if answer else None,
        [(path, count) for path, count in views.execute(FILES, (session_id,))],
    )  # fmt: skip


def annotation(views: sqlite3.Connection, session_id: str) -> Annotation | None:
    """Return the newest word on each field, and when the newest of them was said."""
    rows = views.execute(ANNOTATIONS, (session_id,)).fetchall()
    if not rows:
        return None
    title, summary, topics, category = (next((row[field] for row in rows if row[field] is not None), None) for field in range(4))
    return Annotation(title, summary, None if topics is None else tuple(json.loads(topics)), category, rows[0][4])


def lineage(views: sqlite3.Connection) -> Lineage:
    """Return how all sessions hang together."""
    return Lineage(Link._make(row) for row in views.execute(LINKS))
