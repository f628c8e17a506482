"""The view `compact_points`: how full a context was when its host compacted it by itself, of which model.

A host that tells no cause of a compaction is taken at the word of its hooks: where they ran in the session and none was
called for a compaction by hand just before, it was the host's own.
"""

import sqlite3

from journal.moments import seconds_of, written
from projections.projection import Projection

BY_HAND_S = 180
"""So long before its record a compaction by hand is asked for at most: a summary has to be written in between."""
COMPACTED = """SELECT c.record_id, c.occurred_at, c.trigger, c.pre_tokens, s.host FROM compactions AS c JOIN sessions AS s USING (session_id)
WHERE c.session_id = ? AND c.is_copy = 0 AND c.occurred_at IS NOT NULL"""
MEASURED = """SELECT used_tokens, model FROM context_history WHERE session_id = ? AND occurred_at <= ? AND used_tokens IS NOT NULL
ORDER BY occurred_at DESC, source_key DESC, generation DESC, offset_bytes DESC LIMIT 1"""
HOOKED = "SELECT 1 FROM hook_events WHERE session_id = ? AND role IN ('prompt', 'stop') LIMIT 1"
BY_HAND = """SELECT 1 FROM hook_events WHERE session_id = ? AND role = 'pre-compact' AND source = 'manual' AND occurred_at BETWEEN ? AND ? LIMIT 1"""
POINT = "INSERT INTO compact_points VALUES (?, ?, ?, ?, ?, ?)"
DROP = "DELETE FROM compact_points WHERE session_id = ?"


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Write the points of the sessions again."""
    for session_id in session_ids:
        views.execute(DROP, (session_id,))
        for record_id, at, trigger, told, host in views.execute(COMPACTED, (session_id,)).fetchall():
            used, model = views.execute(MEASURED, (session_id, at)).fetchone() or (None, None)
            tokens = told or used
            if model and tokens and (trigger == "auto" or (trigger is None and _is_own(views, session_id, at))):
                views.execute(POINT, (session_id, record_id, host, model, at, tokens))


def _is_own(views: sqlite3.Connection, session_id: str, at: str) -> bool:
    seconds = seconds_of(at)
    if seconds is None or views.execute(HOOKED, (session_id,)).fetchone() is None:
        return False
    return views.execute(BY_HAND, (session_id, written(seconds - BY_HAND_S), at)).fetchone() is None


PROJECTION = Projection(
    name="compact_points",
    version=1,
    tables={
        "compact_points": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, host TEXT NOT NULL, model TEXT NOT NULL,
            occurred_at TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS compact_points_by_model ON compact_points (host, model, occurred_at)",),
    statements=(),
    handlers={},
    settle=settle,
    digest={"compact_points": "SELECT * FROM compact_points ORDER BY session_id, record_id"},
    columns={
        "compact_points": """A compaction that the host began by itself, with how full the context was.
            session_id | TEXT | id | the session
            record_id | TEXT | id | the record that tells it
            host | TEXT | word | the host
            model | TEXT | text | the model then
            occurred_at | TEXT | UTC | when
            tokens | INTEGER | tokens | context before""",
    },
)
