"""The views of learnings: what later sessions should know, what was said of each since, and the places that prove it; redacted.

Whether a learning holds now (superseded, retired, expired, drifted) is judged when it is read.
"""

from journal.own_events import LearningJudged, LearningStored
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

# The first line under an id is the learning; rows keep their number, which the index names them by.
STORED = """INSERT INTO learnings (learning_id, session_id, learned_at, kind, scope, text, replaces, expires_at, origin, root, branch, head)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (learning_id) DO NOTHING"""
ANCHOR = "INSERT OR REPLACE INTO learning_anchors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
JUDGED = "INSERT OR REPLACE INTO learning_verdicts VALUES (?, ?, ?, ?, ?, ?)"


def _stored(place: Place, event: LearningStored, rows: Rows) -> None:
    rows.add(STORED, (event.learning_id, place.session_id or None, place.occurred_at, event.kind, event.scope, redact(event.text), event.replaces,
                      event.expires_at, event.origin, event.root, event.branch, event.head))  # fmt: skip
    for number, anchor in enumerate(event.anchors, 1):
        rows.add(ANCHOR, (event.learning_id, number, redact(anchor.locator), anchor.kind, redact(anchor.path), anchor.start, anchor.end, anchor.symbol,
                          anchor.reason, redact(anchor.shape) if anchor.shape else None))  # fmt: skip


def _judged(place: Place, event: LearningJudged, rows: Rows) -> None:
    rows.add(JUDGED, (event.learning_id, place.record_id, event.verdict, place.occurred_at, place.session_id or None,
                      redact(event.reason) if event.reason else None))  # fmt: skip


PROJECTION = Projection(
    name="learnings",
    version=1,
    tables={
        "learnings": """CREATE TABLE {name} (learning_rowid INTEGER PRIMARY KEY, learning_id TEXT NOT NULL UNIQUE, session_id TEXT, learned_at TEXT,
            kind TEXT NOT NULL, scope TEXT NOT NULL, text TEXT NOT NULL, replaces TEXT, expires_at TEXT, origin TEXT NOT NULL, root TEXT, branch TEXT,
            head TEXT) STRICT""",
        "learning_anchors": """CREATE TABLE {name} (learning_id TEXT NOT NULL, number INTEGER NOT NULL, locator TEXT NOT NULL, kind TEXT NOT NULL,
            path TEXT NOT NULL, start INTEGER, end INTEGER, symbol TEXT, reason TEXT, shape TEXT, PRIMARY KEY (learning_id, number)) STRICT, WITHOUT ROWID""",
        "learning_verdicts": """CREATE TABLE {name} (learning_id TEXT NOT NULL, record_id TEXT NOT NULL, verdict TEXT NOT NULL, said_at TEXT,
            session_id TEXT, reason TEXT, PRIMARY KEY (learning_id, record_id)) STRICT, WITHOUT ROWID""",
        "learnings_fts": "CREATE VIRTUAL TABLE {name} USING fts5(text, content='learnings', content_rowid='learning_rowid', tokenize='porter unicode61')",
        "learnings_fts_add": """CREATE TRIGGER {name} AFTER INSERT ON learnings BEGIN
            INSERT INTO learnings_fts(rowid, text) VALUES (new.learning_rowid, journal_spaced(new.text)); END""",
        "learnings_fts_drop": """CREATE TRIGGER {name} AFTER DELETE ON learnings BEGIN
            INSERT INTO learnings_fts(learnings_fts, rowid, text) VALUES ('delete', old.learning_rowid, journal_spaced(old.text)); END""",
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS learnings_by_root ON learnings (root, learned_at)",
        "CREATE INDEX IF NOT EXISTS learnings_by_replaced ON learnings (replaces) WHERE replaces IS NOT NULL",
        "CREATE INDEX IF NOT EXISTS learning_anchors_by_path ON learning_anchors (path)",
    ),
    statements=(STORED, ANCHOR, JUDGED),
    handlers={LearningStored: _stored, LearningJudged: _judged},
    digest={
        "learnings": """SELECT learning_id, session_id, learned_at, kind, scope, text, replaces, expires_at, origin, root, branch, head
            FROM learnings ORDER BY learning_id""",
        "learning_anchors": "SELECT * FROM learning_anchors ORDER BY learning_id, number",
        "learning_verdicts": "SELECT * FROM learning_verdicts ORDER BY learning_id, record_id",
    },
    columns={
        "learnings": """What later sessions should know, as it was put down; whether it holds is judged when it is read.
            learning_rowid | INTEGER | number | the row's number, which the index knows it by
            learning_id | TEXT | id | the learning
            session_id | TEXT | id | the session that it comes from
            learned_at | TEXT | UTC | when it was put down
            kind | TEXT | word | `solution`, `gotcha`, `pattern`, `decision` or `preference`
            scope | TEXT | word | `project`, or `global` for all projects
            text | TEXT | text | what was learned, redacted
            replaces | TEXT | id | the learning that this one supersedes
            expires_at | TEXT | UTC | from then on it is told no more; NULL never
            origin | TEXT | word | `person` where somebody wrote it, `suggestion` where one of the journal's was accepted
            root | TEXT | path | the folder that all work trees of the repository share; outside git the folder itself
            branch | TEXT | text | the branch checked out
            head | TEXT | hash | the commit checked out""",
        "learning_anchors": """A place that a learning names, as it was when the learning was put down.
            learning_id | TEXT | id | the learning
            number | INTEGER | number | its place in the learning, from 1
            locator | TEXT | text | as it was written
            kind | TEXT | word | `file`, `folder`, `range`, `symbol`, `commit`, `url` or `command`
            path | TEXT | path | relative to the checkout; the commit, URL or command itself
            start | INTEGER | line | the first line, from 1
            end | INTEGER | line | the last line
            symbol | TEXT | text | the name after `::`
            reason | TEXT | text | why it was refused; NULL where it was found
            shape | TEXT | JSON | hashes of content, first line and lines around, and the beginning of the text, redacted""",
        "learning_verdicts": """What was said of a learning later: that it holds, or that it holds no more.
            learning_id | TEXT | id | the learning
            record_id | TEXT | id | the line of the inbox that says it
            verdict | TEXT | word | `confirmed` or `retired`
            said_at | TEXT | UTC | when
            session_id | TEXT | id | the session in which it was said
            reason | TEXT | text | why, redacted""",
        "learnings_fts": """Full text over `learnings.text`, by word stems (FTS5, external content).
            text | TEXT | text | query with `learnings_fts MATCH '...'`; join on `rowid = learning_rowid`""",
    },
)
