"""The views of what did not read: `damaged_records`, `unknown_records`, and per source what was read at all."""

from typing import NamedTuple

from journal.domain import RecordDamaged, RecordUnrecognised
from journal.redaction import redact
from projections.projection import Place, Projection, Rows


class SourceRead(NamedTuple):
    """Lines and bytes of one source and generation that a batch read; the runner's own event."""

    lines: int
    bytes: int
    path: str
    records: int = 1
    """How many of the lines hold anything: a session of which all was forgotten is none."""


_PLACE = (
    "source_id INTEGER NOT NULL, generation INTEGER NOT NULL, offset_bytes INTEGER NOT NULL,"
    " global_position INTEGER NOT NULL, host TEXT NOT NULL, session_id TEXT NOT NULL, occurred_at TEXT,"
)
DAMAGED_TABLE = (
    "CREATE TABLE {name} (" + _PLACE + " damage TEXT NOT NULL, skipped_bytes INTEGER NOT NULL,"
    " PRIMARY KEY (source_id, generation, offset_bytes)) STRICT, WITHOUT ROWID"
)
UNKNOWN_TABLE = (
    "CREATE TABLE {name} (" + _PLACE + " ordinal INTEGER NOT NULL, kind TEXT NOT NULL,"
    " PRIMARY KEY (source_id, generation, offset_bytes, ordinal)) STRICT, WITHOUT ROWID"
)
READ_TABLE = (
    "CREATE TABLE {name} (source_id INTEGER NOT NULL, generation INTEGER NOT NULL, host TEXT NOT NULL,"
    " session_id TEXT NOT NULL, path TEXT NOT NULL, lines INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " PRIMARY KEY (source_id, generation)) STRICT, WITHOUT ROWID"
)
REPORT_VIEW = """CREATE VIEW {name} AS
SELECT source_id, generation, host, session_id, path, lines, bytes,
    (SELECT count(*) FROM damaged_records AS d
     WHERE d.source_id = r.source_id AND d.generation = r.generation) AS damaged,
    (SELECT count(DISTINCT offset_bytes) FROM unknown_records AS u
     WHERE u.source_id = r.source_id AND u.generation = r.generation) AS unknown
FROM source_lines AS r"""

DAMAGED = "INSERT OR REPLACE INTO damaged_records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
UNKNOWN = "INSERT OR REPLACE INTO unknown_records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# Added up, not counted: each line is projected once, in the transaction that moves the checkpoint past it.
READ = """INSERT INTO source_lines VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source_id, generation) DO UPDATE SET
    lines = lines + excluded.lines, bytes = bytes + excluded.bytes, path = excluded.path"""


def _damaged(place: Place, event: RecordDamaged, rows: Rows) -> None:
    rows.add(DAMAGED, (*_columns(place), event.damage, event.skipped_bytes))


def _unknown(place: Place, event: RecordUnrecognised, rows: Rows) -> None:
    rows.add(UNKNOWN, (*_columns(place), place.ordinal, redact(event.kind)))


def _read(place: Place, event: SourceRead, rows: Rows) -> None:
    rows.add(
        READ,
        (place.source_id, place.generation, place.host, place.session_id, event.path, event.lines, event.bytes),
    )


def _columns(place: Place) -> tuple[int, int, int, int, str, str, str | None]:
    return (
        place.source_id,
        place.generation,
        place.offset_bytes,
        place.global_position,
        place.host,
        place.session_id,
        place.occurred_at,
    )


_RECORD_DIGEST = (
    "SELECT host, session_id, generation, offset_bytes, {what}, occurred_at FROM {table} ORDER BY 1, 2, 3, 4, 5"
)

PROJECTION = Projection(
    name="damage",
    version=5,
    tables={
        "damaged_records": DAMAGED_TABLE,
        "unknown_records": UNKNOWN_TABLE,
        "source_lines": READ_TABLE,
        "source_report": REPORT_VIEW,
    },
    indexes=("CREATE INDEX IF NOT EXISTS source_lines_by_path ON source_lines (path)",),
    statements=(DAMAGED, UNKNOWN, READ),
    handlers={RecordDamaged: _damaged, RecordUnrecognised: _unknown, SourceRead: _read},
    digest={
        "damaged_records": _RECORD_DIGEST.format(what="damage, skipped_bytes", table="damaged_records"),
        "unknown_records": _RECORD_DIGEST.format(what="kind", table="unknown_records"),
        "source_report": (
            "SELECT host, session_id, generation, lines, bytes, damaged, unknown FROM source_report"
            " ORDER BY 1, 2, 3, 4, 5"
        ),
    },
)
