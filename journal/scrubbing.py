"""Scrubbing events: bytes and salt go, place and chain stay.

The bytes of a line become spaces of the same length, so that its neighbours stay where they are. The salt of its segment
is drawn anew, and the hashes that the chain was made with are kept for every event of the segment: a hash without its salt
tells nothing of the bytes. What stands there now is held by hashes of its own (`kept_hashes.own_hash`).
"""

import os
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

from journal.chain import content_hash
from journal.log import SEED_BYTES
from journal.merging import Held, held
from journal.reader import StoredEvent, read_events, segment_bytes
from journal.segments import hashes_of, pack, part_hash, split_document
from journal.tombstones import Keys, blank

TRIGGER = "events_are_never_updated"
Judge = Callable[[bytes], bool]


class Chosen(NamedTuple):
    """An event that is to be scrubbed."""

    position: int
    source_id: int
    generation: int
    offset: int
    length: int
    segment_id: int
    is_document: bool


def without(data: bytes, is_forgotten: Judge) -> bytes:
    """Return a document without the elements of its list that *is_forgotten* says, or blank where that is not enough.

    A forgotten element becomes `null`, padded to its length.
    """
    parts = split_document(data)
    frame = b"".join(parts[0::2])
    parts[1::2] = [_no_element(len(part)) if is_forgotten(part) else part for part in parts[1::2]]
    left = b"".join(parts)
    # The frame's pieces, and what stands across elements, are judged as well.
    return blank(data) if is_forgotten(frame) or is_forgotten(left) else left


def _no_element(length: int) -> bytes:
    return (b"null" if length >= len(b"null") else b"0").ljust(length)


def scrub(connection: sqlite3.Connection, keys: Keys, chosen: Iterable[Chosen], rewrite: Callable[[int, bytes], bytes]) -> int:
    """Scrub events and set their tombstones, inside the caller's transaction; return how many bytes went.

    Args: rewrite: the position and the bytes of a document to what is left of it, of the same length.
    An event that was scrubbed in part already keeps the key of what its file holds.
    """
    size = 0
    for (source_id, generation), group in groupby(sorted(chosen, key=lambda one: one[1:4]), key=lambda one: one[1:3]):
        ones = list(group)
        positions, segments = {one.position for one in ones}, sorted({one.segment_id for one in ones})
        for segment_id in segments:
            for event in _keep_hashes(connection, segment_id):
                if event.global_position in positions:
                    connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (event.global_position, keys.line(event.line)))
        size += _blank_lines(connection, source_id, generation, [one for one in ones if not one.is_document])
        for one in ones:
            if one.is_document:
                size += _rewrite_document(connection, one, rewrite)
        for segment_id in segments:
            _salt_anew(connection, segment_id)
    _drop_orphans(connection)
    return size


def events_of(connection: sqlite3.Connection, segment_id: int) -> list[StoredEvent]:
    """Return the events of a segment, which stand one after the other."""
    first, count = connection.execute("SELECT min(global_position), count(*) FROM events WHERE segment_id = ?", (segment_id,)).fetchone()
    return read_events(connection, first - 1, count) if count else []


def _keep_hashes(connection: sqlite3.Connection, segment_id: int) -> list[StoredEvent]:
    """Keep what the chain was made with, before the salt goes, and return the events; what an earlier scrub kept stays."""
    seed = connection.execute("SELECT seed FROM segments WHERE segment_id = ?", (segment_id,)).fetchone()[0]
    events = events_of(connection, segment_id)
    connection.executemany(
        "INSERT OR IGNORE INTO kept_hashes VALUES (?, ?, x'')",
        [(event.global_position, content_hash(seed, index, event.line)) for index, event in enumerate(events)],
    )
    return events


def _salt_anew(connection: sqlite3.Connection, segment_id: int) -> None:
    seed = os.urandom(SEED_BYTES)
    connection.execute("UPDATE segments SET seed = ? WHERE segment_id = ?", (seed, segment_id))
    connection.executemany(
        "UPDATE kept_hashes SET own_hash = ? WHERE global_position = ?",
        [(content_hash(seed, index, event.line), event.global_position) for index, event in enumerate(events_of(connection, segment_id))],
    )


def _blank_lines(connection: sqlite3.Connection, source_id: int, generation: int, ones: list[Chosen]) -> int:
    """Blank lines in the segments that hold their bytes, of which a long line has several; return how many bytes changed."""
    if not ones:
        return 0
    holders, size = held(connection, source_id, generation), 0
    starts = [holder.offset for holder in holders]
    wanted: dict[Held, list[Chosen]] = {}
    for one in ones:
        index = bisect_right(starts, one.offset) - 1
        while index < len(holders) and holders[index].offset < one.offset + one.length:
            wanted.setdefault(holders[index], []).append(one)
            index += 1
    for holder, inside in wanted.items():
        codec, packed = connection.execute("SELECT codec, data FROM segments WHERE segment_id = ?", (holder.segment_id,)).fetchone()
        data = bytearray(segment_bytes(connection, codec, packed))
        for one in inside:
            start, end = max(one.offset - holder.offset, 0), one.offset + one.length - holder.offset
            piece = bytes(data[start:end])
            data[start:end] = blank(piece)
            size += len(piece.rstrip(b"\r\n"))
        connection.execute("UPDATE segments SET data = ? WHERE segment_id = ?", (pack(bytes(data)), holder.segment_id))
    return size


def _rewrite_document(connection: sqlite3.Connection, one: Chosen, rewrite: Callable[[int, bytes], bytes]) -> int:
    codec, listing = connection.execute("SELECT codec, data FROM segments WHERE segment_id = ?", (one.segment_id,)).fetchone()
    before = segment_bytes(connection, codec, listing)
    left = rewrite(one.position, before)
    parts = split_document(left)
    connection.executemany("INSERT OR IGNORE INTO parts VALUES (?, ?)", [(part_hash(part), pack(part)) for part in parts])
    connection.execute("UPDATE segments SET data = ? WHERE segment_id = ?", (pack(b"".join(map(part_hash, parts))), one.segment_id))
    return sum(a != b for a, b in zip(before, left, strict=True))


def _drop_orphans(connection: sqlite3.Connection) -> None:
    """Delete the parts that no document lists any more."""
    used = {part for (listing,) in connection.execute("SELECT data FROM segments WHERE codec = 'parts'") for part in hashes_of(listing)}
    gone = [row for row in connection.execute("SELECT part_hash FROM parts") if row[0] not in used]
    connection.executemany("DELETE FROM parts WHERE part_hash = ?", gone)


def forget_types(connection: sqlite3.Connection, found: list[tuple[int, str]]) -> None:
    """Replace the type of events whose type itself tells what is forgotten, given as (position, type instead).

    The type is part of the chain: the hash of such an event can no longer be made again, and is taken as it stands.
    """
    if not found:
        return
    text = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (TRIGGER,)).fetchone()[0]
    connection.execute(f"DROP TRIGGER {TRIGGER}")
    connection.executemany("UPDATE events SET type = ? WHERE global_position = ?", [(type, position) for position, type in found])
    connection.execute(text)
    connection.executemany("UPDATE kept_hashes SET content_hash = NULL WHERE global_position = ?", [(position,) for position, _ in found])
