"""The scores of `journal fork detect`: the classic arithmetic to the digit, and what the default must never do."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.chunk_cutting import is_bare_command
from projections.forks import (
    CLASSIC,
    DEFAULT,
    Candidate,
    Hit,
    Scoring,
    is_bare,
    rank,
    recency_of,
    score,
)
from projections.lineage import POSITIONS

COMMAND = "<command-name>/fork</command-name>\n<command-message>fork is running</command-message>\n<command-args>{}</command-args>"
strengths = st.floats(0.0, 1.0)
ages = st.floats(0.0, 4000.0)
places = st.sampled_from(POSITIONS)


def one(session_id: str, *similar: float, chunks: int = 10, age: float = 0.5, position: str = "head", bare: bool = False, words: float = 0.0) -> Candidate:
    """Return a candidate with texts of these similarities."""
    return Candidate(session_id, [Hit(value, bare) for value in similar], [Hit(words, False)] if words else [], chunks, age, position)


def test_k2_the_classic_score_is_the_weighted_sum() -> None:
    """0.40·0.9 + 0.20·0.7 + 0.05·2/10 + 0.25·0.8 + 0.10·0.7 for hits of 0.9 and 0.5 among ten texts, three days old, in the middle of a chain."""
    found = score(one("s", 0.9, 0.5, 0.2, age=3, position="middle"), CLASSIC, 0.40)
    assert found is not None
    assert found.score == pytest.approx(0.36 + 0.14 + 0.01 + 0.20 + 0.07)
    assert found.parts() == {"relevance": 0.51, "best": 0.9, "average": 0.7, "ratio": 0.2, "semantic": 0.9, "lexical": 0.0, "recency": 0.8, "chain": 0.7,
                             "hits": 2}  # fmt: skip


@pytest.mark.parametrize(("days", "recency"), [
    (0, 1.0), (0.99, 1.0), (1, 0.8), (6.99, 0.8), (7, 0.5), (29.9, 0.5), (30, 0.3), (90, 0.3), (90.1, 0.1), (4000, 0.1),
])  # fmt: skip
def test_k3_recency_has_five_steps(days: float, recency: float) -> None:
    """Below 1, 7, 30 days, up to 90, and beyond."""
    assert recency_of(days, CLASSIC) == recency


def test_k4_chain_quality_has_four_values() -> None:
    """Head, middle, tail, and a session without a chain."""
    assert {position: CLASSIC.places[position] for position in POSITIONS} == {"head": 1.0, "middle": 0.7, "tail": 0.5, "alone": 0.3}


def test_k5_at_least_forty_else_thirty_and_twenty_results() -> None:
    """A session of 0.35 is found only where no other reaches 0.40; of thirty, twenty are told."""
    assert [found.session_id for found in rank([one("a", 0.41), one("b", 0.35)], CLASSIC)[0]] == ["a"]
    found, minimum = rank([one("b", 0.35), one("c", 0.29)], CLASSIC)
    assert ([each.session_id for each in found], minimum) == (["b"], 0.30)
    assert len(rank([one(f"s{number}", 0.9) for number in range(30)], CLASSIC)[0]) == 20
    assert rank([one("c", 0.29)], CLASSIC) == ([], 0.30)


@pytest.mark.parametrize(("text", "bare"), [
    (COMMAND.format("short"), True),
    (COMMAND.format("x" * 150), True),
    (COMMAND.format("x" * 300), False),
    ("fork it, please", False),
    (COMMAND.format("") + "\n\n" + "y" * 101, False),
    (COMMAND.format("") + "\n\n" + "y" * 100, True),
    (COMMAND.format("") + "\n```\ncode\n```", False),
    (COMMAND.format("") + "\n<details>thought</details>", False),
])  # fmt: skip
def test_k6_k7_what_only_runs_a_command_is_short_marked_and_without_substance(text: str, bare: bool) -> None:
    """Below 300 characters, a command's mark, no code, no thought, no paragraph above 100 characters beside the arguments."""
    assert is_bare_command(text) is bare


def test_k6_k8_a_bare_command_counts_half() -> None:
    """0.9 becomes 0.45 before anything is scored, in both settings; other hosts' `/name` is a bare command as well."""
    assert (CLASSIC.bare_weight, DEFAULT.bare_weight) == (0.5, 0.5)
    for scoring in (CLASSIC, DEFAULT):
        found = score(one("s", 0.9, bare=True), scoring, 0.40)
        assert found is not None
        assert found.best == pytest.approx(0.45)
    assert is_bare("/fork the last one")
    assert not is_bare("/home/dev/proj is where it is")


