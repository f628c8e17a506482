"""What the views hold of a session up to one moment: files, tools, words, errors, commits, todos."""

import re
import sqlite3
from typing import Any

from projections.cards import command_of
from projections.todo_lists import todos

FILES = "SELECT path, operations, lines_added, lines_removed FROM snapshot_files WHERE snapshot_id = ? ORDER BY last_at DESC, path"
TOOLS = """SELECT coalesce(name, 'unknown'), count(*) FROM tool_calls WHERE session_id = ? AND is_copy = 0 AND occurred_at <= ?
GROUP BY 1 ORDER BY 2 DESC, 1"""
TEXTS = """SELECT kind, text FROM messages WHERE session_id = ? AND is_copy = 0 AND dropped_by IS NULL AND kind IN ('prompt', 'answer')
AND occurred_at <= ? ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT 40"""
CALLS = """SELECT name, input_text, is_error, exit_code, output_excerpt, occurred_at FROM tool_calls
WHERE session_id = ? AND is_copy = 0 AND occurred_at <= ? ORDER BY occurred_at, tool_call_id"""
SINCE = "SELECT DISTINCT path FROM file_changes WHERE session_id = ? AND is_copy = 0 AND occurred_at <= ? AND occurred_at > ? ORDER BY path"
COMMIT = re.compile(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b")
MESSAGE = re.compile(r"""-[a-z]*m\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
WORDS = 3


def read(views: sqlite3.Connection, snapshot_id: str, session_id: str, at: str) -> dict[str, Any]:
    """Return the parts of a snapshot that are not in its row."""
    files = [dict(zip(("path", "operations", "lines_added", "lines_removed"), row, strict=True)) for row in views.execute(FILES, (snapshot_id,))]
    calls = views.execute(CALLS, (session_id, at)).fetchall()
    texts = views.execute(TEXTS, (session_id, at)).fetchall()
    made = [(message_of(command), when) for command, when in commits(calls)]
    last = made[-1][1] if made else ""
    return {
        "files_changed": files,
        "tools": dict(views.execute(TOOLS, (session_id, at)).fetchall()),
        "prompts": [_line(text) for kind, text in texts if kind == "prompt"][:WORDS],
        "answers": [_line(text) for kind, text in texts if kind == "answer"][:WORDS],
        "errors": [error_of(row) for row in calls if row[2] or row[3]][-5:],
        "commits": [message for message, _ in made],
        "uncommitted": [path for (path,) in views.execute(SINCE, (session_id, at, last))],
        "todos": todos(calls),
    }


def commits(calls: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """Return the commands that committed, with their time."""
    found = []
    for _, given, is_error, exit_code, _, when in calls:
        command = command_of(given)
        if command and not is_error and not exit_code and COMMIT.search(command):
            found.append((command, when or ""))
    return found


def message_of(command: str) -> str:
    """Return the message that a command committed with; the command where it names none."""
    told = MESSAGE.search(command)
    return next((part for part in told.groups() if part), command) if told else command


def error_of(row: tuple[Any, ...]) -> str:
    """Return a failed call, a row of CALLS, in a line."""
    name, given, _, exit_code, output, _ = row
    return f"{command_of(given) or name}: exit {exit_code}: {_line(output or '')}" if exit_code else f"{command_of(given) or name}: {_line(output or '')}"


def _line(text: str) -> str:
    told = " ".join(text.split())
    return told if len(told) <= 200 else told[:199] + "…"
