"""The `sessions` view: one row per session, with what its sources said of it and totals over the other views' rows."""

import json
import sqlite3
from typing import Any

from journal.domain import PromptSubmitted, SessionAnnotated, SessionEnded, SessionStarted, TurnEnded
from journal.own_events import HookFired
from journal.redaction import redact
from projections.damage import SourceRead
from projections.projection import Place, Projection, Rows
from projections.projects import WSL_DRIVE, project_of, root_of

TITLE_CHARS = 80
LOOKED_AT_CHARS = 4000
"""Of a prompt that may have megabytes."""
LINK_ORDER = "CASE kind WHEN 'subagent' THEN 0 WHEN 'resume' THEN 1 WHEN 'fork' THEN 2 ELSE 3 END"

# Inside a source the later record wins; between sources the settle picks by time.
FACT = """INSERT INTO session_facts VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, fact, source_key)
DO UPDATE SET occurred_at = excluded.occurred_at, value = excluded.value"""
ANNOTATION = "INSERT OR REPLACE INTO session_annotations VALUES (?, ?, ?, ?, ?, ?, ?)"
NOTE = "INSERT OR REPLACE INTO session_notes VALUES (?, ?, ?, ?)"

FACTS = "SELECT fact, value FROM session_facts WHERE session_id = ? ORDER BY coalesce(occurred_at, ''), source_key"
TOTALS = """SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
coalesce(sum(cache_write_tokens), 0), coalesce(sum(reasoning_tokens), 0), count(*), coalesce(max(basis = 'message_estimate'), 0)
FROM usage WHERE session_id = ? AND counted AND NOT is_copy"""
SPAN = """SELECT min(occurred_at), max(occurred_at), sum(kind IN ('prompt', 'answer') AND dropped_by IS NULL), max(host)
FROM messages WHERE session_id = ? AND NOT is_copy"""
CALLS = "SELECT min(occurred_at), max(coalesce(returned_at, occurred_at)), count(*) FROM tool_calls WHERE session_id = ? AND NOT is_copy"
FOLDERS = """SELECT cwd, sum(NOT is_copy) FROM messages WHERE session_id = ? AND cwd IS NOT NULL
GROUP BY cwd ORDER BY sum(NOT is_copy) DESC, count(*) DESC, cwd"""
FOLDER = "INSERT INTO session_folders VALUES (?, ?, ?, ?)"
CONCURRENT = "SELECT count(*) FROM session_strands WHERE session_id = ? AND is_concurrent"
IS_ALIAS = "SELECT 1 FROM session_aliases WHERE alias = ? LIMIT 1"
FIRST_PROMPT = """SELECT substr(m.text, 1, 4000) FROM turns JOIN messages AS m ON m.session_id = turns.session_id AND m.record_id = turns.turn_id
AND m.kind = 'prompt' WHERE turns.session_id = ? ORDER BY number, ordinal LIMIT 1"""
# A session whose only prompts were undone is still named after the first.
UNDONE_PROMPT = """SELECT text FROM messages WHERE session_id = ? AND kind = 'prompt' AND NOT is_copy
ORDER BY occurred_at, record_id, ordinal LIMIT 1"""
# The last word of a session: a task or an answer; an answer that calls a tool is not the last.
LAST_WORD = """SELECT last.kind, EXISTS (SELECT 1 FROM tool_calls AS t WHERE t.session_id = ?1 AND NOT t.is_copy AND t.occurred_at >= last.occurred_at)
FROM (SELECT m.kind, m.occurred_at FROM messages AS m JOIN source_keys AS k ON k.source_id = m.source_id
    WHERE m.session_id = ?1 AND NOT m.is_copy AND m.dropped_by IS NULL
        AND (m.kind IN ('prompt', 'answer') OR (?2 AND m.kind = 'injected' AND m.role = 'user'))
    ORDER BY m.occurred_at DESC, k.source_key DESC, m.global_position DESC, m.ordinal DESC LIMIT 1) AS last"""
MODELS = """SELECT DISTINCT model FROM (SELECT model FROM usage WHERE session_id = ?1 AND counted AND NOT is_copy
UNION SELECT model FROM messages WHERE session_id = ?1 AND kind = 'answer' AND NOT is_copy) WHERE model IS NOT NULL ORDER BY model"""
PARENT = f"""SELECT parent_session_id, kind FROM session_links WHERE child_session_id = ?
ORDER BY {LINK_ORDER}, occurred_at, parent_session_id LIMIT 1"""
RELATIVE = """UPDATE file_changes SET path = iif(substr(iif(?3, lower(absolute_path), absolute_path), 1, length(?2)) = ?2,
    substr(absolute_path, length(?2) + 1), absolute_path) WHERE session_id = ?1"""


