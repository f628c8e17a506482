"""The `usage` view: tokens of each model response, counted once however often and wherever the host repeats them."""

import sqlite3
from collections.abc import Iterator

from journal.domain import UsageReported, UsageTotalReported
from projections.projection import Place, Projection, Rows

FIELDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
COLUMNS = (*FIELDS, "cache_write_1h_tokens")
"""The figures of a row; running totals do not tell the age of cache writes."""
BASES = ("response", "total_difference", "shutdown_total", "message_estimate")
"""From exact to estimated; in a session only the best one counts."""
Figures = tuple[int, int, int, int, int]

OTHER_SOURCE_FIRST = (
    "(SELECT source_key FROM source_keys WHERE source_id = excluded.source_id)"
    " < (SELECT source_key FROM source_keys WHERE source_id = usage.source_id)"
)
REPORTED = f"""INSERT INTO usage (session_id, response_id, model, {", ".join(COLUMNS)}, basis, occurred_at, turn_id, source_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id, response_id) DO UPDATE SET
    model = CASE WHEN source_id = excluded.source_id OR {OTHER_SOURCE_FIRST} THEN coalesce(excluded.model, model)
        ELSE coalesce(model, excluded.model) END,
    turn_id = iif({OTHER_SOURCE_FIRST}, excluded.turn_id, turn_id),
    source_id = iif({OTHER_SOURCE_FIRST}, excluded.source_id, source_id),
    {", ".join(f"{field} = max({field}, excluded.{field})" for field in COLUMNS)},
    occurred_at = coalesce(min(occurred_at, excluded.occurred_at), occurred_at, excluded.occurred_at)"""
TOTAL = "INSERT OR REPLACE INTO usage_totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FORKS = """WITH RECURSIVE down (session_id) AS (SELECT ?1 UNION SELECT child_session_id FROM down JOIN session_links
    ON parent_session_id = down.session_id WHERE kind = 'fork' AND evidence <> 'shared records')
SELECT session_id FROM down WHERE session_id <> ?1"""
INHERITED = f"""WITH RECURSIVE up (session_id) AS (SELECT ?1 UNION SELECT parent_session_id FROM up JOIN session_links
    ON child_session_id = up.session_id WHERE kind = 'fork' AND evidence <> 'shared records')
SELECT {", ".join(f"total_{field}" for field in FIELDS)} FROM usage_totals
WHERE session_id IN (SELECT session_id FROM up WHERE session_id <> ?1)"""


def _reported(place: Place, event: UsageReported, rows: Rows) -> None:
    figures = (event.input_tokens, event.output_tokens, event.cache_read_tokens, event.cache_write_tokens, event.reasoning_tokens)
    if any(figures):
        rows.add(REPORTED, (place.session_id, event.response_id, event.model or place.model, *figures, event.cache_write_1h_tokens, event.basis,
                            place.occurred_at, place.turn_id, place.source_id))  # fmt: skip


def _total(place: Place, event: UsageTotalReported, rows: Rows) -> None:
    last = event.last or (None,) * len(FIELDS)
    rows.add(TOTAL, (place.session_id, place.source_key, place.generation, place.offset_bytes, event.model or place.model,
                     place.occurred_at, place.turn_id, *event.total, *last, place.source_id))  # fmt: skip


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Turn running totals into differences, and count only the best basis of each session."""
    # A fork's copies of its parent's totals are known as such only when the parent has been read.
    forks = {fork for session_id in session_ids for (fork,) in views.execute(FORKS, (session_id,))}
    views.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", [(fork,) for fork in sorted(forks)])
    for session_id in sorted(forks.union(session_ids)):
        views.execute("DELETE FROM usage WHERE session_id = ? AND basis = 'total_difference'", (session_id,))
        views.executemany(REPORTED, list(_differences(views, session_id)))
        views.execute(
            f"""UPDATE usage SET counted = (basis = (SELECT basis FROM usage WHERE session_id = ?1
                ORDER BY instr('{" ".join(BASES)}', basis) LIMIT 1)) WHERE session_id = ?1""",
            (session_id,),
        )


