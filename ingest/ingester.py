"""One pass over all sources: what is new goes into the log, in a fixed order and in small transactions."""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import BinaryIO

import zstandard

from ingest.adapter import Adapter
from ingest.course import Course, Progress, waiting_bytes
from ingest.discovery import Found, discover
from ingest.refusal import Refusal, refusal
from ingest.tail import COMPRESSED, Batch, LongLine, Stat, fingerprint, first_lines, open_source, read_batches, same_bytes, stat_of
from journal.domain import SourceFacts
from journal.log import Line, OffsetRow, SourceRow, Writer, offset_of, sources
from journal.merging import is_due, merge_source
from journal.salvage import salvage
from journal.segments import LONGEST_SEGMENT_BYTES
from journal.tombstones import as_in_file, bury

FIRST_LINES = 100
"""How many lines are searched for the session's id where the path does not tell it."""
LARGEST_DOCUMENT_BYTES = 256 * 1024 * 1024
STAT_COLUMNS = ("dev", "inode", "size", "mtime_ns", "ctime_ns")


@dataclass(slots=True)
class IngestReport:
    """What one pass did."""

    sources: int = 0
    opened: int = 0
    bytes: int = 0
    events: int = 0
    damaged: int = 0
    refused: int = 0
    """Lines and documents that came again although they were forgotten: their places are in the log, their bytes are not."""
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)


