"""What happened to a file since it was last read, judged from its stat values and from hashes of what was consumed."""

import contextlib
import errno
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from typing import BinaryIO, NamedTuple, cast

import orjson
import zstandard

from journal.log import OffsetRow
from journal.shortening import LONGEST_WHOLE, shortened

WINDOW_BYTES = 4096
FIRST_WINDOW = 64 * 1024
READ_BYTES = 1024 * 1024
BATCH_LINES = 1000
COMPRESSED = ".zst"
COMPRESSED_PIECE_BYTES = 64 * 1024
"""One piece is decompressed at once in memory, so it is small."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Stat(NamedTuple):
    """The five values of which any change makes a file worth opening."""

    dev: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class LongLine(NamedTuple):
    """A line that is too long to be held; it is read from the file in pieces, as often as needed."""

    file: BinaryIO
    offset: int
    length: int

    def pieces(self, length: int) -> Iterator[bytes]:
        """Yield the line's bytes, *length* at a time.

        Raises: OSError: the file shrank meanwhile.
        """
        for start in range(0, self.length, length):
            wanted = min(length, self.length - start)
            piece = _piece(self.file, self.offset + start, wanted)
            if len(piece) < wanted:
                raise OSError("the file shrank while it was read")
            yield piece

    def short(self) -> bytes:
        """Return what is decoded of it; empty where it is too long for that."""
        return shortened(self.pieces(READ_BYTES)) or b""

    def whole(self) -> bytes:
        """Return all of it, in memory."""
        return b"".join(self.pieces(self.length))


class Batch(NamedTuple):
    """Consecutive whole lines, each with its newline (the last line of a file perhaps without), or one long line."""

    offset: int
    lines: list[bytes]
    long: LongLine | None = None


def stat_of(path: str) -> Stat:
    """Return the stat values of *path*.

    Raises: OSError: it cannot be read, or is no regular file (opening a named pipe would wait for ever).
    """
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "no regular file, not read", path)
    return Stat(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def open_source(path: str) -> BinaryIO:
    """Open a transcript; a zstd file (by its magic bytes) reads as what was compressed.

    What was compressed goes through an unnamed temporary file, since hashes need to seek and memory is bounded.

    Raises: ZstdError: damaged, or cut because it is still being written; such a file says nothing about its source.
    """
    file = io.BufferedReader(io.FileIO(path), READ_BYTES)
    is_magic = _piece(file, 0, len(ZSTD_MAGIC)) == ZSTD_MAGIC
    if not is_magic and not (path.endswith(COMPRESSED) and os.fstat(file.fileno()).st_size < len(ZSTD_MAGIC)):
        return file
    with file:
        plain = cast(BinaryIO, tempfile.TemporaryFile(buffering=READ_BYTES))  # noqa: SIM115  the caller closes what it gets
        with contextlib.ExitStack() as on_failure:
            on_failure.enter_context(plain)
            _decompress(file, plain)
            plain.seek(0)
            on_failure.pop_all()
        return plain


def _decompress(file: BinaryIO, plain: BinaryIO) -> None:
    """Copy all frames of *file*; `copy_stream` of the library takes a cut frame for a whole one."""
    frame, is_whole = zstandard.ZstdDecompressor().decompressobj(), False
    while piece := file.read(COMPRESSED_PIECE_BYTES):
        while piece:
            if is_whole:
                frame = zstandard.ZstdDecompressor().decompressobj()
            plain.write(frame.decompress(piece))
            is_whole, piece = frame.eof, frame.unused_data
    if not is_whole:
        raise zstandard.ZstdError("the compressed file is cut")


def fingerprint(file: BinaryIO, generation: int, consumed: int) -> OffsetRow | None:
    """Return the hashes of the first *consumed* bytes; None when the file is shorter than that.

    The windows stand at 64 KiB, 128 KiB, 256 KiB and so on: a rewrite that leaves head, tail and all windows alone is
    found by `verify` only.
    """
    head = _piece(file, 0, min(WINDOW_BYTES, consumed))
    tail = _piece(file, max(0, consumed - WINDOW_BYTES), min(WINDOW_BYTES, consumed))
    windows, start = sha256(), FIRST_WINDOW
    while start + WINDOW_BYTES <= consumed:
        piece = _piece(file, start, WINDOW_BYTES)
        if len(piece) < WINDOW_BYTES:
            return None
        windows.update(piece)
        start *= 2
    if len(tail) < min(WINDOW_BYTES, consumed):
        return None
    return OffsetRow(generation, consumed, sha256(head).digest(), sha256(tail).digest(), windows.digest())


def read_batches(file: BinaryIO, offset: int) -> Iterator[Batch]:
    """Yield what stands behind *offset*, in batches of whole lines.

    A last line without a newline is given only when it reads as a whole JSON object, which no prefix of an object does.
    """
    file.seek(offset)
    start, size = offset, 0
    lines: list[bytes] = []
    while line := file.readline(LONGEST_WHOLE):
        if len(line) >= LONGEST_WHOLE and not line.endswith(b"\n"):
            if lines:
                yield Batch(start, lines)
            start, lines, size = start + size, [], 0
            del line
            long = _long_line(file, start)
            if long is None:
                return
            yield Batch(start, [], long)
            start += long.length
            file.seek(start)
            continue
        if not line.endswith(b"\n") and not is_whole_object(line):
            break
        lines.append(line)
        size += len(line)
        if size >= READ_BYTES or len(lines) >= BATCH_LINES:
            yield Batch(start, lines)
            start, lines, size = start + size, [], 0
    if lines:
        yield Batch(start, lines)


def first_lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the first whole lines of a file, a long one as what is decoded of it."""
    at = 0
    for _ in range(most):
        file.seek(at)
        line = file.readline(LONGEST_WHOLE)
        if len(line) >= LONGEST_WHOLE and not line.endswith(b"\n"):
            del line
            long = _long_line(file, at)
            if long is None:
                return
            at += long.length
            yield long.short()
            continue
        if not line or (not line.endswith(b"\n") and not is_whole_object(line)):
            return
        at += len(line)
        yield line


def _long_line(file: BinaryIO, start: int) -> LongLine | None:
    """Return the line that begins at *start*; None while it has no newline and is no whole object."""
    at = start
    while piece := _piece(file, at, READ_BYTES):
        newline = piece.find(b"\n")
        if newline >= 0:
            return LongLine(file, start, at + newline + 1 - start)
        at += len(piece)
    line = LongLine(file, start, at - start)
    return line if is_whole_object(line.short()) else None


def is_whole_object(line: bytes) -> bool:
    """Tell whether an unterminated line is a whole object already."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return type(orjson.loads(line)) is dict
    except orjson.JSONDecodeError:
        return False


def same_bytes(file: BinaryIO, logged: Iterator[bytes]) -> bool:
    """Tell whether the file begins with exactly the bytes that the log has."""
    file.seek(0)
    return all(file.read(len(piece)) == piece for piece in logged)


def _piece(file: BinaryIO, offset: int, length: int) -> bytes:
    """Read past the buffer, which would fetch 1 MiB for every 4 KiB and lose the place of the reader."""
    return os.pread(file.fileno(), length, offset)
