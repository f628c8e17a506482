"""Bringing the index up to date: chunks from the views, vectors of those that have none, and the file made from the vectors.

Each step can be broken off and done again: chunks session by session, vectors batch by batch, the file in one rename.
"""

import contextlib
import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from cli.index import flat, vectors
from cli.wiring import LOCK_WAIT_S, is_full, open_views
from journal.errors import IndexUnusable, LogFull
from journal.home import Home
from journal.lock import indexer_lock, writer_lock
from projections import chunks

if TYPE_CHECKING:
    from cli.index.embedding import Embedder

BATCH = 64
"""Texts embedded between two commits: a few seconds of work that a crash may cost."""
SESSIONS_AT_ONCE = 20
"""Sessions cut while the writer's lock is held; between two such stretches whoever ingests may have it."""
STALE_SHARE = 0.05
STALE_LEAST = 2000
"""The file is written anew when so many vectors, or this share of it, are missing; until then a search reads those from the cache."""
MISSING = """SELECT c.text_hash, min(c.chunk_id) FROM chunks AS c
WHERE NOT EXISTS (SELECT 1 FROM cache.vectors AS v WHERE v.model_no = ?1 AND v.text_hash = c.text_hash)
GROUP BY c.text_hash ORDER BY min(c.rank), max(c.occurred_at) DESC, c.text_hash"""
COVERED = """SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM cache.vectors AS v WHERE v.model_no = ?1 AND v.text_hash = c.text_hash)), 0)
FROM (SELECT DISTINCT text_hash FROM chunks) AS c"""
ORPHANS = "DELETE FROM cache.vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)"

Told = Callable[[int, int], None]


class Updated(NamedTuple):
    """What bringing the index up to date did."""

    sessions: int
    """Sessions whose chunks were cut again."""
    embedded: int
    """Texts that were embedded."""
    left: int
    """Texts that still have no vector."""
    vectors: int
    """Vectors in the index."""


def update(home: Home, embedder: "Embedder", *, deadline: float | None = None, told: Told | None = None, wait_s: float = LOCK_WAIT_S) -> Updated:
    """Bring chunks, vectors and index up to date, until *deadline* (of the monotonic clock) where one is given.

    Raises: LogBusy: another process indexes or ingests. LogFull: there is no space. IndexUnusable: FAISS is not installed.
    """
    with indexer_lock(home, wait_s):
        try:
            return _update(home, embedder, deadline, told)
        except sqlite3.OperationalError as error:
            if is_full(error):
                raise _full(home) from error
            raise
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT) or "cannot be written" in str(error):
                raise _full(home) from error
            raise


def _full(home: Home) -> LogFull:
    return LogFull(f"there is no space left for the index in {home.root}", hint="free some space and run: journal index update")


def _update(home: Home, embedder: "Embedder", deadline: float | None, told: Told | None) -> Updated:
    flat.tidy(home)
    sessions = cut(home, deadline)
    with contextlib.closing(vectors.connect(home)) as cache:
        model = vectors.entered(cache, embedder.model_id, embedder.dimensions)
    with _beside(home) as views:
        missing = views.execute(MISSING, (model.model_no,)).fetchall()
    embedded = 0
    if missing:
        with contextlib.closing(vectors.connect(home)) as cache, _beside(home) as views:
            for start in range(0, len(missing), BATCH):
                if deadline is not None and time.monotonic() >= deadline:
                    break
                embedded += _embed(embedder, model, cache, views, missing[start : start + BATCH])
                if told:
                    told(min(start + BATCH, len(missing)), len(missing))
    left = len(missing) - embedded
    return Updated(sessions, embedded, left, build(home, model, is_final=not left))


def cut(home: Home, deadline: float | None = None) -> int:
    """Bring the view `chunks` up to date and take out the vectors of texts that no longer are; returns how many sessions were cut."""
    done, left = 0, 1
    while left and (deadline is None or time.monotonic() < deadline):
        with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_views(home)) as views:
            if not views.execute("SELECT 1 FROM sqlite_master WHERE name = 'chunks_waiting'").fetchone():
                raise IndexUnusable("the views are of an older version", hint="run: journal ingest")
            caught = chunks.catch_up(views, SESSIONS_AT_ONCE)
        done, left = done + caught.sessions, caught.left
    return done


