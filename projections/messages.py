"""The `messages` view: every text of a conversation, human or not, redacted, once per session and record."""

import json
from typing import Any

from journal.domain import HistoryReplaced, HistoryRewound, MessageProduced, PromptSubmitted
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

TABLE = """CREATE TABLE {name} (
    message_rowid INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    record_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    global_position INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    host TEXT NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    occurred_at TEXT,
    turn_id TEXT,
    cwd TEXT,
    model TEXT,
    response_id TEXT,
    parent_record_id TEXT,
    is_copy INTEGER NOT NULL DEFAULT 0,
    dropped_by TEXT,
    generation INTEGER NOT NULL,
    strand INTEGER NOT NULL DEFAULT 1,
    UNIQUE (session_id, record_id, ordinal)
) STRICT"""

OTHER_SOURCE_FIRST = (
    "(SELECT source_key FROM source_keys WHERE source_id = excluded.source_id)"
    " < (SELECT source_key FROM source_keys WHERE source_id = messages.source_id)"
)

# Inside one source the last report of a record wins, but its place and its time are the first; between sources the smaller
# key wins. A prompt that is told again at a later moment as the host's own text stays what it was.
INSERT = f"""INSERT INTO messages (session_id, record_id, ordinal, source_id, global_position, last_position, host,
    role, kind, text, occurred_at, turn_id, cwd, model, response_id, parent_record_id, generation, strand)
VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
ON CONFLICT (session_id, record_id, ordinal) DO UPDATE SET
    global_position = iif(source_id = excluded.source_id, global_position, excluded.global_position),
    last_position = excluded.last_position, source_id = excluded.source_id, generation = excluded.generation, host = excluded.host,
    role = excluded.role, text = excluded.text,
    kind = iif(kind = 'prompt' AND excluded.kind = 'injected' AND occurred_at < excluded.occurred_at, kind, excluded.kind),
    occurred_at = iif(source_id = excluded.source_id, coalesce(min(occurred_at, excluded.occurred_at), occurred_at, excluded.occurred_at),
        excluded.occurred_at),
    turn_id = excluded.turn_id, cwd = excluded.cwd, model = excluded.model, response_id = excluded.response_id,
    parent_record_id = excluded.parent_record_id, dropped_by = NULL
WHERE source_id = excluded.source_id OR {OTHER_SOURCE_FIRST}"""

REWIND = """UPDATE messages SET dropped_by = ?1
WHERE session_id = ?2 AND source_id = ?3 AND last_position < ?4 AND dropped_by IS NULL
  AND global_position >= (SELECT min(m.global_position) FROM messages AS m
                          WHERE m.session_id = ?2 AND m.record_id = ?5 AND m.source_id = ?3)"""

REWRITTEN = """UPDATE messages SET dropped_by = ?1
WHERE session_id = ?2 AND source_id = ?3 AND generation < ?4 AND dropped_by IS NULL"""

# A host that leaves out what stood before messages it keeps has forgotten, not undone it.
REPLACE = """UPDATE messages SET dropped_by = ?1
WHERE session_id = ?2 AND source_id = ?3 AND last_position < ?4 AND dropped_by IS NULL
  AND global_position > coalesce((SELECT max(m.global_position) FROM messages AS m
                                  WHERE m.session_id = ?2 AND m.source_id = ?3 AND m.global_position < ?4
                                    AND m.record_id IN (SELECT value FROM json_each(?5))), 0)"""


def _prompt(place: Place, event: PromptSubmitted, rows: Rows) -> None:
    rows.add(INSERT, _row(place, "user", "prompt", event.text, place.model, None, None))


def _message(place: Place, event: MessageProduced, rows: Rows) -> None:
    rows.add(INSERT, _row(place, event.role, event.kind, event.text, event.model or place.model, event.response_id, event.parent_record_id))


def _row(place: Place, role: str, kind: str, text: str, model: str | None, response_id: str | None, parent: str | None) -> tuple[Any, ...]:
    return (place.session_id, place.record_id, place.ordinal, place.source_id, place.global_position, place.host, role, kind,
            redact(text), place.occurred_at, place.turn_id, place.cwd, model, response_id, parent, place.generation,
            place.strand)  # fmt: skip


def _rewound(place: Place, event: HistoryRewound, rows: Rows) -> None:
    if event.record_id is None:
        rows.add(REWRITTEN, (place.record_id, place.session_id, place.source_id, place.generation))
    else:
        rows.add(REWIND, (place.record_id, place.session_id, place.source_id, place.global_position, event.record_id))


def _replaced(place: Place, event: HistoryReplaced, rows: Rows) -> None:
    rows.add(REPLACE, (place.record_id, place.session_id, place.source_id, place.global_position, json.dumps(event.record_ids)))


PROJECTION = Projection(
    name="messages",
    version=3,
    tables={"messages": TABLE},
    indexes=(),
    statements=(INSERT, REWIND, REWRITTEN, REPLACE),
    handlers={
        PromptSubmitted: _prompt,
        MessageProduced: _message,
        HistoryRewound: _rewound,
        HistoryReplaced: _replaced,
    },
    digest={
        "messages": (
            "SELECT session_id, record_id, ordinal, host, role, kind, text, occurred_at, turn_id, cwd, model,"
            " response_id, parent_record_id, is_copy, dropped_by, strand FROM messages ORDER BY session_id, record_id, ordinal"
        )
    },
)
