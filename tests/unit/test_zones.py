"""Zones: offsets over time, local days in SQL, and points in time as people write them."""

import sqlite3
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journal.zones import Offset, day_sql, hour_sql, local, local_sql, moment_of, offsets, zone

NOW = int(datetime(2026, 3, 8, 5, 30, tzinfo=UTC).timestamp())
"""21:30 on the 7th in Los Angeles, 11:15 on the 8th in Kathmandu."""
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "America/Sao_Paulo")


@pytest.mark.parametrize(("name", "word", "end", "expected"), [
    ("America/Los_Angeles", "today", False, "2026-03-07T08:00:00.000000Z"),
    ("Asia/Kathmandu", "today", False, "2026-03-07T18:15:00.000000Z"),
    ("Asia/Kathmandu", "yesterday", True, "2026-03-07T18:15:00.000000Z"),
    ("America/Los_Angeles", "2026-03-08", True, "2026-03-09T07:00:00.000000Z"),
    ("America/Los_Angeles", "20261101", True, "2026-11-02T08:00:00.000000Z"),
    ("America/Los_Angeles", "2026-11-01T01:30", False, "2026-11-01T08:30:00.000000Z"),
    ("America/Los_Angeles", "2026-03-08T02:30", False, "2026-03-08T10:00:00.000000Z"),
    ("America/Sao_Paulo", "2017-10-15", False, "2017-10-15T03:00:00.000000Z"),
    ("Asia/Kathmandu", "2026-01-25T04:08Z", False, "2026-01-25T04:08:00.000000Z"),
    ("UTC", "24h", False, "2026-03-07T05:30:00.000000Z"),
    ("UTC", "2w", False, "2026-02-22T05:30:00.000000Z"),
])  # fmt: skip
def test_points_in_time(name: str, word: str, end: bool, expected: str) -> None:
    """Days begin by the zone's own clocks: also where midnight is jumped over, where an hour comes twice or not at all."""
    assert moment_of(word, zone(name, {}), NOW, end=end) == expected


@pytest.mark.parametrize("word", ["", "soon", "7", "7y", "2026-13-01", "9999-12-31T23:00-23:00"])
def test_what_is_no_point_in_time(word: str) -> None:
    """It raises ValueError, whatever is wrong."""
    with pytest.raises(ValueError):
        moment_of(word, zone("UTC", {}), NOW)


def test_offsets_change_at_the_second() -> None:
    """Los Angeles in 2026 goes to summer time at 10:00Z on 8 March and back at 09:00Z on 1 November."""
    found = offsets(zone("America/Los_Angeles", {}), "2026-01-01T00:00:00.000000Z", "2026-12-31T00:00:00.000000Z")
    assert found == [Offset(0, -28800), Offset(1772964000, -25200), Offset(1793523600, -28800)]


def test_times_far_outside_do_not_take_for_ever() -> None:
    """The years 1 and 9999 have the offsets of 1970 and 2100, so that some 48,000 days are looked at."""
    asked: list[int] = []
    berlin = zone("Europe/Berlin", {})
    counted = berlin._replace(offset_at=lambda moment: asked.append(moment) or berlin.offset_at(moment))  # type: ignore[func-returns-value]
    assert len(offsets(counted, "0001-01-01T00:00:00.000000Z", "9999-12-31T00:00:00.000000Z")) == 241
    assert len(asked) < 60_000


@given(st.sampled_from(ZONES), st.lists(st.integers(946_684_800, 1_900_000_000), min_size=1, max_size=5))
def test_sql_says_what_zoneinfo_says(name: str, moments: list[int]) -> None:
    """Local time, day and hour that SQLite computes are those of the zone, at any moment from 2000 to 2030."""
    texts = [datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.999999Z") for moment in moments]
    known = offsets(zone(name, {}), min(texts), max(texts))
    for moment, text in zip(moments, texts, strict=True):
        there = datetime.fromtimestamp(moment, ZoneInfo(name))
        expressions = ", ".join(sql("t", known) for sql in (local_sql, day_sql, hour_sql))
        row = sqlite3.connect(":memory:").execute(f"SELECT {expressions} FROM (SELECT ? AS t)", (text,)).fetchone()
        assert row == (there.strftime("%Y-%m-%d %H:%M:%S"), str(there.date()), there.strftime("%Y-%m-%dT%H:00") + there.isoformat()[19:])
        assert local(text, zone(name, {})) == there.strftime("%Y-%m-%d %H:%M")
