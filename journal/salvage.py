"""From the bytes of one line to the JSON objects in it, and the damage where it was not exactly one.

Pure, and never raises: a bad line stops nothing. orjson decides what is valid; `json` stands in for lone surrogates,
which orjson refuses and hosts write. Kinds of damage: `nul`, `bom`, `utf8`, `surrogate`, `nan`, `glued`, `torn`, `scalar`,
`array`, `depth`, `unreadable`; the runner adds `long` for a line that is too long to be decoded.
"""

import json
import re
from typing import Any, NamedTuple

import orjson

from journal.domain import JsonObject

BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"
MOST_STARTS = 64
"""How many places of a torn line are tried as the start of a whole object."""
SURROGATE = re.compile(r"[\ud800-\udfff]")
OBJECT_START = re.compile(r'\{\s*"')


class Salvaged(NamedTuple):
    """What one line holds."""

    values: tuple[JsonObject, ...]
    damage: str | None


def salvage(line: bytes) -> Salvaged:
    """Return the objects of *line* in order, and its damage or None."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            return _repair(line)
        except RecursionError:
            # What `json` could still read is too deep for cleaning, which takes two frames a level.
            return Salvaged((), "depth")
    if type(value) is dict:
        return Salvaged((value,), None)
    return Salvaged((), "array" if type(value) is list else "scalar")


def salvage_document(data: bytes) -> Salvaged:
    """Return a whole file as one record: its JSON object, or its text where it is none; a blank one says nothing."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return salvage(data)
    return Salvaged(({"text": data.decode("utf-8", "replace")},) if data.strip() else (), None)


def _repair(line: bytes) -> Salvaged:
    bare = line.strip(BLANK)
    if not bare:
        return Salvaged((), None)
    damage = None
    if bare.startswith(BOM):
        bare, damage = bare[len(BOM) :], "bom"
    if b"\0" in bare:
        bare, damage = bare.replace(b"\0", b"").strip(BLANK), "nul"
    try:
        text = bare.decode()
    except UnicodeDecodeError:
        text, damage = bare.decode(errors="replace"), "utf8"
    if not text:
        return Salvaged((), damage)
    return _parse(text, damage)


def _parse(text: str, damage: str | None) -> Salvaged:
    """Parse what is left after the bytes were cleaned."""
    constants: list[str] = []
    decoder = json.JSONDecoder(parse_constant=constants.append)
    try:
        value, end = decoder.raw_decode(text)
    except RecursionError:
        return Salvaged((), "depth")
    except ValueError:
        return _after_torn(text, decoder)
    if end < len(text):
        return _glued(text, decoder)
    if type(value) is not dict:
        return Salvaged((), "array" if type(value) is list else "scalar")
    cleaned = _clean(value)
    return Salvaged((cleaned,), damage or ("nan" if constants else None if cleaned == value else "surrogate"))


def _glued(text: str, decoder: json.JSONDecoder) -> Salvaged:
    """Read objects that stand on one line one after the other."""
    values: list[JsonObject] = []
    cursor = 0
    while cursor < len(text):
        try:
            value, cursor = decoder.raw_decode(text, cursor)
        except (ValueError, RecursionError):
            rest = _after_torn(text[cursor:], decoder)
            return Salvaged((*values, *rest.values), "glued" if values else "torn")
        if type(value) is dict:
            values.append(_clean(value))
        while cursor < len(text) and text[cursor] in " \t\r\n":
            cursor += 1
    return Salvaged(tuple(values), "glued")


def _after_torn(text: str, decoder: json.JSONDecoder) -> Salvaged:
    """Read what a torn line ends with."""
    found = _whole_end(text, decoder)
    return Salvaged((), "unreadable") if found is None else Salvaged((_clean(found[1]),), "torn")


def _whole_end(text: str, decoder: json.JSONDecoder) -> tuple[int, JsonObject] | None:
    """Find the first place from which the rest of a torn line reads as a whole object."""
    starts = [match.start() for match in OBJECT_START.finditer(text, 1)]
    chosen = starts if len(starts) <= MOST_STARTS else starts[: MOST_STARTS // 2] + starts[-MOST_STARTS // 2 :]
    for start in chosen:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if type(value) is dict and not text[end:].strip():
            return start, value
    return None


def skipped(line: bytes, damage: str) -> int:
    """Return how many bytes of a line with this damage are in no record that was read of it."""
    bare = line.strip(BLANK)
    if damage == "nul":
        return bare.count(b"\0")
    if damage == "bom":
        return len(BOM)
    if damage == "utf8":
        return len(bare) - len(bare.decode(errors="ignore").encode())
    if damage == "torn":
        text = bare.replace(b"\0", b"").decode(errors="replace")
        found = _whole_end(text, json.JSONDecoder())
        return len(text[: found[0]].encode()) if found else 0
    return len(bare) if damage in {"scalar", "array", "depth", "unreadable"} else 0


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which no UTF-8 text can hold, and what was no JSON number."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
