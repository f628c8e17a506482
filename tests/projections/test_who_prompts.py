"""Who gave a prompt: a human, the parent of a sub-agent, or a hook whose reason the host submits."""

from journal.domain import MessageProduced, Occurrence, PromptSubmitted, SessionStarted, SourceFacts, TurnContinued
from projections.placement import Carry, Line, place

FACTS = SourceFacts("toy", "/s.jsonl", "s")


def kinds(carry: Carry, *occurrences: Occurrence) -> list[str]:
    """Place the occurrences line by line and name the kind of each text."""
    found = []
    for number, occurrence in enumerate(occurrences, 1):
        for where, event in place(Line(number, 1, 0, number, b"{}"), FACTS, "toy/s", carry, [occurrence]):
            if isinstance(event, PromptSubmitted):
                found.append(f"prompt {event.text} in turn {where.turn_id}")
            elif isinstance(event, MessageProduced):
                found.append(f"{event.kind} {event.text} in turn {where.turn_id}")
    return found


def said(record_id: str, *events: object, session: str | None = None) -> Occurrence:
    """Give a record."""
    return Occurrence(tuple(events), None, record_id, session)  # type: ignore[arg-type]  # the tests hand over domain events only


def test_a_sub_agent_is_prompted_by_no_human() -> None:
    """What a child's host calls a prompt is the task that its parent gave; other sessions of the file are not concerned."""
    started = said("1", SessionStarted("subagent"))
    assert kinds(Carry(0), started, said("2", PromptSubmitted("task")), said("3", PromptSubmitted("hi"), session="other")) == [
        "injected task in turn None",
        "prompt hi in turn 3",
    ]


def test_a_reason_that_a_hook_gave_comes_back_once() -> None:
    """The reason against a turn's end is submitted like a prompt and is none; the same words later are a human's."""
    given = kinds(Carry(0), said("1", PromptSubmitted("go")), said("2", TurnContinued("again")), said("3", PromptSubmitted("again")),
                  said("4", PromptSubmitted("again")))  # fmt: skip
    assert given == ["prompt go in turn 1", "injected again in turn 1", "prompt again in turn 4"]


def test_another_prompt_ends_the_wait_for_a_reason() -> None:
    """A host that never submitted the reason leaves nothing behind for later prompts."""
    assert kinds(Carry(0), said("1", TurnContinued("again")), said("2", PromptSubmitted("new")), said("3", PromptSubmitted("again"))) == [
        "prompt new in turn 2",
        "prompt again in turn 3",
    ]


def test_what_is_awaited_outlives_a_catch_up() -> None:
    """The carry that is stored between two catch-ups knows sub-agents and announced reasons."""
    carry = Carry(0)
    kinds(carry, said("1", SessionStarted("subagent"), session="child"), said("2", TurnContinued("again")))
    assert kinds(Carry.load(carry.dump()), said("3", PromptSubmitted("task"), session="child"), said("4", PromptSubmitted("again"))) == [
        "injected task in turn None",
        "injected again in turn None",
    ]
