"""The `snapshots` view: points of a session worth coming back to, read off its records alone; only a manual one was asked for.

A point has a reason: `pre_compact` (the host summed the context up), `token_threshold` (its use crossed a threshold),
`time_interval` (so much active time since the last point, told at a prompt), `session_end`, `manual`. What a snapshot
shows is what the other views hold of the session up to its moment. One without any file changed since the point before
is left out, unless it was asked for.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from journal.moments import seconds_of
from journal.own_events import SnapshotRequested
from journal.windows import LONG, window_of
from projections.projection import Place, Projection, Rows

INTERVAL_S = 300.0
"""Active time between two points where no hook wrote another setting down."""
PAUSE_S = 1800.0
"""A longer gap between two records is no active time."""
THRESHOLDS = (0.75,)
REQUESTED = "INSERT OR REPLACE INTO snapshot_requests VALUES (?, ?, ?, ?)"
SNAPSHOT = "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FILE = "INSERT OR REPLACE INTO snapshot_files VALUES (?, ?, ?, ?, ?, ?)"

MOMENTS = """SELECT occurred_at, kind = 'prompt' FROM messages WHERE session_id = ?1 AND is_copy = 0 AND occurred_at IS NOT NULL
UNION ALL SELECT occurred_at, 0 FROM tool_calls WHERE session_id = ?1 AND is_copy = 0 AND occurred_at IS NOT NULL ORDER BY 1, 2"""
COMPACTIONS = "SELECT occurred_at, record_id FROM compactions WHERE session_id = ? AND is_copy = 0 AND occurred_at IS NOT NULL ORDER BY occurred_at, record_id"
# Byte order inside one source, time between several; a copy of a file repeats what it says, and says it once.
USES = """SELECT occurred_at, used_tokens, window_tokens, model, EXISTS (SELECT 1 FROM usage AS u
    WHERE u.session_id = ?1 AND u.response_id = c.response_id AND u.is_copy = 1) FROM context_history AS c WHERE session_id = ?1 AND occurred_at IS NOT NULL
ORDER BY CASE WHEN (SELECT count(DISTINCT source_key) FROM context_history WHERE session_id = ?1) > 1 THEN occurred_at END,
    source_key, generation, offset_bytes"""
HOOKED = "SELECT line FROM hook_history WHERE session_id = ? ORDER BY occurred_at, record_id"
CHANGES = """SELECT path, operation, lines_added, lines_removed, occurred_at FROM file_changes
WHERE session_id = ? AND is_copy = 0 AND occurred_at IS NOT NULL ORDER BY occurred_at, change_key, path"""
TOOLS = "SELECT count(*) FROM tool_calls WHERE session_id = ? AND is_copy = 0 AND occurred_at <= ?"
CHECKOUT = """SELECT branch, head FROM hook_events WHERE session_id = ? AND occurred_at <= ? AND head IS NOT NULL
ORDER BY occurred_at DESC, record_id DESC LIMIT 1"""
ASKED = """SELECT 1 FROM snapshot_requests WHERE session_id = ?1
UNION ALL SELECT 1 FROM compactions WHERE session_id = ?1 AND is_copy = 0 AND occurred_at IS NOT NULL LIMIT 1"""
WHATEVER_CHANGED = ("manual", "pre_compact")
"""Reasons that make a snapshot although no file changed since the last one: the words before a compaction are worth it."""
SESSION = "SELECT branch, head_commit, kind, end_reason, last_at, project FROM sessions WHERE session_id = ?"
USED = """SELECT used_tokens FROM context_history WHERE session_id = ? AND occurred_at <= ? AND used_tokens IS NOT NULL
ORDER BY occurred_at DESC, source_key DESC, generation DESC, offset_bytes DESC LIMIT 1"""
# Most hosts end a session without a word in its transcript; the hook of its end is told.
ENDED = "SELECT 1 FROM hook_events WHERE session_id = ? AND role = 'session-end' AND occurred_at >= ? LIMIT 1"


class Point(NamedTuple):
    """A moment of a session, and why it is one."""

    at: str
    reason: str
    mark: str
    """What tells it from another point of the same moment and reason."""


class Change(NamedTuple):
    """One row of `file_changes`."""

    path: str
    operation: str
    lines_added: int | None
    lines_removed: int | None
    at: str


def _requested(place: Place, event: SnapshotRequested, rows: Rows) -> None:
    rows.add(REQUESTED, (place.session_id, place.record_id, place.occurred_at, event.note))


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Write the snapshots of the sessions again."""
    for session_id in session_ids:
        views.execute("DELETE FROM snapshot_files WHERE snapshot_id IN (SELECT snapshot_id FROM snapshots WHERE session_id = ?)", (session_id,))
        views.execute("DELETE FROM snapshots WHERE session_id = ?", (session_id,))
        session = views.execute(SESSION, (session_id,)).fetchone()
        if session is None or session[2] in ("subagent", "empty"):
            continue
        changes = [Change(*row) for row in views.execute(CHANGES, (session_id,))]
        if not changes and views.execute(ASKED, (session_id,)).fetchone() is None:
            continue
        before: str | None = None
        for point in _points(views, session_id, session):
            new = [change for change in changes if change.at <= point.at and (before is None or change.at > before)]
            if new or point.reason in WHATEVER_CHANGED:
                _write(views, session_id, session, point, [change for change in changes if change.at <= point.at], before, len(new))
                before = point.at


