"""The views of handoff bundles: what was found, asked and planned, each with the places that prove it; all text redacted."""

import json

from journal.domain import HandoffBundleSaved
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

BUNDLE = "INSERT OR REPLACE INTO handoff_bundles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
STATEMENT = "INSERT OR REPLACE INTO handoff_statements VALUES (?, ?, ?, ?, ?, ?)"
ANCHOR = "INSERT OR REPLACE INTO handoff_anchors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def _saved(place: Place, event: HandoffBundleSaved, rows: Rows) -> None:
    rows.add(BUNDLE, (event.handoff_id, event.chain_id, event.replaces, place.session_id or None, place.occurred_at, event.root, event.root_commit,
                      event.remote, event.branch, event.head, _json(event.dirty), redact(event.title), redact(event.purpose), _json(event.tags),
                      event.score, event.rating, event.dimensions, _json(event.warnings)))  # fmt: skip
    for number, statement in enumerate(event.statements, 1):
        rows.add(STATEMENT, (event.handoff_id, statement.statement_id, number, statement.kind, redact(statement.text), _json(statement.details)))
    for number, anchor in enumerate(event.anchors, 1):
        rows.add(ANCHOR, (event.handoff_id, number, anchor.statement_id, redact(anchor.locator), anchor.kind, redact(anchor.path), anchor.start,
                          anchor.end, anchor.symbol, anchor.reason, redact(anchor.shape) if anchor.shape else None))  # fmt: skip


def _json(texts: tuple[str, ...]) -> str:
    return json.dumps([redact(text) for text in texts], ensure_ascii=False)


PROJECTION = Projection(
    name="handoff_bundles",
    version=1,
    tables={
        "handoff_bundles": """CREATE TABLE {name} (handoff_id TEXT NOT NULL PRIMARY KEY, chain_id TEXT NOT NULL, replaces TEXT, session_id TEXT,
            saved_at TEXT, root TEXT, root_commit TEXT, remote TEXT, branch TEXT, head TEXT, dirty TEXT NOT NULL, title TEXT NOT NULL,
            purpose TEXT NOT NULL, tags TEXT NOT NULL, score REAL NOT NULL, rating TEXT NOT NULL, dimensions TEXT NOT NULL,
            warnings TEXT NOT NULL) STRICT""",
        "handoff_statements": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, statement_id TEXT NOT NULL, number INTEGER NOT NULL,
            kind TEXT NOT NULL, text TEXT NOT NULL, details TEXT NOT NULL, PRIMARY KEY (handoff_id, statement_id)) STRICT, WITHOUT ROWID""",
        "handoff_anchors": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, number INTEGER NOT NULL, statement_id TEXT NOT NULL,
            locator TEXT NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, start INTEGER, end INTEGER, symbol TEXT, reason TEXT, shape TEXT,
            PRIMARY KEY (handoff_id, number)) STRICT, WITHOUT ROWID""",
    },
    indexes=("CREATE INDEX IF NOT EXISTS handoff_bundles_by_root ON handoff_bundles (root, saved_at)",),
    statements=(BUNDLE, STATEMENT, ANCHOR),
    handlers={HandoffBundleSaved: _saved},
    digest={
        "handoff_bundles": "SELECT * FROM handoff_bundles ORDER BY handoff_id",
        "handoff_statements": "SELECT * FROM handoff_statements ORDER BY handoff_id, statement_id",
        "handoff_anchors": "SELECT * FROM handoff_anchors ORDER BY handoff_id, number",
    },
    columns={
        "handoff_bundles": """A handoff bundle: findings, questions and next moves for a later session, with evidence.
            handoff_id | TEXT | id | the bundle
            chain_id | TEXT | id | the first bundle of those that replace each other
            replaces | TEXT | id | the bundle that this one replaces
            session_id | TEXT | id | the session that it comes from
            saved_at | TEXT | UTC | when it was saved
            root | TEXT | path | the folder that all work trees of the repository share; outside git the folder itself
            root_commit | TEXT | hash | the repository's first commit, by which it is known after a move
            remote | TEXT | text | its remote `origin`
            branch | TEXT | text | the branch checked out
            head | TEXT | hash | the commit checked out
            dirty | TEXT | JSON | files with uncommitted changes, relative to the checkout
            title | TEXT | text | the title, redacted
            purpose | TEXT | text | what the work is for, redacted
            tags | TEXT | JSON | its tags
            score | REAL | 0 to 1 | the quality, by verified evidence
            rating | TEXT | word | `strong`, `acceptable` or `weak`
            dimensions | TEXT | JSON | each dimension of the quality, from 0 to 1
            warnings | TEXT | JSON | why the quality is not better""",
        "handoff_statements": """One statement of a handoff bundle.
            handoff_id | TEXT | id | the bundle
            statement_id | TEXT | id | `F1` for findings, `R1` recommendations, `Q1` questions, `M1` moves, `E1` evidence, `S1` other sections
            number | INTEGER | number | its place in the notes, from 1
            kind | TEXT | word | `finding`, `recommendation`, `question`, `move`, `evidence` or `section`
            text | TEXT | text | the statement, redacted
            details | TEXT | JSON | what stands below it, redacted""",
        "handoff_anchors": """A place that a statement of a handoff bundle names, as it was at the time of saving.
            handoff_id | TEXT | id | the bundle
            number | INTEGER | number | its place in the bundle, from 1
            statement_id | TEXT | id | the statement that owns it
            locator | TEXT | text | as it was written
            kind | TEXT | word | `file`, `folder`, `range`, `symbol`, `commit`, `url` or `command`
            path | TEXT | path | relative to the checkout; the commit, URL or command itself
            start | INTEGER | line | the first line, from 1
            end | INTEGER | line | the last line
            symbol | TEXT | text | the name after `::`
            reason | TEXT | text | why it was refused; NULL where it was found
            shape | TEXT | JSON | hashes of content, first line and lines around, and the beginning of the text, redacted""",
    },
)