def _fact(place: Place, rows: Rows, fact: str, value: object) -> None:
    if value is not None and place.session_id:
        rows.add(FACT, (place.session_id, fact, place.source_key, place.occurred_at, str(value)))


def _read(place: Place, event: SourceRead, rows: Rows) -> None:
    if event.records:
        _fact(place, rows, "host", place.host)
    if place.session_id:
        rows.sessions.add(place.session_id)


def _started(place: Place, event: SessionStarted, rows: Rows) -> None:
    for fact, value in (("kind", event.kind), ("client_version", event.client_version), ("project_hash", event.project_hash),
                        ("head_commit", event.head_commit), ("cwd", place.cwd), ("branch", place.branch),
                        ("resumed", "1" if event.resumed else None)):  # fmt: skip
        _fact(place, rows, fact, value)


def _ended(place: Place, event: SessionEnded, rows: Rows) -> None:
    _fact(place, rows, "end_reason", event.reason)


def _turn_ended(place: Place, event: TurnEnded, rows: Rows) -> None:
    _fact(place, rows, "turn_end", event.reason)


def _hooked(place: Place, event: HookFired, rows: Rows) -> None:
    # A session known from hooks alone has a row; what its transcript says goes before.
    _fact(place, rows, "hook_host", event.host)
    _fact(place, rows, "hook_cwd", event.cwd)
    if event.role == "session-start" and event.source == "resume":
        _fact(place, rows, "resumed", "1")


def _prompted(place: Place, event: PromptSubmitted, rows: Rows) -> None:
    _fact(place, rows, "branch", place.branch)
    _fact(place, rows, "end_reason", "")
    _fact(place, rows, "turn_end", "")


