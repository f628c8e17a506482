"""The `fixes` view: commands that failed and passed later in the same session, with the error and what was done in between."""

import sqlite3
from typing import NamedTuple

from journal.cutting import cut
from projections.cards import command_of, path_of
from projections.error_lines import error_line
from projections.projection import Projection

MOST = 60
"""So many fixes of a session are kept, the last ones."""
LOOKED_AHEAD = 40
"""So many calls after the failure the command may pass again."""
LONGEST_INPUT = 4000
COMMAND_CHARS = 300
ERROR_CHARS = 400
BETWEEN = 4

HAS_FAILED = """SELECT min(occurred_at) FROM (SELECT occurred_at FROM tool_calls WHERE session_id = ? AND is_copy = 0 AND (is_error = 1 OR exit_code <> 0)
ORDER BY occurred_at DESC LIMIT 200)"""
CALLS = f"""SELECT tool_call_id, name, CASE WHEN length(input_text) <= {LONGEST_INPUT} THEN input_text END,
is_error = 1 OR coalesce(exit_code, 0) <> 0, occurred_at, CASE WHEN is_error = 1 OR coalesce(exit_code, 0) <> 0 THEN output_excerpt END,
CASE WHEN length(input_text) > {LONGEST_INPUT} THEN substr(input_text, 1, 400) END
FROM tool_calls WHERE session_id = ?1 AND is_copy = 0 AND occurred_at >= ?2 ORDER BY occurred_at, tool_call_id"""
KNOWN = "SELECT tool_call_id, failed_at, command, error, fixed_at, fix FROM fixes WHERE session_id = ? ORDER BY failed_at, tool_call_id"
ADD = "INSERT INTO fixes (session_id, tool_call_id, failed_at, command, error, fixed_at, fix) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Call(NamedTuple):
    """One tool call, as far as a fix needs it."""

    tool_call_id: str
    at: str
    has_failed: bool
    command: str | None
    told: str | None
    """What it did, in words: an edit and its file, or a command."""
    error: str


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Write the fixes of the sessions again where they changed."""
    for session_id in session_ids:
        first = views.execute(HAS_FAILED, (session_id,)).fetchone()[0]
        found = _fixes([_call(*row) for row in views.execute(CALLS, (session_id, first))]) if first else []
        known = views.execute(KNOWN, (session_id,)).fetchall()
        if found != known:
            views.execute("DELETE FROM fixes WHERE session_id = ?", (session_id,))
            views.executemany(ADD, [(session_id, *row) for row in found])


def _call(tool_call_id: str, name: str | None, given: str | None, has_failed: int, at: str, output: str | None, beginning: str | None) -> Call:
    command = command_of(given)
    path = path_of(given) or _path_in(beginning)
    told = f"{name} {path}" if path else f"`{cut(command, 80)}`" if command else None
    return Call(tool_call_id, at, bool(has_failed), command, told, cut(error_line(output), ERROR_CHARS) if has_failed else "")


def _path_in(beginning: str | None) -> str | None:
    """Return the path in the beginning of an input that is too long to be read whole."""
    for key in ('"file_path":"', '"path":"', '"file_path": "', '"path": "'):
        _, sign, rest = (beginning or "").partition(key)
        if sign:
            return rest.partition('"')[0]
    return None


def _fixes(calls: list[Call]) -> list[tuple[str, str, str, str, str, str]]:
    found: dict[str, tuple[str, str, str, str, str, str]] = {}
    for number, call in enumerate(calls):
        if not call.has_failed or not call.command or not call.error:
            continue
        between: list[str] = []
        for later in calls[number + 1 : number + 1 + LOOKED_AHEAD]:
            if later.command == call.command:
                if later.has_failed:
                    break  # the later failure is the one that was fixed
                fix = "; ".join(dict.fromkeys(between[-BETWEEN:])) or "nothing: it passed when it was run again"
                found[call.tool_call_id] = (call.tool_call_id, call.at, cut(call.command, COMMAND_CHARS), call.error, later.at, fix)
                break
            if later.told and not later.has_failed:
                between.append(later.told)
    return list(found.values())[-MOST:]


PROJECTION = Projection(
    name="fixes",
    version=1,
    tables={
        "fixes": """CREATE TABLE {name} (fix_rowid INTEGER PRIMARY KEY, session_id TEXT NOT NULL, tool_call_id TEXT NOT NULL, failed_at TEXT NOT NULL,
            command TEXT NOT NULL, error TEXT NOT NULL, fixed_at TEXT NOT NULL, fix TEXT NOT NULL, UNIQUE (session_id, tool_call_id)) STRICT""",
        "fixes_fts": "CREATE VIRTUAL TABLE {name} USING fts5(error, command, content='fixes', content_rowid='fix_rowid', tokenize='porter unicode61')",
        "fixes_fts_add": """CREATE TRIGGER {name} AFTER INSERT ON fixes BEGIN
            INSERT INTO fixes_fts(rowid, error, command) VALUES (new.fix_rowid, journal_spaced(new.error), journal_spaced(new.command)); END""",
        "fixes_fts_drop": """CREATE TRIGGER {name} AFTER DELETE ON fixes BEGIN
            INSERT INTO fixes_fts(fixes_fts, rowid, error, command)
            VALUES ('delete', old.fix_rowid, journal_spaced(old.error), journal_spaced(old.command)); END""",
    },
    indexes=(),
    statements=(),
    handlers={},
    settle=settle,
    digest={"fixes": "SELECT session_id, tool_call_id, failed_at, command, error, fixed_at, fix FROM fixes ORDER BY session_id, tool_call_id"},
    columns={
        "fixes": """A command that failed and passed later in the same session, the last 60 of each session.
            fix_rowid | INTEGER | number | the row's number, which the index knows it by
            session_id | TEXT | id | the session
            tool_call_id | TEXT | id | the call that failed (`tool_calls`)
            failed_at | TEXT | UTC | when it failed
            command | TEXT | text | the command, redacted, at most 300 characters
            error | TEXT | text | the line of its output that says most, redacted, at most 400 characters
            fixed_at | TEXT | UTC | when the same command passed
            fix | TEXT | text | what was done in between: the last edits and commands""",
        "fixes_fts": """Full text over errors and commands of `fixes`, by word stems (FTS5, external content).
            error | TEXT | text | query with `fixes_fts MATCH '...'`; join on `rowid = fix_rowid`
            command | TEXT | text | the command""",
    },
)
