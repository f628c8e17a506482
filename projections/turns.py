"""The `turns` view: a human prompt and what followed it, numbered in the order of its session."""

import sqlite3

from projections.projection import Projection

# A session in one source keeps byte order, since times may run backwards; several sources are ordered by time.
NUMBERED = """INSERT INTO turns
SELECT m.session_id, m.record_id,
    row_number() OVER (ORDER BY CASE WHEN one.sources > 1 THEN m.occurred_at END, k.source_key, m.global_position, m.ordinal),
    m.occurred_at,
    (SELECT max(occurred_at) FROM messages AS x WHERE x.session_id = m.session_id AND x.turn_id = m.record_id AND x.is_copy = 0),
    (SELECT count(*) FROM messages AS x WHERE x.session_id = m.session_id AND x.turn_id = m.record_id AND x.is_copy = 0 AND x.kind = 'answer'),
    (SELECT count(*) FROM tool_calls AS t WHERE t.session_id = m.session_id AND t.turn_id = m.record_id AND t.is_copy = 0)
FROM messages AS m JOIN source_keys AS k ON k.source_id = m.source_id,
    (SELECT count(DISTINCT source_id) AS sources FROM messages WHERE session_id = ?1) AS one
WHERE m.session_id = ?1 AND m.kind = 'prompt' AND m.is_copy = 0 AND m.dropped_by IS NULL AND m.ordinal =
    (SELECT min(ordinal) FROM messages AS y WHERE y.session_id = m.session_id AND y.record_id = m.record_id AND y.kind = 'prompt')"""


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Number the turns of the sessions again."""
    for session_id in session_ids:
        views.execute("DELETE FROM turns WHERE session_id = ?", (session_id,))
        views.execute(NUMBERED, (session_id,))


PROJECTION = Projection(
    name="turns",
    version=1,
    tables={
        "turns": """CREATE TABLE {name} (session_id TEXT NOT NULL, turn_id TEXT NOT NULL, number INTEGER NOT NULL, started_at TEXT,
            ended_at TEXT, answers INTEGER NOT NULL, tool_calls INTEGER NOT NULL, PRIMARY KEY (session_id, turn_id)) STRICT, WITHOUT ROWID"""
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS messages_by_turn ON messages (session_id, turn_id)",
        "CREATE INDEX IF NOT EXISTS tool_calls_by_turn ON tool_calls (session_id, turn_id)",
    ),
    statements=(),
    handlers={},
    settle=settle,
    digest={"turns": "SELECT * FROM turns ORDER BY session_id, number"},
)
