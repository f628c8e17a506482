"""Full text beside meaning: places that have some of a query's words, each with how much of the query's weight they cover."""

import json
import math
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from projections.search import QUERY_PART, TOKEN, containing, needles_of, snippet, spaced
from projections.search_filters import Filters, place_condition

MOST_TERMS = 16
"""Of a query; the rarest ones are kept."""
MOST_CANDIDATES = 200
COMMON = 0.2
"""A word that stands in more than this share of all texts is not searched by itself: it says nothing, and reading its list costs the most."""


class Place(NamedTuple):
    """A text in which words of a query stand."""

    session_id: str
    record_id: str | None
    ordinal: int | None
    """A message's place in its record; None for the input of a tool."""
    tool_call_id: str | None
    host: str
    project: str | None
    role: str
    kind: str
    occurred_at: str | None
    global_position: int | None
    coverage: float
    """The share of the query's weight (the sum of its words' inverse frequencies) that stands here, 0 to 1."""
    bm25: float
    """Higher is better."""
    snippet: str


class Term(NamedTuple):
    """A word or a quoted phrase of a query."""

    match: str
    """As FTS5 reads it."""
    needle: str
    """As it was typed, folded."""
    weight: float
    """Its inverse frequency; one that stands nowhere weighs the most."""
    places: int
    """How many texts have it."""


_TABLES = (
    ("messages_fts", "messages AS m", "message_rowid",
     "m.session_id, m.record_id, m.ordinal, NULL, m.host, s.project, m.role, m.kind, m.occurred_at, m.global_position, m.text",
     "m.is_copy = 0 AND m.dropped_by IS NULL AND m.kind IN ('prompt', 'answer', 'summary')"),
    ("tool_calls_fts", "tool_calls AS m", "tool_call_rowid",
     "m.session_id, m.record_id, NULL, m.tool_call_id, s.host, s.project, 'tool', 'tool', m.occurred_at, m.global_position, m.input_text",
     "m.is_copy = 0"),
)  # fmt: skip


def terms_of(views: sqlite3.Connection, query: str) -> list[Term]:
    """Return the words and phrases of a query, each once, rarest first."""
    total = sum(views.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("messages", "tool_calls")) or 1
    found: dict[str, Term] = {}
    for quoted, word in QUERY_PART.findall(query):
        part = spaced(quoted or word)
        if not TOKEN.search(part):
            continue
        match = '"' + part.replace('"', " ").replace("\0", " ") + '"'
        if match.casefold() not in found:
            count = sum(views.execute(f"SELECT count(*) FROM {fts} WHERE {fts} MATCH ?", (match,)).fetchone()[0] for fts, *_ in _TABLES)
            found[match.casefold()] = Term(match, (quoted or word).casefold(), math.log(1 + total / (1 + count)), count)
    rarest = sorted(found.values(), key=lambda term: -term.weight)
    return rarest[:MOST_TERMS]


def partial(views: sqlite3.Connection, query: str, filters: Filters, *, least: float, limit: int = MOST_CANDIDATES) -> list[Place]:
    """Return the places that cover at least the share *least* of the query's weight, best first."""
    terms = terms_of(views, query)
    weight = sum(term.weight for term in terms)
    if not weight:
        return []
    total = sum(views.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("messages", "tool_calls"))
    present = [term for term in terms if term.places]
    rare = [term for term in present if term.places <= max(50, COMMON * total)] or present
    found: list[Place] = []
    needles = needles_of(query)
    for fts, table, rowid, columns, shown in _TABLES if rare else ():
        condition, values = place_condition(filters, "m")
        wanted = " OR ".join(term.match for term in rare)
        rows = views.execute(
            f"SELECT f.rowid, f.rank, {columns} FROM {fts} AS f JOIN {table} ON m.{rowid} = f.rowid"
            f" LEFT JOIN sessions AS s ON s.session_id = m.session_id WHERE {fts} MATCH :match AND {shown} AND {condition}"
            " ORDER BY f.rank LIMIT :limit", {**values, "match": wanted, "limit": limit},
        ).fetchall()  # fmt: skip
        covered = _covered(views, fts, present, [row[0] for row in rows])
        for row in rows:
            coverage = covered.get(row[0], 0.0) / weight
            if coverage >= least:
                found.append(Place._make((*row[2:12], round(coverage, 4), -row[1], snippet(row[12] or "", needles))))
    found += _errors(views, terms, filters, weight, least, limit)
    found.sort(key=lambda place: (-place.coverage, -place.bm25, place.session_id, place.record_id or ""))
    return found[:limit]


def _errors(views: sqlite3.Connection, terms: Sequence[Term], filters: Filters, weight: float, least: float, limit: int) -> list[Place]:
    """Return the outputs of failed calls that cover enough of the query."""
    words, wanted = containing("t.output_excerpt", [term.needle for term in terms[:6]], any_of=True)
    condition, values = place_condition(filters, "t")
    rows = views.execute(
        "SELECT t.session_id, t.record_id, NULL, t.tool_call_id, s.host, s.project, 'tool', 'error', coalesce(t.returned_at, t.occurred_at),"
        " t.global_position, t.output_excerpt FROM tool_calls AS t INDEXED BY tool_calls_failed LEFT JOIN sessions AS s ON s.session_id = t.session_id"
        f" WHERE t.is_error = 1 AND t.is_copy = 0 AND t.output_excerpt IS NOT NULL AND {condition} AND {words}"
        " ORDER BY t.occurred_at DESC LIMIT :limit", {**values, **wanted, "limit": 5 * limit},
    ).fetchall()  # fmt: skip
    found = []
    for row in rows:
        folded = row[10].casefold()
        coverage = sum(term.weight for term in terms if term.needle in folded) / weight
        if coverage >= least:
            found.append(Place._make((*row[:10], round(coverage, 4), 0.0, snippet(row[10], [term.needle for term in terms]))))
    return found


def _covered(views: sqlite3.Connection, fts: str, terms: Sequence[Term], rowids: Sequence[int]) -> dict[int, float]:
    """Return the weight of the terms that stand in each of the rows."""
    covered: dict[int, float] = {}
    wanted = json.dumps(rowids)
    for term in terms:
        for (rowid,) in views.execute(f"SELECT rowid FROM {fts} WHERE {fts} MATCH ? AND rowid IN (SELECT value FROM json_each(?))", (term.match, wanted)):
            covered[rowid] = covered.get(rowid, 0.0) + term.weight
    return covered
