"""What the log knows of a file, an error or a topic: decisions, changes, fixes, in the order of time. Pure queries on the views."""

import sqlite3
from typing import Any, NamedTuple

from journal.cutting import on_one_line
from projections import likeness
from projections.cards import told_in
from projections.file_history import Change
from projections.search import search

LOOKED_AT = 60
TEXT_CHARS = 8000
SENTENCES = 3
SNIPPET_CHARS = 200
FIXES = """SELECT x.session_id, s.host, s.project, x.failed_at, x.command, x.error, x.fixed_at, x.fix FROM fixes_fts AS f
JOIN fixes AS x ON x.fix_rowid = f.rowid JOIN sessions AS s ON s.session_id = x.session_id
WHERE fixes_fts MATCH :match AND (:project IS NULL OR x.session_id IN (SELECT session_id FROM session_folders WHERE project = :project))
ORDER BY f.rank, x.fixed_at DESC, x.session_id LIMIT 60"""
# The answer that follows a fix says what it was; it is looked for when it is asked for, not kept twice.
ANSWER = """SELECT substr(text, 1, ?3) FROM messages WHERE session_id = ?1 AND kind = 'answer' AND is_copy = 0 AND dropped_by IS NULL AND occurred_at >= ?2
ORDER BY occurred_at, record_id, ordinal LIMIT 1"""
TURN = """SELECT kind, substr(text, 1, ?3), occurred_at FROM messages WHERE session_id = ?1 AND (turn_id = ?2 OR record_id = ?2)
AND kind IN ('prompt', 'answer') AND dropped_by IS NULL ORDER BY occurred_at, record_id, ordinal LIMIT 40"""
TURN_OF = "SELECT turn_id FROM turns WHERE session_id = ? AND number = ?"
ANCHORED = """SELECT l.learning_id FROM learning_anchors AS a JOIN learnings AS l USING (learning_id)
WHERE a.path = ?1 OR substr(a.path, -length(?2)) = ?2"""
FOUND_OUT = """SELECT b.handoff_id, b.session_id, b.saved_at, s.text FROM handoff_anchors AS a JOIN handoff_statements AS s USING (handoff_id, statement_id)
JOIN handoff_bundles AS b USING (handoff_id) WHERE (a.path = ?1 OR substr(a.path, -length(?2)) = ?2) AND s.kind IN ('finding', 'recommendation')
ORDER BY b.saved_at DESC, b.handoff_id, s.number LIMIT 10"""


class Fix(NamedTuple):
    """A command that failed and passed later."""

    session_id: str
    host: str
    project: str | None
    failed_at: str
    command: str
    error: str
    fixed_at: str
    fix: str
    score: float
    said: str | None
    """What the agent said right after it passed."""


class Entry(NamedTuple):
    """Something that happened."""

    occurred_at: str | None
    kind: str
    session_id: str | None
    host: str | None
    text: str


def fixes(views: sqlite3.Connection, error: str, project: str | None, *, limit: int) -> list[Fix]:
    """Return the fixes whose error or command is like *error*, the best first, each error once."""
    asked = likeness.terms_of(error)
    match = likeness.match_of(asked)
    if not match:
        return []
    found: dict[tuple[str, str, str], Fix] = {}
    for row in views.execute(FIXES, {"match": match, "project": project}):
        told = likeness.terms_of(f"{row[5]} {row[4]}")
        score = max(likeness.likeness(asked, told), likeness.likeness(asked, likeness.terms_of(row[5])))
        fix = Fix._make((*row, score, None))
        if score > 0:
            found.setdefault((fix.error, fix.command, fix.fix), fix)
    best = sorted(found.values(), key=lambda fix: (-fix.score, fix.fixed_at, fix.session_id))[:limit]
    return [fix._replace(said=_said(views, fix)) for fix in best]


def _said(views: sqlite3.Connection, fix: Fix) -> str | None:
    row = views.execute(ANSWER, (fix.session_id, fix.fixed_at, TEXT_CHARS)).fetchone()
    return on_one_line(row[0], SNIPPET_CHARS) if row else None


def decisions(views: sqlite3.Connection, changes: list[Change]) -> list[Entry]:
    """Return what was decided in the turns that changed a file, newest first: sentences of prompt and answers, those that name the file before others."""
    found: dict[str, Entry] = {}
    seen: set[tuple[str, int]] = set()
    for change in reversed(changes):
        if change.turn is None or change.prompt_session_id is None or (change.prompt_session_id, change.turn) in seen:
            continue
        seen.add((change.prompt_session_id, change.turn))
        if len(seen) > LOOKED_AT:
            break
        turn = views.execute(TURN_OF, (change.prompt_session_id, change.turn)).fetchone()
        name = change.path.rpartition("/")[2]
        told: list[Entry] = []
        for kind, text, at in views.execute(TURN, (change.prompt_session_id, turn[0] if turn else None, TEXT_CHARS)):
            told += [Entry(at, what, change.prompt_session_id, change.host, sentence) for what, sentence in told_in(kind, text, {"decision", "wish"})]
        told.sort(key=lambda entry: (name not in entry.text, entry.kind != "decision"))
        for entry in told[:SENTENCES]:
            found.setdefault(entry.text, entry)
    return list(found.values())


def findings(views: sqlite3.Connection, path: str) -> list[Entry]:
    """Return what handoffs found out about a file."""
    rows = views.execute(FOUND_OUT, (path, f"/{path}")).fetchall()
    return [Entry(at, "finding", session_id, None, text) for _, session_id, at, text in rows]


def learned_at(views: sqlite3.Connection, path: str) -> set[str]:
    """Return the ids of the learnings that name a file."""
    return {row[0] for row in views.execute(ANCHORED, (path, f"/{path}"))}


def about(views: sqlite3.Connection, topic: str, project: str | None, *, limit: int) -> list[Entry]:
    """Return what was said and done about a topic, oldest first: the places where all its words stand."""
    hits = sorted(search(views, topic, project=project, limit=limit), key=lambda hit: (hit.occurred_at or "", hit.session_id))
    return [Entry(hit.occurred_at, hit.kind, hit.session_id, hit.host, hit.snippet) for hit in hits]


def rows_of(entries: list[Entry]) -> list[dict[str, Any]]:
    """Return the entries as a script reads them."""
    return [entry._asdict() for entry in entries]
