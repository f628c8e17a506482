"""Who owns a record that stands in several sessions: forks and resumes in new files copy history under the same ids.

Every claim stays a row; `is_copy` marks those whose session does not own the record, so that each counts once. The owner
is the root of the declared lineage, else the earliest start, then the smaller id: a function of the rows alone, whatever
the order in which the files were read.
"""

import sqlite3
from typing import NamedTuple

from projections.projection import Projection

GLOBAL_ID_LENGTH = 36
"""Only ids of this length (uuids) are compared between sessions; ordinals and hashes repeat by nature."""
UNDECLARED = "shared records"
DEEPEST = 50
CLAIMS = {"messages": "record_id", "tool_calls": "record_id", "file_changes": "record_id", "compactions": "record_id", "usage": "response_id"}

SHARED = """SELECT DISTINCT {key} FROM {table} AS a WHERE session_id = ?1 AND {global_id}
AND EXISTS (SELECT 1 FROM {table} AS c WHERE c.{key} = a.{key} AND c.session_id <> a.session_id)"""
CLAIMANTS = "SELECT session_id, min(is_copy) FROM {table} WHERE {key} = ? GROUP BY session_id"
GLOBAL_ID = {"usage": "basis = 'response'"}


class Rank(NamedTuple):
    """How good a session's claim is: the smallest owns."""

    depth: int
    first_at: str
    session_id: str


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Decide the owner of every record that the sessions share with others, and link undeclared forks."""
    ranks: dict[str, Rank] = {}
    concerned = set(session_ids)
    for table, key in CLAIMS.items():
        concerned |= _decide(views, table, key, session_ids, ranks)
    views.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", [(session_id,) for session_id in sorted(concerned)])
    for session_id in sorted(concerned):
        _link_undeclared(views, session_id)


def _decide(views: sqlite3.Connection, table: str, key: str, session_ids: list[str], ranks: dict[str, Rank]) -> set[str]:
    """Mark the copies among the claims of one table that the sessions share, each record once.

    Returns: the claimants of the records whose marks were not right yet; where all were, no other session is concerned.
    """
    shared = SHARED.format(table=table, key=key, global_id=GLOBAL_ID.get(table, f"length({key}) = {GLOBAL_ID_LENGTH}"))
    decided: set[str] = set()
    concerned: set[str] = set()
    marks: list[tuple[int, str, str]] = []
    for session_id in session_ids:
        for (record,) in views.execute(shared, (session_id,)).fetchall():
            if record in decided:
                continue
            decided.add(record)
            claims = views.execute(CLAIMANTS.format(table=table, key=key), (record,)).fetchall()
            owner = min(_rank(views, claimant, ranks) for claimant, _ in claims).session_id
            if [claimant for claimant, is_copy in claims if not is_copy] != [owner]:
                marks += [(int(claimant != owner), claimant, record) for claimant, _ in claims]
                concerned.update(claimant for claimant, _ in claims)
    views.executemany(f"UPDATE {table} SET is_copy = ?1 WHERE session_id = ?2 AND {key} = ?3 AND is_copy <> ?1", marks)
    return concerned


def _rank(views: sqlite3.Connection, session_id: str, ranks: dict[str, Rank]) -> Rank:
    if session_id not in ranks:
        first = views.execute("SELECT min(occurred_at) FROM messages WHERE session_id = ?", (session_id,)).fetchone()[0]
        ranks[session_id] = Rank(_depth(views, session_id), first or "9999", session_id)
    return ranks[session_id]


def _depth(views: sqlite3.Connection, session_id: str) -> int:
    """Return how many declared forks and resumes lie between a session and the root of its lineage."""
    return int(views.execute(
        """WITH RECURSIVE up (session_id, depth) AS (SELECT ?, 0 UNION SELECT parent_session_id, depth + 1
           FROM up JOIN session_links ON child_session_id = up.session_id
           WHERE kind IN ('fork', 'resume') AND evidence <> ? AND depth < ?) SELECT max(depth) FROM up""",
        (session_id, UNDECLARED, DEEPEST),
    ).fetchone()[0])  # fmt: skip


def _link_undeclared(views: sqlite3.Connection, session_id: str) -> None:
    """Link a session that has copies but names no parent to the owner of its last copied record."""
    views.execute("DELETE FROM session_links WHERE child_session_id = ? AND evidence = ?", (session_id, UNDECLARED))
    if views.execute("SELECT 1 FROM session_links WHERE child_session_id = ? AND kind IN ('fork', 'resume')", (session_id,)).fetchone():
        return
    last = views.execute(
        "SELECT record_id, occurred_at FROM messages WHERE session_id = ? AND is_copy = 1 ORDER BY occurred_at DESC, record_id DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    if last is None:
        return
    owner = views.execute("SELECT session_id FROM messages WHERE record_id = ? AND is_copy = 0", (last[0],)).fetchone()
    if owner is not None and owner[0] != session_id:
        views.execute("INSERT OR REPLACE INTO session_links VALUES (?, ?, 'fork', ?, ?, ?)", (session_id, owner[0], UNDECLARED, *last))


PROJECTION = Projection(
    name="ownership", version=2, tables={}, indexes=("CREATE INDEX IF NOT EXISTS messages_by_record ON messages (record_id)",),
    statements=(), handlers={}, settle=settle,
)  # fmt: skip
