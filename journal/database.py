"""Connections to the log: pragmas, the schema's version, and a fresh file's tables.

A fresh database is made from the DDL text below, since SQLAlchemy and Alembic take half a second to import; a test
holds the text equal to what the migrations make. See docs/adr/0003.
"""

import os
import sqlite3

from journal.errors import LogBusy, LogCorrupt, LogError, LogFull, LogTooNew, NotFound
from journal.home import sqlite_uri

SCHEMA_VERSION = 2
ALEMBIC_HEAD = "0002"
BUSY_TIMEOUT_MS = 5000
JOURNAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024

DDL = """
CREATE TABLE log_meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE sources (
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
) STRICT;
CREATE TABLE offsets (
    source_id INTEGER NOT NULL PRIMARY KEY REFERENCES sources (source_id),
    generation INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    tail_hash BLOB NOT NULL,
    windows_hash BLOB NOT NULL
) STRICT;
CREATE TABLE segments (
    segment_id INTEGER NOT NULL PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES sources (source_id),
    generation INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    length_bytes INTEGER NOT NULL,
    codec TEXT NOT NULL,
    seed BLOB NOT NULL,
    data BLOB NOT NULL
) STRICT;
CREATE INDEX segments_by_source ON segments (source_id, generation, offset_bytes);
CREATE TABLE parts (part_hash BLOB NOT NULL PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE events (
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
) STRICT;
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TABLE tombstones (
    global_position INTEGER NOT NULL PRIMARY KEY REFERENCES events (global_position),
    line_key BLOB NOT NULL
) STRICT;
CREATE TABLE forgotten (
    key BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    words INTEGER,
    first_chars INTEGER,
    chars INTEGER,
    anchor_chars INTEGER,
    anchor INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_hashes (
    global_position INTEGER NOT NULL PRIMARY KEY REFERENCES events (global_position),
    content_hash BLOB,
    own_hash BLOB NOT NULL
) STRICT;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
"""


def connect(path: str, *, readonly: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode, so that every transaction is begun by name.

    Raises: LogCorrupt: the file is no SQLite database. LogBusy: it stays locked.
    """
    if readonly:
        return open_readonly(path)
    connection = sqlite3.connect(f"{sqlite_uri(path)}?mode=rwc", uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        set_journal_mode(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_SIZE_LIMIT_BYTES}")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise as_log_error(error, path) from error
    return connection


def set_journal_mode(connection: sqlite3.Connection) -> str:
    """Set WAL, or a rollback journal where the file system gives no shared memory, and return the mode in force.

    Raises: sqlite3.OperationalError: the database is locked.
    """
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "readonly" in str(error):
            raise
        mode = ""
    if mode != "wal":
        mode = connection.execute("PRAGMA journal_mode = TRUNCATE").fetchone()[0]
    return str(mode)


def open_readonly(path: str) -> sqlite3.Connection:
    """Return a connection that reads only, also from a medium where SQLite cannot make its `-shm` file.

    Raises: LogCorrupt, LogBusy, LogError.
    """
    connection = sqlite3.connect(f"{sqlite_uri(path)}?mode=ro", uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        connection.close()
        if not ("unable to open" in str(error) and is_at_rest(path)):
            raise as_log_error(error, path) from error
        # Nobody can write there, and nothing waits in a WAL: the file is all there is.
        return sqlite3.connect(f"{sqlite_uri(path)}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return connection


def attach_readonly(connection: sqlite3.Connection, path: str, name: str) -> None:
    """Attach *path* as *name*, read-only, to a connection that `open_readonly` gave.

    Raises: LogCorrupt, LogBusy, LogError.
    """
    try:
        connection.execute(f"ATTACH ? AS {name}", (f"{sqlite_uri(path)}?mode=ro",))
        connection.execute(f"PRAGMA {name}.schema_version")
    except sqlite3.DatabaseError as error:
        if not ("unable to open" in str(error) and is_at_rest(path)):
            raise as_log_error(error, path) from error
        connection.execute(f"ATTACH ? AS {name}", (f"{sqlite_uri(path)}?mode=ro&immutable=1",))


def is_at_rest(path: str) -> bool:
    """Tell whether *path* lies where this process cannot write, without a WAL that holds anything."""
    wal = path + "-wal"
    return os.path.isfile(path) and not os.access(os.path.dirname(path), os.W_OK) and not (os.path.exists(wal) and os.path.getsize(wal))


def as_log_error(error: sqlite3.DatabaseError, path: str) -> LogError:
    """Return the error of our tree that says what SQLite's *error* means; a full disk shows as a failed read or write too."""
    if "full" in str(error) or "disk I/O" in str(error):
        return LogFull(f"{path} cannot be read or written: {error}", hint="free some space and run: journal ingest")
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return LogBusy(f"{path} is locked by another process", hint="try again in a moment")
    if isinstance(error, sqlite3.OperationalError) and ("readonly" in str(error) or "unable to open" in str(error)):
        return LogError(f"{path}: {error}", hint="check that you may write the file and its folder")
    return LogCorrupt(f"{path}: {error}", hint="restore a backup, or move the file away and run: journal ingest")


def open_log(home_db: str, *, writable: bool) -> sqlite3.Connection:
    """Return a connection to the log at *home_db*, made or migrated where that is needed.

    Raises: NotFound: read-only and there is no log. LogTooNew: written by a newer program. LogCorrupt, LogBusy.
    """
    if not writable and not os.path.exists(home_db):
        raise NotFound(f"there is no journal at {home_db}", hint="run: journal ingest")
    connection = connect(home_db, readonly=not writable)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise as_log_error(error, home_db) from error
    if version > SCHEMA_VERSION:
        connection.close()
        raise LogTooNew(
            f"{home_db} has schema {version}, this program knows up to {SCHEMA_VERSION}: it was written by a newer version",
            hint="upgrade with: pip install --upgrade agent-session-journal",
        )
    if version == 0 and writable:
        create(connection)
    elif version < SCHEMA_VERSION and writable:
        connection.close()
        _upgrade(home_db, version)
        return open_log(home_db, writable=True)
    return connection


def _upgrade(path: str, version: int) -> None:
    """Back up an older log, then bring it up to this program's schema."""
    from journal import migrate  # noqa: PLC0415  SQLAlchemy and Alembic take half a second to import

    migrate.back_up(path, os.path.join(os.path.dirname(path), "backups"), f"journal-schema-{version}.db")
    migrate.upgrade(path)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of a fresh log, unless another process has just done so."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0]:
        connection.execute("ROLLBACK")
        return
    statement = ""
    for row in DDL.splitlines(keepends=True):
        statement += row
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute("INSERT INTO alembic_version VALUES (?)", (ALEMBIC_HEAD,))
    connection.execute("INSERT INTO log_meta VALUES ('log_id', ?), ('machine', ?)", (os.urandom(16).hex(), os.uname().nodename))
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")
