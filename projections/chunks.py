"""The `chunks` view: which stretches of the conversation are embedded, in what order; rows hold no text, only where it stands.

The projection itself only notes which sessions were settled. Their chunks are cut when the index is brought up to date
(`catch_up`), so that neither an ingest nor who never searches by meaning pays for them.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from projections.checkpoint import transaction
from projections.chunk_cutting import MOST_TOKENS, Piece, cut, is_bare_command, is_command, readable
from projections.projection import Projection

CONTEXT_CHARS = 160
"""Of the prompt that an answer or an error follows: it stands before the text that is embedded, so that a chunk knows its turn."""
AT_ONCE = 50
"""Sessions whose chunks are written in one transaction."""
ERROR_INPUT_CHARS = 200
# What a tool returns is told again by the answer; an error, and what a person chose when asked, is not.
_DECISION = re.compile(r"\b(?:user (?:has )?(?:answered|chose|chosen|selected|approved|rejected)|decision:|decided to)\b", re.IGNORECASE)

FIRST, SECOND, THIRD, LAST = range(4)
"""Ranks: prompts, final answers and summaries; errors and decisions; other answers; commands that say nothing else."""

MESSAGES = """SELECT m.record_id, m.ordinal, m.role, m.kind, m.text, m.occurred_at, m.turn_id FROM messages AS m
WHERE m.session_id = ? AND m.is_copy = 0 AND m.dropped_by IS NULL
  AND (m.kind IN ('prompt', 'answer', 'summary') OR (m.kind IN ('injected', 'notice') AND substr(m.text, 1, 4000) LIKE '%<command-name>%'))
ORDER BY m.global_position, m.ordinal"""
OUTPUTS = """SELECT tool_call_id, name, input_text, output_excerpt, coalesce(returned_at, occurred_at), turn_id, coalesce(is_error, 0) FROM tool_calls
WHERE session_id = ? AND is_copy = 0 AND output_excerpt IS NOT NULL
  AND (is_error = 1 OR output_excerpt LIKE '%user%' OR output_excerpt LIKE '%decision:%' OR output_excerpt LIKE '%decided to%')
ORDER BY global_position, tool_call_id"""
INSERT = "INSERT INTO chunks VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ONE = """SELECT c.kind, c.turn_id, c.start_char, c.end_char, m.text, p.text FROM chunks AS c
LEFT JOIN messages AS m ON m.session_id = c.session_id AND m.record_id = c.record_id AND m.ordinal = c.ordinal
LEFT JOIN messages AS p ON p.session_id = c.session_id AND p.record_id = c.turn_id AND p.kind = 'prompt' AND p.is_copy = 0 AND p.dropped_by IS NULL
WHERE c.chunk_id = ? ORDER BY p.ordinal LIMIT 1"""
CALL = """SELECT t.name, t.input_text, t.output_excerpt FROM chunks AS c
JOIN tool_calls AS t ON t.session_id = c.session_id AND t.tool_call_id = c.tool_call_id WHERE c.chunk_id = ?"""


class Chunk(NamedTuple):
    """One stretch, before it has a row."""

    record_id: str | None
    ordinal: int | None
    tool_call_id: str | None
    role: str
    kind: str
    turn_id: str | None
    occurred_at: str | None
    piece: Piece
    text_hash: int
    rank: int
    is_command: bool
    is_bare_command: bool


class Caught(NamedTuple):
    """What a catch-up of the view did."""

    sessions: int
    left: int
    """Sessions that still wait."""


def hash_of(text: str) -> int:
    """Return the number by which a text is known to the vectors: the first 63 bits of its SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode(errors="replace")).digest()[:8], "big") >> 1


def catch_up(views: sqlite3.Connection, most: int | None = None) -> Caught:
    """Cut the sessions that changed since the last time again, at most *most* of them; what is broken off goes on where it was."""
    done = 0
    while most is None or done < most:
        number = AT_ONCE if most is None else min(AT_ONCE, most - done)
        waiting = [row[0] for row in views.execute("SELECT session_id FROM chunks_waiting ORDER BY session_id LIMIT ?", (number,))]
        if not waiting:
            break
        with transaction(views):
            for session_id in waiting:
                views.execute("DELETE FROM chunks WHERE session_id = ?", (session_id,))
                views.executemany(INSERT, _rows(views, session_id))
                views.execute("DELETE FROM chunks_waiting WHERE session_id = ?", (session_id,))
        done += len(waiting)
    return Caught(done, views.execute("SELECT count(*) FROM chunks_waiting").fetchone()[0])


def _rows(views: sqlite3.Connection, session_id: str) -> Iterable[tuple[object, ...]]:
    host, project = views.execute("SELECT host, project FROM sessions WHERE session_id = ?", (session_id,)).fetchone() or ("", None)
    for number, chunk in enumerate(chunks_of(views, session_id), 1):
        yield (session_id, number, chunk.record_id, chunk.ordinal, chunk.tool_call_id, host, project, chunk.role, chunk.kind, chunk.turn_id,
               chunk.occurred_at, *chunk.piece, chunk.text_hash, chunk.rank, int(chunk.is_command), int(chunk.is_bare_command))  # fmt: skip


