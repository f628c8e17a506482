"""Fields of a record, read leniently: a value of another type counts as absent."""

import json

import orjson

from journal.domain import JsonObject


def text_of(value: object) -> str | None:
    """Return *value* if it is text."""
    return value if isinstance(value, str) else None


def number_of(value: object) -> int | None:
    """Return *value* if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def count_of(value: object) -> int:
    """Return *value* if it is a whole number from 0 on, else 0."""
    return max(0, number_of(value) or 0)


def object_of(value: object) -> JsonObject:
    """Return *value* if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def compact(value: object) -> str:
    """Return *value* as compact JSON; what is too deep or too large for the fast encoder goes through the slow one."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        return _compact_slowly(value)


def _compact_slowly(value: object) -> str:
    try:
        return json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
