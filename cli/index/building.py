"""Bringing the index up to date: chunks from the views, vectors of those that have none, and the file made from the vectors.

Each step can be broken off and done again: chunks session by session, vectors batch by batch, the file in one rename.
"""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from cli.index import flat, vectors
from cli.wiring import LOCK_WAIT_S, is_full, open_views
from journal.errors import IndexUnusable, LogFull, NotFound
from journal.home import Home, sqlite_uri
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
SMALL = 50_000
"""The file is written anew when so many vectors, or this share of it, are missing; until then a search reads those from the
cache. A small one (40 MB) is written at every end."""
MISSING = """SELECT c.text_hash, min(c.chunk_id) FROM chunks AS c
WHERE NOT EXISTS (SELECT 1 FROM cache.vectors AS v WHERE v.model_no = ?1 AND v.text_hash = c.text_hash)
GROUP BY c.text_hash ORDER BY min(c.rank), max(c.occurred_at) DESC, c.text_hash"""
ORPHANS = """SELECT DISTINCT text_hash FROM cache.vectors WHERE model_no IN (SELECT model_no FROM cache.models WHERE model_id NOT LIKE '%' || ?1)
AND text_hash NOT IN (SELECT text_hash FROM chunks)"""
COVERED = """SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM cache.vectors AS v WHERE v.model_no = ?1 AND v.text_hash = c.text_hash)), 0)
FROM (SELECT DISTINCT text_hash FROM chunks) AS c"""

Told = Callable[[int, int], None]


class Updated(NamedTuple):
    """What bringing the index up to date did."""

    sessions: int
    """Sessions whose chunks were cut again."""
    embedded: int
    """Texts that were embedded."""
    left: int
    """Texts that still have no vector."""
    waiting: int
    """Sessions whose chunks are still to be cut."""
    vectors: int
    """Vectors in the index."""


def update(home: Home, open_embedder: "Callable[[], Embedder]", *, is_over: Callable[[], bool] = lambda: False, told: Told | None = None,
           wait_s: float = LOCK_WAIT_S) -> Updated:  # fmt: skip
    """Bring chunks, vectors and index up to date, until *is_over* says that it is enough; the model is opened only where it is needed.

    The indexer's lock is held for one step at a time, so that a `journal forget` waits for seconds, and two indexers share the work.
    Raises: LogBusy: another process indexes or ingests. LogFull: there is no space. IndexUnusable: there is no model or no FAISS.
    """
    try:
        return _update(home, open_embedder, is_over, told, wait_s)
    except sqlite3.OperationalError as error:
        if is_full(error):
            raise _full(home) from error
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(home) from error
        raise


def _full(home: Home) -> LogFull:
    return LogFull(f"there is no space left for the index in {home.root}", hint="free some space and run: journal index update")


def _update(home: Home, open_embedder: "Callable[[], Embedder]", is_over: Callable[[], bool], told: Told | None, wait_s: float) -> Updated:
    sessions, waiting = cut(home, is_over)
    embedder = open_embedder()
    with indexer_lock(home, wait_s):
        flat.tidy(home)
        with contextlib.closing(vectors.connect(home)) as cache:
            model = vectors.entered(cache, embedder.model_id, embedder.dimensions)
        with beside(home) as views:
            missing = views.execute(MISSING, (model.model_no,)).fetchall()
    embedded = done = 0
    while done < len(missing) and not is_over():
        batch = missing[done : done + BATCH]
        with indexer_lock(home, wait_s):
            embedded += _embed(home, embedder, model, batch)
        done += len(batch)
        if told:
            told(done, len(missing))
    with indexer_lock(home, wait_s):
        is_final = done == len(missing) and not waiting
        if is_final:
            forget_orphans(home)
        count = build(home, model, is_final=is_final)
    return Updated(sessions, embedded, len(missing) - done, waiting, count)


def cut(home: Home, is_over: Callable[[], bool] = lambda: False) -> tuple[int, int]:
    """Bring the view `chunks` up to date; returns how many sessions were cut and how many still wait."""
    done, left = 0, 1
    while left and not (done and is_over()):
        if not waiting_in(home):
            return done, 0
        with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_views(home)) as views:
            caught = chunks.catch_up(views, SESSIONS_AT_ONCE)
        done, left = done + caught.sessions, caught.left
    return done, left


