"""The end of a transcript, read backwards within a bound: what a hook knows that the log has not seen yet."""

import os
from collections.abc import Callable, Iterator

from ingest.hooks import Measure
from journal import jsontext

Measures = Callable[[dict[str, object]], Measure | None]
Names = Callable[[dict[str, object]], str | None]
Words = Callable[[dict[str, object]], tuple[str, str] | None]
LONGEST_TAIL_BYTES = 256 * 1024


class Tail:
    """What the end of a file says."""

    __slots__ = ("is_enough", "measure", "size")

    def __init__(self, size: int, measure: Measure | None, *, is_enough: bool) -> None:
        self.size = size
        self.measure = measure
        self.is_enough = is_enough
        """Whether a measure was found or the whole file was seen."""


def size_of(path: str | None) -> int | None:
    """Return the size of a regular file; None for everything else."""
    try:
        status = os.stat(path) if path else None
    except (OSError, ValueError):
        return None
    return status.st_size if status and status.st_mode & 0o170000 == 0o100000 else None


def objects(path: str, *, longest: int) -> list[dict[str, object]]:
    """Return the JSON objects among the last lines of a file, newest first; none where it cannot be read."""
    try:
        _, lines, _ = _last_lines(path, longest)
    except OSError:
        return []
    return [record for line in reversed(lines) if (record := _object(line)) is not None]


def words(path: str, words_of: Words, *, most: int, since: int = 0, longest: int = LONGEST_TAIL_BYTES) -> list[tuple[str, str]]:
    """Return the last things said in a transcript after its first *since* bytes, newest first, as (`prompt` or `answer`, text) pairs.

    Raises: OSError.
    """
    found: list[tuple[str, str]] = []
    _, lines, _ = _last_lines(path, longest, since)
    for line in reversed(lines):
        record = _object(line)
        told = words_of(record) if record is not None else None
        if told is not None:
            found.append(told)
            if len(found) == most:
                break
    return found


def read(path: str, marks: tuple[bytes, ...], measure_of: Measures, *, longest: int = LONGEST_TAIL_BYTES) -> Tail:
    """Return the newest measure of the last *longest* bytes; a line that is no JSON object is passed over.

    Raises: OSError.
    """
    size, lines, is_whole = _last_lines(path, longest)
    found = next((found for record in _marked(lines, marks) if (found := measure_of(record)) is not None), None)
    return Tail(size, found, is_enough=is_whole or found is not None)


def newest(path: str, marks: tuple[bytes, ...], name_of: Names, *, longest: int = LONGEST_TAIL_BYTES) -> str | None:
    """Return the name of the newest record within the last *longest* bytes that has one.

    Raises: OSError.
    """
    _, lines, _ = _last_lines(path, longest)
    return next((found for record in _marked(lines, marks) if (found := name_of(record)) is not None), None)


def _marked(lines: list[bytes], marks: tuple[bytes, ...]) -> Iterator[dict[str, object]]:
    """Yield the objects of the lines that hold a mark, newest first."""
    for line in reversed(lines):
        if any(mark in line for mark in marks) and (record := _object(line)) is not None:
            yield record


def _last_lines(path: str, longest: int, since: int = 0) -> tuple[int, list[bytes], bool]:
    """Return a file's size, the lines within its last bytes, and whether these are all of it; *since* is where a line begins."""
    with open(path, "rb", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        start = max(since, size - longest)
        file.seek(start)
        data = file.read(longest) or b""
    lines = data.split(b"\n")
    return size, lines if start == since else lines[1:], start == 0


def _object(line: bytes) -> dict[str, object] | None:
    try:
        record = jsontext.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
