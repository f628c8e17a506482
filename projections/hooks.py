"""The views of what hooks saw and said: `hook_events`, and `hook_history`, which later hooks of a session fold."""

from journal.own_events import HookFired, HookMeasured
from journal.redaction import redact
from projections.damage import SourceRead
from projections.projection import Place, Projection, Rows

FIRED = "INSERT OR REPLACE INTO hook_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
MEASURED = "INSERT OR REPLACE INTO hook_history VALUES (?, ?, ?, ?)"

# A hook may carry another id than the transcript that it names: the host gave the session a new one on the way.
ALIASES = """CREATE VIEW {name} AS SELECT DISTINCT e.session_id AS alias, s.session_id FROM hook_events AS e
JOIN source_lines AS s ON s.path = e.transcript_path WHERE s.session_id <> e.session_id
AND NOT EXISTS (SELECT 1 FROM source_lines AS own WHERE own.session_id = e.session_id)"""
MARK_ALIASES = "INSERT OR IGNORE INTO unsettled SELECT DISTINCT session_id FROM hook_events WHERE transcript_path = ?"


def _read(place: Place, event: SourceRead, rows: Rows) -> None:
    rows.add(MARK_ALIASES, (event.path,))


def _fired(place: Place, event: HookFired, rows: Rows) -> None:
    message = None if event.last_message is None else redact(event.last_message)
    rows.add(FIRED, (place.session_id, place.record_id, place.occurred_at, event.host, event.role, event.source, event.transcript_path,
                     event.transcript_bytes, event.root, event.branch, event.head, message,
                     place.global_position))  # fmt: skip


def _measured(place: Place, event: HookMeasured, rows: Rows) -> None:
    rows.add(MEASURED, (place.session_id, place.record_id, place.occurred_at, event.line))


PROJECTION = Projection(
    name="hooks",
    version=3,
    tables={
        "hook_events": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, occurred_at TEXT, host TEXT NOT NULL,
            role TEXT NOT NULL, source TEXT, transcript_path TEXT, transcript_bytes INTEGER, root TEXT, branch TEXT, head TEXT,
            last_message TEXT, global_position INTEGER NOT NULL, PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "hook_history": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, occurred_at TEXT, line TEXT NOT NULL,
            PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "session_aliases": ALIASES,
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS hook_events_by_transcript ON hook_events (transcript_path)",
        "CREATE INDEX IF NOT EXISTS hook_events_by_host ON hook_events (host, occurred_at)",
        "CREATE INDEX IF NOT EXISTS hook_events_by_root ON hook_events (root, occurred_at)",
    ),
    statements=(FIRED, MEASURED, MARK_ALIASES),
    handlers={SourceRead: _read, HookFired: _fired, HookMeasured: _measured},
    digest={
        "session_aliases": "SELECT alias, session_id FROM session_aliases ORDER BY 1, 2",
        "hook_events": "SELECT session_id, record_id, occurred_at, host, role, source, transcript_path, transcript_bytes, root, branch, head, last_message"
            " FROM hook_events ORDER BY session_id, record_id",
        "hook_history": "SELECT * FROM hook_history ORDER BY session_id, record_id",
    },
)
