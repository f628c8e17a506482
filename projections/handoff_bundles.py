"""The views of handoff bundles: what was found, asked and planned, each with the places that prove it; all text redacted."""

import json

from journal.own_events import HandoffBundleSaved, HandoffContinued, HandoffLoaded, HandoffParts, HandoffsRemoved
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

BUNDLE = "INSERT OR REPLACE INTO handoff_bundles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
STATEMENT = "INSERT OR REPLACE INTO handoff_statements VALUES (?, ?, ?, ?, ?, ?, ?)"
ANCHOR = "INSERT OR REPLACE INTO handoff_anchors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FILE = "INSERT OR REPLACE INTO handoff_files VALUES (?, ?, ?, ?)"
REMOVAL = "INSERT OR REPLACE INTO handoff_removals VALUES (?, ?, ?, ?)"
LOAD = "INSERT OR REPLACE INTO handoff_loads VALUES (?, ?, ?, ?, ?, ?)"
LINK = "INSERT OR REPLACE INTO handoff_links VALUES (?, ?, ?)"
REMOVED = """coalesce((SELECT verb FROM handoff_removals AS r WHERE r.handoff_id = {0}
ORDER BY removed_at DESC, record_id DESC LIMIT 1), 'undelete') <> 'undelete'"""
IS_REMOVED = REMOVED.format("handoff_bundles.handoff_id")
"""The condition of bundles that left the lists: the last word on them is not that they came back."""
IS_REPLACED = f"EXISTS (SELECT 1 FROM handoff_links AS l WHERE l.older = handoff_bundles.handoff_id AND NOT {REMOVED.format('l.newer')})"
"""The condition of bundles that a later one, which is still listed, replaced or united with others."""


def _saved(place: Place, event: HandoffBundleSaved, rows: Rows) -> None:
    rows.add(BUNDLE, (event.handoff_id, event.chain_id, event.replaces, place.session_id or None, place.occurred_at, event.root, event.root_commit,
                      event.remote, event.branch, event.head, _json(event.dirty), redact(event.title), redact(event.purpose), _json(event.tags),
                      event.score, event.rating, event.dimensions, _json(event.warnings), redact(event.facts)))  # fmt: skip
    for kind, names in (("replaces", (event.replaces,) if event.replaces else ()), ("merges", event.merges)):
        for older in names:
            rows.add(LINK, (older, event.handoff_id, kind))
    _parts(event.handoff_id, event.parts, rows)


def _continued(place: Place, event: HandoffContinued, rows: Rows) -> None:
    _parts(event.handoff_id, event.parts, rows)


def _parts(handoff_id: str, parts: HandoffParts, rows: Rows) -> None:
    for number, statement in enumerate(parts.statements, parts.first_statement):
        rows.add(STATEMENT, (handoff_id, statement.statement_id, number, statement.kind, redact(statement.text), _json(statement.details), statement.origin))
    for number, anchor in enumerate(parts.anchors, parts.first_anchor):
        rows.add(ANCHOR, (handoff_id, number, anchor.statement_id, redact(anchor.locator), anchor.kind, redact(anchor.path), anchor.start,
                          anchor.end, anchor.symbol, anchor.reason, redact(anchor.shape) if anchor.shape else None))  # fmt: skip
    for file in parts.files:
        rows.add(FILE, (handoff_id, file.name, file.number, redact(file.text)))


def _removed(place: Place, event: HandoffsRemoved, rows: Rows) -> None:
    for name in event.handoff_ids:
        rows.add(REMOVAL, (name, place.record_id, place.occurred_at or "", event.verb))


def _loaded(place: Place, event: HandoffLoaded, rows: Rows) -> None:
    rows.add(LOAD, (place.record_id, event.handoff_id, place.session_id or None, place.occurred_at, event.tokens, event.source_tokens))


def _json(texts: tuple[str, ...]) -> str:
    return json.dumps([redact(text) for text in texts], ensure_ascii=False)


