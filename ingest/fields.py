"""Fields of a record, read leniently: a value of another type counts as absent."""

import json

import orjson

from journal.domain import JsonObject

LARGEST_NUMBER = 2**53
LARGEST_COUNT = 10**12
"""A count above is no count: the views add counts up, and a sum above 2**63 is an error of SQLite."""
MOST_DIGITS = 15
HASH_DIGITS = 16
"""Enough to tell the images of one journal apart."""


def text_of(value: object) -> str | None:
    """Return *value* if it is text."""
    return value if isinstance(value, str) else None


def number_of(value: object) -> int | None:
    """Return *value* if it is a whole number that JSON can tell exactly, and so one that SQLite can hold."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER else None


def number_in(digits: str) -> int | None:
    """Return the whole number that *digits* write, sign included, or None when it is none or an absurd one."""
    bare = digits.removeprefix("-")
    return int(digits) if bare.isascii() and bare.isdigit() and len(bare) <= MOST_DIGITS else None


def count_of(value: object) -> int:
    """Return *value* if it is a whole number from 0 on, not absurdly large, else 0."""
    count = number_of(value) or 0
    return count if 0 <= count <= LARGEST_COUNT else 0


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


def part_of(part: JsonObject) -> str:
    """Return the text of one part of an output; an image or a file leaves a mark with its size and the start of its hash."""
    if "text" in part:
        return str(part["text"])
    kind, source, url = part.get("type"), object_of(part.get("source")), text_of(part.get("image_url")) or ""
    encoded = text_of(source.get("data")) or (url.partition(";base64,")[2] if url.startswith("data:") else "")
    return f"[{kind} {_identity(encoded)}]" if encoded else f"[{kind}]"


def _identity(encoded: str) -> str:
    """Return the size and hash of what *encoded* holds in base64, or of the letters themselves where they are none."""
    import binascii  # noqa: PLC0415  records with images are rare, and hooks read records too
    import hashlib  # noqa: PLC0415

    try:
        data = binascii.a2b_base64(encoded)
    except ValueError:
        data = encoded.encode("utf-8", "replace")
    return f"{len(data)} bytes sha256 {hashlib.sha256(data).hexdigest()[:HASH_DIGITS]}"


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts in a list, and none where it is no list."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
