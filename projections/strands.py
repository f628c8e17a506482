"""Strands: the lines that the records of one transcript form where two of them follow the same one.

A host that names the record before each record writes a tree. Its strands are told apart in the order of the file, by the
records that a next one may follow: those of a strand's last two responses. Two strands are **concurrent** where one process
cannot have written both: a prompt has two answers, or a strand goes on after the other one had grown. A strand that was only
left (a rewind) is not. A record that follows none, such as a compaction's boundary, goes on with the strand of the record that it
only names, or with the strand written last.

The **chain** is the strand that was written last, by position in the file (times run backwards), and its **leaf** is the last
record of that strand: what the host itself goes on from. Nothing of the other strands is dropped.
"""

import sqlite3
from typing import Any, NamedTuple

from journal.domain import LIKELY
from projections.projection import Place, Projection, Rows

REMEMBERED = 64
"""Records of a response that a next record may follow."""
KEPT = 8
"""Strands of a file that may still go on."""
KEY = 12
"""Characters at the end of a record's id by which it is recognised inside its file."""


class Strand:
    """One line of records."""

    __slots__ = ("before", "first", "follows", "grown_at", "is_concurrent", "last_offset", "latest", "leaf", "number", "response", "responses", "since",
                 "started_at")  # fmt: skip

    def __init__(self, number: int, first: str, follows: str, started_at: str | None) -> None:
        self.number = number
        self.first = first
        self.follows = follows
        """The record that the first one follows; empty for the first strand of a file."""
        self.leaf = first
        self.response = ""
        self.responses = 0
        self.latest: list[str] = []
        """Keys of the records since the last response began."""
        self.before: list[str] = []
        """Keys of those of the response before it, and of the prompt."""
        self.started_at = started_at
        self.since: str | None = None
        """When the last response began."""
        self.grown_at: str | None = None
        self.last_offset = 0
        self.is_concurrent = False

    def dump(self) -> list[Any]:
        """Return the state in a fixed order."""
        return [getattr(self, name) for name in self.__slots__]

    @classmethod
    def load(cls, state: list[Any]) -> "Strand":
        """Read a state back."""
        strand = cls.__new__(cls)
        for name, value in zip(cls.__slots__, state, strict=True):
            setattr(strand, name, value)
        return strand


class StrandsTold(NamedTuple):
    """The strands of a file that has several, as a batch left them; the runner's own event."""

    strands: tuple[Strand, ...]
    dropped: tuple[int, ...] = ()
    """Numbers of strands that an earlier batch may have told and that are none."""