def _points(views: sqlite3.Connection, session_id: str, session: tuple[str | None, ...]) -> list[Point]:
    """Return all points of a session in the order of their time."""
    points = [Point(at, "pre_compact", record_id) for at, record_id in views.execute(COMPACTIONS, (session_id,))]
    requests = "SELECT requested_at, record_id FROM snapshot_requests WHERE session_id = ? AND requested_at IS NOT NULL"
    points += [Point(at, "manual", record_id) for at, record_id in views.execute(requests, (session_id,))]
    thresholds, interval_s, limit = _settings(views, session_id)
    points += _crossings(views, session_id, thresholds, limit)
    points += _intervals(views, session_id, interval_s, sorted(point.at for point in points))
    if session[4] and (session[3] or views.execute(ENDED, (session_id, session[4])).fetchone()):
        points.append(Point(session[4], "session_end", session[3] or ""))
    return sorted(points)


def _settings(views: sqlite3.Connection, session_id: str) -> tuple[tuple[float, ...], float, int | None]:
    """Return the thresholds, the interval and the window that the settings of the session's last hook gave."""
    thresholds: tuple[float, ...] = THRESHOLDS
    interval_s, limit = INTERVAL_S, None
    for (text,) in views.execute(HOOKED, (session_id,)):
        line = json.loads(text)
        if isinstance(line.get("thresholds"), list):
            thresholds = tuple(share for share in line["thresholds"] if isinstance(share, float)) or thresholds
        if isinstance(line.get("interval_s"), int | float):
            interval_s = float(line["interval_s"])
        if line.get("window_source") in ("setting", "catalog") or str(line.get("model")).endswith(LONG):
            limit = line.get("window")
    return thresholds, interval_s, limit if isinstance(limit, int) else None


def _crossings(views: sqlite3.Connection, session_id: str, thresholds: tuple[float, ...], limit: int | None) -> Iterator[Point]:
    """Yield the moments at which the use of the context rose over a threshold, counted anew after every fall below it."""
    above: set[float] = set()
    for at, used, reported, model, is_copy in views.execute(USES, (session_id,)):
        window = limit or reported or window_of(model)
        if used is None or not window:
            above.clear()
            continue
        now = {share for share in thresholds if used >= share * window}
        for share in () if is_copy else sorted(now - above):
            yield Point(at, "token_threshold", str(share))
        above = now


def _intervals(views: sqlite3.Connection, session_id: str, interval_s: float, others: list[str]) -> Iterator[Point]:
    """Yield the prompts before which so much active time had passed since the last point of any reason."""
    active, last = 0.0, None
    waiting = list(others)
    for at, is_prompt in views.execute(MOMENTS, (session_id,)).fetchall():
        now = seconds_of(at)
        if now is None:
            continue
        while waiting and waiting[0] <= at:
            active = 0.0
            waiting.pop(0)
        if last is not None and 0 < now - last <= PAUSE_S:
            active += now - last
        last = now
        if is_prompt and active >= interval_s:
            yield Point(at, "time_interval", "")
            active = 0.0


def _write(
    views: sqlite3.Connection, session_id: str, session: tuple[str | None, ...], point: Point, changes: list[Change], before: str | None, new: int
) -> None:
    """Write a snapshot and its files: of all changes up to its moment, and how many came since the point before."""
    branch, head = views.execute(CHECKOUT, (session_id, point.at)).fetchone() or (session[0], session[1])
    tools = views.execute(TOOLS, (session_id, point.at)).fetchone()[0]
    used = views.execute(USED, (session_id, point.at)).fetchone()
    own = snapshot_id(session_id, point)
    paths = sorted({change.path for change in changes})
    views.execute(SNAPSHOT, (own, session_id, point.reason, point.at, session[5], len(paths), new, tools, branch, head, used[0] if used else None, before))
    for path in paths:
        of = [change for change in changes if change.path == path]
        operations = ",".join(sorted({change.operation for change in of}))
        added, removed = (sum(figure or 0 for figure in figures) for figures in ([c.lines_added for c in of], [c.lines_removed for c in of]))
        views.execute(FILE, (own, path, operations, added, removed, max(change.at for change in of)))