def chunks_of(views: sqlite3.Connection, session_id: str) -> list[Chunk]:
    """Return the chunks of a session, messages first, each kind in the order of its records."""
    found: list[Chunk] = []
    messages = views.execute(MESSAGES, (session_id,)).fetchall()
    prompts: dict[str, str] = {}
    final: dict[str | None, int] = {}
    for place, (record_id, _, _, kind, text, _, turn_id) in enumerate(messages):
        if kind == "prompt":
            prompts.setdefault(record_id, text)
        elif kind == "answer":
            final[turn_id] = place
    for place, (record_id, ordinal, role, kind, text, occurred_at, turn_id) in enumerate(messages):
        if kind in ("injected", "notice"):
            if not is_command(text):
                continue
            kind = "command"  # noqa: PLW2901  what the user typed, whatever the host calls it
        rank = THIRD if kind == "answer" and final[turn_id] != place else FIRST
        context = _context(prompts.get(turn_id)) if kind == "answer" else ""
        for piece in cut(text, _room(context)):
            stretch = text[piece.start : piece.end]
            bare = is_bare_command(stretch)
            found.append(Chunk(record_id, ordinal, None, role, kind, turn_id, occurred_at, piece, hash_of(context + readable(stretch)),
                               LAST if bare else rank, is_command(stretch), bare))  # fmt: skip
    for call, name, given, output, at, turn_id, is_error in views.execute(OUTPUTS, (session_id,)).fetchall():
        if not (is_error or _DECISION.search(output)):
            continue
        context = _context(prompts.get(turn_id)) + _called(name, given)
        for piece in cut(output, _room(context)):
            text_hash = hash_of(context + output[piece.start : piece.end])
            found.append(Chunk(None, None, call, "tool", "error" if is_error else "decision", turn_id, at, piece, text_hash, SECOND, False, False))
    return found


def _room(context: str) -> int:
    """Return the tokens that a context leaves to the text, every three of its characters taken for one."""
    return MOST_TOKENS - len(context) // 3


def _context(prompt: str | None) -> str:
    return " ".join(readable(prompt[: 4 * CONTEXT_CHARS]).split())[:CONTEXT_CHARS] + "\n" if prompt else ""


def _called(name: str | None, given: str | None) -> str:
    return f"{name or ''} {' '.join((given or '')[: 2 * ERROR_INPUT_CHARS].split())[:ERROR_INPUT_CHARS]}\n"


def text_of(views: sqlite3.Connection, chunk_id: int) -> str | None:
    """Return the text of a chunk as it is embedded; None where its message has changed since."""
    row = views.execute(ONE, (chunk_id,)).fetchone()
    if row is None:
        return None
    kind, _, start, end, text, prompt = row
    if text is not None:
        return (_context(prompt) if kind == "answer" else "") + readable(text[start:end])
    call = views.execute(CALL, (chunk_id,)).fetchone()
    if call is None or call[2] is None:
        return None
    return _context(prompt) + _called(*call[:2]) + str(call[2])[start:end]


def stretch_of(views: sqlite3.Connection, chunk_id: int) -> str:
    """Return what a chunk shows to a person: its own stretch without the context."""
    row = views.execute(ONE, (chunk_id,)).fetchone()
    if row is None:
        return ""
    if row[4] is not None:
        return readable(row[4][row[2] : row[3]])
    call = views.execute(CALL, (chunk_id,)).fetchone()
    return str(call[2])[row[2] : row[3]] if call and call[2] else ""


def _settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    views.executemany("INSERT OR IGNORE INTO chunks_waiting VALUES (?)", [(session_id,) for session_id in session_ids])


PROJECTION = Projection(
    name="chunks",
    version=1,
    tables={
        "chunks": """CREATE TABLE {name} (chunk_id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, number INTEGER NOT NULL, record_id TEXT,
            ordinal INTEGER, tool_call_id TEXT, host TEXT NOT NULL, project TEXT, role TEXT NOT NULL, kind TEXT NOT NULL, turn_id TEXT,
            occurred_at TEXT, start_char INTEGER NOT NULL, end_char INTEGER NOT NULL, text_hash INTEGER NOT NULL, rank INTEGER NOT NULL,
            is_command INTEGER NOT NULL, is_bare_command INTEGER NOT NULL) STRICT""",
        "chunks_waiting": "CREATE TABLE {name} (session_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    },
    indexes=("CREATE INDEX IF NOT EXISTS chunks_by_session ON chunks (session_id)", "CREATE INDEX IF NOT EXISTS chunks_by_text ON chunks (text_hash)"),
    statements=(),
    handlers={},
    settle=_settle,
    columns={
        "chunks": """A stretch of a conversation that is embedded for search by meaning; filled by `journal index update`, without a copy of the text.
            chunk_id | INTEGER | id | row number; not stable between rebuilds
            session_id | TEXT | id | the session
            number | INTEGER | number | its place among the chunks of the session: messages in order, then outputs of tools
            record_id | TEXT | id | the message (`messages`), with ordinal; NULL for the output of a tool
            ordinal | INTEGER | number | the message's place inside its record
            tool_call_id | TEXT | id | the call (`tool_calls`) whose output it is
            host | TEXT | word | the host
            project | TEXT | path | the session's project
            role | TEXT | word | `user`, `assistant`, `system` or `tool`
            kind | TEXT | word | `prompt`, `answer`, `summary`, `command` (a slash command), `error` or `decision` (outputs of tools)
            turn_id | TEXT | id | the turn's prompt; its beginning is embedded with answers and outputs
            occurred_at | TEXT | UTC | its time
            start_char | INTEGER | characters | where the stretch begins in `messages.text` or `tool_calls.output_excerpt`
            end_char | INTEGER | characters | where it ends
            text_hash | INTEGER | hash | first 63 bits of the SHA-256 of the text that is embedded: the vector's key in `cache.db`
            rank | INTEGER | number | order of embedding: 0 prompts, final answers, summaries; 1 errors, decisions; 2 other answers; 3 bare commands
            is_command | INTEGER | 0/1 | 1 where it holds the call of a slash command
            is_bare_command | INTEGER | 0/1 | 1 where it only ran a command: below 300 characters, no code, no paragraph above 100 characters""",
        "chunks_waiting": """Internal: sessions that changed since their chunks were cut.
            session_id | TEXT | id | the session""",
    },
)
