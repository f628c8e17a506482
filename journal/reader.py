"""The reader of the log: events in order, exact bytes of a source, and where the log ends."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from journal.chain import GENESIS
from journal.domain import SourceFacts
from journal.segments import MERGED, container_of, damaged, hashes_of, unpack
from journal.shortening import LONGEST_WHOLE, shortened

CACHED_SEGMENTS = 4


class Head(NamedTuple):
    """The end of the log."""

    log_id: str
    position: int
    hash: bytes


class StoredEvent(NamedTuple):
    """One line of the log with its place."""

    global_position: int
    source_id: int
    generation: int
    offset_bytes: int
    length_bytes: int
    line: bytes


def head(connection: sqlite3.Connection) -> Head:
    """Return where the log ends."""
    log_id = connection.execute("SELECT value FROM log_meta WHERE key = 'log_id'").fetchone()[0]
    row = connection.execute("SELECT global_position, hash FROM events ORDER BY global_position DESC LIMIT 1").fetchone()
    return Head(log_id, *(row or (0, GENESIS)))


def hash_at(connection: sqlite3.Connection, position: int) -> bytes | None:
    """Return the chain's hash at *position*, or None where the log has no such event."""
    if position == 0:
        return GENESIS
    row = connection.execute("SELECT hash FROM events WHERE global_position = ?", (position,)).fetchone()
    return row[0] if row else None


def source_facts(connection: sqlite3.Connection) -> dict[int, SourceFacts]:
    """Return what decoders may know of each source."""
    rows = connection.execute("SELECT source_id, host, path, native_id, shape FROM sources")
    return {row[0]: SourceFacts(*row[1:]) for row in rows}


class SegmentCache:
    """The bytes of the last segments that were read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.kept: dict[int, tuple[int, bytes]] = {}

    def get(self, segment_id: int) -> tuple[int, bytes]:
        """Return the offset in its source and the bytes of a segment, or of the one that it was merged into."""
        found = self.kept.get(segment_id)
        if found is None:
            offset, codec, data = self.connection.execute(
                "SELECT offset_bytes, codec, data FROM segments WHERE segment_id = ?", (segment_id,)
            ).fetchone()
            found = self.get(container_of(data)) if codec == MERGED else (offset, segment_bytes(self.connection, codec, data))
            if len(self.kept) >= CACHED_SEGMENTS:
                del self.kept[next(iter(self.kept))]
            self.kept[segment_id] = found
        return found


def segment_bytes(connection: sqlite3.Connection, codec: str, data: bytes) -> bytes:
    """Return the bytes that a segment stands for."""
    if codec == "zstd":
        return unpack(data)
    pieces = []
    for part_hash in hashes_of(data):
        row = connection.execute("SELECT data FROM parts WHERE part_hash = ?", (part_hash,)).fetchone()
        if row is None:
            raise damaged("a part of a document is gone")
        pieces.append(unpack(row[0]))
    return b"".join(pieces)


PLACE = "global_position, source_id, generation, offset_bytes, length_bytes, segment_id"


def read_events(connection: sqlite3.Connection, after: int, limit: int, *, is_short: bool = False) -> list[StoredEvent]:
    """Return at most *limit* events behind the position *after*, with their bytes, in log order.

    Args: is_short: a line too long to be held comes shortened (journal/shortening.py), empty where that does not help.
    """
    rows = connection.execute(
        f"SELECT {PLACE} FROM events WHERE global_position > ? ORDER BY global_position LIMIT ?", (after, limit)
    ).fetchall()
    cache = SegmentCache(connection)
    return [_short(cache, *row) if is_short and row[4] > LONGEST_WHOLE else _stored(cache, *row) for row in rows]


def read_event(cache: SegmentCache, position: int) -> StoredEvent | None:
    """Return the event at *position* with its bytes, or None where the log has no such event."""
    row = cache.connection.execute(f"SELECT {PLACE} FROM events WHERE global_position = ?", (position,)).fetchone()
    return _stored(cache, *row) if row else None


def _stored(cache: SegmentCache, position: int, source_id: int, generation: int, offset: int, length: int, segment_id: int) -> StoredEvent:
    """Return an event with the bytes of its line."""
    start, data = cache.get(segment_id)
    line = data[offset - start : offset - start + length]
    if len(line) < length:
        line = b"".join([line, *_rest(cache.connection, source_id, generation, offset + len(line), length - len(line))])
    return StoredEvent(position, source_id, generation, offset, length, line)


def _short(cache: SegmentCache, position: int, source_id: int, generation: int, offset: int, length: int, segment_id: int) -> StoredEvent:
    """Return an event with what is decoded of its line; no segment of it is kept."""
    line = shortened(line_pieces(cache.connection, source_id, generation, offset, length, segment_id)) or b""
    return StoredEvent(position, source_id, generation, offset, length, line)


def line_pieces(connection: sqlite3.Connection, source_id: int, generation: int, offset: int, length: int, segment_id: int) -> Iterator[bytes]:
    """Yield the bytes of one line segment by segment, so that it is never held as a whole."""
    start, codec, data = connection.execute("SELECT offset_bytes, codec, data FROM segments WHERE segment_id = ?", (segment_id,)).fetchone()
    if codec == MERGED:
        start, data = SegmentCache(connection).get(segment_id)
    else:
        data = segment_bytes(connection, codec, data)
    first = data[offset - start :][:length]
    del data
    yield first
    if len(first) < length:
        yield from _rest(connection, source_id, generation, offset + len(first), length - len(first))


def _rest(connection: sqlite3.Connection, source_id: int, generation: int, offset: int, length: int) -> Iterator[bytes]:
    """Yield the end of a line that spans several segments, segment by segment: a line may be hundreds of megabytes."""
    rows = connection.execute(
        "SELECT codec, data FROM segments WHERE source_id = ? AND generation = ? AND offset_bytes >= ? AND codec <> ? ORDER BY offset_bytes",
        (source_id, generation, offset, MERGED),
    )
    for codec, data in rows:
        piece = segment_bytes(connection, codec, data)[:length]
        yield piece
        length -= len(piece)
        if length <= 0:
            return


def read_source(connection: sqlite3.Connection, source_id: int, generation: int) -> Iterator[bytes]:
    """Yield the bytes of one generation of a source, exactly as they were read, in order."""
    rows = connection.execute(
        "SELECT segment_id FROM segments WHERE source_id = ? AND generation = ? AND codec <> ? ORDER BY offset_bytes",
        (source_id, generation, MERGED),
    ).fetchall()
    for (segment_id,) in rows:
        codec, data = connection.execute("SELECT codec, data FROM segments WHERE segment_id = ?", (segment_id,)).fetchone()
        yield segment_bytes(connection, codec, data)