def test_settings_never_change() -> None:
    """Both are frozen."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT.best = 0.0  # type: ignore[misc]
    assert (CLASSIC.best, CLASSIC.average, CLASSIC.ratio, CLASSIC.recency, CLASSIC.chain) == (0.40, 0.20, 0.05, 0.25, 0.10)


@pytest.mark.parametrize("scoring", [DEFAULT, CLASSIC], ids=lambda one: one.name)
def test_k9_who_implemented_goes_before_who_only_ran_it(scoring: Scoring) -> None:
    """The texts that only run the command are the most similar, and newer; still the session that implemented it is first."""
    ran = Candidate("ran", [Hit(0.78, True), Hit(0.75, True)], [], 12, 0.2, "head")
    implemented = Candidate("implemented", [Hit(0.66, False), Hit(0.61, False), Hit(0.72, True)], [], 60, 5.0, "alone")
    assert rank([ran, implemented], scoring)[0][0].session_id == "implemented"


@given(relevant=strengths, share=st.floats(0.0, 0.79), new=ages, old=ages, place=places, other=places)
def test_kw2_recency_and_chain_never_lift_the_irrelevant(relevant: float, share: float, new: float, old: float, place: str, other: str) -> None:
    """A session less than four fifths as relevant stays below, whatever the ages and places of both."""
    above = score(one("a", relevant, age=old, position=place), DEFAULT, 0.0)
    below = score(one("b", relevant * share, age=new, position=other), DEFAULT, 0.0)
    assert above is not None and below is not None
    assert below.score < above.score or relevant < 1e-9


@given(age=ages, later=st.floats(0.0, 0.1))
def test_kw2_recency_has_no_jump(age: float, later: float) -> None:
    """A tenth of a day changes it by less than a hundredth, and never upwards."""
    assert 0.0 <= recency_of(age, DEFAULT) - recency_of(age + later, DEFAULT) < 0.01


def test_kw2_the_classic_score_lifts_the_irrelevant() -> None:
    """What the default is for: 0.41 from today beats 0.80 from last year in the classic sum, and not in the default."""
    new, old = one("new", 0.41, age=0.1), one("old", 0.80, age=400, position="tail")
    assert [found.session_id for found in rank([new, old], CLASSIC)[0]] == ["new", "old"]
    assert [found.session_id for found in rank([new, old], DEFAULT)[0]] == ["old", "new"]


@given(best=strengths, others=st.lists(strengths, max_size=8), chunks=st.integers(1, 5000))
def test_kw3_length_costs_nothing_and_a_single_hit_gains_nothing(best: float, others: list[float], chunks: int) -> None:
    """Further texts, hits or not, never make a session less relevant, and one hit alone is worth what it is."""
    alone = score(one("a", best, chunks=1), DEFAULT, 0.0)
    more = score(one("b", best, *others, chunks=chunks), DEFAULT, 0.0)
    assert alone is not None and more is not None
    assert alone.relevance == pytest.approx(best)
    assert more.relevance >= alone.relevance - 1e-12
    assert more.relevance <= max(best, *others, 0.0) + 0.1


def test_words_are_evidence_beside_meaning_and_without_an_index_alone() -> None:
    """Full coverage counts 0.75 beside a cosine, where the weaker adds a little, and 0.9 alone; the classic sum takes words only where there is no index."""
    words, both = score(one("a", words=1.0), DEFAULT, 0.3), score(one("b", 0.6, words=1.0), DEFAULT, 0.3)
    alone = score(one("a", words=1.0), DEFAULT, 0.3, words_alone=True)
    assert words is not None and both is not None and alone is not None
    assert (words.relevance, both.relevance, alone.relevance) == (pytest.approx(0.75), pytest.approx(0.75 + 0.15 * 0.6), pytest.approx(0.9))
    classic, index = score(one("a", words=1.0), CLASSIC, 0.3, words_alone=True), score(one("b", 0.6, words=1.0), CLASSIC, 0.3)
    assert classic is not None and index is not None
    assert (classic.best, index.best) == (1.0, 0.6)
    assert score(one("a", words=1.0), CLASSIC, 0.3) is None
