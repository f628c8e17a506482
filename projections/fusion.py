"""How hits by words and hits by meaning become one list: a pure function of both, decided by the query and by what it found."""

import re
from collections.abc import Hashable, Sequence
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

    *words* are (place, coverage), best first, *meaning* (place, similarity). A place counts by its ranks, and its rank by words as much as it
    covers of the query: one that has all of the words goes before what is merely near, and a paraphrase goes by its meaning.
    """
    scores: dict[Hashable, float] = {}
    by: dict[Hashable, list[str]] = {}
    ranked = (("words", [(key, _weight(coverage)) for key, coverage in words if coverage >= LEAST_COVERAGE]),
              ("meaning", [(key, 1.0) for key, similarity in meaning if similarity >= LEAST_SIMILARITY]))  # fmt: skip
    for name, places in ranked:
        for rank, (key, weight) in enumerate(places):
            if name not in by.get(key, ()):
                scores[key] = scores.get(key, 0.0) + weight / (RANK_OFFSET + rank)
                by.setdefault(key, []).append(name)
    return [Fused(key, round(score, 6), tuple(by[key])) for key, score in sorted(scores.items(), key=lambda one: (-one[1], str(one[0])))]


def _weight(coverage: float) -> float:
    """Return what a rank by words weighs beside one by meaning."""
    return 2.0 if coverage > 0.9 else coverage
