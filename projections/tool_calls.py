"""The `tool_calls` view: what the model called, with redacted input, and how it ended."""

from journal.domain import ToolCalled, ToolReturned
from journal.redaction import redact
from projections.projection import Place, Projection, Rows
from projections.redacted import redacted_json

EXCERPT_HEAD = 670
EXCERPT_TAIL = 290
LONGEST_INPUT = 32_000
MARGIN = 16_384
"""What is redacted beyond a cut, so that no part of a secret survives at it; longer than any key block."""

# A call and its result may stand in two sources (segments). Between sources that both tell one, the smaller key wins.
SMALLER_KEY = (
    "(SELECT source_key FROM source_keys WHERE source_id = excluded.{0})"
    " < (SELECT source_key FROM source_keys WHERE source_id = tool_calls.{0})"
)
OTHER_CALL_FIRST = SMALLER_KEY.format("called_by")
OTHER_RETURN_FIRST = SMALLER_KEY.format("returned_by")

CALLED = f"""INSERT INTO tool_calls (session_id, tool_call_id, record_id, source_id, global_position, name, input_text,
    occurred_at, turn_id, called_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?4)
ON CONFLICT (session_id, tool_call_id) DO UPDATE SET record_id = excluded.record_id, source_id = excluded.source_id,
    global_position = excluded.global_position, called_by = excluded.called_by, name = excluded.name, input_text = excluded.input_text,
    occurred_at = excluded.occurred_at, turn_id = excluded.turn_id
WHERE called_by IS NULL OR called_by = excluded.called_by OR {OTHER_CALL_FIRST}"""
RETURNED = f"""INSERT INTO tool_calls (session_id, tool_call_id, record_id, source_id, global_position, is_error, exit_code,
    output_excerpt, output_chars, duration_ms, returned_at, turn_id, returned_by, returned_position)
VALUES (?1, ?2, '', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?3, ?4)
ON CONFLICT (session_id, tool_call_id) DO UPDATE SET is_error = iif(returned_by = excluded.returned_by, max(excluded.is_error, is_error), excluded.is_error),
    exit_code = iif(returned_by = excluded.returned_by, coalesce(excluded.exit_code, exit_code), excluded.exit_code),
    duration_ms = iif(returned_by = excluded.returned_by, coalesce(excluded.duration_ms, duration_ms), excluded.duration_ms),
    output_excerpt = excluded.output_excerpt, output_chars = excluded.output_chars, returned_at = excluded.returned_at,
    returned_by = excluded.returned_by, returned_position = excluded.returned_position
WHERE returned_by IS NULL OR returned_by = excluded.returned_by OR {OTHER_RETURN_FIRST}"""


def excerpt(text: str) -> str:
    """Return the redacted head and tail of an output in at most 1000 characters, and say what is left out."""
    if len(text) <= 2 * MARGIN:
        text = redact(text)
        head = tail = text
    else:
        head, tail = redact(text[:MARGIN]), redact(text[-MARGIN:])
    left_out = len(text) - EXCERPT_HEAD - EXCERPT_TAIL
    if len(text) <= EXCERPT_HEAD + EXCERPT_TAIL:
        return text
    return f"{head[:EXCERPT_HEAD]}\n[… {left_out} characters …]\n{tail[-EXCERPT_TAIL:]}"


def _called(place: Place, event: ToolCalled, rows: Rows) -> None:
    rows.add(CALLED, (place.session_id, event.tool_call_id, place.record_id, place.source_id, place.global_position, redact(event.name),
                      redacted_json(event.input_text[: LONGEST_INPUT + MARGIN])[:LONGEST_INPUT], place.occurred_at, place.turn_id))  # fmt: skip


def _returned(place: Place, event: ToolReturned, rows: Rows) -> None:
    rows.add(RETURNED, (place.session_id, event.tool_call_id, place.source_id, place.global_position, int(event.is_error), event.exit_code,
                        excerpt(event.output_text), len(event.output_text), event.duration_ms, place.occurred_at, place.turn_id))  # fmt: skip


PROJECTION = Projection(
    name="tool_calls",
    version=5,
    tables={
        "tool_calls": """CREATE TABLE {name} (tool_call_rowid INTEGER PRIMARY KEY, session_id TEXT NOT NULL, tool_call_id TEXT NOT NULL,
            record_id TEXT NOT NULL, source_id INTEGER NOT NULL, global_position INTEGER NOT NULL, name TEXT, input_text TEXT,
            occurred_at TEXT, turn_id TEXT, is_error INTEGER, exit_code INTEGER, output_excerpt TEXT, output_chars INTEGER,
            duration_ms INTEGER, returned_at TEXT, called_by INTEGER, returned_by INTEGER, returned_position INTEGER,
            is_copy INTEGER NOT NULL DEFAULT 0, UNIQUE (session_id, tool_call_id)) STRICT"""
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS tool_calls_by_record ON tool_calls (record_id)",
        # The few that failed, whose outputs a search looks through one by one.
        "CREATE INDEX IF NOT EXISTS tool_calls_failed ON tool_calls (session_id) WHERE is_error = 1",
    ),
    statements=(CALLED, RETURNED),
    handlers={ToolCalled: _called, ToolReturned: _returned},
    digest={
        "tool_calls": """SELECT session_id, tool_call_id, record_id, name, input_text, occurred_at, turn_id, is_error, exit_code,
            output_excerpt, output_chars, duration_ms, returned_at, is_copy FROM tool_calls ORDER BY session_id, tool_call_id"""
    },
)
