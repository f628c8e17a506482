"""Search by meaning over the chunks: filters first, then the nearest vectors, each with the place that it stands for."""

import contextlib
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.index import building, embedding, flat, vectors
from journal.errors import IndexUnusable, JournalError
from journal.home import Home
from journal.settings import Settings
from projections import chunks
from projections.search_filters import NO_FILTERS, Filters, chunk_condition

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from cli.index.embedding import Embedder, Vectors


class Match(NamedTuple):
    """A chunk that is near to what was looked for."""

    chunk_id: int
    session_id: str
    similarity: float
    """The cosine, from -1 to 1."""
    record_id: str | None
    """The message (with ordinal), or None for the output of a tool."""
    ordinal: int | None
    tool_call_id: str | None
    host: str
    project: str | None
    role: str
    kind: str
    turn_id: str | None
    occurred_at: str | None
    is_bare_command: bool
    chars: int
    """Length of the stretch."""


class Search:
    """A model and an index, loaded; a process that answers often keeps it and asks `is_current` from time to time."""

    def __init__(self, settings: Settings, embedder: "Embedder") -> None:
        self.home = Home(settings.home)
        self.embedder = embedder
        with contextlib.closing(vectors.connect(self.home)) as cache:
            model = vectors.model_of(cache, embedder.model_id)
            if model is None or model.dimensions != embedder.dimensions:
                raise IndexUnusable(f"nothing is indexed with the model {embedder.model_id} yet", hint="run: journal index update")
            self.model = model
            self.file = flat.identity(self.home)
            self.head = _sound_head(self.home, model, cache)
            self.index: Any = flat.load(self.home, self.head)
            self.on_cpu = self.index
            """The same on the CPU: an index on a GPU cannot search among some vectors alone."""
            self.tail = list(vectors.after(cache, model, self.head.position))
        self.on_gpu = _moved_to_gpu(self, settings)

    def is_current(self) -> bool:
        """Tell whether nothing was indexed, and no other index written, since this search was opened."""
        if flat.identity(self.home) != self.file:
            return False
        with contextlib.closing(vectors.connect(self.home)) as cache:
            last = vectors.last(cache, self.model)[0]
        return last <= (self.tail[-1][0] if self.tail else self.head.position)

    def query(self, text: str) -> "Vectors":
        """Return the vector of what is looked for."""
        (vector,) = self.embedder.queries([text])
        return vector  # type: ignore[no-any-return]  # a row of an array has no type of its own

    def documents(self, texts: Sequence[str]) -> "list[Vectors]":
        """Return the vectors of texts of chunks: from the cache, and from the model where an index is yet to come to them."""
        hashes = [chunks.hash_of(text) for text in texts]
        with contextlib.closing(vectors.connect(self.home)) as cache:
            known = vectors.get(cache, self.model, hashes)
        new = {text_hash: text for text_hash, text in zip(hashes, texts, strict=True) if text_hash not in known}
        if new:
            known |= dict(zip(new, self.embedder.documents(list(new.values())), strict=True))
        return [known[text_hash] for text_hash in hashes]

    def find(self, views: sqlite3.Connection, text: str, filters: Filters = NO_FILTERS, limit: int = 20) -> list[Match]:
        """Return the chunks nearest to *text* among those that the filters let through, nearest first."""
        return self.near(views, self.query(text), filters, limit)

    def near(self, views: sqlite3.Connection, vector: "Vectors", filters: Filters = NO_FILTERS, limit: int = 20) -> list[Match]:
        """Return the chunks nearest to a vector, one for each place; texts that stand in several places come several times."""
        import numpy

        condition, values = chunk_condition(filters)
        among: NDArray[int64] | None = None
        if condition != "1":
            rows = views.execute(f"SELECT DISTINCT c.text_hash FROM chunks AS c WHERE {condition}", values).fetchall()
            among = numpy.array([row[0] for row in rows], dtype=numpy.int64)
        found = list(flat.find(self.index if among is None else self.on_cpu, vector, limit, among))
        for _, hashes, matrix in self.tail:
            similarities = matrix @ vector
            wanted = numpy.isin(hashes, among) if among is not None else numpy.ones(len(hashes), dtype=bool)
            found += zip(hashes[wanted].tolist(), similarities[wanted].tolist(), strict=True)
        found = sorted(set(found), key=lambda one: (-one[1], one[0]))[:limit]
        return _places(views, found, condition, {**values, "most": limit})[:limit]


