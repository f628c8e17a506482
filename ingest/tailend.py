"""The end of a transcript, read backwards within a bound: what a hook knows that the log has not seen yet."""

import os
from collections.abc import Callable

from ingest.hooks import Measure
from journal import jsontext

Measures = Callable[[dict[str, object]], Measure | None]
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


def read(path: str, marks: tuple[bytes, ...], measure_of: Measures, *, longest: int = LONGEST_TAIL_BYTES) -> Tail:
    """Return the newest measure of the last *longest* bytes; a line that is no JSON object is passed over.

    Raises: OSError.
    """
    with open(path, "rb", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        start = max(0, size - longest)
        file.seek(start)
        data = file.read(longest) or b""
    lines = data.split(b"\n")
    for line in reversed(lines if start == 0 else lines[1:]):
        if any(mark in line for mark in marks):
            found = _measured(line, measure_of)
            if found is not None:
                return Tail(size, found, is_enough=True)
    return Tail(size, None, is_enough=start == 0)


def _measured(line: bytes, measure_of: Measures) -> Measure | None:
    try:
        record = jsontext.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return measure_of(record) if isinstance(record, dict) else None
