"""How bytes are packed: zstd segments of consecutive lines, and content-addressed parts of whole documents."""

import json
from hashlib import sha256
from typing import Any

import zstandard

from journal.errors import LogCorrupt

SEGMENT_BYTES = 256 * 1024
LONGEST_SEGMENT_BYTES = 8 * 1024 * 1024
LEVEL = 3
HASH_BYTES = 32
MERGED = "within"
"""Codec of a segment whose bytes stand in another, which `data` names as 8 bytes: its own row keeps offset and seed."""

_compressor = zstandard.ZstdCompressor(level=LEVEL)
_decompressor = zstandard.ZstdDecompressor()


class SegmentDamaged(LogCorrupt, zstandard.ZstdError):
    """Packed bytes of the log do not unpack, or are gone; a ZstdError too, since it is one."""


def pack(data: bytes) -> bytes:
    """Return *data* compressed; the frame tells its size."""
    return _compressor.compress(data)


def unpack(data: bytes) -> bytes:
    """Return what was packed.

    Raises: SegmentDamaged: it does not unpack.
    """
    try:
        return _decompressor.decompress(data)
    except zstandard.ZstdError as error:
        raise damaged(str(error)) from error


def damaged(what: str) -> SegmentDamaged:
    """Return the error for bytes of the log that are not what was written."""
    return SegmentDamaged(f"the log holds bytes that are damaged: {what}", hint="run: journal doctor --deep")


def split_document(data: bytes) -> list[bytes]:
    """Split a JSON document around the elements of its largest top-level array.

    Returns: parts whose concatenation is *data*; one part when it is no such document.
    """
    try:
        text = data.decode()
        value = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError):
        return [data]
    if not isinstance(value, dict):
        return [data]
    lists = {key: items for key, items in value.items() if isinstance(items, list) and len(items) > 1}
    if not lists:
        return [data]
    return _around_elements(text, max(lists, key=lambda key: len(lists[key]))) or [data]


def _around_elements(text: str, key: str) -> list[bytes]:
    """Return the parts of *text* around the elements of the array under *key*, or nothing when it is not found."""
    decoder = json.JSONDecoder()
    start = text.find("[", text.find(f"{json.dumps(key)}"))
    parts, position, cursor = [], 0, start + 1
    while 0 < cursor < len(text):
        while cursor < len(text) and text[cursor] in " \t\r\n,":
            cursor += 1
        if text[cursor : cursor + 1] in ("]", ""):
            break
        try:
            _, end = decoder.raw_decode(text, cursor)
        except ValueError:
            return []
        parts += [text[position:cursor], text[cursor:end]]
        position = cursor = end
    return [part.encode() for part in [*parts, text[position:]] if part]


def part_hash(part: bytes) -> bytes:
    """Return the content address of *part*."""
    return sha256(part).digest()


def container_of(data: bytes) -> int:
    """Return the id of the segment that holds the bytes of one of codec `within`."""
    return int.from_bytes(data, "big")


def within(segment_id: int) -> bytes:
    """Return what a merged segment keeps in place of its bytes."""
    return segment_id.to_bytes(8, "big")


def hashes_of(packed: bytes) -> list[bytes]:
    """Return the part hashes that a segment of codec `parts` lists, in order."""
    listing: Any = unpack(packed)
    return [listing[index : index + HASH_BYTES] for index in range(0, len(listing), HASH_BYTES)]
