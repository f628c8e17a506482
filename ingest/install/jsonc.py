"""JSON with comments and trailing commas as a tree that knows where in the text everything stands.

Only reading: ingest/install/edit.py changes the text, so that what is not changed keeps its bytes. Why own code:
docs/adr/0033-jsonc-edits.md.
"""

import json
import re
from typing import Any, NamedTuple

from journal.errors import SettingInvalid

DEEPEST = 200
"""Settings files nest some five levels; beyond this the file is refused, before Python's own limit is near."""
LONGEST_NUMBER = 100
"""Digits that are worth a value; Python refuses to read some thousands of them, and no setting of ours is so long."""
SPACE = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
WORDS = {"true": True, "false": False, "null": None}


class Node(NamedTuple):
    """A value and where it stands: characters *start* up to, and without, *end*."""

    kind: str
    """`object`, `array` or `scalar`."""
    start: int
    end: int
    value: Any
    """Of a scalar."""
    members: "tuple[Member, ...]" = ()
    """Of an object, or the elements of an array, in the order of the text."""

    def get(self, key: str) -> "Node | None":
        """Return the value of *key*; of a repeated key the last one, which is what every host reads."""
        return next((member.node for member in reversed(self.members) if member.key == key), None)

    def text_of(self, key: str) -> str | None:
        """Return the value of *key* where it is a string."""
        node = self.get(key)
        return node.value if node is not None and isinstance(node.value, str) else None


class Member(NamedTuple):
    """One key and its value, or an element of an array, whose key is empty."""

    key: str
    start: int
    node: Node
    comma: int | None
    """Where the comma after it stands; only the last member may have none."""


class Place(NamedTuple):
    """Where a text cannot be read, counted from 1 as editors do."""

    line: int
    column: int


def place(text: str, at: int) -> Place:
    """Return the line and column of the character *at*."""
    return Place(text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1 - (1 if text.startswith("\ufeff") and "\n" not in text[:at] else 0))


def parse(text: str) -> Node | None:
    """Return the value of *text*, None where it holds nothing but space and comments.

    Raises: SettingInvalid: it is no JSON, even with comments and trailing commas; the message ends with line and column.
    """
    at = _space(text, 1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    end = _space(text, node.end)
    if end != len(text):
        raise wrong(text, end, "something follows the end of the object")
    return node


def wrong(text: str, at: int, what: str) -> SettingInvalid:
    """Return the error that says *what* is wrong at the character *at*."""
    line, column = place(text, at)
    return SettingInvalid(f"{what} (line {line}, column {column})", hint="correct the file; it was left as it is")


def _space(text: str, at: int) -> int:
    """Return where what is neither space nor comment goes on."""
    while found := SPACE.match(text, at):
        at = found.end()
    if text.startswith("/*", at):
        raise wrong(text, at, "a comment does not end")
    return at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise wrong(text, at, f"nested deeper than {DEEPEST} levels")
    first = text[at : at + 1]
    if first == "{":
        return _container(text, at, depth, "object", "}")
    if first == "[":
        return _container(text, at, depth, "array", "]")
    if first == '"':
        return Node("scalar", at, *_string(text, at))
    for word, value in WORDS.items():
        if text.startswith(word, at):
            return Node("scalar", at, at + len(word), value)
    found = NUMBER.match(text, at)
    if found is None:
        raise wrong(text, at, "a value is missing" if first in ",:]}" else f"{first!r} begins no value")
    return Node("scalar", at, found.end(), json.loads(found[0]) if len(found[0]) < LONGEST_NUMBER else None)


def _string(text: str, at: int) -> tuple[int, str]:
    found = STRING.match(text, at)
    if found is None:
        raise wrong(text, at, "a string does not end on its line, or holds an escape that JSON does not know")
    value: str = json.loads(found[0])
    return found.end(), value


def _container(text: str, start: int, depth: int, kind: str, close: str) -> Node:
    members: list[Member] = []
    at = _space(text, start + 1)
    while not text.startswith(close, at):
        if members and members[-1].comma is None:
            raise wrong(text, at, f"a comma or {close} is missing" if at < len(text) else f"the file ends before {close}")
        key, began = "", at
        if kind == "object":
            if not text.startswith('"', at):
                raise wrong(text, at, "a key in double quotes is missing" if at < len(text) else f"the file ends before {close}")
            at, key = _string(text, at)
            at = _space(text, at)
            if not text.startswith(":", at):
                raise wrong(text, at, "a colon is missing")
            at = _space(text, at + 1)
        if at == len(text):
            raise wrong(text, at, f"the file ends before {close}")
        node = _value(text, at, depth + 1)
        at = _space(text, node.end)
        comma = at if text.startswith(",", at) else None
        members.append(Member(key, began, node, comma))
        if comma is not None:
            at = _space(text, at + 1)
    return Node(kind, start, at + 1, None, tuple(members))
