"""The `tool_calls` view: what the model called, with redacted input, and how it ended."""

from journal.domain import ToolCalled, ToolReturned
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

EXCERPT_HEAD = 700
EXCERPT_TAIL = 300
LONGEST_INPUT = 32_000

CALLED = """INSERT INTO tool_calls (session_id, tool_call_id, record_id, source_id, global_position, name, input_text,
    occurred_at, turn_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id, tool_call_id) DO UPDATE SET record_id = excluded.record_id, source_id = excluded.source_id,
    global_position = excluded.global_position, name = excluded.name, input_text = excluded.input_text,
    occurred_at = excluded.occurred_at, turn_id = excluded.turn_id"""
RETURNED = """INSERT INTO tool_calls (session_id, tool_call_id, record_id, source_id, global_position, is_error, exit_code,
    output_excerpt, output_chars, duration_ms, returned_at, turn_id) VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id, tool_call_id) DO UPDATE SET is_error = max(excluded.is_error, coalesce(is_error, 0)),
    exit_code = coalesce(excluded.exit_code, exit_code), duration_ms = coalesce(excluded.duration_ms, duration_ms),
    output_excerpt = excluded.output_excerpt, output_chars = excluded.output_chars, returned_at = excluded.returned_at"""


def excerpt(text: str) -> str:
    """Return the head and the tail of an output, and say what is left out."""
    if len(text) <= EXCERPT_HEAD + EXCERPT_TAIL:
        return text
    left_out = len(text) - EXCERPT_HEAD - EXCERPT_TAIL
    return f"{text[:EXCERPT_HEAD]}\n[… {left_out} characters …]\n{text[-EXCERPT_TAIL:]}"


def _called(place: Place, event: ToolCalled, rows: Rows) -> None:
    rows.add(CALLED, (place.session_id, event.tool_call_id, place.record_id, place.source_id, place.global_position, event.name,
                      redact(event.input_text[:LONGEST_INPUT]), place.occurred_at, place.turn_id))  # fmt: skip


def _returned(place: Place, event: ToolReturned, rows: Rows) -> None:
    rows.add(RETURNED, (place.session_id, event.tool_call_id, place.source_id, place.global_position, int(event.is_error), event.exit_code,
                        redact(excerpt(event.output_text)), len(event.output_text), event.duration_ms, place.occurred_at, place.turn_id))  # fmt: skip


PROJECTION = Projection(
    name="tool_calls",
    version=1,
    tables={
        "tool_calls": """CREATE TABLE {name} (tool_call_rowid INTEGER PRIMARY KEY, session_id TEXT NOT NULL, tool_call_id TEXT NOT NULL,
            record_id TEXT NOT NULL, source_id INTEGER NOT NULL, global_position INTEGER NOT NULL, name TEXT, input_text TEXT,
            occurred_at TEXT, turn_id TEXT, is_error INTEGER, exit_code INTEGER, output_excerpt TEXT, output_chars INTEGER,
            duration_ms INTEGER, returned_at TEXT, is_copy INTEGER NOT NULL DEFAULT 0, UNIQUE (session_id, tool_call_id)) STRICT"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS tool_calls_by_record ON tool_calls (record_id)",),
    statements=(CALLED, RETURNED),
    handlers={ToolCalled: _called, ToolReturned: _returned},
    digest={
        "tool_calls": """SELECT session_id, tool_call_id, record_id, name, input_text, occurred_at, turn_id, is_error, exit_code,
            output_excerpt, output_chars, duration_ms, returned_at, is_copy FROM tool_calls ORDER BY session_id, tool_call_id"""
    },
)
