"""What was forgotten and must stay out: keyed hashes of lines, of record ids and of phrases, and where the tombstones stand.

A key is a BLAKE2 MAC under the random secret of this log. It keeps a reader from seeing what was forgotten, and does not
keep whoever holds the log from testing a guess; see docs/adr/0040.
"""

import os
import re
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, BinaryIO, NamedTuple

from journal.phrases import anchor_of, runs, words
from journal.reader import read_source

KEY_BYTES = 16
FORGOTTEN_SINCE = 2
"""The schema that has the tables of this module; an older log that is only read forgot nothing."""
UUID = re.compile(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
HIDDEN = "forgotten-"
MOST_PASSED = 100_000


class Phrase(NamedTuple):
    """What is known of a forgotten phrase besides its key, so that few stretches of a line need one."""

    words: int
    first_chars: int
    chars: int
    anchor_chars: int | None
    anchor: int | None
    """One byte of the keyed hash of the phrase's longest run: enough to pass over most lines, too little to guess by."""


class Mark(NamedTuple):
    """A stretch of a source that is scrubbed, or was never let in."""

    offset: int
    length: int
    line_key: bytes


class Keys:
    """Makes keyed hashes."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def _mac(self, kind: bytes, data: bytes) -> bytes:
        return blake2b(data, key=self.secret, digest_size=KEY_BYTES, person=kind).digest()

    def line(self, data: bytes) -> bytes:
        """Return the key of a line; its end does not count, since the last one may come later."""
        return self._mac(b"line", data.rstrip(b"\r\n"))

    def record(self, host: str, session_id: str, record_id: str) -> bytes:
        """Return the key of a record's native id; one that is no uuid is known inside its session only."""
        place = (host, record_id) if is_global(record_id) else (host, session_id, record_id)
        return self._mac(b"record", "\0".join(place).encode(errors="replace"))

    def session(self, host: str, session_id: str) -> bytes:
        """Return the key of a session that has forgotten records without ids of their own."""
        return self._mac(b"session", f"{host}\0{session_id}".encode(errors="replace"))

    def phrase(self, phrase: str) -> bytes:
        """Return the key of some words with one space between them."""
        return self._mac(b"phrase", phrase.encode(errors="replace"))

    def shape(self, phrase: str) -> Phrase:
        """Return what is kept of a phrase besides its key."""
        told, anchor = phrase.split(" "), anchor_of(phrase)
        return Phrase(len(told), len(told[0]), len(phrase), len(anchor) if anchor else None, self.anchor(anchor.encode()) if anchor else None)

    def anchor(self, run: bytes) -> int:
        """Return one byte of the key of a run of letters and digits."""
        return self._mac(b"anchor", run)[0]

    def hidden(self, name: str) -> str:
        """Return the name that stands for a path or an id which must not be read; it ends as the path does."""
        return HIDDEN + self._mac(b"name", name.encode(errors="replace")).hex() + os.path.splitext(name)[1]


class Forgotten:
    """All keys of a log."""

    def __init__(self, keys: Keys, rows: Iterable[tuple[Any, ...]] = ()) -> None:
        self.keys = keys
        self.known: dict[bytes, str] = {}
        self.shapes: dict[int, set[tuple[int, int]]] = {}
        """Length of a phrase's first word to the numbers of its words and characters."""
        self.anchors: dict[int, set[int]] = {}
        """Length of a phrase's anchor to the bytes of its key."""
        self.needs_words = False
        """Whether some phrase has no anchor."""
        self.passed: set[bytes] = set()
        """Runs that are no anchor."""
        for key, kind, *shape in rows:
            self.add(key, kind, Phrase(*shape) if kind == "phrase" else None)

    def add(self, key: bytes, kind: str, phrase: Phrase | None = None) -> None:
        """Add one key."""
        self.known[key] = kind
        if phrase:
            self.shapes.setdefault(phrase.first_chars, set()).add((phrase.words, phrase.chars))
            if phrase.anchor_chars is None or phrase.anchor is None:
                self.needs_words = True
            else:
                self.anchors.setdefault(phrase.anchor_chars, set()).add(phrase.anchor)
            self.passed.clear()

    def has_line(self, data: bytes) -> bool:
        """Tell whether a line with these bytes was forgotten."""
        return self.keys.line(data) in self.known

    def has_record(self, host: str, session_id: str, record_id: str) -> bool:
        """Tell whether the record of this id was forgotten."""
        return self.keys.record(host, session_id, record_id) in self.known

    def may_have_record(self, host: str, session_id: str, data: bytes) -> bool:
        """Tell whether a line may be of a forgotten record: only then it is worth decoding."""
        if self.keys.session(host, session_id) in self.known:
            return True
        return any(self.keys.record(host, "", found.decode()) in self.known for found in set(UUID.findall(data)))

    def has_phrase(self, data: bytes) -> bool:
        """Tell whether a forgotten phrase stands in *data*, as whole words."""
        if not self.shapes or not (self.needs_words or self._has_anchor(data)):
            return False
        told, shapes = words(data.decode(errors="replace")), self.shapes
        for index, word in enumerate(told):
            if len(word) not in shapes:
                continue
            for count, chars in shapes[len(word)]:
                phrase = " ".join(told[index : index + count])
                if len(phrase) == chars and self.keys.phrase(phrase) in self.known:
                    return True
        return False


    def _has_anchor(self, data: bytes) -> bool:
        """Tell whether a run of *data* may be the anchor of a phrase."""
        anchors, passed = self.anchors, self.passed
        for run in runs(data):
            if len(run) in anchors and run not in passed:
                if self.keys.anchor(run) in anchors[len(run)]:
                    return True
                if len(passed) < MOST_PASSED:
                    passed.add(run)
        return False


def is_global(record_id: str) -> bool:
    """Tell whether an id names one record among all sessions."""
    return UUID.fullmatch(record_id.encode(errors="replace")) is not None


def can_forget(connection: sqlite3.Connection) -> bool:
    """Tell whether the log has the tables of tombstones."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0]) >= FORGOTTEN_SINCE


def forgotten(connection: sqlite3.Connection) -> Forgotten | None:
    """Return what the log has forgotten, or None where that is nothing."""
    if not can_forget(connection):
        return None
    row = connection.execute("SELECT value FROM log_meta WHERE key = 'forget_secret'").fetchone()
    if row is None:
        return None
    return Forgotten(Keys(bytes.fromhex(row[0])), connection.execute("SELECT * FROM forgotten"))


def keys_of(connection: sqlite3.Connection) -> Keys:
    """Return the maker of keys of this log, whose secret is drawn where there is none; inside the caller's transaction."""
    connection.execute("INSERT OR IGNORE INTO log_meta VALUES ('forget_secret', ?)", (secrets.token_hex(32),))
    return Keys(bytes.fromhex(connection.execute("SELECT value FROM log_meta WHERE key = 'forget_secret'").fetchone()[0]))


def blank(data: bytes) -> bytes:
    """Return what stands in the place of a scrubbed line: spaces and its own line end, of the same length."""
    bare = data.rstrip(b"\r\n")
    return b" " * len(bare) + data[len(bare) :]


def bury(connection: sqlite3.Connection, source_id: int, generation: int, marks: Iterable[tuple[int, bytes]]) -> None:
    """Set tombstones on events just appended, given as (offset, key of the line), inside the caller's transaction."""
    connection.executemany(
        "INSERT OR REPLACE INTO tombstones SELECT global_position, ? FROM events WHERE source_id = ? AND generation = ? AND offset_bytes = ?",
        [(key, source_id, generation, offset) for offset, key in marks],
    )


def marks_of(connection: sqlite3.Connection, source_id: int, generation: int) -> list[Mark]:
    """Return the scrubbed stretches of one generation of a source, in order."""
    if not can_forget(connection):
        return []
    rows = connection.execute(
        "SELECT offset_bytes, length_bytes, line_key FROM tombstones JOIN events USING (global_position)"
        " WHERE source_id = ? AND generation = ? ORDER BY offset_bytes",
        (source_id, generation),
    )
    return [Mark(*row) for row in rows]


def as_in_file(connection: sqlite3.Connection, source_id: int, generation: int, file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of one generation as `read_source` does, with the file's own where it still holds what was forgotten.

    A scrubbed line is no difference between file and log, and any other line in its place is one.
    """
    marks = marks_of(connection, source_id, generation)
    if not marks:
        yield from read_source(connection, source_id, generation)
        return
    secret = connection.execute("SELECT value FROM log_meta WHERE key = 'forget_secret'").fetchone()[0]
    keys, start, first, shown = Keys(bytes.fromhex(secret)), 0, 0, b""
    for piece in read_source(connection, source_id, generation):
        patched, end = bytearray(piece), start + len(piece)
        while first < len(marks) and marks[first].offset < end:
            mark = marks[first]
            if not shown:
                shown = os.pread(file.fileno(), mark.length, mark.offset)
                shown = shown if keys.line(shown) == mark.line_key else b"?"
            if len(shown) == mark.length and keys.line(shown) == mark.line_key:
                low, high = max(start, mark.offset), min(end, mark.offset + mark.length)
                patched[low - start : high - start] = shown[low - mark.offset : high - mark.offset]
            if mark.offset + mark.length > end:
                break
            first, shown = first + 1, b""
        yield bytes(patched)
        start = end