def forget_orphans(home: Home) -> int:
    """Delete every vector whose text no chunk has; the caller made sure that all chunks are cut. Returns how many went."""
    if vectors.read_only(home) is None:
        return 0
    with contextlib.closing(vectors.connect(home)), _beside(home, writable=True) as views:
        return views.execute(ORPHANS).rowcount


@contextlib.contextmanager
def _beside(home: Home, *, writable: bool = False) -> Iterator[sqlite3.Connection]:
    """Give the views with the cache attached as `cache`."""
    from journal.database import open_readonly
    from journal.home import sqlite_uri

    views = open_readonly(home.views_db)
    try:
        views.execute("ATTACH ? AS cache", (sqlite_uri(home.cache_db) + ("?mode=rw" if writable else "?mode=ro"),))
        if writable:
            views.execute("PRAGMA query_only = OFF")
            views.execute("PRAGMA cache.secure_delete = ON")
        yield views
    finally:
        views.close()


def coverage(home: Home, model_id: str | None) -> tuple[int, int]:
    """Return how many texts there are to embed, as far as they are cut, and how many of them have a vector of the model."""
    with contextlib.closing(vectors.read_only(home) or sqlite3.connect(":memory:")) as cache:
        model = vectors.model_of(cache, model_id) if model_id and cache.execute("SELECT 1 FROM sqlite_master WHERE name = 'models'").fetchone() else None
    if model is None:
        from journal.database import open_readonly

        with contextlib.closing(open_readonly(home.views_db)) as views:
            return int(views.execute("SELECT count(DISTINCT text_hash) FROM chunks").fetchone()[0]), 0
    with _beside(home) as views:
        row = views.execute(COVERED, (model.model_no,)).fetchone()
    return int(row[0]), int(row[1])


def _embed(embedder: "Embedder", model: vectors.Model, cache: sqlite3.Connection, views: sqlite3.Connection, batch: list[tuple[int, int]]) -> int:
    """Embed a batch of texts and keep the vectors; a text that has changed meanwhile is passed over, since its session waits again."""
    texts = [(text_hash, chunks.text_of(views, chunk_id)) for text_hash, chunk_id in batch]
    known = [(text_hash, text) for text_hash, text in texts if text is not None and chunks.hash_of(text) == text_hash]
    if known:
        vectors.add(cache, model, [text_hash for text_hash, _ in known], embedder.documents([text for _, text in known]))
    return len(batch)


def build(home: Home, model: vectors.Model, *, is_final: bool = True) -> int:
    """Bring the index file in line with the cache and return how many vectors it has; a file that does not fit is made anew.

    Raises: IndexUnusable: FAISS is not installed. OSError: no space.
    """
    if not flat.is_installed():
        raise IndexUnusable("the index needs FAISS", hint="install the extra `search` (pip install 'agent-session-journal[search]')")
    with contextlib.closing(vectors.connect(home)) as cache:
        position, count = vectors.last(cache, model)
        head = fitting(home, model, count)
        index = None
        if head is not None:
            new = count - head.vectors
            if new == 0 or (new < max(STALE_LEAST, STALE_SHARE * head.vectors) and not is_final):
                return head.vectors
            with contextlib.suppress(IndexUnusable):
                index = flat.load(home, head, mapped=False)
        at = head.position if head is not None and index is not None else 0
        index = index if index is not None else flat.empty(model.dimensions)
        for _, hashes, matrix in vectors.after(cache, model, at):
            index.add_with_ids(matrix, hashes)
        flat.write(home, index, model_id=model.model_id, position=position, cache_id=model.model_no)
        return int(index.ntotal)


def fitting(home: Home, model: vectors.Model, count: int) -> flat.Head | None:
    """Return the head of the index file where it is sound, of this model, and holds no vector that the cache lacks."""
    try:
        head = flat.read_head(home)
    except IndexUnusable:
        return None
    if (head.model_id, head.dimensions, head.cache_id) != (model.model_id, model.dimensions, model.model_no) or head.vectors > count:
        return None
    with contextlib.closing(vectors.connect(home)) as cache:
        held = cache.execute("SELECT count(*) FROM vectors WHERE model_no = ? AND vector_id <= ?", (model.model_no, head.position)).fetchone()[0]
    return head if held == head.vectors else None


def size_of(home: Home) -> int:
    """Return the bytes of the index file."""
    return os.path.getsize(flat.path_of(home)) if os.path.exists(flat.path_of(home)) else 0
