"""What a restore would have held at an earlier moment: cards of sessions as they stood then, and the handoff of then.

The views keep the newest state. What was recorded later is hidden by temporary views in front of three of them; what a
later rewind took away is not brought back.
"""

import sqlite3

from projections import cards, restore_bundles
from projections.restore import Card, Handoff
from projections.restore_rows import aged

HIDDEN = ("messages", "tool_calls", "file_changes")
SESSIONS = """SELECT s.session_id, s.host, s.title, s.branch, (SELECT max(occurred_at) FROM messages AS m WHERE m.session_id = s.session_id) AS last
FROM sessions AS s WHERE s.kind NOT IN ('subagent', 'empty') AND (s.session_id = ?1 OR (?1 IS NULL AND s.project = ?2)) AND last IS NOT NULL
ORDER BY last DESC, s.session_id LIMIT ?3"""
HANDOFF = """SELECT text, saved_at, session_id, branch, head, mtime_us FROM handoffs WHERE project = ? AND saved_at <= ?
ORDER BY branch IS ? DESC, saved_at DESC, handoff_id LIMIT 1"""


def hide_later(views: sqlite3.Connection, at: str) -> None:
    """Let this connection see messages, tool calls and file changes up to the moment *at* only."""
    views.execute("CREATE TEMP TABLE IF NOT EXISTS moment (at TEXT NOT NULL)")
    views.execute("DELETE FROM temp.moment")
    views.execute("INSERT INTO temp.moment VALUES (?)", (at,))
    for name in HIDDEN:
        views.execute(f"CREATE TEMP VIEW IF NOT EXISTS {name} AS SELECT * FROM main.{name} WHERE occurred_at <= (SELECT at FROM temp.moment)")


def read_cards(views: sqlite3.Connection, at: str, *, project: str = "", session_id: str | None = None, sessions: int = 2) -> list[Card]:
    """Return the cards of one session, or of the newest ones of a project, as they stood at the moment *at*; newest first."""
    hide_later(views, at)
    found = views.execute(SESSIONS, (session_id, project, sessions)).fetchall()
    return [Card(session, host, title, branch, last, list(cards.parts(views, session))) for session, host, title, branch, last in found]


def read_handoff(views: sqlite3.Connection, at: str, project: str, branch: str | None) -> Handoff | None:
    """Return the newest handoff of a project that was saved by the moment *at*, one of *branch* before others."""
    row = views.execute(HANDOFF, (project, at, branch)).fetchone()
    handoff = Handoff(row[0], aged(row[1], row[5]), *row[2:5]) if row else None
    return restore_bundles.newest(handoff, restore_bundles.read(views, project, branch, until=at), branch)
