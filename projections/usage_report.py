"""Reading the `usage` view: sums of what counts, by any key, apart where responses pay other prices."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

PER_RESPONSE = ("response", "total_difference")
"""The bases whose rows are single responses, so that the length of a prompt is known; totals of a session pay the base price."""
IN_PROJECT = """(?3 IS NULL OR session_id IN (WITH RECURSIVE own (session_id) AS (SELECT session_id FROM sessions WHERE project = ?3
    UNION SELECT s.session_id FROM own JOIN sessions AS s ON s.parent_session_id = own.session_id WHERE s.project IS NULL AND s.link_kind = 'subagent')
    SELECT session_id FROM own))"""
"""A sub-agent without a project counts for its parents'."""
PROMPT = "(input_tokens + cache_read_tokens + cache_write_tokens)"

TIMES = ("hour", "day", "week", "month")
"""The keys that follow one another, the newest last; of all others the largest come first."""


class Sum(NamedTuple):
    """What the responses of one key and model used."""

    key: str | None
    model: str | None
    longer_than: int
    """Tokens: the largest of the thresholds asked for that the prompts of these responses exceed; 0 where none."""
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cache_write_1h_tokens: int
    responses: int
    estimated: int
    """How many of the responses are estimates from messages."""


FIGURES = Sum._fields[3:9]
"""The columns that are summed; named here, since reading must not import what fills the view."""


class Span(NamedTuple):
    """What is counted: UTC times from the first on, before the second, and one project; None is open."""

    since: str | None = None
    until: str | None = None
    project: str | None = None


EVER = Span()


def sums(views: sqlite3.Connection, key: str, *, span: Span = EVER, thresholds: Sequence[int] = ()) -> Iterator[Sum]:
    """Yield the sums by *key*, an SQL expression over `usage`, and by model.

    Responses are apart by the longest of *thresholds* (tokens) that their prompts exceed, since vendors price long prompts apart.
    """
    cases = " ".join(f"WHEN {PROMPT} > {int(size)} THEN {int(size)}" for size in sorted(set(thresholds), reverse=True))
    bases = ", ".join(f"'{basis}'" for basis in PER_RESPONSE)
    longer = f"CASE WHEN basis NOT IN ({bases}) THEN 0 {cases} ELSE 0 END"
    columns = ", ".join(f"sum({name})" for name in FIGURES)
    rows = views.execute(
        f"""SELECT {key}, model, {longer}, {columns}, count(*), sum(basis = 'message_estimate') FROM usage
            WHERE counted AND NOT is_copy AND (?1 IS NULL OR occurred_at >= ?1) AND (?2 IS NULL OR occurred_at < ?2) AND {IN_PROJECT}
            GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
        span,
    )
    return map(Sum._make, rows)


def extent(views: sqlite3.Connection) -> tuple[str | None, str | None]:
    """Return the first and the last time at which tokens were used."""
    first, last = views.execute("SELECT min(occurred_at), max(occurred_at) FROM usage").fetchone()
    return first, last


class Owner(NamedTuple):
    """Whom the use of a session is counted for."""

    session: str
    """The session itself, or for a sub-agent the one at the top of its parents."""
    project: str | None
    host: str


def owners(views: sqlite3.Connection) -> dict[str, Owner]:
    """Return every session with whom its use is counted for; a sub-agent without a project has its parents'."""
    rows = views.execute("SELECT session_id, host, project, iif(link_kind = 'subagent', parent_session_id, NULL) FROM sessions").fetchall()
    parents = {session_id: parent for session_id, _, _, parent in rows if parent is not None}
    projects = {session_id: project for session_id, _, project, _ in rows}
    found = {}
    for session_id, host, project, _ in rows:
        top, seen = session_id, {session_id}
        while (parent := parents.get(top)) is not None and parent not in seen:
            seen.add(parent)
            top = parent
            project = project or projects.get(top)  # noqa: PLW2901  the nearest project upwards
        found[session_id] = Owner(top, project, host)
    return found
