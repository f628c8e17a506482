"""Reading the views for `stats`: when the agents work, on which hosts, with which tools, and for how long."""

import sqlite3
from typing import NamedTuple

from projections.usage_report import EVER, IN_PROJECT, Span

WITHIN = "(?1 IS NULL OR {0} >= ?1) AND (?2 IS NULL OR {0} < ?2) AND " + IN_PROJECT
SPOKEN = f"NOT is_copy AND kind IN ('prompt', 'answer') AND {WITHIN.format('occurred_at')}"
CALLED = f"NOT is_copy AND name IS NOT NULL AND {WITHIN.format('occurred_at')}"
SECOND = "CAST(strftime('%s', substr(occurred_at, 1, 19)) AS INTEGER)"
PAUSE_S = 1800
"""A gap from here on between two messages or calls of a session is no work."""


class HostActivity(NamedTuple):
    """What happened on one host."""

    host: str
    sessions: int
    prompts: int
    answers: int
    tool_calls: int


class ToolActivity(NamedTuple):
    """How often a tool was called, and how often that failed."""

    name: str
    calls: int
    ended: int
    """Calls that the record shows an end of; only they can have failed."""
    errors: int
    error_rate: float | None


class Compactions(NamedTuple):
    """How often a host replaced a context by a summary."""

    host: str
    trigger: str
    compactions: int
    mean_tokens_before: int | None
    mean_tokens_after: int | None


class LongSession(NamedTuple):
    """A session, with its length in seconds."""

    session_id: str
    host: str
    project: str | None
    title: str | None
    turns: int
    active_s: int
    """The gaps between its messages and calls, pauses of half an hour and more left out."""
    span_s: int
    """From its first record to its last."""


def extent(views: sqlite3.Connection) -> tuple[str | None, str | None]:
    """Return the first and the last time of any session."""
    first, last = views.execute("SELECT min(started_at), max(last_at) FROM sessions").fetchone()
    return first, last


def heat(views: sqlite3.Connection, local: str, span: Span = EVER) -> list[list[int]]:
    """Return how many prompts, answers and tool calls there were, by weekday (Monday first) and hour; *local* is SQL of the local time."""
    grid = [[0] * 24 for _ in range(7)]
    rows = views.execute(
        f"""SELECT strftime('%w', {local}), substr({local}, 12, 2), count(*) FROM
            (SELECT occurred_at FROM messages WHERE {SPOKEN} UNION ALL SELECT occurred_at FROM tool_calls WHERE {CALLED})
            WHERE occurred_at IS NOT NULL GROUP BY 1, 2""",
        span,
    )
    for weekday, hour, count in rows:
        grid[(int(weekday) + 6) % 7][int(hour)] += count
    return grid


def hosts(views: sqlite3.Connection, span: Span = EVER) -> list[HostActivity]:
    """Return what happened on each host."""
    rows = views.execute(
        f"""SELECT host, count(DISTINCT session_id), sum(prompts), sum(answers), sum(calls) FROM sessions JOIN
            (SELECT session_id, sum(kind = 'prompt') AS prompts, sum(kind = 'answer') AS answers, 0 AS calls FROM messages WHERE {SPOKEN} GROUP BY 1
             UNION ALL SELECT session_id, 0, 0, count(*) FROM tool_calls WHERE {CALLED} GROUP BY 1) USING (session_id)
            GROUP BY 1 ORDER BY 2 DESC, 1""",
        span,
    )
    return [HostActivity(*row) for row in rows]


def tools(views: sqlite3.Connection, span: Span = EVER) -> list[ToolActivity]:
    """Return how often each tool was called and failed, the most used first."""
    rows = views.execute(
        f"SELECT name, count(*), count(is_error), coalesce(sum(is_error), 0) FROM tool_calls WHERE {CALLED} GROUP BY 1 ORDER BY 2 DESC, 1", span
    )
    return [ToolActivity(name, calls, ended, errors, round(errors / ended, 4) if ended else None) for name, calls, ended, errors in rows]


def compactions(views: sqlite3.Connection, span: Span = EVER) -> list[Compactions]:
    """Return how often each host compacted a context, by what triggered it."""
    rows = views.execute(
        f"""SELECT host, coalesce(trigger, 'unknown'), count(*), CAST(round(avg(pre_tokens)) AS INTEGER), CAST(round(avg(post_tokens)) AS INTEGER)
            FROM compactions JOIN sessions USING (session_id) WHERE {WITHIN.format("occurred_at")} GROUP BY 1, 2 ORDER BY 1, 2""",
        span,
    )
    return [Compactions(*row) for row in rows]


def longest(views: sqlite3.Connection, span: Span = EVER, limit: int = 10) -> list[LongSession]:
    """Return the sessions that were worked in for longest, inside the span."""
    rows = views.execute(
        f"""WITH moments AS (
                SELECT session_id, {SECOND} AS at FROM messages WHERE {SPOKEN} AND occurred_at IS NOT NULL
                UNION ALL SELECT session_id, {SECOND} FROM tool_calls WHERE {CALLED} AND occurred_at IS NOT NULL),
            gaps AS (SELECT session_id, at, at - lag(at) OVER (PARTITION BY session_id ORDER BY at) AS gap FROM moments),
            lengths AS (SELECT session_id, sum(iif(gap < {PAUSE_S}, gap, 0)) AS active, max(at) - min(at) AS whole FROM gaps GROUP BY 1)
            SELECT session_id, host, project, title, turns, coalesce(active, 0), whole FROM lengths JOIN sessions USING (session_id)
            ORDER BY 6 DESC, 7 DESC, 1 LIMIT ?4""",
        (*span, limit),
    )
    return [LongSession(*row) for row in rows]
