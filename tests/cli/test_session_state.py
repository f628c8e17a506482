"""Whether a session is open, ended or killed, judged against a given moment."""

from datetime import UTC, datetime

import pytest

from cli.reading import state_of

LAST = "2026-11-30T21:00:00.000000Z"


@pytest.mark.parametrize(("end_reason", "is_turn_open", "last_at", "minute", "state"), [
    ("exit", True, LAST, 1, "ended"),  # an end on disk settles it, at once and whatever stands before it
    (None, True, LAST, 29, "open"),
    (None, False, LAST, 29, "open"),
    (None, True, LAST, 31, "killed"),  # it broke off inside a turn
    (None, False, LAST, 31, "ended"),  # hosts that write no end: the last turn came to its own
    (None, False, None, 31, "empty"),
])  # fmt: skip
def test_the_state_of_a_session(end_reason: str | None, is_turn_open: bool, last_at: str | None, minute: int, state: str) -> None:
    """Half an hour after its last record a session without an end is killed if its last turn is open, else ended."""
    moment = datetime(2026, 11, 30, 21 + minute // 60, minute % 60, tzinfo=UTC)
    assert state_of(end_reason, is_turn_open, last_at, moment) == state