def snapshot_id(session_id: str, point: Point) -> str:
    """Return the id of a point: its time as people read it, and six hex digits that tell it from all others."""
    digits = "".join(letter for letter in point.at[:19] if letter.isdigit())
    own = hashlib.sha256("\n".join((session_id, *point)).encode()).hexdigest()[:6]
    return f"SNAP_{digits[:8]}_{digits[8:14]}_{own}"


PROJECTION = Projection(
    name="snapshots",
    version=5,
    tables={
        "snapshot_requests": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, requested_at TEXT, note TEXT,
            PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "snapshots": """CREATE TABLE {name} (snapshot_id TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, reason TEXT NOT NULL,
            at TEXT NOT NULL, project TEXT, files INTEGER NOT NULL, new_changes INTEGER NOT NULL, tool_calls INTEGER NOT NULL, branch TEXT,
            head TEXT, used_tokens INTEGER, after TEXT) STRICT""",
        "snapshot_files": """CREATE TABLE {name} (snapshot_id TEXT NOT NULL, path TEXT NOT NULL, operations TEXT NOT NULL,
            lines_added INTEGER NOT NULL, lines_removed INTEGER NOT NULL, last_at TEXT NOT NULL, PRIMARY KEY (snapshot_id, path)) STRICT, WITHOUT ROWID""",
        "project_files": """CREATE VIEW {name} AS SELECT s.project, c.path, group_concat(DISTINCT c.operation) AS operations, count(*) AS changes,
            sum(c.lines_added) AS lines_added, sum(c.lines_removed) AS lines_removed, count(DISTINCT c.session_id) AS sessions,
            max(c.occurred_at) AS last_at FROM file_changes AS c JOIN sessions AS s USING (session_id) WHERE NOT c.is_copy GROUP BY 1, 2""",
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS snapshots_by_session ON snapshots (session_id, at)",
        "CREATE INDEX IF NOT EXISTS snapshots_by_project ON snapshots (project, at)",
    ),
    statements=(REQUESTED,),
    handlers={SnapshotRequested: _requested},
    settle=settle,
    digest={
        "snapshot_requests": "SELECT * FROM snapshot_requests ORDER BY session_id, record_id",
        "snapshots": "SELECT * FROM snapshots ORDER BY snapshot_id",
        "snapshot_files": "SELECT * FROM snapshot_files ORDER BY snapshot_id, path",
    },
    columns={
        "snapshots": """A point of a session worth coming back to.
            snapshot_id | TEXT | id | `SNAP_`, its time, and six digits of its own
            session_id | TEXT | id | the session
            reason | TEXT | word | `pre_compact`, `token_threshold`, `time_interval`, `session_end` or `manual`
            at | TEXT | UTC | the moment; what it shows is what the other views hold of the session up to then
            project | TEXT | path | the project, as `projects.path`
            files | INTEGER | count | files changed up to then
            new_changes | INTEGER | count | changes since the snapshot before
            tool_calls | INTEGER | count | tool calls up to then
            branch | TEXT | text | the branch checked out
            head | TEXT | hash | the commit checked out
            used_tokens | INTEGER | tokens | tokens in the context
            after | TEXT | UTC | the moment of the snapshot before; NULL for the first""",
        "snapshot_files": """A file that a session had changed by the moment of a snapshot.
            snapshot_id | TEXT | id | the snapshot
            path | TEXT | path | the file, as in `file_changes`
            operations | TEXT | words | what was done to it, with commas between
            lines_added | INTEGER | lines | lines added, where the records show them
            lines_removed | INTEGER | lines | lines removed, where the records show them
            last_at | TEXT | UTC | the last change""",
        "project_files": """A file of a project that sessions changed (SQL view).
            project | TEXT | path | the project, as `projects.path`
            path | TEXT | path | the file, as in `file_changes`
            operations | TEXT | words | what was done to it, with commas between
            changes | INTEGER | count | how often
            lines_added | INTEGER | lines | lines added, where the records show them
            lines_removed | INTEGER | lines | lines removed, where the records show them
            sessions | INTEGER | count | sessions that changed it
            last_at | TEXT | UTC | the last change""",
        "snapshot_requests": """Internal: a snapshot that was asked for.
            session_id | TEXT | id | the session
            record_id | TEXT | id | the inbox line
            requested_at | TEXT | UTC | when
            note | TEXT | text | why""",
    },
)
