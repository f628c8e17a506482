"""The `compactions` view: where a host replaced the model's context by a summary."""

from journal.domain import ContextCompacted
from projections.projection import Place, Projection, Rows

COMPACTED = """INSERT INTO compactions (session_id, record_id, occurred_at, turn_id, trigger, pre_tokens, post_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id, record_id) DO UPDATE SET trigger = coalesce(excluded.trigger, trigger),
    pre_tokens = coalesce(excluded.pre_tokens, pre_tokens), post_tokens = coalesce(excluded.post_tokens, post_tokens)"""


def _compacted(place: Place, event: ContextCompacted, rows: Rows) -> None:
    rows.add(COMPACTED, (place.session_id, place.record_id, place.occurred_at, place.turn_id, event.trigger, event.pre_tokens, event.post_tokens))


PROJECTION = Projection(
    name="compactions",
    version=2,
    tables={
        "compactions": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, occurred_at TEXT, turn_id TEXT,
            trigger TEXT, pre_tokens INTEGER, post_tokens INTEGER, is_copy INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS compactions_by_record ON compactions (record_id)",),
    statements=(COMPACTED,),
    handlers={ContextCompacted: _compacted},
    digest={"compactions": "SELECT * FROM compactions ORDER BY session_id, record_id"},
)
