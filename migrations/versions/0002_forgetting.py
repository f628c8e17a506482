"""Forgetting: which events are scrubbed, which keyed hashes stay out, and the hashes that the chain was made with."""

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = (
    """CREATE TABLE tombstones (
    global_position INTEGER NOT NULL PRIMARY KEY REFERENCES events (global_position),
    line_key BLOB NOT NULL
) STRICT""",
    """CREATE TABLE forgotten (
    key BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    words INTEGER,
    first_chars INTEGER,
    chars INTEGER,
    anchor_chars INTEGER,
    anchor INTEGER
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE kept_hashes (
    global_position INTEGER NOT NULL PRIMARY KEY REFERENCES events (global_position),
    content_hash BLOB,
    own_hash BLOB NOT NULL
) STRICT""",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES:
        op.execute(statement)
