"""The `session_links` view: resume, fork, sub-agent and clear links between sessions, each with its evidence."""

from journal.domain import SessionLinked
from projections.projection import Place, Projection, Rows

# Evidence that names the place in the parent is better than one that does not; then the later one.
BETTER = """(excluded.fork_point IS NOT NULL, coalesce(excluded.occurred_at, ''), excluded.evidence, coalesce(excluded.fork_point, ''))
    > (fork_point IS NOT NULL, coalesce(occurred_at, ''), evidence, coalesce(fork_point, ''))"""
LINK = f"""INSERT INTO session_links VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (child_session_id, parent_session_id, kind) DO UPDATE SET
    evidence = iif({BETTER}, excluded.evidence, evidence), fork_point = iif({BETTER}, excluded.fork_point, fork_point),
    occurred_at = coalesce(max(occurred_at, excluded.occurred_at), occurred_at, excluded.occurred_at)"""


def _linked(place: Place, event: SessionLinked, rows: Rows) -> None:
    if event.child_session_id == event.parent_session_id:
        return
    rows.add(LINK, (event.child_session_id, event.parent_session_id, event.kind, event.evidence, event.fork_point, place.occurred_at))
    rows.sessions.update((event.child_session_id, event.parent_session_id))


PROJECTION = Projection(
    name="links",
    version=3,
    tables={
        "session_links": """CREATE TABLE {name} (child_session_id TEXT NOT NULL, parent_session_id TEXT NOT NULL,
            kind TEXT NOT NULL, evidence TEXT NOT NULL, fork_point TEXT, occurred_at TEXT,
            PRIMARY KEY (child_session_id, parent_session_id, kind)) STRICT, WITHOUT ROWID""",
        "session_tree": """CREATE VIEW {name} AS WITH RECURSIVE tree (root_session_id, session_id, depth) AS (
            SELECT session_id, session_id, 0 FROM sessions AS r WHERE parent_session_id IS NULL
                OR NOT EXISTS (SELECT 1 FROM sessions AS p WHERE p.session_id = r.parent_session_id)
            UNION ALL SELECT root_session_id, s.session_id, depth + 1 FROM tree JOIN sessions AS s
                ON s.parent_session_id = tree.session_id WHERE depth < 50)
            SELECT root_session_id, session_id, depth FROM tree
            UNION ALL SELECT session_id, session_id, 0 FROM sessions WHERE session_id NOT IN (SELECT session_id FROM tree)""",
    },
    indexes=("CREATE INDEX IF NOT EXISTS session_links_by_parent ON session_links (parent_session_id)",),
    statements=(LINK,),
    handlers={SessionLinked: _linked},
    digest={"session_links": "SELECT * FROM session_links ORDER BY child_session_id, parent_session_id, kind"},
)
