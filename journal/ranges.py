"""Lines of a file as a handoff's anchors see them: without their ends, so that CRLF and LF are the same. Pure."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

CONTEXT_LINES = 3
LONGEST_TEXT = 600
"""So many characters of a range are kept to show what changed."""


class Shape(NamedTuple):
    """What is kept of a range of lines, enough to find it again."""

    hash: str
    first: str
    """Hash of the first line."""
    before: tuple[str, ...]
    """Hashes of up to three lines above, the nearest last."""
    after: tuple[str, ...]
    """Hashes of up to three lines below."""
    text: str
    """The beginning of the range, at most 600 characters."""


def lines_of(data: bytes) -> list[str]:
    """Return the lines of a file without their ends."""
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "replace").split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def hash_of(lines: Sequence[str]) -> str:
    """Return the hash of lines: the first 16 hex digits of a SHA-256."""
    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


def shape_of(lines: Sequence[str], start: int, end: int) -> Shape:
    """Return the shape of the lines *start* to *end*, counted from 1."""
    inside = lines[start - 1 : end]
    return Shape(
        hash_of(inside), hash_of(inside[:1]), tuple(hash_of([line]) for line in lines[max(0, start - 1 - CONTEXT_LINES) : start - 1]),
        tuple(hash_of([line]) for line in lines[end : end + CONTEXT_LINES]), "\n".join(inside)[:LONGEST_TEXT],
    )  # fmt: skip


def starts_of(lines: Sequence[str]) -> dict[str, list[int]]:
    """Return the hash of a line to the places, from 0, at which it stands."""
    found: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        found.setdefault(hash_of([line]), []).append(at)
    return found


def places_of(lines: Sequence[str], starts: Mapping[str, Sequence[int]], shape: Shape, length: int) -> list[int]:
    """Return the first lines, from 1, of every range of *length* lines with the same content, the likeliest first.

    *starts* are those of the lines; likelier is what has more of the same lines around it.
    """
    found = [at + 1 for at in starts.get(shape.first, ()) if at + length <= len(lines) and hash_of(lines[at : at + length]) == shape.hash]
    return sorted(found, key=lambda start: -_alike(lines, shape, start, start + length - 1)) if len(found) > 1 else found


def _alike(lines: Sequence[str], shape: Shape, start: int, end: int) -> int:
    here = shape_of(lines, start, end)
    above = sum(a == b for a, b in zip(reversed(here.before), reversed(shape.before), strict=False))
    return above + sum(a == b for a, b in zip(here.after, shape.after, strict=False))
