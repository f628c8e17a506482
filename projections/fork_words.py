"""Which texts of the views hold the words of a task, and how much of it each covers; the full-text index does the finding.

`lexical.py` ranks single places by the whole words of a query. A task is told in other forms of its words, so that stems count here, where they stand together.
"""

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from projections.forks import Hit, is_bare
from projections.registry import STOP
from projections.search import containing, spaced

MOST_ROWS = 20_000
"""A word in more texts than this tells nothing about any of them."""
MOST_TEXTS = 600
"""So many texts are looked at closely: those that hold most of the task."""
WINDOW_CHARS = 1200
"""Words count together where they stand as near as in one paragraph or two."""
LEAST_COVERED = 0.25
TOOL_WEIGHT = 0.8
"""What a tool's input says is worth less than what was said in words."""
LOOKED_AT_CHARS = 200_000
SHORTEST_STEM = 4
_TERM = re.compile(r"[\w][\w./:@#+-]*[\w]|[\w]", re.UNICODE)
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ed", "er", "es", "ies", "y", "s", "e")
_SMALL = frozenset("the a an and or of in on at to for by is are was be it its as do does did we i you he she my me so if not no but can how".split())
_OWN = ("journal fork detect", "-m journal fork")
"""In the input of a tool: this search itself, run by an agent."""

LATEST = "9999"

MESSAGES = """SELECT rowid, session_id, kind, occurred_at, substr(text, 1, ?) FROM messages WHERE rowid IN ({}) AND is_copy = 0 AND dropped_by IS NULL
AND kind IN ('prompt', 'answer', 'summary')"""
TOOLS = "SELECT rowid, session_id, 'tool', occurred_at, input_text FROM tool_calls WHERE rowid IN ({}) AND is_copy = 0"
# What a call gave back stands in no index of words; failed ones are few.
ERRORS = """SELECT rowid, session_id, 'error', coalesce(returned_at, occurred_at), output_excerpt FROM tool_calls INDEXED BY tool_calls_failed
WHERE is_error = 1 AND is_copy = 0 AND output_excerpt IS NOT NULL AND {} ORDER BY rowid DESC LIMIT 2000"""


class Term(NamedTuple):
    """A word of the task."""

    word: str
    expression: str
    """As the full-text index is asked."""
    pattern: "re.Pattern[str]"


class Found(NamedTuple):
    """A text that holds words of the task."""

    session_id: str
    kind: str
    at: str | None
    hit: Hit
    snippet: str


def terms_of(task: str) -> list[Term]:
    """Return the words of a task that tell something, each in its shortest form; of a task of small words all of them."""
    words = list(dict.fromkeys(found.casefold() for found in _TERM.findall(task)))
    telling = [word for word in words if word not in STOP and word not in _SMALL] or words
    return [_term(word) for word in telling]


def _term(word: str) -> Term:
    stem = next((word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM), word)
    if stem.isalpha() and stem.isascii() and len(stem) >= SHORTEST_STEM:
        return Term(word, f'"{stem}" *', re.compile(rf"\b{re.escape(stem)}", re.IGNORECASE))
    edge = (r"(?<!\w)", r"(?!\w)") if word.isascii() else ("", "")
    return Term(word, '"' + spaced(word).replace('"', " ").strip() + '"', re.compile(f"{edge[0]}{re.escape(word)}{edge[1]}", re.IGNORECASE))


def is_question(text: str, at: str | None, task: str, fresh: str) -> bool:
    """Tell whether a text is this very question, asked in a session since the moment *fresh*: it holds the task, word for word."""
    return at is not None and at > fresh and " ".join(task.casefold().split()) in " ".join(text[:LOOKED_AT_CHARS].casefold().split())


def find(views: sqlite3.Connection, task: str, fresh: str = LATEST) -> list[Found]:
    """Return the texts that hold a good part of the task, of all sessions; nothing where the task has no words.

    A text since the moment *fresh* that is the question itself says nothing about who knows the answer.
    """
    terms = terms_of(task)
    if not terms:
        return []
    found: list[Found] = []
    for index, statement, weight in (("messages_fts", MESSAGES, 1.0), ("tool_calls_fts", TOOLS, TOOL_WEIGHT)):
        rows, idf = _rows(views, index, terms)
        whole = sum(idf)
        if not whole:
            continue
        near = sorted((rowid for rowid, sum_ in rows.items() if sum_ >= LEAST_COVERED * whole), key=lambda rowid: (-rows[rowid], -rowid))[:MOST_TEXTS]
        for row in _texts(views, statement, near):
            told = _told(row, terms, idf, weight)
            if told and not is_question(row[4], told.at, task, fresh):
                found.append(told)
    return found + _errors(views, terms)


