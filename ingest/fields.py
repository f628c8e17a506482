"""Fields of a record, read leniently."""

import json

import orjson


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
