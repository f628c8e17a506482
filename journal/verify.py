"""Proof that the log is what was written: the hash chain, and each source's bytes against its file."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import zstandard

from journal.chain import GENESIS, content_hash, content_hash_of, event_hash
from journal.log import SourceRow
from journal.reader import StoredEvent, line_pieces, read_events
from journal.shortening import LONGEST_WHOLE
from journal.tombstones import as_in_file, can_forget

BATCH = 1000
FILE_BUFFER_BYTES = 1024 * 1024


class ChainReport(NamedTuple):
    """Whether every event still has the hash that its bytes, its place and the event before it give."""

    ok: bool
    first_bad_position: int | None


class SourceReport(NamedTuple):
    """How the bytes of a file stand to those in the log."""

    file_bytes: int
    log_bytes: int
    first_difference: int | None
    """The first offset at which both have a byte and differ; None where one is a prefix of the other."""


def check_chain(connection: sqlite3.Connection, start: int = 0, *, progress: Callable[[int, int], None] | None = None) -> ChainReport:
    """Recompute the hash of every event behind the position *start* and return where the first one differs or cannot be read.

    *progress* is told the position reached and the bytes read since it was last told.
    """
    before, segment, index = _place_in_chain(connection, start)
    after = start
    kept_hashes = "kept_hashes" if can_forget(connection) else "(SELECT 0 AS global_position, NULL AS content_hash, NULL AS own_hash)"
    while True:
        rows = connection.execute(
            "SELECT e.global_position, e.segment_id, s.seed, e.hash, k.own_hash, k.content_hash, e.type, e.occurred_at, e.recorded_at, e.damage"
            f" FROM events AS e LEFT JOIN segments AS s USING (segment_id) LEFT JOIN {kept_hashes} AS k USING (global_position)"
            " WHERE e.global_position > ? ORDER BY e.global_position LIMIT ?",
            (after, BATCH),
        ).fetchall()
        if not rows:
            return ChainReport(True, None)
        lost = next((row[0] for row in rows if row[2] is None), None)
        if lost is not None:
            return ChainReport(False, lost)
        try:
            events = read_events(connection, after, len(rows), is_short=True)
        except (zstandard.ZstdError, TypeError):
            # Packed bytes that do not unpack, or a part that is gone (its row is None).
            return ChainReport(False, _first_unreadable(connection, [row[0] for row in rows]))
        for (position, segment_id, seed, stored, own, kept, *told), event in zip(rows, events, strict=True):
            index = index + 1 if segment_id == segment else 0
            segment = segment_id
            place = (event.source_id, event.generation, event.offset_bytes, event.length_bytes)
            content, read = _content(connection, event, seed, index, segment_id)
            if own is None:
                before = event_hash(before, place, tuple(told), content)
            else:
                # Something in its segment was forgotten: the line stands by its own hash, the chain by the one it was made with.
                before = stored if kept is None else event_hash(before, place, tuple(told), kept)
            is_whole = own in (None, content) and position == event.global_position and read == event.length_bytes
            if before != stored or not is_whole:
                return ChainReport(False, position)
        after = rows[-1][0]
        if progress is not None:
            progress(after, sum(event.length_bytes for event in events))


def _content(connection: sqlite3.Connection, event: StoredEvent, seed: bytes, index: int, segment_id: int) -> tuple[bytes, int]:
    """Return the hash of a line's bytes and how many there are; a long line is read again in pieces."""
    if event.length_bytes <= LONGEST_WHOLE:
        return content_hash(seed, index, event.line), len(event.line)
    read = 0

    def counted() -> Iterator[bytes]:
        nonlocal read
        for piece in line_pieces(connection, event.source_id, event.generation, event.offset_bytes, event.length_bytes, segment_id):
            read += len(piece)
            yield piece

    content = content_hash_of(seed, index, counted())
    return content, read


def _place_in_chain(connection: sqlite3.Connection, position: int) -> tuple[bytes, int, int]:
    """Return the hash at *position*, the segment there and the event's place in it; those of an empty log before the first event."""
    row = connection.execute("SELECT hash, segment_id FROM events WHERE global_position = ?", (position,)).fetchone()
    if row is None:
        return GENESIS, 0, 0
    before = connection.execute(
        "SELECT global_position FROM events WHERE global_position < ? AND segment_id <> ? ORDER BY global_position DESC LIMIT 1", (position, row[1])
    ).fetchone()
    index = connection.execute(
        "SELECT count(*) FROM events WHERE global_position > ? AND global_position <= ?", (before[0] if before else 0, position)
    ).fetchone()[0]
    return row[0], row[1], index - 1


def _first_unreadable(connection: sqlite3.Connection, positions: list[int]) -> int:
    for position in positions:
        try:
            read_events(connection, position - 1, 1)
        except (zstandard.ZstdError, TypeError):
            return position
    return positions[0]


def compare_source(connection: sqlite3.Connection, source: SourceRow, stream: BinaryIO) -> SourceReport:
    """Compare *stream*, the file's decompressed bytes, with the current generation in the log.

    What was forgotten is no difference where the file still holds it.
    A file that goes on after what the log has is no difference: its last line may be unfinished.
    """
    file_bytes = log_bytes = 0
    difference: int | None = None
    for piece in as_in_file(connection, source.source_id, source.generation, stream):
        seen = stream.read(len(piece))
        if difference is None and piece[: len(seen)] != seen:
            difference = log_bytes + next(i for i, (a, b) in enumerate(zip(piece, seen, strict=False)) if a != b)
        log_bytes += len(piece)
        file_bytes += len(seen)
    while more := stream.read(FILE_BUFFER_BYTES):
        file_bytes += len(more)
    return SourceReport(file_bytes, log_bytes, difference)