def _places(views: sqlite3.Connection, found: Sequence[tuple[int, float]], condition: str, values: dict[str, object]) -> list[Match]:
    statement = (
        "SELECT c.chunk_id, c.session_id, c.record_id, c.ordinal, c.tool_call_id, c.host, c.project, c.role, c.kind, c.turn_id, c.occurred_at,"
        f" c.is_bare_command, c.end_char - c.start_char FROM chunks AS c WHERE c.text_hash = :text_hash AND {condition}"
        " ORDER BY c.occurred_at DESC, c.session_id, c.number LIMIT :most"
    )
    return [
        Match._make((row[0], row[1], round(similarity, 6), *row[2:11], bool(row[11]), row[12]))
        for text_hash, similarity in found
        for row in views.execute(statement, {**values, "text_hash": text_hash})
    ]


def _sound_head(home: Home, model: vectors.Model, cache: sqlite3.Connection) -> flat.Head:
    """Return the head of the index file.

    Raises: IndexUnusable: it is damaged, of another model, or of another cache.
    """
    head = flat.read_head(home)
    if (head.model_id, head.dimensions) != (model.model_id, model.dimensions):
        raise IndexUnusable(f"the index is of the model {head.model_id}, and {model.model_id} is in force", hint="run: journal index update")
    if building.fitting(home, model, vectors.last(cache, model)[1]) is None:
        raise IndexUnusable("the index holds other vectors than the cache", hint="run: journal index update")
    return head


def _moved_to_gpu(search: Search, settings: Settings) -> bool:
    """Move the index to the GPU where FAISS has one and the setting lets it; results are the same."""
    if settings.index_settings.device in ("cpu", "mps"):
        return False
    import faiss

    if not hasattr(faiss, "StandardGpuResources") or not faiss.get_num_gpus():
        if settings.index_settings.device == "cuda":
            raise IndexUnusable("[index] device is cuda, and FAISS sees no GPU", hint='install faiss-gpu, or set [index] device = "auto"')
        return False
    search.index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, flat.load(search.home, search.head, mapped=False))
    return True


def open_search(settings: Settings) -> tuple[Search | None, str]:
    """Return a search by meaning, or None and why there is none."""
    home = Home(settings.home)
    try:
        if not flat.is_installed():
            return None, "FAISS is not installed; install the extra `search`"
        flat.read_head(home)  # before the model is loaded, which takes half a second
        return Search(settings, embedding.open_embedder(settings)), ""
    except (JournalError, sqlite3.DatabaseError, OSError) as error:
        hint = getattr(error, "hint", "")
        return None, f"{error}; {hint}" if hint else str(error)


def embed(settings: Settings, texts: Sequence[str], *, kind: str = "document", embedder: "Embedder | None" = None, kept: bool = True) -> "Vectors | None":
    """Return one row of float32 for each text, None where no model can be had; vectors of documents are kept in the cache and read from it.

    *kind* is `document` for what is to be found and `query` for what is looked for; *embedder* goes before the one in force.
    """
    import numpy

    try:
        model = embedder or embedding.open_embedder(settings)
    except IndexUnusable:
        return None
    if kind == "query" or not kept:
        return model.queries(texts) if kind == "query" else model.documents(texts)
    home = Home(settings.home)
    hashes = [chunks.hash_of(text) for text in texts]
    with contextlib.closing(vectors.connect(home)) as cache:
        entry = vectors.entered(cache, vectors.aside(model.model_id), model.dimensions)
        known = vectors.get(cache, entry, hashes)
        new = {text_hash: text for text_hash, text in zip(hashes, texts, strict=True) if text_hash not in known}
        if new:
            made = model.documents(list(new.values()))
            vectors.add(cache, entry, list(new), made)
            known |= dict(zip(new, made, strict=True))
    return numpy.stack([known[text_hash] for text_hash in hashes]) if hashes else numpy.empty((0, model.dimensions), dtype=numpy.float32)
