"""Records of the log, decoded again where a view holds only a part: whole outputs, edit bodies, images, secrets."""

import base64
import binascii
import posixpath
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from journal import reader, salvage
from journal.domain import FileChanged, Occurrence, ToolCalled, ToolReturned
from journal.shortening import LONGEST_WHOLE, shortened
from projections.isolation import Placed, decoded
from projections.placement import Carry, Line, place, source_key
from projections.runner import Decode

IMAGE_KINDS = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What a browser shows and cannot run: no SVG."""
LARGEST_IMAGE = 8 * 1024 * 1024
DEEPEST = 40


class Image(NamedTuple):
    """A picture that stands in a record."""

    kind: str
    data: str
    """base64."""


class Records:
    """Reads single records by their position; the last one stays at hand, since several items come of one."""

    def __init__(self, log: sqlite3.Connection, decode: Mapping[str, Decode]) -> None:
        self.cache = reader.SegmentCache(log)
        self.decode = decode
        self.facts = reader.source_facts(log)
        self.at = 0
        self.placed: Placed = []
        self.values: tuple[Any, ...] = ()
        self.reads = 0
        """How many records were read: what a test holds down."""

    def events(self, position: int) -> Placed:
        """Return the placed events of the record at *position*; nothing where the log has no such record."""
        if position != self.at:
            self._read(position)
        return self.placed

    def images(self, position: int) -> list[Image]:
        """Return the pictures of the record at *position*, in order."""
        if position != self.at:
            self._read(position)
        return [image for value in self.values for image in _images(value, DEEPEST)]

    def text(self, position: int, record_id: str, ordinal: int) -> str | None:
        """Return the text of a message as the host wrote it."""
        for where, event in self.events(position):
            if where.record_id == record_id and where.ordinal == ordinal:
                text: str | None = getattr(event, "text", None)
                return text
        return None

    def input(self, position: int, tool_call_id: str) -> str | None:
        """Return the whole input of a call."""
        found = [event.input_text for _, event in self.events(position) if isinstance(event, ToolCalled) and event.tool_call_id == tool_call_id]
        return found[-1] if found else None

    def output(self, position: int, tool_call_id: str) -> str | None:
        """Return the whole output of a call."""
        found = [event.output_text for _, event in self.events(position) if isinstance(event, ToolReturned) and event.tool_call_id == tool_call_id]
        return found[-1] if found else None

    def diff(self, position: int, path: str, tool_call_id: str | None) -> str | None:
        """Return the diff of one changed file, by its absolute path."""
        for _, event in self.events(position):
            if isinstance(event, FileChanged) and event.tool_call_id == tool_call_id and event.diff:
                told = posixpath.normpath(event.path)
                if path == told or path.endswith("/" + told.lstrip("./")):
                    return event.diff
        return None

    def line(self, position: int) -> bytes:
        """Return the bytes of the record at *position*."""
        stored = reader.read_event(self.cache, position)
        self.reads += 1
        return stored.line if stored else b""

    def source(self, position: int) -> tuple[str, str]:
        """Return the host and the native id of the source that the record at *position* stands in."""
        row = self.cache.connection.execute("SELECT source_id FROM events WHERE global_position = ?", (position,)).fetchone()
        facts = self.facts[row[0]]
        return facts.host, facts.native_id

    def _read(self, position: int) -> None:
        self.at, self.placed, self.values = position, [], ()
        stored = reader.read_event(self.cache, position)
        facts = self.facts.get(stored.source_id) if stored else None
        if stored is None or facts is None:
            return
        self.reads += 1
        values, _ = salvage.salvage(stored.line) if facts.shape == "lines" else salvage.salvage_document(stored.line)
        self.values = values
        # As the runner named it, where the host gives the record no id of its own.
        data = stored.line if stored.length_bytes <= LONGEST_WHOLE else shortened((stored.line,)) or b""
        occurrences: list[Occurrence] = []
        if decode := self.decode.get(facts.host):
            for value in values:
                occurrences += decoded(decode, facts, value)
        line = Line(position, stored.source_id, stored.generation, stored.offset_bytes, data)
        self.placed = list(place(line, facts, source_key(facts), Carry(stored.generation), occurrences))


def _images(value: Any, depth: int) -> Iterator[Image]:
    """Yield the pictures in a value: an object with a media type and base64 beside it, or a data URI."""
    if depth == 0:
        return
    if isinstance(value, dict):
        kind = next((value[key] for key in ("media_type", "mimeType", "mime_type") if isinstance(value.get(key), str)), None)
        data = value.get("data")
        if kind in IMAGE_KINDS and isinstance(data, str) and _is_base64(data):
            yield Image(kind, data)
            return
        for item in value.values():
            yield from _images(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            yield from _images(item, depth - 1)
    elif isinstance(value, str) and value.startswith("data:image/"):
        kind, sign, data = value[5:].partition(";base64,")
        if sign and kind in IMAGE_KINDS and _is_base64(data):
            yield Image(kind, data)


def _is_base64(data: str) -> bool:
    if not data or len(data) > LARGEST_IMAGE:
        return False
    try:
        base64.b64decode(data, validate=True)
    except binascii.Error:
        return False
    return True
