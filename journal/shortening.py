"""Lines too long to be held: what of them is decoded. The log keeps every byte; this is only what is read from it again.

A line above `LONGEST_WHOLE` is read in pieces. Its long JSON strings (an output, an image) keep their beginning and end around
a note of how much is left out, so that what goes into the views needs little memory whatever the line's length. A line that
is still longer than `LONGEST_SHORTENED` then is not decoded: it is counted as damaged (`long`), and reading goes on behind it.
"""

import re
from collections.abc import Iterable

MIB = 1024 * 1024
LONGEST_WHOLE = 20 * MIB
LONGEST_SHORTENED = 250 * MIB
HEAD_BYTES = 128 * 1024
TAIL_BYTES = 8 * 1024

_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHOLE_ESCAPES = re.compile(rb'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+', re.DOTALL)
_FIRST_HALF = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class Shortener:
    """Takes a line piece by piece and keeps what is decoded of it."""

    def __init__(self, longest: int | None = None) -> None:
        self.longest = LONGEST_SHORTENED if longest is None else longest
        self.kept: list[bytes] = []
        self.size = 0
        self.is_in_string = self.is_escaped = False
        self.head = bytearray()
        self.tail = b""
        self.length = 0
        """Bytes of the string so far."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        at = 0
        if self.is_escaped:
            self._text(piece[:1])
            self.is_escaped, at = not piece, 1
        while at < len(piece):
            if not self.is_in_string:
                quote = piece.find(b'"', at)
                end = len(piece) if quote < 0 else quote + 1
                self._keep(piece[at:end])
                self.is_in_string, at = quote >= 0, end
                continue
            found = _INSIDE.match(piece, at)
            end = found.end() if found else at
            self._text(piece[at:end])
            if end < len(piece):
                if piece[end] == 0x22:
                    self._close()
                else:  # a backslash that ends the piece
                    self._text(b"\\")
                    self.is_escaped = True
                end += 1
            at = end

    def result(self) -> bytes | None:
        """Return the shortened line; None where that is too long as well."""
        if self.length:
            self._close(closing=b"")
        return None if self.size > self.longest else b"".join(self.kept)

    def _keep(self, part: bytes) -> None:
        self.size += len(part)
        if self.size <= self.longest:
            self.kept.append(part)
        else:
            self.kept.clear()

    def _text(self, part: bytes) -> None:
        self.length += len(part)
        room = HEAD_BYTES + TAIL_BYTES - len(self.head)
        self.head += part[:room]
        if len(part) > room:
            self.tail = (self.tail + part[room:][-TAIL_BYTES:])[-TAIL_BYTES:]

    def _close(self, closing: bytes = b'"') -> None:
        if self.length <= len(self.head):
            self._keep(bytes(self.head) + closing)
        else:
            head, tail = _whole_end(bytes(self.head[:HEAD_BYTES])), _whole_start((bytes(self.head[HEAD_BYTES:]) + self.tail)[-TAIL_BYTES:])
            self._keep(head + f"[… {self.length - len(head) - len(tail)} bytes …]".encode() + tail + closing)
        self.is_in_string = False
        self.head.clear()
        self.tail, self.length = b"", 0


def shortened(pieces: Iterable[bytes], longest: int | None = None) -> bytes | None:
    """Return a line, given in pieces, with its long strings cut; None where what is left is longer than *longest* (`LONGEST_SHORTENED`)."""
    taken = Shortener(longest)
    for piece in pieces:
        taken.feed(piece)
    return taken.result()


def _whole_end(text: bytes) -> bytes:
    """Return the inside of a string without the half escape, pair or character at its end."""
    found = _WHOLE_ESCAPES.match(text)
    text = _FIRST_HALF.sub(b"", text[: found.end()] if found else b"")
    end = len(text)
    while end and text[end - 1] & 0xC0 == 0x80:
        end -= 1
    return text[: end - 1] if end and text[end - 1] >= 0xC0 else text


def _whole_start(text: bytes) -> bytes:
    """Return the inside of a string from a place on that is no half of an escape or character: a space, or in plain ASCII behind any rest of an escape."""
    if text.isascii() and b"\\" not in text:
        return text[5:]
    space = text.find(b" ")
    return text[space:] if space >= 0 else b""
