"""How hits by words and hits by meaning become one list: a pure function of both, decided by the query and by what it found."""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

LEAST_COVERAGE = 0.4
"""The share of the query's weight (inverse frequencies) that a hit by words must cover: weak ones drown good vectors."""
LEAST_SIMILARITY = 0.2
"""Below it, what is near is near by chance."""
RANK_OFFSET = 60
_CODE = re.compile(r"[_./\\:#@$-]|\d|[a-z][A-Z]|^[A-Z]{2,}$")


class Fused(NamedTuple):
    """One place with its standing."""

    key: Hashable
    score: float
    by: tuple[str, ...]
    """`words`, `meaning` or both."""


def is_code(query: str) -> bool:
    """Tell whether every word of a query is written as code is: an identifier, a path, a number, an error code."""
    words = query.split()
    return bool(words) and all(_CODE.search(word.strip("\"'`,;")) for word in words)


def fused(words: Sequence[tuple[Hashable, float]], meaning: Sequence[tuple[Hashable, float]]) -> list[Fused]:
    """Return both lists as one, best first.

    *words* are (place, coverage), best first, *meaning* (place, similarity). A place counts by its ranks; the ranks of words weigh as much
    as the best of them covers of the query, so that a query whose words are all found goes by them, and a paraphrase by its meaning.
    """
    words = [(key, coverage) for key, coverage in words if coverage >= LEAST_COVERAGE]
    meaning = [(key, similarity) for key, similarity in meaning if similarity >= LEAST_SIMILARITY]
    best = max((coverage for _, coverage in words), default=0.0)
    scores: dict[Hashable, float] = {}
    by: dict[Hashable, list[str]] = {}
    for name, ranked, weight in (("words", [key for key, _ in words], _weight(best)), ("meaning", [key for key, _ in meaning], 1.0)):
        for rank, key in enumerate(dict.fromkeys(ranked)):
            scores[key] = scores.get(key, 0.0) + weight / (RANK_OFFSET + rank)
            by.setdefault(key, []).append(name)
    return [Fused(key, round(score, 6), tuple(by[key])) for key, score in sorted(scores.items(), key=lambda one: (-one[1], str(one[0])))]


def _weight(coverage: float) -> float:
    """Return what a rank by words weighs beside one by meaning."""
    return 2.0 if coverage > 0.9 else coverage


def best_of(found: Sequence[Fused], sessions: Mapping[Hashable, str]) -> list[str]:
    """Return the sessions of places, each where its best place stands."""
    return list(dict.fromkeys(sessions[one.key] for one in found))
