"""Moments as the log writes them, UTC with microseconds, without `datetime`: hooks and policies compute ages with these."""

import time

DAY_S = 86_400


def written(seconds: float) -> str:
    """Return the moment *seconds* after 1970 as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1e6):06d}Z"


def seconds_of(moment: str) -> float | None:
    """Return the seconds after 1970 of a moment as the log writes it; None for any other text."""
    try:
        year, month, day = int(moment[0:4]), int(moment[5:7]), int(moment[8:10])
        rest = int(moment[11:13]) * 3600 + int(moment[14:16]) * 60 + float(moment[17:].rstrip("Z") or 0)
    except ValueError:
        return None
    return _days(year, month, day) * DAY_S + rest


def age(seconds: float) -> str:
    """Return a span as people say it: `3 min`, `5 h`, `2 days`."""
    if seconds < 3600:
        return f"{max(0, int(seconds // 60))} min"
    if seconds < 2 * DAY_S:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // DAY_S)} days"


def _days(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01, by the count of days in the Gregorian calendar from March on."""
    year -= month <= 2
    era, of_era = year // 400, year % 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
