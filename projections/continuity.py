"""Reading the views for `stats`: what was brought back to sessions, what that cost, and what reading it spared, day by day."""

import sqlite3
from typing import NamedTuple

from projections.usage_report import EVER, IN_PROJECT, Span

ANSWERS = """SELECT occurred_at, session_id, NULL AS root, line ->> '$.kind' AS kind, coalesce(line ->> '$.tokens', 0) AS tokens, 0 AS spared
FROM hook_history WHERE line ->> '$.type' = 'journal.hook_answered'
UNION ALL SELECT loaded_at, h.session_id, h.root, 'load', tokens, max(0, source_tokens - tokens)
FROM handoff_loads AS l LEFT JOIN handoff_bundles AS h USING (handoff_id)"""
COUNTED = """SELECT substr({local}, 1, 10), sum(kind = 'restore'), sum(kind = 'load'), sum(kind = 'alert'), sum(kind = 'ask'), sum(tokens), sum(spared)
FROM ({answers}) WHERE occurred_at IS NOT NULL AND (?1 IS NULL OR occurred_at >= ?1) AND (?2 IS NULL OR occurred_at < ?2)
AND (root = ?3 OR {within}) GROUP BY 1 ORDER BY 1"""


class Day(NamedTuple):
    """What the journal told on one day."""

    day: str
    restores: int
    """Session starts that were told of earlier sessions."""
    loads: int
    """Handoffs told by `journal handoff load`."""
    alerts: int
    """Crossings of a threshold that were told."""
    requests: int
    """Stops that asked for a handoff."""
    injected_tokens: int
    """What restores and loads put into contexts."""
    spared_tokens: int
    """What the files that the loaded handoffs name would have cost to read again, less what was told instead; restores count nothing here."""


def days(views: sqlite3.Connection, local: str, span: Span = EVER) -> list[Day]:
    """Return the days on which something was told; *local* is SQL of the local time."""
    return [Day._make(row) for row in views.execute(COUNTED.format(local=local, answers=ANSWERS, within=IN_PROJECT), span)]


def total(rows: list[Day]) -> dict[str, int]:
    """Return the sums of all days."""
    return {name: sum(getattr(row, name) for row in rows) for name in Day._fields[1:]}
