"""Strands of a transcript: when a tree of records has several, and when two processes wrote them at once."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingest.claude import ADAPTER
from journal.domain import SourceFacts
from projections.strands import KEPT, Strands

FIXTURES = Path(__file__).parents[1] / "fixtures/claude"


class R(NamedTuple):
    """A record: its id, the one it follows, the response it is part of, its second."""

    id: str
    follows: str
    response: str | None = None
    at: int | None = None


QUESTION = R("u1", "")
LINEAR = [QUESTION, R("a1", "u1", "m1"), R("u2", "a1"), R("a2", "u2", "m2"), R("u3", "a2"), R("a3", "u3", "m3")]


def strands(records: Iterable[R], *, cut: int = 0) -> list[tuple[int, str, str, int, bool]]:
    """Return the rows that a file of *records* leaves, read in batches of *cut*, each of which begins with what the last one kept."""
    state = Strands()
    rows: dict[int, tuple[int, str, str, int, bool]] = {}
    for number, record in enumerate(records):
        moment = number if record.at is None else record.at
        state.follow(record.id, record.follows, record.response, f"2026-12-01T10:{moment // 60:02d}:{moment % 60:02d}.000000Z", number * 100)
        if cut and number % cut == 0:
            _keep(state, rows)
            state = Strands.load(json.loads(json.dumps(state.dump())))
    _keep(state, rows)
    return [rows[number] for number in sorted(rows)]


def _keep(state: Strands, rows: dict[int, tuple[int, str, str, int, bool]]) -> None:
    told = state.told()
    if told is not None:
        for number in told.dropped:
            rows.pop(number, None)
        rows.update((s.number, (s.number, s.follows, s.leaf, s.responses, s.is_concurrent)) for s in told.strands)


def test_a_list_of_records_has_no_strands() -> None:
    """Each record follows the one before: nothing is told."""
    assert strands(LINEAR) == []


def test_parallel_tool_results_are_one_strand() -> None:
    """Results hang on their own calls, which makes a tree, but the next response follows one of them."""
    results = [R("r1", "c1"), R("r2", "c2"), R("a2", "r2", "m2")]
    assert strands([QUESTION, R("c1", "u1", "m1"), R("c2", "c1", "m1"), *results, R("u2", "a2"), R("a3", "u2", "m3")]) == []


def test_a_result_between_the_calls_of_one_response_is_one_strand() -> None:
    """A tool that ends while the response goes on: its result comes before the next call."""
    assert strands([QUESTION, R("c1", "u1", "m1"), R("r1", "c1"), R("c2", "c1", "m1"), R("r2", "c2"), R("a2", "r1", "m2")]) == []


def test_a_rewind_leaves_a_strand_that_nobody_else_wrote() -> None:
    """A prompt that follows an old record: two strands, none of them concurrent."""
    assert strands([*LINEAR, R("u4", "a1"), R("a4", "u4", "m4"), R("u5", "a4"), R("a5", "u5", "m5")]) == [
        (1, "", "a3", 3, False), (2, "a1", "a5", 2, False)]  # fmt: skip


def test_two_answers_to_one_prompt_are_concurrent() -> None:
    """No single process answers a prompt twice."""
    assert strands([QUESTION, R("a1", "u1", "m1"), R("b1", "u1", "n1")]) == [(1, "", "a1", 1, True), (2, "u1", "b1", 1, True)]


def test_a_strand_that_goes_on_after_another_had_grown_is_concurrent() -> None:
    """Two processes resumed at the same record and took turns."""
    told = [*LINEAR, R("b1", "a1"), R("b2", "b1", "n1"), R("u4", "a3"), R("a4", "u4", "m4"), R("b3", "b2"), R("b4", "b3", "n2")]
    assert strands(told) == [(1, "", "a4", 4, True), (2, "a1", "b4", 2, True)]


def test_two_prompts_of_one_record_answered_in_turn_are_concurrent() -> None:
    """Both prompts stand before both answers."""
    told = [QUESTION, R("a1", "u1", "m1"), R("u2", "a1"), R("v2", "a1"), R("a2", "u2", "m2"), R("b2", "v2", "n2")]
    assert [(row[2], row[4]) for row in strands(told)] == [("a2", True), ("b2", True)]


def test_a_compaction_goes_on_with_the_strand_of_the_record_it_names() -> None:
    """One of two writers compacts after the other one had written; what it names may also be gone, then file order tells."""
    two = [QUESTION, R("a1", "u1", "m1"), R("b1", "u1", "n1"), R("u2", "a1"), R("v2", "b1"), R("a2", "u2", "m2"), R("b2", "v2", "n2")]
    after = [R("s", "c"), R("a3", "s", "m3"), R("v3", "b2"), R("b3", "v3", "n3")]
    for cut in (0, 1, 2):
        assert strands([*two, R("c", "~a2"), *after], cut=cut) == [(1, "", "a3", 3, True), (2, "u1", "b3", 3, True)]
        assert [row[2] for row in strands([*two, R("c", "~gone"), *after[:2]], cut=cut)] == ["a2", "a3"]
    assert strands([R("c", "~gone"), R("s", "c"), R("a1", "s", "m1"), R("u2", "a1"), R("a2", "u2", "m2")]) == []


@pytest.mark.parametrize("again", [LINEAR, LINEAR[:4]], ids=["all", "a part"])
def test_history_that_is_told_again_is_no_second_writer(again: list[R]) -> None:
    """The same records once more with their old times, then the session goes on where it was."""
    first = [record._replace(at=number) for number, record in enumerate(LINEAR)]
    told = [*first, *first[: len(again)], R("u4", "a3", at=20), R("a4", "u4", "m4", at=21)]
    assert not any(row[4] for row in strands(told))


def test_all_of_the_history_told_again_makes_no_strand() -> None:
    """What came to a known record was the old strand."""
    first = [record._replace(at=number) for number, record in enumerate(LINEAR)]
    for cut in (0, 1, 2, 3):
        assert strands([*first, *first, R("u4", "a3", at=20), R("a4", "u4", "m4", at=21)], cut=cut) == []


@pytest.mark.parametrize("cut", [1, 2, 3, 5])
def test_batches_make_no_difference(cut: int) -> None:
    """What is carried from batch to batch is all that is needed, also when more strands are open than are kept."""
    told = [*LINEAR, R("b1", "a1"), R("b2", "b1", "n1"), R("u4", "a3"), R("a4", "u4", "m4")]
    for n in range(KEPT + 2):
        told += [R(f"p{n}", f"gone{n}"), R(f"q{n}", f"p{n}", f"k{n}")]
    told += [R("u9", "a4"), R("a9", "u9", "m9")]
    assert strands(told, cut=cut) == strands(told)
    assert len(strands(told)) == KEPT + 5


def test_no_recording_has_several_writers() -> None:
    """Real files of one process each: resumed, compacted, cleared, interrupted, with parallel tools."""
    found, records = [], 0
    for path in sorted(FIXTURES.rglob("*.jsonl")):
        state = Strands()
        facts = SourceFacts("claude", str(path), path.stem)
        for offset, line in enumerate(path.read_bytes().splitlines()):
            values: dict[str, Any] = json.loads(line)
            for one in ADAPTER.decode(facts, values):
                if one.parent_record_id is not None and one.record_id is not None:
                    records += 1
                    state.follow(one.record_id, one.parent_record_id, one.response_id, one.occurred_at, offset)
        if (told := state.told()) is not None:
            found.append((path.name, [strand.dump() for strand in told.strands]))
    assert records > 300
    assert found == []
