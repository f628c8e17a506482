"""The first log: sources, offsets, segments, parts, events and the triggers that keep events as they are."""

from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    "CREATE TABLE log_meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE sources (
    source_id INTEGER NOT NULL PRIMARY KEY,
    host TEXT NOT NULL,
    machine TEXT NOT NULL,
    native_id TEXT NOT NULL,
    path TEXT NOT NULL,
    shape TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'live',
    dev INTEGER,
    inode INTEGER,
    size INTEGER,
    mtime_ns INTEGER,
    ctime_ns INTEGER,
    first_seen_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    UNIQUE (host, path)
) STRICT""",
    """CREATE TABLE offsets (
    source_id INTEGER NOT NULL PRIMARY KEY REFERENCES sources (source_id),
    generation INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    tail_hash BLOB NOT NULL,
    windows_hash BLOB NOT NULL
) STRICT""",
    """CREATE TABLE segments (
    segment_id INTEGER NOT NULL PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES sources (source_id),
    generation INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    length_bytes INTEGER NOT NULL,
    codec TEXT NOT NULL,
    seed BLOB NOT NULL,
    data BLOB NOT NULL
) STRICT""",
    "CREATE INDEX segments_by_source ON segments (source_id, generation, offset_bytes)",
    "CREATE TABLE parts (part_hash BLOB NOT NULL PRIMARY KEY, data BLOB NOT NULL) STRICT",
    """CREATE TABLE events (
    global_position INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL REFERENCES sources (source_id),
    generation INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    length_bytes INTEGER NOT NULL,
    segment_id INTEGER NOT NULL REFERENCES segments (segment_id),
    type TEXT NOT NULL,
    occurred_at TEXT,
    recorded_at TEXT NOT NULL,
    damage TEXT,
    hash BLOB NOT NULL,
    event_id TEXT GENERATED ALWAYS AS (source_id || '.' || generation || '.' || offset_bytes) VIRTUAL,
    UNIQUE (source_id, generation, offset_bytes)
) STRICT""",
    """CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    """CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES:
        op.execute(statement)
