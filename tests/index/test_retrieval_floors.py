"""The floors of `tests/bench/retrieval.py`: what search finds among 327 invented sessions of four hosts, held in every run."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_index_cases import needs_weights

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import forks
import retrieval
from retrieval import MODES, Score

pytestmark = needs_weights
FLOORS = {
    "paraphrase": (0.62, 0.78, 0.70), "mixed": (0.93, 0.98, 0.96), "identifier": (0.98, 0.98, 0.98), "path": (0.98, 0.98, 0.98), "error": (0.96, 0.98, 0.97),
    "keywords": (0.98, 0.98, 0.98), "other language": (0.33, 0.5, 0.4), "substring of CJK": (1.0, 1.0, 1.0), "near duplicate": (0.91, 0.91, 0.91),
    "fork command": (1.0, 1.0, 1.0), "negative": (0.93, 0.93, 0.93),
    "nonsense": (0.7, 0.7, 0.7),
}  # fmt: skip
"""recall@1, recall@5 and MRR of the hybrid mode, a little below what was measured (docs/reference/performance.md); of negatives and nonsense, how many get no
answer."""


FORK_FLOORS = {
    "paraphrase": 0.68, "mixed": 0.98, "identifier": 0.98, "path": 0.98, "error": 0.98, "keywords": 0.98, "other language": 0.3, "substring of CJK": 1.0,
    "near duplicate": 1.0, "fork command": 1.0, "negative": 0.9, "nonsense": 0.6,
}  # fmt: skip
"""MRR of `journal fork detect` in its default scoring; of negatives, how many get no answer."""
WORDS_FLOORS = {"mixed": 0.75, "identifier": 0.98, "path": 0.98, "error": 0.98, "keywords": 0.98, "near duplicate": 1.0, "fork command": 0.7,
                "negative": 0.7, "nonsense": 0.7}  # fmt: skip
"""The same without an index."""
Asked = tuple[Any, list[retrieval.Question]]


@pytest.fixture(scope="module")
def archive_asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return the settings of one archive that is indexed once, and what it is asked."""
    told, questions = retrieval.sessions()
    assert len(told) >= 300
    assert len(questions) >= 200
    before = {name: os.environ.get(name) for name in ("HOME", "JOURNAL_HOME")}
    settings = retrieval.prepared(tmp_path_factory.mktemp("retrieval"), told)
    yield settings, questions
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="module")
def scores(archive_asked: Asked) -> dict[str, dict[str, Score]]:
    """Return the scores of each mode."""
    settings, questions = archive_asked
    return {mode: retrieval.score(questions, retrieval.ranked(settings, questions, mode)) for mode in MODES}


def test_each_kind_of_question_keeps_its_floor(scores: dict[str, dict[str, Score]]) -> None:
    """Recall and MRR of the hybrid mode, kind by kind."""
    assert set(scores["hybrid"]) == set(FLOORS)
    below = {kind: got for kind, got in scores["hybrid"].items() if any(value < floor for value, floor in zip(got[1:], FLOORS[kind], strict=True))}
    assert below == {}


def test_the_hybrid_mode_is_never_more_than_two_hundredths_below_the_better_single_one(scores: dict[str, dict[str, Score]]) -> None:
    """On no kind of question that has an answer."""
    for kind, got in scores["hybrid"].items():
        if kind not in ("negative", "nonsense"):
            assert got.mrr >= max(scores["lexical"][kind].mrr, scores["semantic"][kind].mrr) - 0.02, kind


def test_k9_sessions_that_implemented_a_command_stand_above_those_that_ran_it(scores: dict[str, dict[str, Score]]) -> None:
    """"modify the /fork command", and three more ways to ask, among twenty sessions that only ran it."""
    assert scores["hybrid"]["fork command"] == Score(4, 1.0, 1.0, 1.0)
    assert scores["semantic"]["fork command"].first == 1.0


def test_fork_detect_keeps_its_floors_with_an_index_and_by_words_alone(archive_asked: Asked) -> None:
    """Kind by kind in the default scoring; K9's questions in the classic one too."""
    settings, questions = archive_asked
    found = forks.ranked(settings, questions)
    scores = {column: retrieval.score(questions, ranked) for column, ranked in found.items()}
    assert {kind: got.mrr for kind, got in scores["default", True].items() if got.mrr < FORK_FLOORS[kind]} == {}
    assert {kind: got for kind, got in scores["default", False].items() if got.mrr < WORDS_FLOORS.get(kind, 0.0)} == {}
    assert scores["classic", True]["fork command"].first == 1.0
