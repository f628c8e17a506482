"""`journal search` by words and meaning, and `journal similar`: filters first, both rankings, one list with its provenance."""

import sqlite3
from typing import Any, NamedTuple

from cli.index import building, embedding, semantic
from cli.index.semantic import Match
from journal.home import Home
from journal.settings import Settings
from projections import chunks, fusion, lexical
from projections.lexical import Place
from projections.search import needles_of, snippet
from projections.search_filters import Filters

BARE_WEIGHT = 0.5
"""What the similarity of a chunk that only ran a command counts."""
LEAST_BEST = 0.25
"""Where not even the nearest text has this cosine, nothing here is about the question: see tests/bench/retrieval.py."""
NEAREST = 200
"""Chunks that are taken from the index for one answer."""
Key = tuple[str, str | None, int | None, str | None]


class Found(NamedTuple):
    """What a search found; nothing where meaning could not be had."""

    hits: list[dict[str, Any]] | None
    why: str
    """Why meaning could not be had, or had no say."""
    coverage: float | None
    """The share of texts that have a vector."""


def find(settings: Settings, views: sqlite3.Connection, query: str, filters: Filters, *, mode: str, limit: int) -> Found:
    """Return the best places for *query*; where meaning cannot be had, why."""
    opened, why = semantic.open_search(settings)
    if opened is None:
        return Found(None, why, None)
    return answer(Home(settings.home), views, opened, query, filters, mode=mode, limit=limit)


def answer(home: Home, views: sqlite3.Connection, search: semantic.Search, query: str, filters: Filters, *, mode: str, limit: int) -> Found:
    """Return the best places for *query* with a search that is open."""
    texts, covered = building.coverage(home, search.embedder.model_id)
    hits, why = ranked(views, search, query, filters, mode=mode, limit=limit)
    return Found(hits, why, round(covered / texts, 4) if texts else 1.0)


def ranked(views: sqlite3.Connection, search: semantic.Search, query: str, filters: Filters, *, mode: str, limit: int) -> tuple[list[dict[str, Any]], str]:
    """Return the best places for *query*, by meaning alone (`semantic`) or with words (`hybrid`), and why meaning had no say, where it had none."""
    matches = search.find(views, query, filters, NEAREST)
    why = _far(search, matches)
    meaning = _by_place([] if why else matches)
    words = {_key_of(place): place for place in lexical.partial(views, query, filters, least=fusion.LEAST_COVERAGE)} if mode == "hybrid" else {}
    found = fusion.fused([(key, place.coverage) for key, place in words.items()], [(key, match.similarity) for key, match in meaning.items()])
    hits = [_hit(views, one, words.get(one.key), meaning.get(one.key), needles_of(query)) for one in found[:limit]]  # type: ignore[call-overload]  # keys are ours
    return hits, why


def _far(search: semantic.Search, matches: list[Match]) -> str:
    """Return in words that even the nearest text is about something else; empty where one is near, or the model's cosines are not known."""
    best = max((match.similarity for match in matches), default=1.0)
    if best >= LEAST_BEST or not embedding.is_measured(search.embedder.model_id):
        return ""
    return f"no text is near the question in meaning (the nearest has {best:.2f} of 1, {LEAST_BEST} is the least)"


def similar(views: sqlite3.Connection, search: semantic.Search, session_id: str, filters: Filters, limit: int) -> list[tuple[str, float, Match]]:
    """Return sessions that are about the same as *session_id*, most alike first: the mean of its best chunks' nearest ones.

    One that comes nowhere near any of them is left out.
    """
    rows = views.execute("SELECT chunk_id FROM chunks WHERE session_id = ? AND is_bare_command = 0 ORDER BY rank, number LIMIT 40", (session_id,)).fetchall()
    texts = [text for (chunk_id,) in rows if (text := chunks.text_of(views, chunk_id))]
    if not texts:
        return []
    best: dict[str, list[float]] = {}
    shown: dict[str, Match] = {}
    narrowed = filters._replace(not_session_id=session_id)
    for vector in search.documents(texts):
        nearest: dict[str, float] = {}
        for match in search.near(views, vector, narrowed, NEAREST):
            if match.similarity > nearest.get(match.session_id, 0.0):
                nearest[match.session_id] = match.similarity
            if match.session_id not in shown or match.similarity > shown[match.session_id].similarity:
                shown[match.session_id] = match
        for other, similarity in nearest.items():
            best.setdefault(other, []).append(similarity)
    is_measured = embedding.is_measured(search.embedder.model_id)
    scored = [(other, round(sum(found) / len(texts), 4), shown[other]) for other, found in best.items()
              if shown[other].similarity >= LEAST_BEST or not is_measured]  # fmt: skip
    return sorted(scored, key=lambda one: (-one[1], one[0]))[:limit]


def _key_of(place: Place | Match) -> Key:
    if place.tool_call_id is not None:
        return place.session_id, None, None, place.tool_call_id
    return place.session_id, place.record_id, place.ordinal, None


def _by_place(matches: list[Match]) -> dict[Key, Match]:
    """Return the best chunk of each message, nearest first; what only ran a command stands half as near."""
    weighed = [match._replace(similarity=match.similarity * (BARE_WEIGHT if match.is_bare_command else 1)) for match in matches]
    found: dict[Key, Match] = {}
    for match in sorted(weighed, key=lambda match: -match.similarity):
        found.setdefault(_key_of(match), match)
    return found


def _hit(views: sqlite3.Connection, one: fusion.Fused, place: Place | None, match: Match | None, needles: list[str]) -> dict[str, Any]:
    cut = place.snippet if place is not None else snippet(chunks.stretch_of(views, match.chunk_id), needles) if match is not None else ""
    return _shown(place or _placed(views, match), match, cut, one.score, one.by)


def _placed(views: sqlite3.Connection, match: Match | None) -> Place:
    """Return the place of a chunk."""
    assert match is not None  # noqa: S101  a hit stands in one list at least
    if match.tool_call_id is not None:
        row = views.execute("SELECT record_id, global_position FROM tool_calls WHERE session_id = ? AND tool_call_id = ?",
                            (match.session_id, match.tool_call_id)).fetchone()  # fmt: skip
    else:
        row = views.execute("SELECT record_id, global_position FROM messages WHERE session_id = ? AND record_id = ? AND ordinal = ?",
                            (match.session_id, match.record_id, match.ordinal)).fetchone()  # fmt: skip
    record_id, position = row or (match.record_id, None)
    return Place(match.session_id, record_id, match.ordinal, match.tool_call_id, match.host, match.project, match.role, match.kind, match.occurred_at,
                 position, 0.0, 0.0, "")  # fmt: skip


def _shown(place: Place, match: Match | None, cut: str, score: float, by: tuple[str, ...]) -> dict[str, Any]:
    return {"session_id": place.session_id, "host": place.host, "project": place.project, "role": place.role, "occurred_at": place.occurred_at,
            "snippet": cut, "global_position": place.global_position, "score": score, "record_id": place.record_id, "by": list(by),
            "similarity": round(match.similarity, 4) if match else None}  # fmt: skip
