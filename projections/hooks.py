"""The views of what hooks saw and said: `hook_events`, and `hook_history`, which later hooks of a session fold."""

from journal.domain import HookFired, HookMeasured
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

FIRED = "INSERT OR REPLACE INTO hook_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
MEASURED = "INSERT OR REPLACE INTO hook_history VALUES (?, ?, ?, ?)"


def _fired(place: Place, event: HookFired, rows: Rows) -> None:
    message = None if event.last_message is None else redact(event.last_message)
    rows.add(FIRED, (place.session_id, place.record_id, place.occurred_at, event.host, event.role, event.source, event.transcript_path,
                     event.transcript_bytes, event.root, event.branch, event.head, message))  # fmt: skip


def _measured(place: Place, event: HookMeasured, rows: Rows) -> None:
    rows.add(MEASURED, (place.session_id, place.record_id, place.occurred_at, event.line))


PROJECTION = Projection(
    name="hooks",
    version=1,
    tables={
        "hook_events": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, occurred_at TEXT, host TEXT NOT NULL,
            role TEXT NOT NULL, source TEXT, transcript_path TEXT, transcript_bytes INTEGER, root TEXT, branch TEXT, head TEXT,
            last_message TEXT, PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "hook_history": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, occurred_at TEXT, line TEXT NOT NULL,
            PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS hook_events_by_host ON hook_events (host, occurred_at)",
        "CREATE INDEX IF NOT EXISTS hook_events_by_root ON hook_events (root, occurred_at)",
    ),
    statements=(FIRED, MEASURED),
    handlers={HookFired: _fired, HookMeasured: _measured},
    digest={
        "hook_events": "SELECT * FROM hook_events ORDER BY session_id, record_id",
        "hook_history": "SELECT * FROM hook_history ORDER BY session_id, record_id",
    },
)
