"""Zones: the offset from UTC at any moment, local days and hours in SQL, and points in time as people write them."""

import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from journal.errors import SettingInvalid

DAY_S = 86_400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = 0, 4_102_444_800
"""1970 and 2100: what lies outside has the offset of the nearer end."""
AGO = re.compile(r"(\d{1,5})([hdw])")
UNITS_S = {"h": 3600, "d": DAY_S, "w": 7 * DAY_S}
LINK = "/etc/localtime"


class Zone(NamedTuple):
    """A zone of time."""

    name: str
    offset_at: Callable[[int], int]
    """Seconds since 1970 to seconds east of UTC."""


class Offset(NamedTuple):
    """From one moment on, a zone is so far from UTC."""

    from_s: int
    offset_s: int


def zone(name: str | None, environ: Mapping[str, str]) -> Zone:
    """Return the named zone, or the system's own where *name* is None.

    Raises: SettingInvalid: there is no such zone.
    """
    if name is None:
        # The C library knows the local zone with its history, whether TZ or /etc/localtime says it.
        return Zone(_local_name(environ), lambda moment: time.localtime(moment).tm_gmtoff)
    import zoneinfo  # noqa: PLC0415  costs 2 ms, and only named zones need it

    try:
        found = zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingInvalid(f"--timezone {name}: no such zone", hint="write it like Europe/Berlin; where the system knows none: pip install tzdata") from error
    return Zone(name, lambda moment: _seconds(datetime.fromtimestamp(moment, found).utcoffset()))


def offsets(of: Zone, first: str | None, last: str | None) -> list[Offset]:
    """Return the offsets of a zone between two times of the log, each from its first second on."""
    start, end = _clamped(first), _clamped(last)
    found = [Offset(FIRST, of.offset_at(start))]
    moment = start
    while moment < end:
        until = min(moment + DAY_S, end)
        if of.offset_at(until) != found[-1].offset_s:
            change = _change(of, moment, until)
            found.append(Offset(change, of.offset_at(change)))
            until = change
        moment = until
    return found


def local_sql(column: str, known: list[Offset]) -> str:
    """Return the SQL of *column* (UTC text of the log) as local `YYYY-MM-DD HH:MM:SS`; fractions of a second are cut off."""
    return _by_offset(column, known, lambda offset_s: f"datetime(substr({column}, 1, 19), '{offset_s} seconds')")


def day_sql(column: str, known: list[Offset]) -> str:
    """Return the SQL of the local day of *column* as `YYYY-MM-DD`."""
    return _by_offset(column, known, lambda offset_s: f"date(substr({column}, 1, 19), '{offset_s} seconds')" if offset_s else f"substr({column}, 1, 10)")


def hour_sql(column: str, known: list[Offset]) -> str:
    """Return the SQL of the local hour of *column* with its offset, as `2026-01-25T10:00+05:45`."""
    return _by_offset(column, known, lambda offset_s: f"strftime('%Y-%m-%dT%H:00{written(offset_s)}', substr({column}, 1, 19), '{offset_s} seconds')")


def written(offset_s: int) -> str:
    """Return an offset as ISO 8601 writes it; seconds, which only history has, are cut off."""
    minutes = abs(offset_s) // 60
    return f"{'-' if offset_s < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def local(text: str, of: Zone) -> str:
    """Return a UTC time of the log as a zone's clocks show it, to the minute."""
    moment = datetime.fromisoformat(text)
    return (moment + timedelta(seconds=of.offset_at(_clamped(text)))).strftime("%Y-%m-%d %H:%M")


def moment_of(word: str, of: Zone, now_s: int, *, end: bool = False) -> str:
    """Return the UTC time that *word* means: a date, a time, `today`, `yesterday`, or `7d`, `24h`, `2w` ago, all in the zone.

    As an *end*, a day means the first moment after it.
    Raises: ValueError: it is none of them, or lies outside the years 1 to 9999.
    """
    try:
        return _moment(word, of, now_s, end=end)
    except OverflowError as error:
        raise ValueError(word) from error


def _moment(word: str, of: Zone, now_s: int, *, end: bool) -> str:
    ago = AGO.fullmatch(word)
    if ago:
        return _text(now_s - int(ago[1]) * UNITS_S[ago[2]])
    if word in {"today", "yesterday"}:
        today = (EPOCH + timedelta(seconds=now_s + of.offset_at(now_s))).date()
        day = today - timedelta(days=word == "yesterday")
    elif re.fullmatch(r"\d{4}-?\d\d-?\d\d", word):
        day = date.fromisoformat(word)
    else:
        moment = datetime.fromisoformat(word)
        return _text(int(moment.timestamp()) if moment.tzinfo else _utc(moment, of))
    return _text(_utc(datetime.combine(day + timedelta(days=end), datetime.min.time()), of))


def _by_offset(column: str, known: list[Offset], expression: Callable[[int], str]) -> str:
    """Return the SQL that is, at each *column*, the *expression* for the offset that held then."""
    cases = " ".join(f"WHEN {column} >= '{_text(change.from_s)}' THEN {expression(change.offset_s)}" for change in reversed(known[1:]))
    first = expression(known[0].offset_s)
    return f"CASE {cases} ELSE {first} END" if cases else first


def _local_name(environ: Mapping[str, str]) -> str:
    """Return a name for the system's zone."""
    named = environ.get("TZ", "").lstrip(":") or os.path.realpath(LINK).partition("zoneinfo/")[2]
    return named or time.tzname[0]


def _utc(local: datetime, of: Zone) -> int:
    """Return the first moment at which the clocks of a zone show *local* or, where they jump over it, later."""
    naive = int((local.replace(tzinfo=UTC) - EPOCH).total_seconds())
    early, late = naive - 26 * 3600, naive + 26 * 3600
    guesses = sorted(naive - offset for offset in {of.offset_at(max(FIRST, early)), of.offset_at(max(FIRST, late))})
    for guess in guesses:
        if guess + of.offset_at(guess) == naive:
            return guess
    return _change(of, guesses[0], guesses[-1])


def _change(of: Zone, low: int, high: int) -> int:
    """Return the first second after *low* that has not its offset; there is one up to *high*."""
    before = of.offset_at(low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if of.offset_at(middle) == before else (low, middle)
    return high


def _clamped(text: str | None) -> int:
    if text is None:
        return FIRST
    return min(max(int((datetime.fromisoformat(text) - EPOCH).total_seconds()), FIRST), LAST)


def _seconds(delta: timedelta | None) -> int:
    return int(delta.total_seconds()) if delta is not None else 0


def _text(moment: int) -> str:
    return (EPOCH + timedelta(seconds=moment)).isoformat(timespec="microseconds").replace("+00:00", "Z")
