"""Which session to go on from: how sessions are scored for a task, as one pure function over settings that never change.

Two settings stand side by side. `DEFAULT` lets relevance decide and recency and the place in a chain only order what is about
equally relevant. `CLASSIC` is the arithmetic of an older tool, kept to the digit: a weighted sum with steps of recency.
What goes in are similarities of texts (cosine, from an index) and coverage by words (0 to 1, from full text); either may be empty.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from projections.chunk_cutting import COMMAND_CHUNK_MAX_LENGTH, has_substance, is_bare_command

COMMAND_INVOCATION_WEIGHT = 0.5
_SLASH_COMMAND = re.compile(r"\s*/[a-z][\w:-]*(\s|$)")


class Hit(NamedTuple):
    """A text of a session that speaks for it."""

    strength: float
    """Cosine, or the share of the task's words by weight; 0 to 1."""
    is_bare: bool
    """Whether the text only runs a command: `is_bare_command`."""


class Candidate(NamedTuple):
    """A session with the evidence for it."""

    session_id: str
    similar: Sequence[Hit]
    """Texts by meaning."""
    worded: Sequence[Hit]
    """Texts by words."""
    chunks: int
    """All texts of the session that an index holds or would hold; at least one."""
    age_days: float
    position: str
    """In its chain: `head`, `middle`, `tail` or `alone` (projections/lineage.py)."""


@dataclass(frozen=True)
class Scoring:
    """How candidates are scored; an instance is never changed."""

    name: str
    best: float
    average: float
    ratio: float
    """Weights of the sum that tells how relevant a session is: of its best text, the mean of its hits, their share of all its texts."""
    recency: float
    chain: float
    """Weights of age and place; beside relevance in the sum, or what a bounded factor may take away."""
    is_bounded: bool
    """Whether recency and chain only scale relevance (by at most their weights) instead of being added to it."""
    steps: tuple[tuple[float, float], ...]
    """(days, recency below that age); without steps recency halves every `half_life_days`."""
    half_life_days: float
    oldest: float
    """Recency beyond the last step."""
    places: Mapping[str, float]
    support: float
    """How much of what is missing to 1 further hits may add; 0 where means and shares do that."""
    worded: float
    """What full coverage by words is worth against a cosine of 1; 0 where words are no evidence beside meaning."""
    alone: float
    """What it is worth where there is no search by meaning."""
    agreeing: float
    """How much of the weaker evidence is added to the stronger one."""
    minimum: float = 0.40
    fallback: float = 0.30
    """The minimum where nothing reaches the first one."""
    results: int = 20
    bare_weight: float = COMMAND_INVOCATION_WEIGHT
    supporting: int = 5
    """So many hits count as support at most, so that a long session is not the more relevant for its length."""


DEFAULT = Scoring(
    name="default", best=1.0, average=0.0, ratio=0.0, recency=0.15, chain=0.05, is_bounded=True, steps=(), half_life_days=30.0, oldest=0.0,
    places={"head": 1.0, "alone": 1.0, "middle": 0.7, "tail": 0.5}, support=0.1, worded=0.75, alone=0.9, agreeing=0.15,
)  # fmt: skip
CLASSIC = Scoring(
    name="classic", best=0.40, average=0.20, ratio=0.05, recency=0.25, chain=0.10, is_bounded=False,
    steps=((1.0, 1.0), (7.0, 0.8), (30.0, 0.5), (90.0, 0.3)), half_life_days=0.0, oldest=0.1,
    places={"head": 1.0, "middle": 0.7, "tail": 0.5, "alone": 0.3}, support=0.0, worded=0.0, alone=1.0, agreeing=0.0,
)  # fmt: skip
SCORINGS = {one.name: one for one in (DEFAULT, CLASSIC)}


