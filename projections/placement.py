"""Where occurrences stand: what a source said before is carried forward to the records after it."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from journal.domain import DomainEvent, MessageProduced, Occurrence, PromptSubmitted, SessionStarted, SourceFacts, TurnContinued
from projections.projection import Place
from projections.strands import Strands

FOLDED = frozenset((PromptSubmitted, SessionStarted, TurnContinued))


def source_key(facts: SourceFacts) -> str:
    """Give a source's stable place between sources."""
    return f"{facts.host}/{facts.native_id}/{facts.path}"


class Line(NamedTuple):
    """A physical line's place in the log."""

    global_position: int
    source_id: int
    generation: int
    offset_bytes: int
    data: bytes


class Carry:
    """What one source has said so far, in one generation of it."""

    __slots__ = ("announced", "branch", "children", "cwd", "generation", "model", "occurred_at", "strands", "turns")

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.occurred_at: str | None = None
        self.cwd: str | None = None
        self.branch: str | None = None
        self.model: str | None = None
        self.turns: dict[str, str] = {}
        self.children: set[str] = set()
        """Sessions that are sub-agents: no human prompts them."""
        self.announced: dict[str, str] = {}
        """By session, the text that a hook gave and the host is about to submit as a prompt."""
        self.strands = Strands()

    def dump(self) -> str:
        """Write the carry as JSON."""
        return json.dumps([self.generation, self.occurred_at, self.cwd, self.branch, self.model, self.turns,
                           sorted(self.children), self.announced, self.strands.dump()])  # fmt: skip

    @classmethod
    def load(cls, text: str) -> "Carry":
        """Read a carry back."""
        generation, occurred_at, cwd, branch, model, turns, children, announced, strands = json.loads(text)
        carry = cls(generation)
        carry.occurred_at, carry.cwd, carry.branch, carry.model, carry.turns = occurred_at, cwd, branch, model, turns
        carry.children, carry.announced = set(children), announced
        carry.strands = Strands.load(strands)
        return carry


def hashed_id(line: bytes) -> str:
    """Name a record that has no id of its own by its bytes, without the line's end: the last one may come later."""
    return "~" + hashlib.sha256(line.rstrip(b"\r\n")).hexdigest()[:16]


def place(
    line: Line,
    facts: SourceFacts,
    key: str,
    carry: Carry,
    occurrences: Iterable[Occurrence],
    *,
    as_of: str | None = None,
) -> list[tuple[Place, DomainEvent]]:
    """Place every event of a line's occurrences and bring the carry forward; later than *as_of* is left out."""
    placed: list[tuple[Place, DomainEvent]] = []
    used: dict[tuple[str, str], int] = {}
    own_id: str | None = None
    for occurrence in occurrences:
        events, occurred_at, record_id, session_id, cwd, branch, model, parent, response = occurrence
        if occurred_at is not None:
            carry.occurred_at = occurred_at
        if as_of is not None and carry.occurred_at is not None and carry.occurred_at > as_of:
            continue
        if cwd is not None:
            carry.cwd = cwd
        if branch is not None:
            carry.branch = branch
        if model is not None:
            carry.model = model
        if parent is not None and record_id is not None:
            carry.strands.follow(record_id, parent, response, carry.occurred_at, line.offset_bytes)
        if not events:
            continue
        session = facts.native_id if session_id is None else session_id
        if record_id is None:
            if own_id is None:
                own_id = hashed_id(line.data)
            record_id = own_id
        ordinal = used.get((session, record_id), 0)
        for event in events:
            if event.__class__ in FOLDED:
                event = _folded(event, session, record_id, carry)  # noqa: PLW2901  the event as its source's past makes it
            where = (
                line.global_position,
                line.source_id,
                key,
                facts.host,
                session,
                record_id,
                carry.occurred_at,
                carry.turns.get(session),
                carry.cwd,
                carry.branch,
                carry.model,
                ordinal,
                line.generation,
                line.offset_bytes,
                carry.strands.number,
            )
            placed.append((_make(where), event))
            ordinal += 1
        used[session, record_id] = ordinal
    return placed


def _folded(event: DomainEvent, session: str, record_id: str, carry: Carry) -> DomainEvent:
    """Bring the carry forward by an event that says who prompts; a prompt that no human gave becomes injected text."""
    if isinstance(event, SessionStarted):
        if event.kind == "subagent":
            carry.children.add(session)
    elif isinstance(event, TurnContinued):
        carry.announced[session] = event.text
    elif isinstance(event, PromptSubmitted):
        announced = carry.announced.pop(session, None) if carry.announced else None
        if session in carry.children or announced == event.text:
            return MessageProduced("user", "injected", event.text)
        carry.turns[session] = record_id
    return event


def _make(values: tuple[Any, ...]) -> Place:
    """Build a Place without the cost of its keyword constructor."""
    return tuple.__new__(Place, values)