def forget_orphans(home: Home) -> int:
    """Delete every vector whose text no chunk has any more and return how many texts went; the index that has them is made anew."""
    with beside(home) as views:
        if views.execute("SELECT 1 FROM chunks_waiting LIMIT 1").fetchone():
            return 0
        gone = [row[0] for row in views.execute(ORPHANS, (vectors.ASIDE,))]
    if gone:
        with contextlib.closing(vectors.connect(home)) as cache:
            vectors.remove(cache, gone)
    return len(gone)


def waiting_in(home: Home) -> int:
    """Return how many sessions changed since their chunks were cut.

    Raises: IndexUnusable: the views are of an older version. NotFound: there are none.
    """
    from journal.database import open_readonly

    if not os.path.exists(home.views_db):
        raise NotFound("there are no views yet", hint="run: journal ingest")
    with contextlib.closing(open_readonly(home.views_db)) as views:
        if not views.execute("SELECT 1 FROM sqlite_master WHERE name = 'chunks_waiting'").fetchone():
            raise IndexUnusable("the views are of an older version", hint="run: journal ingest")
        return int(views.execute("SELECT count(*) FROM chunks_waiting").fetchone()[0])


@contextlib.contextmanager
def beside(home: Home) -> Iterator[sqlite3.Connection]:
    """Give the views for reading, with the vectors beside them as `cache`."""
    from journal.database import open_readonly

    with contextlib.closing(open_readonly(home.views_db)) as views:
        views.execute("ATTACH ? AS cache", (sqlite_uri(home.cache_db) + "?mode=ro",))
        yield views


def coverage(home: Home, model_id: str | None) -> tuple[int, int]:
    """Return how many texts there are to embed, as far as they are cut, and how many of them have a vector of the model."""
    with contextlib.closing(vectors.read_only(home) or sqlite3.connect(":memory:")) as cache:
        model = vectors.model_of(cache, model_id) if model_id and cache.execute("SELECT 1 FROM sqlite_master WHERE name = 'models'").fetchone() else None
    if model is None:
        from journal.database import open_readonly

        with contextlib.closing(open_readonly(home.views_db)) as views:
            return int(views.execute("SELECT count(DISTINCT text_hash) FROM chunks").fetchone()[0]), 0
    with beside(home) as views:
        row = views.execute(COVERED, (model.model_no,)).fetchone()
    return int(row[0]), int(row[1])


def _embed(home: Home, embedder: "Embedder", model: vectors.Model, batch: list[tuple[int, int]]) -> int:
    """Embed the texts of a batch that nobody has embedded meanwhile, and keep the vectors; returns how many.

    The text is read only now: one that was forgotten or has changed is passed over, since its session waits again.
    """
    with contextlib.closing(vectors.connect(home)) as cache, beside(home) as views:
        known = vectors.get(cache, model, [text_hash for text_hash, _ in batch])
        texts = {text_hash: chunks.text_of(views, chunk_id) for text_hash, chunk_id in batch if text_hash not in known}
        wanted = {text_hash: text for text_hash, text in texts.items() if text is not None and chunks.hash_of(text) == text_hash}
        if wanted:
            vectors.add(cache, model, list(wanted), embedder.documents(list(wanted.values())))
    return len(wanted)


def build(home: Home, model: vectors.Model, *, is_final: bool = True) -> int:
    """Bring the index file in line with the cache and return how many vectors it has; a file that does not fit is made anew.

    Raises: IndexUnusable: FAISS is not installed. OSError: no space.
    """
    if not flat.is_installed():
        from cli.extras import command

        raise IndexUnusable("the index needs FAISS", hint="run: " + command("search"))
    with contextlib.closing(vectors.connect(home)) as cache:
        position, count = vectors.last(cache, model)
        head = fitting(home, model, count)
        index = None
        if head is not None:
            new = count - head.vectors
            if new == 0 or (new < max(STALE_LEAST, STALE_SHARE * head.vectors) and not (is_final and head.vectors < SMALL)):
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