class Scored(NamedTuple):
    """A candidate with its score and what it is made of."""

    session_id: str
    score: float
    relevance: float
    best: float
    average: float
    ratio: float
    semantic: float
    lexical: float
    recency: float
    chain: float
    hits: int

    def parts(self) -> dict[str, float]:
        """Return what the score is made of, rounded."""
        names = ("relevance", "best", "average", "ratio", "semantic", "lexical", "recency", "chain")
        return {name: round(getattr(self, name), 4) for name in names} | {"hits": self.hits}


def is_bare(text: str) -> bool:
    """Tell whether a text only runs a command in any host's way: marked as Claude Code does, or typed as `/name`."""
    return is_bare_command(text) or (len(text) < COMMAND_CHUNK_MAX_LENGTH and not has_substance(text) and bool(_SLASH_COMMAND.match(text)))


def rank(candidates: Sequence[Candidate], scoring: Scoring, *, words_alone: bool = False) -> tuple[list[Scored], float]:
    """Return the candidates that reach the minimum, best first, and the minimum that was used.

    *words_alone* says that nothing could be looked for by meaning.

    Where none reaches it, the lower one is used; a text that is not similar enough counts nowhere.
    """
    for minimum in (scoring.minimum, scoring.fallback):
        found = [scored for one in candidates if (scored := score(one, scoring, minimum, words_alone=words_alone)) is not None]
        if found:
            found.sort(key=lambda one: (-one.score, -one.relevance, one.session_id))
            return found[: scoring.results], minimum
    return [], scoring.fallback


def score(candidate: Candidate, scoring: Scoring, minimum: float, *, words_alone: bool = False) -> Scored | None:
    """Return a candidate's score; None where nothing of it reaches *minimum*."""
    similar = _strengths(candidate.similar, scoring)
    worded = [strength * (scoring.alone if words_alone else scoring.worded) for strength in _strengths(candidate.worded, scoring)]
    if scoring.is_bounded:
        hits = len([one for one in (*similar, *worded) if one >= minimum])
        semantic, lexical = _supported(similar, scoring), _supported(worded, scoring)
        relevance = min(1.0, max(semantic, lexical) + scoring.agreeing * min(semantic, lexical))
        if relevance < minimum:
            return None
        best, average, ratio = max([*similar, *worded]), 0.0, 0.0
    else:
        kept = [one for one in (worded if words_alone else similar) if one >= minimum]
        if not kept:
            return None
        best, average, ratio, hits = max(kept), sum(kept) / len(kept), min(1.0, len(kept) / max(1, candidate.chunks)), len(kept)
        semantic, lexical = (0.0, best) if words_alone else (best, 0.0)
        relevance = scoring.best * best + scoring.average * average + scoring.ratio * ratio
    recency, chain = recency_of(candidate.age_days, scoring), scoring.places[candidate.position]
    if scoring.is_bounded:
        total = relevance * (1.0 - scoring.recency * (1.0 - recency) - scoring.chain * (1.0 - chain))
    else:
        total = relevance + scoring.recency * recency + scoring.chain * chain
    return Scored(candidate.session_id, total, relevance, best, average, ratio, semantic, lexical, recency, chain, hits)


def recency_of(age_days: float, scoring: Scoring) -> float:
    """Return how recent an age is, from 1 for now to 0 for ever ago."""
    age = max(0.0, age_days)
    if not scoring.steps:
        return float(math.pow(0.5, age / scoring.half_life_days))
    last, lowest = scoring.steps[-1]
    return next((value for below, value in scoring.steps if age < below), lowest if age <= last else scoring.oldest)


def _strengths(hits: Sequence[Hit], scoring: Scoring) -> list[float]:
    return sorted((hit.strength * (scoring.bare_weight if hit.is_bare else 1.0) for hit in hits), reverse=True)


def _supported(strengths: Sequence[float], scoring: Scoring) -> float:
    """Return the best strength, raised a little by further ones; one hit alone gains nothing, and length costs nothing."""
    if not strengths:
        return 0.0
    best, missing = strengths[0], 1.0
    for strength in strengths[1 : scoring.supporting]:
        missing *= 1.0 - max(0.0, min(1.0, strength))
    return best + (1.0 - best) * scoring.support * (1.0 - missing)