def _differences(views: sqlite3.Connection, session_id: str) -> Iterator[tuple[object, ...]]:
    """Yield a row for each rise of a session's running total; equal totals add nothing, whatever stands between."""
    forked = views.execute(
        "SELECT 1 FROM session_links WHERE child_session_id = ? AND kind = 'fork' AND evidence <> 'shared records'", (session_id,)
    ).fetchone()
    rows = views.execute("SELECT * FROM usage_totals WHERE session_id = ? ORDER BY source_key, generation, offset_bytes", (session_id,))
    inherited: set[Figures] = set(views.execute(INHERITED, (session_id,))) if forked else set()
    before: Figures | None = None
    seen: set[Figures] = set()
    for row in rows.fetchall():
        model, occurred_at, turn_id = row[4:7]
        total: Figures = row[7:12]
        last: Figures | None = row[12:17] if row[12] is not None else None
        if total not in seen and total not in inherited:
            difference = _difference(total, before, last, bool(forked))
            if any(difference):
                response_id = "total:" + ".".join(map(str, total))
                yield session_id, response_id, model, *difference, 0, "total_difference", occurred_at, turn_id, row[17]
        seen.add(total)
        before = total


def _difference(total: Figures, before: Figures | None, last: Figures | None, forked: bool) -> Figures:
    """Return what a total adds to the one before; a fork's first total holds its parent's, a lower one began anew."""
    if before is None:
        return last or (0, 0, 0, 0, 0) if forked else total
    rise = tuple(now - then for now, then in zip(total, before, strict=True))
    if min(rise) < 0:
        return last or total
    return rise[0], rise[1], rise[2], rise[3], rise[4]


PROJECTION = Projection(
    name="usage",
    version=3,
    tables={
        "usage": f"""CREATE TABLE {{name}} (session_id TEXT NOT NULL, response_id TEXT NOT NULL, model TEXT,
            {", ".join(f"{field} INTEGER NOT NULL" for field in COLUMNS)}, basis TEXT NOT NULL, occurred_at TEXT, turn_id TEXT, source_id INTEGER NOT NULL,
            counted INTEGER NOT NULL DEFAULT 1, is_copy INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (session_id, response_id)) STRICT""",
        "usage_totals": f"""CREATE TABLE {{name}} (session_id TEXT NOT NULL, source_key TEXT NOT NULL, generation INTEGER NOT NULL,
            offset_bytes INTEGER NOT NULL, model TEXT, occurred_at TEXT, turn_id TEXT,
            {", ".join(f"total_{field} INTEGER NOT NULL" for field in FIELDS)},
            {", ".join(f"last_{field} INTEGER" for field in FIELDS)}, source_id INTEGER NOT NULL,
            PRIMARY KEY (session_id, source_key, generation, offset_bytes)) STRICT, WITHOUT ROWID""",
        "usage_daily": """CREATE VIEW {name} AS SELECT substr(u.occurred_at, 1, 10) AS day_utc, s.host, u.model,
            sum(u.input_tokens) AS input_tokens, sum(u.output_tokens) AS output_tokens, sum(u.cache_read_tokens) AS cache_read_tokens,
            sum(u.cache_write_tokens) AS cache_write_tokens, sum(u.reasoning_tokens) AS reasoning_tokens,
            sum(u.cache_write_1h_tokens) AS cache_write_1h_tokens, count(*) AS responses
            FROM usage AS u JOIN sessions AS s USING (session_id) WHERE u.counted AND NOT u.is_copy GROUP BY 1, 2, 3""",
    },
    indexes=("CREATE INDEX IF NOT EXISTS usage_by_response ON usage (response_id)",),
    statements=(REPORTED, TOTAL),
    handlers={UsageReported: _reported, UsageTotalReported: _total},
    settle=settle,
    digest={
        "usage": f"SELECT session_id, response_id, model, {', '.join(COLUMNS)}, basis, occurred_at, turn_id, counted, is_copy"
        " FROM usage ORDER BY session_id, response_id"
    },
)
