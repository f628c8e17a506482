"""How far the views have come, and of which log, decoders and projections they are."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from journal import database, reader, redaction
from projections.projection import Projection

WAL_PAGES = 8000
"""Pages of 4 KiB that the WAL may hold before it is copied back; below the limit to which it is cut."""

TABLES = {
    "checkpoints": (
        "CREATE TABLE {name} (name TEXT PRIMARY KEY, log_id TEXT NOT NULL, position INTEGER NOT NULL,"
        " hash TEXT NOT NULL, decoder_versions TEXT NOT NULL, projection_versions TEXT NOT NULL) STRICT"
    ),
    "carries": "CREATE TABLE {name} (source_id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "source_keys": "CREATE TABLE {name} (source_id INTEGER PRIMARY KEY, source_key TEXT NOT NULL) STRICT",
    "unsettled": "CREATE TABLE {name} (session_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
}


class Checkpoint(NamedTuple):
    """What the views' rows stand for."""

    log_id: str
    position: int
    hash: str
    decoder_versions: str
    projection_versions: str


def connect(path: str, *, readonly: bool = False) -> sqlite3.Connection:
    """Open a views file; its rows can always be rebuilt, so that a power cut may cost the last transactions."""
    if readonly:
        return database.open_readonly(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA busy_timeout=5000")
    database.set_journal_mode(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA journal_size_limit=67108864")
    # Batch after batch changes the same pages: copying them back at each 4 MB of WAL costs a first ingest 3 % of its time.
    connection.execute(f"PRAGMA wal_autocheckpoint={WAL_PAGES}")
    connection.execute("PRAGMA cache_size=-32000")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all or nothing; inside an open transaction it is part of that one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def versions_text(versions: Mapping[str, int]) -> str:
    """Write decoder versions in a fixed order."""
    return json.dumps(dict(sorted(versions.items())))


def projections_text(projections: Iterable[Projection]) -> str:
    """Write the projections' versions, and that of the redaction rules, in a fixed order."""
    found = {projection.name: projection.version for projection in projections}
    return json.dumps({"redaction": redaction.RULES_VERSION, **dict(sorted(found.items()))})


def read(views: sqlite3.Connection) -> Checkpoint | None:
    """Read the checkpoint; None in an empty file."""
    if not views.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone():
        return None
    row = views.execute(
        "SELECT log_id, position, hash, decoder_versions, projection_versions FROM checkpoints WHERE name = 'views'"
    ).fetchone()
    return None if row is None else Checkpoint(*row)


@contextmanager
def forgetting_old_rules(views: sqlite3.Connection, known: Checkpoint | None) -> Iterator[None]:
    """Around a rebuild: what newer redaction rules take out of the rows stays readable in no page of the file that nothing uses."""
    if known is None or json.loads(known.projection_versions).get("redaction") == redaction.RULES_VERSION:
        yield
        return
    views.execute("PRAGMA secure_delete=ON")
    yield
    if not views.in_transaction:
        views.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def write(views: sqlite3.Connection, checkpoint: Checkpoint) -> None:
    """Move the checkpoint, inside the caller's transaction."""
    views.execute("INSERT OR REPLACE INTO checkpoints VALUES ('views', ?, ?, ?, ?, ?)", checkpoint)


def hash_at(log: sqlite3.Connection, position: int) -> str:
    """Give the chain hash at a position as hex; the empty string before the first event or where there is none."""
    if position <= 0:
        return ""
    found = reader.hash_at(log, position)
    return found.hex() if found else "absent"


def fits(checkpoint: Checkpoint, log: sqlite3.Connection, fresh: Checkpoint) -> bool:
    """Tell whether the views may catch up from their checkpoint: same log, same history, same code as *fresh*."""
    return (
        checkpoint.log_id == fresh.log_id
        and checkpoint.decoder_versions == fresh.decoder_versions
        and checkpoint.projection_versions == fresh.projection_versions
        and checkpoint.hash == hash_at(log, checkpoint.position)
    )
