"""The views `context_history` and `context_state`: how full the context of a session was, by the host's own figures."""

from journal.domain import ContextCompacted, UsageReported, UsageTotalReported
from projections.projection import Place, Projection, Rows

MEASURED = "INSERT OR REPLACE INTO context_history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# One figure a response, the last: hosts repeat a response on several lines. It runs behind all figures of a batch, so that
# lines in one batch and in two end the same.
REPEATED = """DELETE FROM context_history WHERE session_id = ?1 AND source_key = ?2 AND generation = ?3 AND response_id = ?4 AND offset_bytes < ?5"""


def _reported(place: Place, event: UsageReported, rows: Rows) -> None:
    used = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens + event.output_tokens
    if used and event.basis == "response":
        rows.add(MEASURED, (*_place(place), used, event.window_tokens, event.model or place.model, event.response_id))
        rows.add(REPEATED, (place.session_id, place.source_key, place.generation, event.response_id, place.offset_bytes))


def _total(place: Place, event: UsageTotalReported, rows: Rows) -> None:
    if event.last is not None:
        rows.add(MEASURED, (*_place(place), sum(event.last[:4]), event.window_tokens, event.model or place.model, None))


def _compacted(place: Place, event: ContextCompacted, rows: Rows) -> None:
    # What is in the context now is unknown until the next answer tells it.
    rows.add(MEASURED, (*_place(place), None, None, place.model, None))


def _place(place: Place) -> tuple[str, str, int, int, str | None]:
    return place.session_id, place.source_key, place.generation, place.offset_bytes, place.occurred_at


PROJECTION = Projection(
    name="context_history",
    version=4,
    tables={
        "context_history": """CREATE TABLE {name} (session_id TEXT NOT NULL, source_key TEXT NOT NULL, generation INTEGER NOT NULL,
            offset_bytes INTEGER NOT NULL, occurred_at TEXT, used_tokens INTEGER, window_tokens INTEGER, model TEXT, response_id TEXT,
            PRIMARY KEY (session_id, source_key, generation, offset_bytes)) STRICT, WITHOUT ROWID""",
        # Of a source the last by position, since times may run backwards; of several the one that was written last.
        # No row values: DuckDB reads the view's text, and has none.
        "context_state": """CREATE VIEW {name} AS SELECT session_id, occurred_at, used_tokens, window_tokens, model FROM (SELECT *, row_number() OVER (
                PARTITION BY session_id ORDER BY newest_at DESC, source_key DESC) AS place
                FROM (SELECT *, row_number() OVER (PARTITION BY session_id, source_key ORDER BY generation DESC, offset_bytes DESC) AS last,
                    max(occurred_at) OVER (PARTITION BY session_id, source_key) AS newest_at FROM context_history) WHERE last = 1)
            WHERE place = 1""",
    },
    # Without it each response would look through all earlier ones of its file.
    indexes=("CREATE INDEX IF NOT EXISTS context_history_by_response ON context_history (session_id, source_key, generation, response_id)",),
    statements=(MEASURED, REPEATED),
    handlers={UsageReported: _reported, UsageTotalReported: _total, ContextCompacted: _compacted},
    # What was measured, each once: where it stands changes with every move, copy and rewrite of a file.
    digest={
        "context_history": "SELECT DISTINCT session_id, occurred_at, used_tokens, window_tokens, model, response_id FROM context_history"
        " ORDER BY 1, 2, 3, 4, 5, 6"
    },
)
