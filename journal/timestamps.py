"""Times of the hosts in one form: UTC, microseconds, `Z`."""

from datetime import UTC, datetime

MILLISECONDS_FROM = 100_000_000_000
"""Numbers from here on are milliseconds since 1970: as seconds they would lie beyond the year 5000."""


def normalise(value: object) -> str | None:
    """Return *value* (ISO text, or seconds or milliseconds since 1970) as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, else None."""
    if isinstance(value, str):
        if len(value) == 24 and value[-1] == "Z" and value[19] == "." and value[10] == "T":
            return f"{value[:23]}000Z"
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_text(text: str) -> str | None:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=UTC)
    return _format(parsed.astimezone(UTC))


def _from_number(number: float) -> str | None:
    try:
        return _format(datetime.fromtimestamp(number / 1000 if number >= MILLISECONDS_FROM else number, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def _format(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
