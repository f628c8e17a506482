"""A session as a stream of items: what was said, called, changed, compacted, damaged, in order, sub-agents inside.

Only keys are sorted, by SQLite; each row is fetched when its turn comes and each record of the log when something of it
is needed that no view holds. So memory does not grow with the session.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from projections.records import Image, Records

DEEPEST = 12
"""Sub-agents of sub-agents are followed so far."""
AROUND = 6
"""How many items before and after the one asked for are shown."""


class Wanted(NamedTuple):
    """What of a session is asked for."""

    whole: bool = False
    """Whole inputs and outputs instead of the views' excerpts."""
    diffs: bool = True
    """Edit bodies."""
    images: bool = False
    reveal: bool = False
    """The host's own text, with the secrets in it."""
    copies: bool = False
    """Also the records that stand first in another session (forks repeat them)."""
    children: bool = True
    """The items of sub-agents, not their heads alone."""
    around: int | None = None
    """Only what stands around this position of the log."""


class Opened(NamedTuple):
    """A session begins, or a sub-agent's inside it."""

    level: int
    session: Mapping[str, Any]
    """The row of the `sessions` view."""
    links: tuple[tuple[str, str], ...]
    """(kind, session id) of the sessions it came from."""


class Said(NamedTuple):
    """A text of the conversation."""

    level: int
    position: int
    occurred_at: str | None
    role: str
    kind: str
    """`prompt`, `answer`, `reasoning`, `summary`, `injected` or `notice`."""
    text: str
    turn: int | None
    """The number of the turn that a prompt begins."""
    model: str | None
    is_copy: bool
    is_dropped: bool
    """A rewind took it out of the host's history."""
    images: tuple[Image, ...]


class Edited(NamedTuple):
    """A file that a tool changed."""

    level: int
    position: int
    occurred_at: str | None
    path: str
    operation: str
    lines_added: int | None
    lines_removed: int | None
    moved_to: str | None
    evidence: str
    diff: str | None


class Called(NamedTuple):
    """A tool call and how it ended."""

    level: int
    position: int
    occurred_at: str | None
    tool_call_id: str
    name: str | None
    input_text: str | None
    output: str | None
    output_chars: int | None
    """Characters of the whole output; None while none came."""
    is_error: bool
    exit_code: int | None
    duration_ms: int | None
    edits: tuple[Edited, ...]
    is_copy: bool
    images: tuple[Image, ...]


class Compacted(NamedTuple):
    """The host replaced the model's context by a summary."""

    level: int
    occurred_at: str | None
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None


class Faulty(NamedTuple):
    """A record that did not read whole, or of a kind that nobody knows."""

    level: int
    position: int
    occurred_at: str | None
    fault: str
    """`damaged` or `unknown`."""
    what: str


class Noted(NamedTuple):
    """A note that somebody put to the session."""

    level: int
    occurred_at: str | None
    text: str


class Copied(NamedTuple):
    """Records that belong to another session were left out here."""

    level: int
    records: int


class Skipped(NamedTuple):
    """Items before or after those asked for were left out."""

    level: int
    records: int
    where: str
    """`before` or `after`."""


class Closed(NamedTuple):
    """A session ends, with what it used."""

    level: int
    session_id: str
    models: tuple[tuple[Any, ...], ...]
    """model, input, output, cache read, cache write, reasoning, responses."""


Item = Opened | Said | Called | Edited | Compacted | Faulty | Noted | Copied | Skipped | Closed

# A source keeps its byte order: the time a row sorts by never falls below that of a row before it in its source.
KEYS = """WITH rows (what, id, at, source_id, position, part) AS (
    SELECT 'said', message_rowid, occurred_at, source_id, global_position, ordinal FROM messages WHERE session_id = ?1
    UNION ALL SELECT 'called', tool_call_rowid, coalesce(occurred_at, returned_at), source_id, global_position, 1000 FROM tool_calls WHERE session_id = ?1
    UNION ALL SELECT 'edited', rowid, occurred_at, source_id, global_position, 2000 FROM file_changes AS f WHERE session_id = ?1
        AND NOT EXISTS (SELECT 1 FROM tool_calls AS t WHERE t.session_id = ?1 AND t.tool_call_id = f.change_key)
    UNION ALL SELECT 'compacted', record_id, occurred_at, 0, 0, 0 FROM compactions WHERE session_id = ?1
    UNION ALL SELECT 'damaged', global_position, occurred_at, source_id, global_position, 3000 FROM damaged_records WHERE session_id = ?1
    UNION ALL SELECT 'unknown', global_position, occurred_at, source_id, global_position, 3000 + ordinal FROM unknown_records WHERE session_id = ?1
    UNION ALL SELECT 'noted', record_id, noted_at, 0, 0, 0 FROM session_notes WHERE session_id = ?1)
SELECT what, id, position, max(coalesce(at, '')) OVER (PARTITION BY source_id ORDER BY position, part, id) AS reached, part
FROM rows LEFT JOIN source_keys USING (source_id) ORDER BY reached, coalesce(source_key, ''), position, part, id"""
SAID = """SELECT global_position, last_position, occurred_at, role, kind, text, record_id, ordinal, model, is_copy, dropped_by IS NOT NULL,
    (SELECT number FROM turns AS t WHERE t.session_id = m.session_id AND t.turn_id = m.record_id AND m.kind = 'prompt')
    FROM messages AS m WHERE message_rowid = ?"""
