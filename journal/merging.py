"""Merging the small segments that tailing leaves: fewer frames and a better ratio, and not a byte or a hash changes.

The first of some neighbours takes the bytes of all. The others keep their rows, with offset, length and seed, and name
the first in place of their bytes: events still point to the segment that their salted hash was made with.
"""

import sqlite3
from typing import NamedTuple

from journal.log import Writer
from journal.reader import segment_bytes
from journal.segments import MERGED, SEGMENT_BYTES, pack, within

SMALL_BYTES = SEGMENT_BYTES // 2
DUE_AT = 64
"""So many small segments at the end of a source are worth a merge."""


class Held(NamedTuple):
    """A segment that holds bytes, and how many: those of the segments merged into it are among them."""

    segment_id: int
    offset: int
    length: int


def is_due(connection: sqlite3.Connection, source_id: int, generation: int) -> bool:
    """Tell whether a source ends in so many small segments that a merge is worth it; looks at no more than those."""
    last = connection.execute(
        "SELECT codec, length_bytes FROM segments WHERE source_id = ? AND generation = ? ORDER BY offset_bytes DESC LIMIT ?",
        (source_id, generation, DUE_AT),
    ).fetchall()
    return len(last) == DUE_AT and all(codec == "zstd" and length <= SMALL_BYTES for codec, length in last)


def merge_source(writer: Writer, source_id: int, generation: int) -> int:
    """Merge the small neighbours of one generation of a source and return how many segments gave their bytes away.

    The caller holds the writer lock; one transaction for all.
    """
    runs = _runs(held(writer.connection, source_id, generation))
    if runs:
        with writer.transaction():
            for run in runs:
                _merge(writer.connection, source_id, generation, run)
    return sum(len(run) - 1 for run in runs)


def _runs(holders: list[Held]) -> list[list[Held]]:
    """Return the runs of small neighbours, each at most a segment in all."""
    runs: list[list[Held]] = []
    run: list[Held] = []
    size = 0
    for segment in holders:
        if segment.length > SMALL_BYTES or size + segment.length > SEGMENT_BYTES:
            runs.append(run)
            run, size = [], 0
        if segment.length <= SMALL_BYTES:
            run.append(segment)
            size += segment.length
    return [run for run in [*runs, run] if len(run) > 1]


def held(connection: sqlite3.Connection, source_id: int, generation: int) -> list[Held]:
    """Return the segments that hold bytes, in order; a merged one stands behind the one that holds its bytes."""
    holders: list[Held] = []
    for segment_id, offset, length, codec in connection.execute(
        "SELECT segment_id, offset_bytes, length_bytes, codec FROM segments WHERE source_id = ? AND generation = ? AND codec <> 'parts'"
        " ORDER BY offset_bytes",
        (source_id, generation),
    ):
        if codec == MERGED:
            holders[-1] = holders[-1]._replace(length=holders[-1].length + length)
        else:
            holders.append(Held(segment_id, offset, length))
    return holders


def _merge(connection: sqlite3.Connection, source_id: int, generation: int, run: list[Held]) -> None:
    """Give the first segment of *run* the bytes of all; the others, and those merged into them, name the first."""
    first, end = run[0], run[-1].offset + run[-1].length
    data = b"".join(_bytes(connection, segment.segment_id) for segment in run)
    connection.execute(
        "UPDATE segments SET codec = ?, data = ? WHERE source_id = ? AND generation = ? AND offset_bytes > ? AND offset_bytes < ?",
        (MERGED, within(first.segment_id), source_id, generation, first.offset, end),
    )
    connection.execute("UPDATE segments SET data = ? WHERE segment_id = ?", (pack(data), first.segment_id))


def _bytes(connection: sqlite3.Connection, segment_id: int) -> bytes:
    codec, data = connection.execute("SELECT codec, data FROM segments WHERE segment_id = ?", (segment_id,)).fetchone()
    return segment_bytes(connection, codec, data)
