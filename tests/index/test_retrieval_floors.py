"""The floors of `tests/bench/retrieval.py`: what search finds among 327 invented sessions of four hosts, held in every run."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_index_cases import needs_weights

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import retrieval
from retrieval import MODES, Score

pytestmark = needs_weights
FLOORS = {
    "paraphrase": (0.62, 0.78, 0.70), "mixed": (0.93, 0.98, 0.96), "identifier": (0.98, 0.98, 0.98), "path": (0.98, 0.98, 0.98), "error": (0.96, 0.98, 0.97),
    "keywords": (0.98, 0.98, 0.98), "other language": (0.33, 0.5, 0.4), "substring of CJK": (1.0, 1.0, 1.0), "near duplicate": (0.91, 0.91, 0.91),
    "fork command": (1.0, 1.0, 1.0), "negative": (0.6, 0.6, 0.6),
}  # fmt: skip
"""recall@1, recall@5 and MRR of the hybrid mode, a little below what was measured (docs/reference/performance.md); of negatives, how many get no answer."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Score]]]:
    """Return the scores of each mode, from one archive that is indexed once."""
    told, questions = retrieval.sessions()
    assert len(told) >= 300
    assert len(questions) >= 200
    before = {name: os.environ.get(name) for name in ("HOME", "JOURNAL_HOME")}
    settings = retrieval.prepared(tmp_path_factory.mktemp("retrieval"), told)
    yield {mode: retrieval.score(questions, retrieval.ranked(settings, questions, mode)) for mode in MODES}
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


def test_each_kind_of_question_keeps_its_floor(scores: dict[str, dict[str, Score]]) -> None:
    """Recall and MRR of the hybrid mode, kind by kind."""
    assert set(scores["hybrid"]) == set(FLOORS)
    below = {kind: got for kind, got in scores["hybrid"].items() if any(value < floor for value, floor in zip(got[1:], FLOORS[kind], strict=True))}
    assert below == {}


def test_the_hybrid_mode_is_never_more_than_two_hundredths_below_the_better_single_one(scores: dict[str, dict[str, Score]]) -> None:
    """On no kind of question that has an answer."""
    for kind, got in scores["hybrid"].items():
        if kind != "negative":
            assert got.mrr >= max(scores["lexical"][kind].mrr, scores["semantic"][kind].mrr) - 0.02, kind


def test_k9_sessions_that_implemented_a_command_stand_above_those_that_ran_it(scores: dict[str, dict[str, Score]]) -> None:
    """"modify the /fork command", and three more ways to ask, among twenty sessions that only ran it."""
    assert scores["hybrid"]["fork command"] == Score(4, 1.0, 1.0, 1.0)
    assert scores["semantic"]["fork command"].first == 1.0
