"""The vectors in `cache.db`, by model and text hash: costly to make and kept, so that no text is embedded twice."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from journal import database
from journal.home import Home, private_umask

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from cli.index.embedding import Vectors

VERSION = 1
TABLES = (
    "CREATE TABLE models (model_no INTEGER PRIMARY KEY, model_id TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL) STRICT",
    # Half precision: what the index holds, too. Rows are numbered without gaps being used again: an index says up to which one it has.
    """CREATE TABLE vectors (vector_id INTEGER PRIMARY KEY AUTOINCREMENT, model_no INTEGER NOT NULL, text_hash INTEGER NOT NULL,
        vector BLOB NOT NULL, UNIQUE (model_no, text_hash)) STRICT""",
)
ASIDE = " aside"
READ_AT_ONCE = 10_000


class Model(NamedTuple):
    """A model that has vectors."""

    model_no: int
    model_id: str
    dimensions: int


def connect(home: Home) -> sqlite3.Connection:
    """Return a writing connection to the cache; one that is damaged or of another version is made anew, since it can be.

    Raises: sqlite3.OperationalError: the file cannot be opened or written.
    """
    private_umask()
    try:
        return _connected(home)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        drop(home)
        return _connected(home)


def _connected(home: Home) -> sqlite3.Connection:
    cache = sqlite3.connect(home.cache_db, isolation_level=None)
    try:
        cache.execute("PRAGMA busy_timeout=5000")
        database.set_journal_mode(cache)
        cache.execute("PRAGMA synchronous=NORMAL")
        cache.execute("PRAGMA secure_delete=ON")
        version = cache.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"version {version}")  # noqa: TRY301  treated like damage
        if version == 0:
            cache.execute("BEGIN IMMEDIATE")
            if cache.execute("PRAGMA user_version").fetchone()[0] == 0:
                if _tables(cache):
                    raise sqlite3.DatabaseError("tables without a version")  # noqa: TRY301  treated like damage
                for text in TABLES:
                    cache.execute(text)
                cache.execute(f"PRAGMA user_version = {VERSION}")
            cache.execute("COMMIT")
        if not {"models", "vectors"} <= _tables(cache):
            raise sqlite3.DatabaseError("tables are missing")  # noqa: TRY301  treated like damage
    except sqlite3.DatabaseError:
        cache.close()
        raise
    return cache


def _tables(cache: sqlite3.Connection) -> set[str]:
    return {name for (name,) in cache.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def drop(home: Home) -> None:
    """Delete the cache."""
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(home.cache_db + suffix):
            os.unlink(home.cache_db + suffix)


def read_only(home: Home) -> sqlite3.Connection | None:
    """Return a reading connection, None where there is no cache or a damaged one."""
    if not os.path.exists(home.cache_db):
        return None
    try:
        cache = database.open_readonly(home.cache_db)
        cache.execute("SELECT count(*) FROM models").fetchone()
    except sqlite3.DatabaseError:
        return None
    return cache


def aside(model_id: str) -> str:
    """Return what vectors of texts that are no chunks are kept under: the same model, outside the index."""
    return f"{model_id}{ASIDE}"


def model_of(cache: sqlite3.Connection, model_id: str) -> Model | None:
    """Return what the cache knows of a model."""
    row = cache.execute("SELECT model_no, model_id, dimensions FROM models WHERE model_id = ?", (model_id,)).fetchone()
    return Model(*row) if row else None


def entered(cache: sqlite3.Connection, model_id: str, dimensions: int) -> Model:
    """Return the model, entered where it is new; one that gives another width than before loses its vectors."""
    known = model_of(cache, model_id)
    if known is not None and known.dimensions != dimensions:
        cache.execute("DELETE FROM vectors WHERE model_no = ?", (known.model_no,))
        cache.execute("DELETE FROM models WHERE model_no = ?", (known.model_no,))
        known = None
    if known is None:
        cache.execute("INSERT INTO models (model_id, dimensions) VALUES (?, ?)", (model_id, dimensions))
    found = model_of(cache, model_id)
    assert found is not None  # noqa: S101  entered just now
    return found


def add(cache: sqlite3.Connection, model: Model, hashes: Sequence[int], vectors: "Vectors") -> None:
    """Keep the vectors of texts; what is known already stays."""
    import numpy

    rows = [(model.model_no, text_hash, row.tobytes()) for text_hash, row in zip(hashes, vectors.astype(numpy.float16), strict=True)]
    cache.execute("BEGIN IMMEDIATE")
    try:
        cache.executemany("INSERT OR IGNORE INTO vectors (model_no, text_hash, vector) VALUES (?, ?, ?)", rows)
        cache.execute("COMMIT")
    finally:
        if cache.in_transaction:
            cache.execute("ROLLBACK")


def get(cache: sqlite3.Connection, model: Model, hashes: Sequence[int]) -> "dict[int, Vectors]":
    """Return the vectors that are known of some texts."""
    import numpy

    found = {}
    for text_hash in hashes:
        row = cache.execute("SELECT vector FROM vectors WHERE model_no = ? AND text_hash = ?", (model.model_no, text_hash)).fetchone()
        if row and len(row[0]) == 2 * model.dimensions:
            found[text_hash] = numpy.frombuffer(row[0], dtype=numpy.float16).astype(numpy.float32)
    return found


def after(cache: sqlite3.Connection, model: Model, vector_id: int) -> "Iterator[tuple[int, NDArray[int64], Vectors]]":
    """Yield the vectors behind the row *vector_id*, some thousands at a time: the last row's number, text hashes, vectors."""
    import numpy

    width = 2 * model.dimensions
    while rows := cache.execute("SELECT vector_id, text_hash, vector FROM vectors WHERE model_no = ? AND vector_id > ? ORDER BY vector_id LIMIT ?",
                                (model.model_no, vector_id, READ_AT_ONCE)).fetchall():  # fmt: skip
        vector_id = rows[-1][0]
        sound = [row for row in rows if len(row[2]) == width]
        matrix = numpy.frombuffer(b"".join(row[2] for row in sound), dtype=numpy.float16).reshape(len(sound), model.dimensions)
        yield vector_id, numpy.array([row[1] for row in sound], dtype=numpy.int64), matrix.astype(numpy.float32)


def remove(cache: sqlite3.Connection, hashes: Sequence[int]) -> None:
    """Take out the vectors of texts, of all models."""
    cache.execute("BEGIN IMMEDIATE")
    try:
        cache.executemany("DELETE FROM vectors WHERE text_hash = ? AND model_no IN (SELECT model_no FROM models WHERE model_id NOT LIKE ?)",
                          [(text_hash, f"%{ASIDE}") for text_hash in hashes])  # fmt: skip
        cache.execute("COMMIT")
    finally:
        if cache.in_transaction:
            cache.execute("ROLLBACK")


def keep_aside(cache: sqlite3.Connection, model: Model, hashes: Sequence[int]) -> None:
    """Take out the vectors of a model that are of no text among *hashes*."""
    stay = set(hashes)
    gone = [row[0] for row in cache.execute("SELECT text_hash FROM vectors WHERE model_no = ?", (model.model_no,)) if row[0] not in stay]
    cache.executemany("DELETE FROM vectors WHERE model_no = ? AND text_hash = ?", [(model.model_no, text_hash) for text_hash in gone])


def last(cache: sqlite3.Connection, model: Model) -> tuple[int, int]:
    """Return the number of the last row of a model and how many it has."""
    row = cache.execute("SELECT coalesce(max(vector_id), 0), count(*) FROM vectors WHERE model_no = ?", (model.model_no,)).fetchone()
    return int(row[0]), int(row[1])