def _annotated(place: Place, event: SessionAnnotated, rows: Rows) -> None:
    if event.title:
        _fact(place, rows, "own_title" if event.is_ours else "title", redact(event.title))
    if event.is_ours and place.session_id:
        topics = json.dumps([redact(topic) for topic in event.topics], ensure_ascii=False) if event.topics else None
        rows.add(ANNOTATION, (place.session_id, place.record_id, place.occurred_at, redact(event.title) if event.title else None,
                              redact(event.summary) if event.summary else None, topics, event.category))  # fmt: skip
    if event.note and place.session_id:
        rows.add(NOTE, (place.session_id, place.record_id, place.occurred_at, redact(event.note)))


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Write the rows of the sessions again from what the views hold of them."""
    for session_id in session_ids:
        folders = views.execute(FOLDERS, (session_id,)).fetchall()
        row = _row(views, session_id, folders[0][0] if folders else None)
        views.execute("DELETE FROM session_folders WHERE session_id = ?", (session_id,))
        if row is None:
            views.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))
            continue
        names = ", ".join(row)
        views.execute(f"INSERT OR REPLACE INTO sessions ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        own = [folder for folder in folders if folder[1]] or [(row["cwd"], 0)]
        views.executemany(FOLDER, [(session_id, cwd, project_of(views, cwd), count) for cwd, count in own if cwd is not None])
        # Paths are relative to the folder that the session worked in, which may have moved since.
        prefix = "" if row["cwd"] is None else root_of(views, row["cwd"]).rstrip("/") + "/"
        views.execute(RELATIVE, (session_id, prefix, bool(WSL_DRIVE.match(prefix))))


def _row(views: sqlite3.Connection, session_id: str, cwd: str | None) -> dict[str, Any] | None:
    """Return the row of a session that worked mostly in *cwd*, or None when nothing but a link names it."""
    facts: dict[str, str] = dict(views.execute(FACTS, (session_id,)))
    first, last, messages, host = views.execute(SPAN, (session_id,)).fetchone()
    called, returned, tool_calls = views.execute(CALLS, (session_id,)).fetchone()
    known_host = facts.get("host") or host
    host = known_host or facts.get("hook_host")
    if host is None or (known_host is None and views.execute(IS_ALIAS, (session_id,)).fetchone()):
        return None
    started, ended = min(filter(None, (first, called)), default=None), max(filter(None, (last, returned)), default=None)
    parent, link = views.execute(PARENT, (session_id,)).fetchone() or (None, None)
    hashed = facts.get("project_hash")
    cwd = cwd or facts.get("cwd") or _by_hash(views, hashed) or facts.get("hook_cwd")
    prompt = (views.execute(FIRST_PROMPT, (session_id,)).fetchone() or views.execute(UNDONE_PROMPT, (session_id,)).fetchone() or (None,))[0]
    turns = views.execute("SELECT count(*) FROM turns WHERE session_id = ?", (session_id,)).fetchone()[0]
    tokens = views.execute(TOTALS, (session_id,)).fetchone()
    kind = "empty" if known_host is None else "subagent" if link == "subagent" else facts.get("kind") or "interactive"
    turn_end = facts.get("turn_end") or None
    return {
        "session_id": session_id, "host": host, "project": project_of(views, cwd), "cwd": cwd, "project_hash": hashed,
        "title": _cut(facts.get("own_title") or facts.get("title") or prompt), "branch": facts.get("branch"), "started_at": started, "last_at": ended,
        "turns": turns, "messages": messages or 0, "tool_calls": tool_calls,
        "models": json.dumps([model for (model,) in views.execute(MODELS, (session_id,))]),
        "input_tokens": tokens[0], "output_tokens": tokens[1], "cache_read_tokens": tokens[2], "cache_write_tokens": tokens[3],
        "reasoning_tokens": tokens[4], "responses": tokens[5], "is_estimated": tokens[6], "parent_session_id": parent,
        "link_kind": link, "kind": kind,
        "client_version": facts.get("client_version"), "head_commit": facts.get("head_commit"),
        "end_reason": facts.get("end_reason") or (None if kind == "interactive" else turn_end), "resumed": int("resumed" in facts),
        "concurrent_strands": views.execute(CONCURRENT, (session_id,)).fetchone()[0],
        "is_turn_open": int(turn_end is None and _waits_for_answer(views, session_id, kind)),
    }  # fmt: skip


def _waits_for_answer(views: sqlite3.Connection, session_id: str, kind: str) -> bool:
    """Return whether the last word of a session is no answer, or one that calls a tool."""
    last = views.execute(LAST_WORD, (session_id, kind == "subagent")).fetchone()
    return last is not None and (last[0] != "answer" or bool(last[1]))


def _by_hash(views: sqlite3.Connection, hashed: str | None) -> str | None:
    row = views.execute("SELECT path FROM project_observations WHERE path_hash = ? ORDER BY path LIMIT 1", (hashed,)).fetchone()
    return row[0] if row else None


def _cut(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text[:LOOKED_AT_CHARS].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"


PROJECTION = Projection(
    name="sessions",
    version=10,
    tables={
        "session_facts": """CREATE TABLE {name} (session_id TEXT NOT NULL, fact TEXT NOT NULL, source_key TEXT NOT NULL,
            occurred_at TEXT, value TEXT NOT NULL, PRIMARY KEY (session_id, fact, source_key)) STRICT, WITHOUT ROWID""",
        "session_notes": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, noted_at TEXT, text TEXT NOT NULL,
            PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "session_annotations": """CREATE TABLE {name} (session_id TEXT NOT NULL, record_id TEXT NOT NULL, annotated_at TEXT, title TEXT, summary TEXT,
            topics TEXT, category TEXT, PRIMARY KEY (session_id, record_id)) STRICT, WITHOUT ROWID""",
        "session_folders": """CREATE TABLE {name} (session_id TEXT NOT NULL, cwd TEXT NOT NULL, project TEXT, messages INTEGER NOT NULL,
            PRIMARY KEY (session_id, cwd)) STRICT, WITHOUT ROWID""",
        "sessions": """CREATE TABLE {name} (session_id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, project TEXT, cwd TEXT,
            project_hash TEXT, title TEXT, branch TEXT, started_at TEXT, last_at TEXT, turns INTEGER NOT NULL, messages INTEGER NOT NULL,
            tool_calls INTEGER NOT NULL, models TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
            cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
            responses INTEGER NOT NULL, is_estimated INTEGER NOT NULL, parent_session_id TEXT, link_kind TEXT, kind TEXT NOT NULL,
            client_version TEXT, head_commit TEXT, end_reason TEXT, resumed INTEGER NOT NULL,
            concurrent_strands INTEGER NOT NULL, is_turn_open INTEGER NOT NULL) STRICT""",
    },
    indexes=(
        "CREATE INDEX IF NOT EXISTS sessions_by_project ON sessions (project, last_at)",
        "CREATE INDEX IF NOT EXISTS sessions_by_cwd ON sessions (cwd)",
        "CREATE INDEX IF NOT EXISTS session_folders_by_cwd ON session_folders (cwd)",
        "CREATE INDEX IF NOT EXISTS session_folders_by_project ON session_folders (project)",
        "CREATE INDEX IF NOT EXISTS sessions_by_parent ON sessions (parent_session_id)",
    ),
    statements=(FACT, ANNOTATION, NOTE),
    handlers={HookFired: _hooked, SourceRead: _read, SessionStarted: _started, SessionEnded: _ended, TurnEnded: _turn_ended, PromptSubmitted: _prompted,
              SessionAnnotated: _annotated},
    settle=settle,
    digest={"sessions": "SELECT * FROM sessions ORDER BY session_id", "session_notes": "SELECT * FROM session_notes ORDER BY 1, 2",
            "session_annotations": "SELECT * FROM session_annotations ORDER BY 1, 2",
            "session_folders": "SELECT * FROM session_folders ORDER BY session_id, cwd"},
)
