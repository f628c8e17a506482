"""Reading the `file_changes` view for `timeline`: what was done to one file, under all the names that it had."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from projections.usage_report import EVER, Span, owners

CHANGES = """SELECT f.occurred_at, f.session_id, s.host, s.project, f.path, f.absolute_path, f.operation, f.moved_to, t.name, f.evidence, f.lines_added,
    f.lines_removed, t.is_error, f.turn_id, f.record_id
FROM file_changes AS f JOIN sessions AS s USING (session_id)
LEFT JOIN tool_calls AS t ON t.session_id = f.session_id AND t.tool_call_id = f.tool_call_id
WHERE NOT f.is_copy AND (f.absolute_path = ?1 OR f.moved_to = ?1) ORDER BY f.occurred_at, f.session_id, f.change_key"""
PROMPT = """SELECT n.number, substr(m.text, 1, 500) FROM turns AS n JOIN messages AS m ON m.session_id = n.session_id AND m.record_id = n.turn_id
AND m.kind = 'prompt' WHERE n.session_id = ?1 AND n.turn_id = ?2 ORDER BY m.ordinal LIMIT 1"""
TURN_THEN = "SELECT turn_id FROM turns WHERE session_id = ?1 AND started_at <= ?2 ORDER BY number DESC LIMIT 1"
MOST_NAMES = 50


class Change(NamedTuple):
    """One change of a file."""

    occurred_at: str | None
    session_id: str
    host: str
    project: str | None
    path: str
    """Relative to the project where the file lies in it."""
    absolute_path: str
    operation: str
    moved_to: str | None
    tool: str | None
    evidence: str
    lines_added: int | None
    lines_removed: int | None
    failed: bool | None
    """Whether the tool said so; None where the record shows no end of the call."""
    prompt_session_id: str | None
    """The session of the prompt: for a sub-agent the one at the top of its parents."""
    turn: int | None
    prompt: str | None
    """The redacted beginning of the prompt that the change belongs to."""


def names_of(views: sqlite3.Connection, absolute: Iterable[str], given: str, project: str | None) -> list[str]:
    """Return the absolute paths that *given* means: itself, else in the project, else every file whose path ends in it."""
    every = "SELECT DISTINCT name FROM (SELECT absolute_path AS name, session_id FROM file_changes UNION SELECT moved_to, session_id FROM file_changes)"
    for path in absolute:
        if views.execute("SELECT 1 FROM file_changes WHERE absolute_path = ?1 OR moved_to = ?1 LIMIT 1", (path,)).fetchone():
            return [path]
    given = given.removeprefix("./").strip("/")
    if project is not None:
        inside = views.execute(f"{every} WHERE name = ? LIMIT 1", (f"{project.rstrip('/')}/{given}",)).fetchall()
        if inside:
            return [row[0] for row in inside]
    return [row[0] for row in views.execute(f"{every} WHERE substr(name, -length(?1)) = ?1 ORDER BY name", ("/" + given,))]


def changes(views: sqlite3.Connection, absolute: str, span: Span = EVER) -> list[Change]:
    """Return the changes of the file that now has the path *absolute*, also those under earlier names up to the move."""
    found: dict[tuple[str, ...], Change] = {}
    whom = owners(views)
    waiting: list[tuple[str, str | None]] = [(absolute, None)]
    followed: set[str] = set()
    while waiting and len(followed) < MOST_NAMES:
        name, until = waiting.pop()
        followed.add(name)
        for *columns, is_error, turn_id, record_id in views.execute(CHANGES, (name,)).fetchall():
            occurred_at, session_id, old_name, moved_to = columns[0], columns[1], columns[5], columns[7]
            if until is not None and (occurred_at is None or occurred_at > until):
                continue
            if moved_to == name and old_name not in followed:
                waiting.append((old_name, occurred_at))
            if (span.since and (occurred_at or "") < span.since) or (span.until and (occurred_at or "") >= span.until):
                continue
            failed = None if is_error is None else bool(is_error)
            prompt = _prompt(views, whom[session_id].session, session_id, turn_id, occurred_at)
            found[session_id, record_id, old_name] = Change._make((*columns, failed, *prompt))
    return sorted(found.values(), key=lambda change: (change.occurred_at or "", change.session_id, change.absolute_path))


def _prompt(
    views: sqlite3.Connection, top: str, session_id: str, turn_id: str | None, occurred_at: str | None
) -> tuple[str | None, int | None, str | None]:
    """Return session, number and text of the prompt; what a sub-agent does belongs to the prompt that ran at the top then."""
    if turn_id is None and top != session_id:
        session_id = top
        row = views.execute(TURN_THEN, (top, occurred_at)).fetchone()
        turn_id = row[0] if row else None
    row = views.execute(PROMPT, (session_id, turn_id)).fetchone() if turn_id is not None else None
    return (session_id, *row) if row else (None, None, None)