CALLED = """SELECT global_position, returned_position, occurred_at, tool_call_id, name, input_text, output_excerpt, output_chars, is_error, exit_code,
    duration_ms, is_copy FROM tool_calls WHERE tool_call_rowid = ?"""
CHANGES = """SELECT global_position, occurred_at, path, operation, lines_added, lines_removed, moved_to, evidence, absolute_path, tool_call_id
    FROM file_changes WHERE {} ORDER BY rowid"""
USED = """SELECT coalesce(model, 'unknown'), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
    sum(reasoning_tokens), count(*) FROM usage WHERE session_id = ? AND counted AND NOT is_copy GROUP BY 1 ORDER BY 1"""
CHILDREN = """SELECT s.session_id, s.started_at, (SELECT fork_point FROM session_links AS l WHERE l.child_session_id = s.session_id
    AND l.parent_session_id = s.parent_session_id AND l.kind = 'subagent') FROM sessions AS s
    WHERE s.parent_session_id = ? AND s.link_kind = 'subagent' ORDER BY s.started_at, s.session_id"""
# The call that names the child, else the last one that ran when the child began.
STARTED_BY = """SELECT tool_call_id FROM tool_calls WHERE session_id = ?1 AND NOT is_copy
    AND (instr(coalesce(output_excerpt, ''), ?3) OR instr(coalesce(input_text, ''), ?3)
         OR (occurred_at <= ?2 AND coalesce(returned_at, '9') >= ?2))
    ORDER BY instr(coalesce(output_excerpt, ''), ?3) > 0 DESC, instr(coalesce(input_text, ''), ?3) > 0 DESC, occurred_at DESC, tool_call_id LIMIT 1"""


def transcript(views: sqlite3.Connection, records: Records, session_id: str, wanted: Wanted) -> Iterator[Item]:
    """Yield the items of a session, from the views and, where asked for more, from the log."""
    return Transcript(views, records, wanted).items(session_id, 0, wanted.around)


