"""What was decided between the snapshots of sessions: when, by whom, where it stands, and what changed meanwhile. Pure queries on the views."""

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from journal.cutting import on_one_line
from projections.cards import told_in
from projections.snapshot_detail import commits, error_of, message_of

TEXT_CHARS = 30_000
SENTENCE_CHARS = 300
SNAPSHOTS = """SELECT snapshot_id, reason, at, files, tool_calls, branch, head, used_tokens FROM snapshots WHERE session_id = ? ORDER BY at, snapshot_id"""
CHANGES = "SELECT path, operation, lines_added, lines_removed, occurred_at FROM file_changes WHERE session_id = ? AND is_copy = 0 AND occurred_at IS NOT NULL"
TEXTS = """SELECT kind, substr(text, 1, ?2), occurred_at, global_position FROM messages WHERE session_id = ?1 AND kind IN ('prompt', 'answer')
AND is_copy = 0 AND dropped_by IS NULL AND occurred_at IS NOT NULL ORDER BY occurred_at, record_id, ordinal"""
CALLS = """SELECT name, input_text, is_error, exit_code, output_excerpt, occurred_at FROM tool_calls
WHERE session_id = ? AND is_copy = 0 AND occurred_at IS NOT NULL ORDER BY occurred_at, tool_call_id"""
CHOSEN = """SELECT output_excerpt, coalesce(returned_at, occurred_at), global_position FROM tool_calls WHERE session_id = ? AND is_copy = 0
AND coalesce(is_error, 0) = 0 AND output_excerpt LIKE '%user%' AND occurred_at IS NOT NULL ORDER BY 2, global_position"""
HANDOFFS = "SELECT text, saved_at FROM handoffs WHERE session_id = ? AND saved_at IS NOT NULL ORDER BY saved_at, handoff_id"
LEARNED = "SELECT text, learned_at FROM learnings WHERE session_id = ? AND kind = 'decision' AND learned_at IS NOT NULL ORDER BY learned_at, learning_id"
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
# So a host tells the agent what was chosen; further below it would be the words of a file.
CHOICE = re.compile(r".{0,200}?\buser (?:has )?(?:answered|chose|chosen|selected|approved|rejected)\b", re.IGNORECASE | re.DOTALL)
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
BY = {"prompt": "user", "answer": "agent"}


class Decision(NamedTuple):
    """A sentence that decides something."""

    at: str
    by: str
    """`user`, `agent`, `choice` (what the user chose when the agent asked), `handoff` (its heading Decisions) or `learned`."""
    session_id: str
    position: int | None
    """Where it stands in the log; None for what stands in a handoff or was learned."""
    text: str


class Snapshot(NamedTuple):
    """A row of `snapshots`."""

    snapshot_id: str
    reason: str
    at: str
    files: int
    tools: int
    branch: str | None
    head: str | None
    used_tokens: int | None


class File(NamedTuple):
    """What was done to a file."""

    path: str
    operations: str
    lines_added: int
    lines_removed: int


class Stretch(NamedTuple):
    """A session from one snapshot to the next, from its start to its first one, or from its last one to its end."""

    session_id: str
    after: str | None
    """The snapshot that it begins at; None at the start of the session."""
    snapshot: Snapshot | None
    """The one that it ends at; None where none came."""
    decisions: list[Decision]
    files: list[File]
    commits: list[str]
    failures: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell: no snapshot, no decision, no change."""
        return self.snapshot is None and not (self.decisions or self.files or self.commits or self.failures)


def stretches(views: sqlite3.Connection, session_id: str) -> list[Stretch]:
    """Return what happened between the snapshots of a session, oldest first; a sentence that is said again is told once."""
    ends = [Snapshot(*row) for row in views.execute(SNAPSHOTS, (session_id,))]
    moments = [end.at for end in ends]
    found = [Stretch(session_id, ends[place - 1].snapshot_id if place else None, ends[place] if place < len(ends) else None, [], [], [], [])
             for place in range(len(ends) + 1)]  # fmt: skip
    seen: set[str] = set()
    for decision in sorted(_decisions(views, session_id), key=lambda one: one.at):
        folded = " ".join(decision.text.casefold().split())
        if folded not in seen:
            seen.add(folded)
            found[bisect_left(moments, decision.at)].decisions.append(decision)
    changed: list[dict[str, tuple[set[str], list[int]]]] = [{} for _ in found]
    for path, operation, added, removed, at in views.execute(CHANGES, (session_id,)):
        operations, lines = changed[bisect_left(moments, at)].setdefault(path, (set(), [0, 0]))
        operations.add(operation)
        lines[0] += added or 0
        lines[1] += removed or 0
    for stretch, of in zip(found, changed, strict=True):
        stretch.files.extend(File(path, ",".join(sorted(operations)), *lines) for path, (operations, lines) in sorted(of.items()))
    calls = views.execute(CALLS, (session_id,)).fetchall()
    for command, at in commits(calls):
        found[bisect_left(moments, at)].commits.append(message_of(command))
    for call in calls:
        if call[2] or call[3]:
            found[bisect_left(moments, call[5])].failures.append(error_of(call))
    return [stretch for stretch in found if not stretch.is_empty]


def _decisions(views: sqlite3.Connection, session_id: str) -> Iterator[Decision]:
    for kind, text, at, position in views.execute(TEXTS, (session_id, TEXT_CHARS)):
        for _, sentence in told_in(kind, text, {"decision"}):
            yield Decision(at, BY[kind], session_id, position, on_one_line(sentence, SENTENCE_CHARS))
    for output, at, position in views.execute(CHOSEN, (session_id,)):
        if CHOICE.match(output):
            yield Decision(at, "choice", session_id, position, on_one_line(output, SENTENCE_CHARS))
    for text, at in views.execute(HANDOFFS, (session_id,)):
        for bullet in decided_in(text):
            yield Decision(at, "handoff", session_id, None, on_one_line(bullet, SENTENCE_CHARS))
    for text, at in views.execute(LEARNED, (session_id,)):
        yield Decision(at, "learned", session_id, None, on_one_line(text, SENTENCE_CHARS))


def decided_in(handoff: str) -> Iterator[str]:
    """Yield the bullets below a heading of decisions."""
    is_decisions = False
    for line in handoff.splitlines():
        heading = HEADING.match(line)
        if heading:
            is_decisions = "decision" in heading[1].casefold()
        elif is_decisions and (bullet := BULLET.match(line)):
            yield bullet[1]