def _errors(views: sqlite3.Connection, terms: Sequence[Term]) -> list[Found]:
    """Return the failed calls whose output holds a good part of the task."""
    condition, wanted = containing("output_excerpt", [term.word for term in terms], any_of=True)
    rows = views.execute(ERRORS.format(condition), wanted).fetchall()
    counts = [sum(bool(term.pattern.search(row[4])) for row in rows) for term in terms]
    seen = [math.log(1.0 + (len(rows) + 1) / count) if count else None for count in counts]
    known = [weight for weight in seen if weight is not None]
    idf = [sum(known) / len(known) if weight is None else weight for weight in seen] if known else []
    return [told for row in rows if idf and (told := _told(row, terms, idf, 1.0))]


def _rows(views: sqlite3.Connection, index: str, terms: Sequence[Term]) -> tuple[dict[int, float], list[float]]:
    """Return row to the weight of the words in it, and the weight of each word: the rarer, the more; one that stands nowhere weighs as the mean."""
    total = views.execute(f"SELECT max(rowid) FROM {index.removesuffix('_fts')}").fetchone()[0] or 1
    rows: dict[int, float] = {}
    idf: list[float | None] = []
    for term in terms:
        places = [row[0] for row in views.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH ? LIMIT ?", (term.expression, MOST_ROWS + 1))]
        if not places:
            idf.append(None)
            continue
        weight = math.log(1.0 + total / len(places))
        idf.append(weight)
        if len(places) <= MOST_ROWS:
            for rowid in places:
                rows[rowid] = rows.get(rowid, 0.0) + weight
    known = [weight for weight in idf if weight is not None]
    mean = sum(known) / len(known) if known else 0.0
    return rows, [mean if weight is None else weight for weight in idf]


def _texts(views: sqlite3.Connection, statement: str, rowids: Sequence[int]) -> Iterable[tuple[int, str, str, str | None, str]]:
    for start in range(0, len(rowids), 500):
        some = rowids[start : start + 500]
        limit = (LOOKED_AT_CHARS,) if "substr(text, 1, ?)" in statement else ()
        yield from views.execute(statement.format(", ".join("?" * len(some))), (*limit, *some))


def _told(row: tuple[int, str, str, str | None, str], terms: Sequence[Term], idf: Sequence[float], weight: float) -> Found | None:
    _, session_id, kind, at, text = row
    if text is None or (kind == "tool" and any(own in text for own in _OWN)):
        return None
    covered, place = coverage(text, terms, idf)
    if covered < LEAST_COVERED:
        return None
    return Found(session_id, kind, at, Hit(covered * weight, is_bare(text)), _snippet(text, place))


def coverage(text: str, terms: Sequence[Term], idf: Sequence[float]) -> tuple[float, int]:
    """Return the share of the task, by weight, that stands together in a stretch of *text*, and where that stretch begins."""
    places = sorted((match.start(), number) for number, term in enumerate(terms) for match in term.pattern.finditer(text))
    whole = sum(idf)
    if not places or not whole:
        return 0.0, 0
    counts, weight, best, first, where = [0] * len(terms), 0.0, 0.0, 0, 0
    for start, number in places:
        weight += 0.0 if counts[number] else idf[number]
        counts[number] += 1
        while start - places[first][0] > WINDOW_CHARS:
            old = places[first][1]
            counts[old] -= 1
            weight -= 0.0 if counts[old] else idf[old]
            first += 1
        if weight > best + 1e-9:
            best, where = weight, places[first][0]
    return best / whole, where


def _snippet(text: str, place: int) -> str:
    start = max(0, place - 40)
    cut = " ".join(text[start : start + 160].split())
    return ("…" if start else "") + cut + ("…" if start + 160 < len(text) else "")