class Transcript:
    """One reading of a session and of its sub-agents."""

    def __init__(self, views: sqlite3.Connection, records: Records, wanted: Wanted) -> None:
        self.views = views
        self.records = records
        self.wanted = wanted
        self.open: set[str] = set()
        self.shown_images = 0
        """The position of the record whose pictures were last given."""

    def items(self, session_id: str, level: int, around: int | None = None) -> Iterator[Item]:
        """Yield what stands in one session, its head first and its usage last."""
        yield self._head(session_id, level)
        if level == 0 or self.wanted.children:
            self.open.add(session_id)
            yield from self._body(session_id, level, around)
            self.open.discard(session_id)
        yield Closed(level, session_id, tuple(self.views.execute(USED, (session_id,))))

    def _head(self, session_id: str, level: int) -> Opened:
        cursor = self.views.execute("SELECT * FROM sessions WHERE session_id = ?", (session_id,))
        row = cursor.fetchone()
        names = [column[0] for column in cursor.description]
        links = self.views.execute("SELECT kind, parent_session_id FROM session_links WHERE child_session_id = ? ORDER BY 1, 2", (session_id,))
        return Opened(level, dict(zip(names, row, strict=True)), tuple(links.fetchall()))

    def _body(self, session_id: str, level: int, around: int | None) -> Iterator[Item]:
        by_call, by_time = self._children(session_id) if level < DEEPEST else ({}, [])
        skipped = 0
        for what, key, _, reached, _ in self._keys(session_id, around):
            if what == "skipped":
                yield Skipped(level, key, reached)
                continue
            item = self._item(what, key, session_id, level)
            while by_time and by_time[0][0] <= reached:
                yield from self.items(by_time.pop(0)[1], level + 1)
            if not self.wanted.copies and getattr(item, "is_copy", False):
                skipped += 1
                continue
            if skipped:
                yield Copied(level, skipped)
                skipped = 0
            yield item
            if isinstance(item, Called):
                for child in by_call.pop(item.tool_call_id, ()):
                    yield from self.items(child, level + 1)
        if skipped:
            yield Copied(level, skipped)
        if around is None:
            for child in [*(child for children in by_call.values() for child in children), *(child for _, child in by_time)]:
                yield from self.items(child, level + 1)

    def _keys(self, session_id: str, around: int | None) -> Iterator[tuple[Any, ...]]:
        """Yield the keys of a session's items in order; with *around*, those near it and how many were left out."""
        if around is None:
            yield from self.views.execute(KEYS, (session_id,))
            return
        numbered = f"SELECT *, row_number() OVER () AS number, count(*) OVER () AS total FROM ({KEYS})"
        window = f"""WITH numbered AS ({numbered}), nearest AS (SELECT number FROM numbered WHERE position > 0 ORDER BY abs(position - ?2), number LIMIT 1)
            SELECT what, id, position, reached, part, number, total FROM numbered
            WHERE number BETWEEN (SELECT number FROM nearest) - {AROUND} AND (SELECT number FROM nearest) + {AROUND} ORDER BY number"""
        found = self.views.execute(window, (session_id, around)).fetchall()
        if found and found[0][5] > 1:
            yield "skipped", found[0][5] - 1, 0, "before", 0
        for row in found:
            yield row[:5]
        if found and found[-1][5] < found[-1][6]:
            yield "skipped", found[-1][6] - found[-1][5], 0, "after", 0

    def _children(self, session_id: str) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
        """Return the sub-agents by the call that started them, and those of which no call is known by their time."""
        by_call: dict[str, list[str]] = {}
        by_time: list[tuple[str, str]] = []
        for child, started, point in self.views.execute(CHILDREN, (session_id,)).fetchall():
            if child in self.open:
                continue
            named = child.removeprefix(f"{session_id}:")
            call = point and self.views.execute("SELECT tool_call_id FROM tool_calls WHERE session_id = ? AND tool_call_id = ?", (session_id, point)).fetchone()
            call = call or self.views.execute(STARTED_BY, (session_id, started or "", named)).fetchone()
            if call:
                by_call.setdefault(call[0], []).append(child)
            else:
                by_time.append((started or "", child))
        return by_call, by_time

    def _item(self, what: str, key: Any, session_id: str, level: int) -> Item:
        if what == "said":
            return self._said(key, level)
        if what == "called":
            return self._called(key, session_id, level)
        if what == "edited":
            return self._edits("rowid = ?", (key,), level)[0]
        if what == "compacted":
            query = "SELECT occurred_at, trigger, pre_tokens, post_tokens FROM compactions WHERE session_id = ? AND record_id = ?"
            return Compacted(level, *self.views.execute(query, (session_id, key)).fetchone())
        if what == "noted":
            query = "SELECT noted_at, text FROM session_notes WHERE session_id = ? AND record_id = ?"
            return Noted(level, *self.views.execute(query, (session_id, key)).fetchone())
        column = "damage" if what == "damaged" else "kind"
        at, told = self.views.execute(f"SELECT occurred_at, {column} FROM {what}_records WHERE global_position = ?", (key,)).fetchone()
        return Faulty(level, key, at, what, told)

    def _said(self, key: int, level: int) -> Said:
        position, last, at, role, kind, text, record_id, ordinal, model, is_copy, is_dropped, turn = self.views.execute(SAID, (key,)).fetchone()
        if self.wanted.reveal:
            text = self.records.text(last, record_id, ordinal) or text
        return Said(level, position, at, role, kind, text, turn, model, bool(is_copy), bool(is_dropped), self._images(last))

    def _called(self, key: int, session_id: str, level: int) -> Called:
        row = self.views.execute(CALLED, (key,)).fetchone()
        position, returned, at, call, name, given, output, chars, is_error, exit_code, duration, is_copy = row
        if self.wanted.reveal or self.wanted.whole:
            given = self.records.input(position, call) or given
        images = self._images(position)
        edits = self._edits("session_id = ? AND change_key = ?", (session_id, call), level)
        if returned is not None and (self.wanted.reveal or (self.wanted.whole and chars > len(output or ""))):
            output = self.records.output(returned, call) or output
        if returned is not None and returned != position:
            images += self._images(returned)
        return Called(level, position, at, call, name, given, output, chars, bool(is_error), exit_code, duration, edits, bool(is_copy), images)

    def _edits(self, where: str, asked: tuple[Any, ...], level: int) -> tuple[Edited, ...]:
        found = []
        for position, *told, absolute, call in self.views.execute(CHANGES.format(where), asked).fetchall():
            diff = self.records.diff(position, absolute, call) if self.wanted.diffs and told[6] == "tool" else None
            found.append(Edited._make((level, position, *told, diff)))
        return tuple(found)

    def _images(self, position: int) -> tuple[Image, ...]:
        """Return a record's pictures, once: they go with its first item."""
        if not self.wanted.images or position == self.shown_images:
            return ()
        self.shown_images = position
        return tuple(self.records.images(position))