class Strands:
    """The strands of one generation of a file, as far as they may go on."""

    __slots__ = ("changed", "count", "dropped", "evicted", "grown", "number", "open")

    def __init__(self) -> None:
        self.open: list[Strand] = []
        """The one that was written last stands last."""
        self.count = 0
        self.number = 1
        """Of the strand that the last record stands on."""
        self.grown = 0
        """The number of the strand that the last response belongs to."""
        self.evicted: list[Strand] = []
        self.dropped: list[int] = []
        self.changed = False

    def dump(self) -> list[Any]:
        """Return the state as JSON can hold it."""
        return [self.count, self.number, self.grown, [strand.dump() for strand in self.open]] if self.open else []

    @classmethod
    def load(cls, state: list[Any]) -> "Strands":
        """Read a state back."""
        strands = cls()
        if state:
            strands.count, strands.number, strands.grown, rows = state
            strands.open = [Strand.load(row) for row in rows]
        return strands

    def follow(self, record: str, parent: str, response: str | None, at: str | None, offset: int) -> None:
        """Put a record into its strand; *parent* is the record that it follows, *response* the answer of a model that it is part of."""
        strands = self.open
        if not (strands and len(strands) == 1 and strands[0].leaf == parent):
            strand = self._strand(record, parent, response, at)
            if strand is None:
                return
            self.number = strand.number
        else:
            strand = strands[0]
        if response is not None and response != strand.response:
            self._answered(strand, response, at)
        strand.latest.append(record[-KEY:])
        if len(strand.latest) > REMEMBERED:
            del strand.latest[0]
        strand.leaf = record
        strand.last_offset = offset
        if at is not None:
            strand.grown_at = at
        self.changed = True

    def told(self) -> StrandsTold | None:
        """Return the strands with answers, where there are several and they changed since they were last asked for."""
        if not self.changed or self.count < 2:
            return None
        self.changed = False
        told = tuple(strand for strand in (*self.evicted, *self.open) if strand.responses)
        dropped = self.dropped
        if [strand.number for strand in told] == [1]:
            told, dropped = (), [1, *dropped]
        self.evicted, self.dropped = [], []
        return StrandsTold(told, tuple(dropped)) if told or dropped else None

    def _strand(self, record: str, parent: str, response: str | None, at: str | None) -> Strand | None:
        """Return the strand that a record goes on with, a new one where it follows none; None where the record is told again."""
        if not parent or parent.startswith(LIKELY):  # a compaction's boundary, or history that begins again
            if self.open:
                return self._named(parent.removeprefix(LIKELY)[-KEY:])
            parent = ""
        key, followed = record[-KEY:], parent[-KEY:]
        for strand in self.open:
            if key in strand.latest or key in strand.before:
                self._forget_retold(strand, followed)
                return None
        for strand in reversed(self.open):
            if followed in strand.latest:
                self.open.remove(strand)
                self.open.append(strand)
                return strand
        # An answer to what was answered already: no single process gives two.
        rival = next((one for one in reversed(self.open) if response is not None and one.responses and followed in one.before), None)
        self.count += 1
        strand = Strand(self.count, record, parent, at)
        if rival is not None:
            strand.is_concurrent = rival.is_concurrent = True
        self.open.append(strand)
        if len(self.open) > KEPT:
            self.evicted.append(self.open.pop(0))
        return strand

    def _named(self, followed: str) -> Strand:
        """Return the strand with a record that is known, else the one written last; it is the one written last now."""
        strand = next((one for one in reversed(self.open) if followed in one.latest or followed in one.before), self.open[-1])
        self.open.remove(strand)
        self.open.append(strand)
        return strand

    def _forget_retold(self, strand: Strand, followed: str) -> None:
        """Drop the strand that old records made which the file tells again, now that they have come to one that is known."""
        for other in self.open:
            if other is not strand and followed in other.latest and other.number > strand.number:
                self.open.remove(other)
                self.dropped.append(other.number)
                self.grown = strand.number
                self.changed = True
                return

    def _answered(self, strand: Strand, response: str, at: str | None) -> None:
        """Begin a response on a strand; where another one had grown since the strand's last response, both are concurrent."""
        if self.grown != strand.number and strand.responses:
            other = next((one for one in self.open if one.number == self.grown), None)
            # Records that are told again have their old times: what is later in the file only is no second writer.
            if other is not None and (strand.since or "") <= (other.since or "") <= (at or ""):
                strand.is_concurrent = other.is_concurrent = True
        self.grown = strand.number
        strand.response, strand.since = response, at
        strand.responses += 1
        strand.before, strand.latest = strand.latest, []


TOLD = """INSERT OR REPLACE INTO session_strands (session_id, source_key, generation, strand, follows_record_id, first_record_id, leaf_record_id,
    responses, started_at, last_at, last_offset, is_concurrent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
DROPPED = "DELETE FROM session_strands WHERE session_id = ? AND source_key = ? AND generation = ? AND strand = ?"
CHAIN = """UPDATE session_strands SET is_chain = (source_key, generation, strand) = (SELECT source_key, generation, strand
    FROM session_strands WHERE session_id = ?1
    ORDER BY max(last_at) OVER (PARTITION BY source_key) DESC, source_key DESC, generation DESC, last_offset DESC LIMIT 1) WHERE session_id = ?1"""


def _told(place: Place, event: StrandsTold, rows: Rows) -> None:
    rows.sessions.add(place.session_id)
    for number in event.dropped:
        rows.add(DROPPED, (place.session_id, place.source_key, place.generation, number))
    for one in event.strands:
        rows.add(TOLD, (place.session_id, place.source_key, place.generation, one.number, one.follows or None, one.first, one.leaf, one.responses,
                        one.started_at, one.grown_at, one.last_offset, int(one.is_concurrent)))  # fmt: skip


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Choose the chain of each session that has several strands."""
    views.executemany(CHAIN, [(session_id,) for session_id in session_ids])


PROJECTION = Projection(
    name="strands",
    version=2,
    tables={
        "session_strands": """CREATE TABLE {name} (session_id TEXT NOT NULL, source_key TEXT NOT NULL, generation INTEGER NOT NULL,
            strand INTEGER NOT NULL, follows_record_id TEXT, first_record_id TEXT NOT NULL, leaf_record_id TEXT NOT NULL, responses INTEGER NOT NULL,
            started_at TEXT, last_at TEXT, last_offset INTEGER NOT NULL, is_concurrent INTEGER NOT NULL, is_chain INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (session_id, source_key, generation, strand)) STRICT, WITHOUT ROWID"""
    },
    indexes=(),
    statements=(DROPPED, TOLD),
    handlers={StrandsTold: _told},
    settle=settle,
    digest={"session_strands": "SELECT session_id, generation, strand, follows_record_id, first_record_id, leaf_record_id, responses, started_at,"
            " last_at, is_concurrent, is_chain FROM session_strands ORDER BY session_id, source_key, generation, strand"},
)  # fmt: skip