class Pass:
    """One pass; the caller holds the writer lock."""

    def __init__(self, writer: Writer, adapters: Mapping[str, Adapter], report: IngestReport, hosts: set[str]) -> None:
        self.writer = writer
        self.course = Course(None, ())
        self.connection = writer.connection
        self.adapters = adapters
        self.report = report
        self.refusal: Refusal | None = refusal(self.connection, adapters)
        self.known: dict[tuple[str, str], SourceRow] = {(row.host, row.path): row for row in sources(self.connection, hosts)}

    @cached_property
    def by_native_id(self) -> dict[tuple[str, str], list[SourceRow]]:
        """The sources that the log knew, by session: asked for only when a file is new."""
        found: dict[tuple[str, str], list[SourceRow]] = {}
        for row in self.known.values():
            found.setdefault((row.host, row.native_id), []).append(row)
        return found

    def take(self, found: Found, present: set[tuple[str, str]]) -> None:
        """Bring one file up to date; what cannot be read is a warning and changes nothing."""
        try:
            stat = stat_of(found.path)
            row = self.known.get((found.host, found.key)) or (self.known.get((found.host, self.refusal.hidden(found.key))) if self.refusal else None)
            if row and tuple(row[-5:]) == stat and row.state in ("live", "compressed"):
                return
            self.report.opened += 1
            with open_source(found.path) as file:
                row = row or self._moved_or_new(found, file, present)
                if row is None:
                    return
                if row.shape == "document":
                    self._take_document(row, stat, file)
                else:
                    self._take_lines(row, stat, file, found)
        except (OSError, zstandard.ZstdError) as error:
            self.report.warnings.append(f"{found.path}: {getattr(error, 'strerror', None) or error}")

    def mark_gone(self, readable_roots: Sequence[tuple[str, str]], present: set[tuple[str, str]]) -> None:
        """Mark sources below a root that could be read and whose files are no more.

        A file below a folder that cannot be read was not found either, so each is looked up.
        """
        gone = [row for row in self.known.values() if row.state in ("live", "compressed") and (row.host, row.path) not in present
                and any(row.host == host and row.path.startswith(root + os.sep) for host, root in readable_roots)
                and _is_gone(row.path)]  # fmt: skip
        if gone:
            with self.writer.transaction():
                for row in gone:
                    self.writer.update_source(row.source_id, state="gone")

    def _moved_or_new(self, found: Found, file: BinaryIO, present: set[tuple[str, str]]) -> SourceRow | None:
        """Return the source that this file is: one whose file moved here, or a new one."""
        native_id = self._native_id(found, file) if found.candidate.native_id is None else found.candidate.native_id
        if native_id is None:
            return None
        for row in self.by_native_id.get((found.host, native_id), []) if native_id else []:
            is_absent = (row.host, row.path) not in present and (row.host, row.path) in self.known
            # Not found is not gone: another root may not have been asked for, and then this file is a copy.
            if is_absent and row.shape == found.candidate.shape == "lines" and _is_gone(row.path) and self._same(row, file):
                with self.writer.transaction():
                    self.writer.update_source(row.source_id, path=found.key, state="live")
                return self._remember(row._replace(path=found.key), row)
        key = found.key
        if self.refusal:
            native_id, key = self.refusal.named(native_id), self.refusal.named(key)
        with self.writer.transaction():
            source_id = self.writer.register(found.host, native_id, key, found.candidate.shape)
        row = SourceRow(source_id, found.host, native_id, key, found.candidate.shape, 0, "live", None, None, None, None, None)
        return self._remember(row, row)

    def _native_id(self, found: Found, file: BinaryIO) -> str | None:
        """Return the session's id as the first record tells it that does, else as the path does.

        Returns: None while there is no whole record: an id is never changed later, so it is not guessed from half a line.
        """
        adapter = self.adapters[found.host]
        by_path = adapter.native_id(found.key, None)
        if found.candidate.shape == "document":
            values = salvage(file.read(LARGEST_DOCUMENT_BYTES)).values
            file.seek(0)
            return adapter.native_id(found.key, values[0]) if values else by_path
        whole_lines, has_record = 0, False
        for line in first_lines(file, FIRST_LINES):
            whole_lines += 1
            for value in salvage(line).values:
                has_record = True
                native_id = adapter.native_id(found.key, value)
                if native_id != by_path:
                    file.seek(0)
                    return native_id
        file.seek(0)
        if has_record or whole_lines == FIRST_LINES:
            return by_path
        if whole_lines:
            self.report.warnings.append(f"{found.path}: no whole record yet, not read")
        return None

    def _remember(self, row: SourceRow, before: SourceRow) -> SourceRow:
        self.known.pop((before.host, before.path), None)
        self.known[row.host, row.path] = row
        return row

    def _same(self, row: SourceRow, file: BinaryIO) -> bool:
        offset = offset_of(self.connection, row.source_id)
        if offset is None or offset.offset_bytes == 0:
            return False
        same = same_bytes(file, as_in_file(self.connection, row.source_id, row.generation, file))
        file.seek(0)
        return same

    def _take_document(self, row: SourceRow, stat: Stat, file: BinaryIO) -> None:
        """Append the whole file as a new version, unless the last version has the same bytes."""
        if stat.size > LARGEST_DOCUMENT_BYTES:
            self.report.warnings.append(f"{row.path}: larger than {LARGEST_DOCUMENT_BYTES} bytes, not read")
            return
        data = file.read()
        offset = offset_of(self.connection, row.source_id)
        before = b"".join(as_in_file(self.connection, row.source_id, row.generation, file)) if offset else None
        with self.writer.transaction():
            if data and data != before:
                generation = row.generation + 1 if offset else 0
                kept = self.refusal.document(facts_of(row), data) if self.refusal else data
                type, occurred_at, damage = self._hint(row.host, kept, document=True)
                self.writer.append_document(row.source_id, generation, kept, type, occurred_at, damage)
                if self.refusal and kept != data:
                    bury(self.connection, row.source_id, generation, [(0, self.refusal.keys.line(data))])
                    self.report.refused += 1
                self.writer.save_offset(row.source_id, OffsetRow(generation, len(data), b"", b"", b""))
                self.writer.update_source(row.source_id, generation=generation)
                self.report.events += 1
                self.report.bytes += len(data)
                self.report.damaged += damage is not None
            self.writer.update_source(row.source_id, state="live", **stat._asdict())

    def _take_lines(self, row: SourceRow, stat: Stat, file: BinaryIO, found: Found) -> None:
        """Append what is new behind the consumed prefix, or the whole file as a new generation."""
        offset = offset_of(self.connection, row.source_id)
        generation = row.generation
        start = offset.offset_bytes if offset else 0
        if offset and not self._is_append(row, offset, stat, file):
            generation, start = generation + 1, 0
        consumed = start
        for batch in read_batches(file, start):
            consumed = self._append(row, generation, batch, file)
            self.course.within(consumed - start)
        with self.writer.transaction():
            if generation != row.generation and consumed == 0:
                self._save_fingerprint(row, generation, 0, file)
            state = "compressed" if found.path.endswith(COMPRESSED) else "live"
            self.writer.update_source(row.source_id, generation=generation, state=state, **stat._asdict())
        if 0 < start < consumed and is_due(self.connection, row.source_id, generation):
            merge_source(self.writer, row.source_id, generation)

    def _is_append(self, row: SourceRow, offset: OffsetRow, stat: Stat, file: BinaryIO) -> bool:
        """Tell whether the consumed prefix still stands in the file."""
        if fingerprint(file, offset.generation, offset.offset_bytes) != offset:
            return False
        if stat.size > (row.size or 0) and stat.inode == row.inode:
            return True
        return same_bytes(file, as_in_file(self.connection, row.source_id, row.generation, file))

    def _append(self, row: SourceRow, generation: int, batch: Batch, file: BinaryIO) -> int:
        if batch.long is not None:
            if self.refusal is None:
                return self._append_long(row, generation, batch.long, file)
            batch = Batch(batch.offset, [batch.long.whole()])  # what is forgotten is looked for in all of it
        lines, pieces, buried = [], batch.lines, list[tuple[int, bytes]]()
        if self.refusal:
            pieces, buried = self.refusal.lines(facts_of(row), batch)
            self.report.refused += len(buried)
        for data, whole in zip(pieces, batch.lines, strict=True):
            type, occurred_at, damage = self._hint(row.host, data) if data is whole else (f"{row.host}.forgotten", None, None)
            lines.append(Line(len(data), type, occurred_at, damage))
            self.report.damaged += damage is not None
        joined = b"".join(pieces)
        consumed = batch.offset + len(joined)
        with self.writer.transaction():
            self.writer.append_lines(row.source_id, generation, batch.offset, joined, lines)
            bury(self.connection, row.source_id, generation, buried)
            self._save_fingerprint(row, generation, consumed, file)
            self.writer.update_source(row.source_id, generation=generation)
        self.report.events += len(lines)
        self.report.bytes += len(joined)
        return consumed

    def _append_long(self, row: SourceRow, generation: int, line: LongLine, file: BinaryIO) -> int:
        """Append a line that is never held as a whole."""
        short = line.short()
        type, occurred_at, damage = self._hint(row.host, short) if short else (f"{row.host}.damaged", None, "long")
        consumed = line.offset + line.length
        with self.writer.transaction():
            pieces = line.pieces(LONGEST_SEGMENT_BYTES)
            self.writer.append_long(row.source_id, generation, line.offset, pieces, Line(line.length, type, occurred_at, damage))
            self._save_fingerprint(row, generation, consumed, file)
            self.writer.update_source(row.source_id, generation=generation)
        self.report.events += 1
        self.report.bytes += line.length
        self.report.damaged += damage is not None
        return consumed

    def _save_fingerprint(self, row: SourceRow, generation: int, consumed: int, file: BinaryIO) -> None:
        hashes = fingerprint(file, generation, consumed)
        if hashes is None:
            raise OSError(f"the file shrank while it was read: {row.path}")
        self.writer.save_offset(row.source_id, hashes)

    def _hint(self, host: str, data: bytes, *, document: bool = False) -> tuple[str, str | None, str | None]:
        """Return type, time and damage of a line, for people who query the log."""
        if document and not data.lstrip().startswith(b"{"):
            return f"{host}.text", None, None
        values, damage = salvage(data)
        if not values:
            return (f"{host}.damaged" if damage else "blank"), None, damage
        type, occurred_at = self.adapters[host].hint(values[-1])
        return type, occurred_at, damage


