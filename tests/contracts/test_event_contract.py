"""Every domain event by itself: what it is made of, which recording says it, and which projection listens."""

import dataclasses
from typing import get_args

import pytest
from recorded import records

from ingest import catalog as hosts
from journal import domain, own_events
from journal.domain import DomainEvent, RecordDamaged, RecordUnrecognised, TurnContinued
from projections.catalog import PROJECTIONS

EVENTS: tuple[type, ...] = get_args(DomainEvent)
INTERNAL = {
    RecordDamaged: "the runner says it of lines that do not read; no decoder does, and no recording is damaged",
    RecordUnrecognised: "says that a decoder lags behind its host; a recording that had one would fail its own test",
}
"""Events that no recording may say, each with the reason."""
NOT_PROJECTED = {
    TurnContinued: "placement holds it against the next prompt of its session, which then is none",
}
"""Events that no projection handles, each with the reason."""

every_event = pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)


@pytest.fixture(scope="module")
def said() -> dict[type, int]:
    """Return how often the recordings of all hosts say each event."""
    counted = dict.fromkeys(EVENTS, 0)
    for host in hosts.MODULES:
        decode = hosts.adapter(host).decode
        for facts, record in records(host):
            for occurrence in decode(facts, record):
                for event in occurrence.events:
                    counted[type(event)] += 1
    return counted


@every_event
def test_an_event_is_frozen_and_says_what_it_is(event: type) -> None:
    """An event cannot be changed after it is made, has no hidden state, and is documented."""
    assert dataclasses.is_dataclass(event)
    parameters = getattr(event, "__dataclass_params__")  # noqa: B009  the typed stub does not know the attribute
    assert parameters.frozen
    assert "__dict__" not in dir(event)
    assert (event.__doc__ or "").endswith(".") or "\n" in (event.__doc__ or "")


@every_event
def test_an_event_is_said_by_a_recording(said: dict[type, int], event: type) -> None:
    """What no real transcript ever said is either needed for a stated reason or is dead."""
    assert (said[event] > 0) is (event not in INTERNAL)


@every_event
def test_an_event_is_projected(event: type) -> None:
    """What no view listens to is either used on the way for a stated reason or is lost."""
    handled = [projection.name for projection in PROJECTIONS if event in projection.handlers]
    assert bool(handled) is (event not in NOT_PROJECTED)


def test_every_event_class_is_a_domain_event() -> None:
    """No dataclass of the domain is left out of the union that decoders may yield."""
    declared = {value for module in (domain, own_events) for value in vars(module).values() if isinstance(value, type) and dataclasses.is_dataclass(value)}
    assert declared == set(EVENTS)
    assert len(EVENTS) == len(set(EVENTS))
