"""The writer of the log: sources, lines, documents and offsets, always inside one transaction."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from journal.chain import GENESIS, content_hash, content_hash_of, event_hash
from journal.database import as_log_error
from journal.segments import LONGEST_SEGMENT_BYTES, SEGMENT_BYTES, pack, part_hash, split_document

SEED_BYTES = 16
GROUP_ROWS = 1000
"""A group commits at so many rows or pages: readers and the WAL would feel much longer ones."""
PAGE_BYTES = 4096


class Line(NamedTuple):
    """One physical line that is about to be appended."""

    length: int
    type: str
    occurred_at: str | None
    damage: str | None


class SourceRow(NamedTuple):
    """A source as the log knows it."""

    source_id: int
    host: str
    native_id: str
    path: str
    shape: str
    generation: int
    state: str
    dev: int | None
    inode: int | None
    size: int | None
    mtime_ns: int | None
    ctime_ns: int | None


class OffsetRow(NamedTuple):
    """How far a source was consumed, and hashes of what was consumed."""

    generation: int
    offset_bytes: int
    head_hash: bytes
    tail_hash: bytes
    windows_hash: bytes


def sources(connection: sqlite3.Connection, hosts: Iterable[str] | None = None) -> list[SourceRow]:
    """Return all sources, or those of some hosts, in the order of their registration."""
    wanted = None if hosts is None else json.dumps(sorted(set(hosts)))
    where = "?1 IS NULL OR host IN (SELECT value FROM json_each(?1))"
    rows = connection.execute(f"SELECT {', '.join(SourceRow._fields)} FROM sources WHERE {where} ORDER BY source_id", (wanted,))
    return list(map(SourceRow._make, rows))


def offset_of(connection: sqlite3.Connection, source_id: int) -> OffsetRow | None:
    """Return how far a source was consumed, or None when nothing was."""
    row = connection.execute(
        "SELECT generation, offset_bytes, head_hash, tail_hash, windows_hash FROM offsets WHERE source_id = ?", (source_id,)
    ).fetchone()
    return OffsetRow(*row) if row else None


class Writer:
    """Appends to the log; the caller holds the writer lock."""

    def __init__(self, connection: sqlite3.Connection, now: Callable[[], str]) -> None:
        self.connection = connection
        self.now = now
        row = connection.execute("SELECT hash FROM events ORDER BY global_position DESC LIMIT 1").fetchone()
        self.last_hash: bytes = row[0] if row else GENESIS
        self._is_grouping = False
        self._waiting = 0
        """Rows and pages of finished steps that wait for their group's commit."""
        self._committed_hash = self.last_hash

    @contextmanager
    def group(self) -> Iterator[None]:
        """Commit the transactions of the block some together, each still whole or not at all.

        What is finished is committed at the end, also when the block fails; a crash before loses it, and it is read again.
        """
        self._is_grouping = True
        try:
            yield
        finally:
            self._is_grouping = False
            self._commit()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what the block appends, or nothing of it.

        Raises: LogFull: the disk is full. LogBusy, LogCorrupt.
        """
        before, is_done = self.last_hash, False
        execute = self.connection.execute
        try:
            if not self.connection.in_transaction:
                execute("BEGIN IMMEDIATE")
            execute("SAVEPOINT step")
            yield
            execute("RELEASE step")
            is_done = True
        except sqlite3.DatabaseError as error:
            raise as_log_error(error, "the log") from error
        finally:
            if not is_done:
                self._undo(before)
                if not self._is_grouping:
                    self._commit()
        self._waiting += 1
        if not self._is_grouping or self._waiting >= GROUP_ROWS:
            self._commit()

    def _undo(self, before: bytes) -> None:
        """Take back one step; where SQLite gives up the whole transaction, all that was not committed is gone."""
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO step")
                self.connection.execute("RELEASE step")
                self.last_hash = before
                return
        except sqlite3.DatabaseError:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        self.last_hash = self._committed_hash
        self._waiting = 0

    def _commit(self) -> None:
        if not self.connection.in_transaction:
            return
        try:
            self.connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.last_hash = self._committed_hash
            raise as_log_error(error, "the log") from error
        finally:
            self._waiting = 0
        self._committed_hash = self.last_hash

    def register(self, host: str, native_id: str, path: str, shape: str) -> int:
        """Return the id of the source, added where it is new."""
        now = self.now()
        cursor = self.connection.execute(
            "INSERT INTO sources (host, machine, native_id, path, shape, first_seen_at, changed_at)"
            " VALUES (?, (SELECT value FROM log_meta WHERE key = 'machine'), ?, ?, ?, ?, ?) RETURNING source_id",
            (host, native_id, path, shape, now, now),
        )
        return int(cursor.fetchone()[0])

    def update_source(self, source_id: int, **columns: object) -> None:
        """Set *columns* of a source; names come from this program, never from input."""
        columns["changed_at"] = self.now()
        names = ", ".join(f"{name} = ?" for name in columns)
        self.connection.execute(f"UPDATE sources SET {names} WHERE source_id = ?", (*columns.values(), source_id))

    def save_offset(self, source_id: int, row: OffsetRow) -> None:
        """Set how far a source was consumed."""
        self.connection.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?, ?, ?, ?, ?)", (source_id, *row))

    def append_lines(self, source_id: int, generation: int, offset: int, data: bytes, lines: list[Line]) -> None:
        """Append consecutive whole lines; *data* is their concatenation and begins at *offset* bytes of the source."""
        start, at = 0, 0
        batch: list[Line] = []
        for line in lines:
            if batch and at + line.length - start > SEGMENT_BYTES:
                self._append_segment(source_id, generation, offset + start, data[start:at], batch)
                start, batch = at, []
            batch.append(line)
            at += line.length
        if batch:
            self._append_segment(source_id, generation, offset + start, data[start:at], batch)

    def append_document(
        self, source_id: int, generation: int, data: bytes, type: str, occurred_at: str | None, damage: str | None
    ) -> None:
        """Append one version of a whole-file document; parts that the log already has cost nothing."""
        parts = split_document(data)
        self.connection.executemany(
            "INSERT OR IGNORE INTO parts VALUES (?, ?)", [(part_hash(part), pack(part)) for part in parts]
        )
        listing = pack(b"".join(map(part_hash, parts)))
        self._insert(source_id, generation, 0, data, [Line(len(data), type, occurred_at, damage)], "parts", listing)

    def _append_segment(self, source_id: int, generation: int, offset: int, data: bytes, lines: list[Line]) -> None:
        """Append one segment; a line above the longest segment takes further segments behind the first."""
        self._insert(source_id, generation, offset, data, lines, "zstd", pack(data[:LONGEST_SEGMENT_BYTES]))
        for start in range(LONGEST_SEGMENT_BYTES, len(data), LONGEST_SEGMENT_BYTES):
            piece = data[start : start + LONGEST_SEGMENT_BYTES]
            self._insert_segment(source_id, generation, offset + start, len(piece), "zstd", pack(piece))

    def append_long(self, source_id: int, generation: int, offset: int, pieces: Iterable[bytes], line: Line) -> None:
        """Append one line that comes in pieces of the longest segment and is never held as a whole."""
        left = iter(pieces)
        first = next(left)
        segment_id, seed = self._insert_segment(source_id, generation, offset, len(first), "zstd", pack(first))

        def written() -> Iterator[bytes]:
            yield first
            at = offset + len(first)
            for piece in left:
                self._insert_segment(source_id, generation, at, len(piece), "zstd", pack(piece))
                at += len(piece)
                yield piece

        self._insert_events(source_id, generation, offset, segment_id, [(line, content_hash_of(seed, 0, written()))])

    def _insert_segment(
        self, source_id: int, generation: int, offset: int, length: int, codec: str, packed: bytes
    ) -> tuple[int, bytes]:
        seed = os.urandom(SEED_BYTES)
        self._waiting += len(packed) // PAGE_BYTES
        cursor = self.connection.execute(
            "INSERT INTO segments (source_id, generation, offset_bytes, length_bytes, codec, seed, data)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (source_id, generation, offset, length, codec, seed, packed),
        )
        return int(cursor.lastrowid or 0), seed

    def _insert(
        self, source_id: int, generation: int, offset: int, data: bytes, lines: list[Line], codec: str, packed: bytes
    ) -> None:
        length = len(data) if codec == "parts" else min(len(data), LONGEST_SEGMENT_BYTES)
        segment_id, seed = self._insert_segment(source_id, generation, offset, length, codec, packed)
        contents, at = [], 0
        for index, line in enumerate(lines):
            contents.append((line, content_hash(seed, index, data[at : at + line.length])))
            at += line.length
        self._insert_events(source_id, generation, offset, segment_id, contents)

    def _insert_events(self, source_id: int, generation: int, offset: int, segment_id: int, lines: list[tuple[Line, bytes]]) -> None:
        """Append the events of consecutive lines of one segment, each with the hash of its content."""
        rows, at, last, now = [], offset, self.last_hash, self.now()
        self._waiting += len(lines)
        for line, content in lines:
            told = (line.type, line.occurred_at, now, line.damage)
            last = event_hash(last, (source_id, generation, at, line.length), told, content)
            rows.append((source_id, generation, at, line.length, segment_id, line.type, line.occurred_at, now, line.damage, last))
            at += line.length
        self.connection.executemany(
            "INSERT INTO events (source_id, generation, offset_bytes, length_bytes, segment_id, type, occurred_at,"
            " recorded_at, damage, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self.last_hash = last