def facts_of(row: SourceRow) -> SourceFacts:
    """Return what decoders may know of a source."""
    return SourceFacts(row.host, row.path, row.native_id, row.shape)


def _is_gone(path: str) -> bool:
    """Tell whether there is certainly no such file, nor its compressed twin; one that cannot be looked up is not gone."""
    for name in (path, path + COMPRESSED):
        try:
            os.lstat(name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return False
        return False
    return True


def ingest(
    connection: sqlite3.Connection,
    roots: Sequence[tuple[str, str]],
    adapters: Mapping[str, Adapter],
    now: Callable[[], str],
    *,
    progress: Progress | None = None,
) -> IngestReport:
    """Append all that is new below *roots* to the log.

    Raises: LogFull, LogBusy, LogCorrupt; what is already committed stays.
    """
    report, begun = IngestReport(), time.monotonic()
    found, readable = discover(roots, adapters, report.warnings)
    present = {(item.host, item.key) for item in found}
    one = Pass(Writer(connection, now), adapters, report, {host for host, _ in roots})
    if progress is not None:
        one.course = Course(progress, [waiting_bytes(item.path, one.known.get((item.host, item.key))) for item in found])
    with one.writer.group():
        for item in found:
            one.take(item, present)
            one.course.next()
        one.mark_gone(readable, present)
    report.sources, report.seconds = len(found), time.monotonic() - begun
    return report
