"""Secrets taken out of JSON, which stays JSON."""

import json
from typing import Any

from journal.redaction import redact

WORDS = ("passw", "secret", "api", "token")
"""One of them stands in every key by whose name the rules know a secret."""
MARK = "[redacted:assignment]"


def redacted(value: Any) -> Any:
    """Return *value* with every string in it redacted, also by the name that it stands under, so that what was JSON stays JSON."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(key): _named(key, item) for key, item in value.items()}
    return [redacted(item) for item in value] if isinstance(value, list) else value


def redacted_json(text: str) -> str:
    """Return *text* redacted; where a rule took more of its JSON than a string, as of a key without an end, string by string."""
    told = redact(text)
    if told != text and _is_json(text) and not _is_json(told):
        return json.dumps(redacted(json.loads(text)), ensure_ascii=False)
    return told


def _named(name: str, value: Any) -> Any:
    """Return the value of a key: a `password` is a secret whatever it looks like."""
    if not isinstance(value, str):
        return redacted(value)
    return MARK if any(word in name.lower() for word in WORDS) and MARK in redact(f'"{name}":"{value}"') else redact(value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
