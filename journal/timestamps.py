"""Times of the hosts in one form: UTC, microseconds, `Z`."""

from datetime import UTC, datetime

MILLISECONDS_FROM = 100_000_000_000
"""Numbers from here on are milliseconds since 1970: as seconds they would lie beyond the year 5000."""


def normalise(value: object) -> str | None:
    """Return *value* (ISO text, or seconds or milliseconds since 1970) as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, else None."""
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_text(text: str) -> str | None:
    try:
        parsed = datetime.fromisoformat(text)
        if len(text) == 24 and text[-1] == "Z" and text[19] == "." and text[10] == "T" and text[7] == "-":
            return f"{text[:23]}000Z"  # what nearly every record has
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=UTC)
        return _format(parsed.astimezone(UTC))
    except (OverflowError, ValueError):  # near the year 1 or 9999 another time zone's moment has no date in UTC
        return None


def _from_number(number: float) -> str | None:
    try:
        return _format(datetime.fromtimestamp(number / 1000 if number >= MILLISECONDS_FROM else number, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def _format(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
