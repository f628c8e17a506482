"""Finding what is to be forgotten in a log: what a text, a session or a project names, and every copy of it."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ingest.adapter import Adapter
from ingest.refusal import Refusal, decoded, element_ids, record_ids
from journal.domain import SourceFacts
from journal.phrases import MOST_PHRASES, Text
from journal.reader import StoredEvent, head, read_events, source_facts
from journal.scrubbing import Chosen, forget_types, scrub, without
from journal.segments import split_document
from journal.tombstones import Forgotten, Keys, Phrase, blank, forgotten, keys_of

Progress = Callable[[int, int], None]
READ_AT_ONCE = 500
READ_BYTES = 4 * 1024 * 1024


class Target(NamedTuple):
    """What a user wants forgotten."""

    kind: str
    """`match`, `session` or `project`; `known` for what the keys of the log already say."""
    name: str
    """The text, the session's id or the project's path."""
    sessions: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    """The working directories of a project."""
    stays_out: bool = True
    """Whether the text of a match is kept out where it comes again in other records."""


class Selection:
    """What of a log is to be forgotten."""

    def __init__(self, connection: sqlite3.Connection, adapters: Mapping[str, Adapter], target: Target, keys: Keys, progress: Progress | None = None) -> None:
        self.connection = connection
        self.adapters = adapters
        self.target = target
        self.text = Text(target.name) if target.kind == "match" else None
        self.named = tuple(json.dumps(name)[1:-1].encode() for name in sorted(target.sessions))
        self.folders = tuple(json.dumps(path, ensure_ascii=ascii_only).encode() for path in sorted(target.paths) for ascii_only in (True, False))
        self.facts = source_facts(connection)
        before = forgotten(connection)
        self.known = before if before and before.keys.secret == keys.secret else Forgotten(keys)
        self.refusal = Refusal(self.known, adapters)
        self.fresh: dict[bytes, tuple[str, Phrase | None]] = {}
        self.chosen: dict[int, Chosen] = {}
        self.bytes = 0
        """How many bytes will go; a little less where a later key takes more of a document."""
        self.whole: set[int] = set()
        """Positions of documents of which nothing stays."""
        for phrase in self.text.phrases if self.text and target.stays_out else ():
            self._add_phrase(phrase)
        last = head(connection).position
        for is_copy in (False, True):
            for event in _events(connection):
                if progress:
                    progress(event.global_position + last * is_copy, event.length_bytes)
                if event.global_position not in self.chosen and event.line.strip():
                    self._judge(event, is_copy)
        kinds = {type for (type,) in connection.execute("SELECT DISTINCT type FROM events") if self._is_told(type)}
        self.types = [(position, f"{self.facts[source_id].host}.forgotten") for position, source_id, type in connection.execute(
            "SELECT global_position, source_id, type FROM events") if type in kinds] if kinds else []  # fmt: skip
        self.sources = [(source_id, facts) for source_id, facts in self.facts.items() if self._is_told(facts.path) or self._is_told(facts.native_id)]

    def _judge(self, event: StoredEvent, is_copy: bool) -> None:
        """Choose an event that the target names, or in the second round one that is a copy of a chosen one."""
        facts = self.facts[event.source_id]
        if facts.shape == "document":
            is_whole = not is_copy and self.text is None and self._is_named(facts, event.line)
            left = blank(event.line) if is_whole else self._rest(facts, event.line)
            if left != event.line:
                self.bytes += sum(a != b for a, b in zip(event.line, left, strict=True))
                self._choose(event, facts, is_whole)
        elif self.refusal.has(facts, event.line) if is_copy else self._is_named(facts, event.line):
            self.bytes += len(event.line.rstrip(b"\r\n"))
            self._choose(event, facts, False)

    def _is_named(self, facts: SourceFacts, line: bytes) -> bool:
        if self.text:
            return self.text.is_in(line)
        sessions = self.target.sessions
        if facts.native_id in sessions or facts.native_id.partition(":")[0] in sessions:
            return True
        if not facts.native_id:
            # Side files and the inbox name their sessions and folders in the line itself.
            return any(name in line for name in self.named) or (facts.host == "journal" and any(folder in line for folder in self.folders))
        if any(session.startswith(facts.native_id + ":") for session in sessions):
            return any(one.session_id in sessions for one in decoded(self.adapters, facts, line))
        return False

    def _is_told(self, name: str) -> bool:
        """Tell whether a path, an id or a type tells what is forgotten."""
        data = name.encode(errors="replace")
        return (self.text is not None and self.text.is_in(data)) or self.known.has_phrase(data)

    def _rest(self, facts: SourceFacts, data: bytes) -> bytes:
        """Return what stays of a document that is not forgotten as a whole."""
        left = self.refusal.document(facts, data)
        return without(left, self.text.is_in) if self.text else left

    def _choose(self, event: StoredEvent, facts: SourceFacts, is_whole: bool) -> None:
        position, is_document = event.global_position, facts.shape == "document"
        segment_id = self.connection.execute("SELECT segment_id FROM events WHERE global_position = ?", (position,)).fetchone()[0]
        self.chosen[position] = Chosen(*event[:5], segment_id, is_document)
        if is_whole:
            self.whole.add(position)
        self._add(self.known.keys.line(event.line), "line")
        if is_document:
            for part in split_document(event.line)[1::2]:
                if is_whole or (self.text and self.text.is_in(part)):
                    self._add(self.known.keys.line(part), "line")
                    for record_id in element_ids(part):
                        self._add(self.known.keys.record(facts.host, facts.native_id, record_id), "record")
        for session_id, record_id in () if is_document else record_ids(self.adapters, facts, event.line):
            self._add(self.known.keys.record(facts.host, session_id, record_id), "record")
            self._add(self.known.keys.session(facts.host, facts.native_id), "session")
        if self.text and self.target.stays_out and len(self.fresh) < MOST_PHRASES:
            for phrase in self.text.phrases_in(event.line):
                self._add_phrase(phrase)

    def _add(self, key: bytes, kind: str, shape: Phrase | None = None) -> None:
        if key not in self.known.known:
            self.fresh[key] = kind, shape
            self.known.add(key, kind, shape)

    def _add_phrase(self, phrase: str) -> None:
        self._add(self.known.keys.phrase(phrase), "phrase", self.known.keys.shape(phrase))

    def forget(self) -> int:
        """Scrub what was found and keep its keys, inside the caller's transaction; return how many bytes went."""
        connection = self.connection
        size = scrub(connection, self.known.keys, self.chosen.values(), self._rewrite)
        forget_types(connection, self.types)
        for source_id, facts in self.sources:
            hidden = self.known.keys.hidden
            native_id = hidden(facts.native_id) if self._is_told(facts.native_id) else facts.native_id
            connection.execute("UPDATE sources SET path = ?, native_id = ? WHERE source_id = ?", (hidden(facts.path), native_id, source_id))
        connection.executemany(
            "INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(key, kind, *(shape or (None,) * len(Phrase._fields))) for key, (kind, shape) in self.fresh.items()],
        )
        return size

    def _rewrite(self, position: int, data: bytes) -> bytes:
        return blank(data) if position in self.whole else self._rest(self.facts[self.chosen[position].source_id], data)


def select(connection: sqlite3.Connection, adapters: Mapping[str, Adapter], target: Target, keys: Keys | None = None,
           progress: Progress | None = None) -> Selection:  # fmt: skip
    """Return what *target* names in a log, and every copy of it; without *keys* those of the log.

    *progress* is told the position reached, which goes on counting in the second round, and the bytes read since it was last told.
    """
    return Selection(connection, adapters, target, keys or keys_of(connection), progress)


def _events(connection: sqlite3.Connection) -> Iterator[StoredEvent]:
    """Yield all events in order, some at once, fewer where lines are long."""
    after, limit = 0, READ_AT_ONCE
    while events := read_events(connection, after, limit):
        yield from events
        after = events[-1].global_position
        limit = max(1, limit // 2) if sum(event.length_bytes for event in events) > READ_BYTES else min(READ_AT_ONCE, limit * 2)