PROJECTION = Projection(
    name="handoff_bundles",
    version=2,
    tables={
        "handoff_bundles": """CREATE TABLE {name} (handoff_id TEXT NOT NULL PRIMARY KEY, chain_id TEXT NOT NULL, replaces TEXT, session_id TEXT,
            saved_at TEXT, root TEXT, root_commit TEXT, remote TEXT, branch TEXT, head TEXT, dirty TEXT NOT NULL, title TEXT NOT NULL,
            purpose TEXT NOT NULL, tags TEXT NOT NULL, score REAL NOT NULL, rating TEXT NOT NULL, dimensions TEXT NOT NULL,
            warnings TEXT NOT NULL, facts TEXT NOT NULL) STRICT""",
        "handoff_statements": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, statement_id TEXT NOT NULL, number INTEGER NOT NULL,
            kind TEXT NOT NULL, text TEXT NOT NULL, details TEXT NOT NULL, origin TEXT,
            PRIMARY KEY (handoff_id, statement_id)) STRICT, WITHOUT ROWID""",
        "handoff_anchors": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, number INTEGER NOT NULL, statement_id TEXT NOT NULL,
            locator TEXT NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, start INTEGER, end INTEGER, symbol TEXT, reason TEXT, shape TEXT,
            PRIMARY KEY (handoff_id, number)) STRICT, WITHOUT ROWID""",
        "handoff_files": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (handoff_id, name, number)) STRICT, WITHOUT ROWID""",
        "handoff_links": """CREATE TABLE {name} (older TEXT NOT NULL, newer TEXT NOT NULL, kind TEXT NOT NULL,
            PRIMARY KEY (older, newer)) STRICT, WITHOUT ROWID""",
        "handoff_removals": """CREATE TABLE {name} (handoff_id TEXT NOT NULL, record_id TEXT NOT NULL, removed_at TEXT NOT NULL, verb TEXT NOT NULL,
            PRIMARY KEY (handoff_id, record_id)) STRICT, WITHOUT ROWID""",
        "handoff_loads": """CREATE TABLE {name} (record_id TEXT NOT NULL PRIMARY KEY, handoff_id TEXT NOT NULL, session_id TEXT, loaded_at TEXT,
            tokens INTEGER NOT NULL, source_tokens INTEGER NOT NULL) STRICT, WITHOUT ROWID""",
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS handoff_bundles_by_root ON handoff_bundles (root, saved_at)",
    ),
    statements=(BUNDLE, STATEMENT, ANCHOR, FILE, LINK, REMOVAL, LOAD),
    handlers={HandoffBundleSaved: _saved, HandoffContinued: _continued, HandoffsRemoved: _removed, HandoffLoaded: _loaded},
    digest={
        "handoff_bundles": "SELECT * FROM handoff_bundles ORDER BY handoff_id",
        "handoff_statements": "SELECT * FROM handoff_statements ORDER BY handoff_id, statement_id",
        "handoff_anchors": "SELECT * FROM handoff_anchors ORDER BY handoff_id, number",
        "handoff_files": "SELECT * FROM handoff_files ORDER BY handoff_id, name, number",
        "handoff_links": "SELECT * FROM handoff_links ORDER BY older, newer",
        "handoff_removals": "SELECT * FROM handoff_removals ORDER BY handoff_id, record_id",
        "handoff_loads": "SELECT * FROM handoff_loads ORDER BY record_id",
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
            warnings | TEXT | JSON | why the quality is not better
            facts | TEXT | JSON | what was so at the time of saving and is compared at load, such as failing tests""",
        "handoff_statements": """One statement of a handoff bundle.
            handoff_id | TEXT | id | the bundle
            statement_id | TEXT | id | a letter and a number: `F1` a finding, `R` recommendation, `Q` question, `M` move, `E`, `C` scope, `N`, `L`, `S`
            number | INTEGER | number | its place in the notes, from 1
            kind | TEXT | word | `finding`, `recommendation`, `question`, `move`, `evidence`, `scope`, `entity`, `relation` or `section`
            text | TEXT | text | the statement, redacted
            details | TEXT | JSON | what stands below it, redacted
            origin | TEXT | text | where it comes from: a line of the notes, or session and record of the log""",
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
        "handoff_files": """A file of a bundle directory that was imported, as it was; a long one in parts.
            handoff_id | TEXT | id | the bundle
            name | TEXT | path | its name
            number | INTEGER | number | the part, from 1
            text | TEXT | text | its content, redacted""",
        "handoff_links": """The lineage of handoffs: a later one takes the place of an earlier one.
            older | TEXT | id | the earlier bundle
            newer | TEXT | id | the later bundle
            kind | TEXT | word | `replaces` or `merges`""",
        "handoff_removals": """A handoff left the lists or came back; the last word counts, and the log keeps it in any case.
            handoff_id | TEXT | id | the bundle
            record_id | TEXT | id | the inbox line
            removed_at | TEXT | UTC | when
            verb | TEXT | word | `delete`, `prune` or `undelete`""",
        "handoff_loads": """A handoff was told by `journal handoff load`.
            record_id | TEXT | id | the inbox line
            handoff_id | TEXT | id | the bundle
            session_id | TEXT | id | the session that it comes from
            loaded_at | TEXT | UTC | when
            tokens | INTEGER | tokens | what was told
            source_tokens | INTEGER | tokens | what reading the files again would cost that its evidence names""",
    },
)
