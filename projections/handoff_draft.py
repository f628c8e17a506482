"""A handoff that nobody wrote notes for: what the views know of the session, each statement with the record it comes from."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from journal.cutting import cut, on_one_line
from projections import cards
from projections.handoff_notes import HEADINGS, Item, Notes, Section
from projections.todo_lists import TODO_TOOLS, todos

SESSION = "SELECT host, title, branch, started_at, last_at FROM sessions WHERE session_id = ?"
WHOSE = """session_id IN (WITH RECURSIVE own (id) AS (SELECT ? UNION SELECT s.session_id FROM own JOIN sessions AS s ON s.parent_session_id = own.id
    WHERE s.link_kind = 'subagent') SELECT id FROM own)"""
"""A session and its sub-agents: their work is its work."""
CHANGED = f"""SELECT path, absolute_path, group_concat(DISTINCT operation), sum(lines_added), sum(lines_removed), max(occurred_at), max(record_id)
FROM file_changes WHERE {WHOSE} AND is_copy = 0 GROUP BY absolute_path ORDER BY max(occurred_at) DESC, path"""
CALLS = f"""SELECT name, input_text, is_error, exit_code, output_excerpt, occurred_at, tool_call_id FROM tool_calls
WHERE {WHOSE} AND is_copy = 0 ORDER BY occurred_at, tool_call_id"""
TEXTS = """SELECT kind, substr(text, 1, 4000), record_id FROM messages
WHERE session_id = ? AND kind IN ('prompt', 'answer') AND is_copy = 0 AND dropped_by IS NULL
ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT 200"""
TESTS = re.compile(
    r"(?:^|[;&|(]\s*|\s)(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ctest|phpunit|rspec|(?:npm|yarn|pnpm|bun)(?: run)? test|cargo (?:nextest|test)|go test|"
    r"make (?:test|check)|mvn test|gradle test|dotnet test|python3? -m (?:pytest|unittest))\b"
)
MOST_HINTS = 8
MADE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
"""What git prints for a commit that it made."""
OF_REPOSITORY = "the repository"
MOST = {"file": 20, "decision": 8, "failure": 6, "test": 6, "commit": 10, "question": 6, "move": 10, "prompt": 5}
Ranges = Callable[[str, str], tuple[list[str], list[str]]]
"""Of a file (absolute, relative to the project): locators of what was changed, where it stands now, and what came and went in it."""


class Repository(NamedTuple):
    """What the repository says, in finished sentences."""

    purpose: str
    lines: tuple[str, ...]
    questions: tuple[str, ...]


def of(views: sqlite3.Connection, session_id: str, ranges: Ranges, repository: Repository) -> Notes:
    """Return the notes of a session; every list says how much of it was left out."""
    host, title, branch, started_at, last_at = views.execute(SESSION, (session_id,)).fetchone() or (None,) * 5
    calls = views.execute(CALLS, (session_id,)).fetchall()
    texts = views.execute(TEXTS, (session_id,)).fetchall()
    said = list(_sentences(texts))
    findings = [
        *_most("file", _files(views, session_id, ranges)), *_most("decision", [(text, record) for kind, text, record in said if kind == "decision"]),
        *_most("failure", [(f"Failed: {text}", f"call {call}") for text, call in cards.failures(views, session_id)]),
        *_most("test", _tests(calls)), *_most("commit", _commits(calls)),
    ]  # fmt: skip
    opened = [(text, record) for kind, text, record in said if kind == "open"]
    questions = _most("question", [one for one in opened if one[0].endswith("?")]) + [(text, OF_REPOSITORY) for text in repository.questions]
    moves = _most("move", [*((text, _planned_by(calls, text)) for text in todos(calls)),
                           *(one for one in opened if not one[0].endswith("?"))])  # fmt: skip
    prompts = _most("prompt", [(f"- {on_one_line(text, 200)}", f"record {record}") for kind, text, record in texts if kind == "prompt"])
    span = f"{(started_at or '')[:16].replace('T', ' ')} to {(last_at or '')[:16].replace('T', ' ')} UTC"
    scope = [(f"Session {session_id} of {host}, {span}" + (f", branch {branch}" if branch else ""), "")] if host else []
    items: dict[str, list[Item]] = {kind: [] for kind in HEADINGS} | {
        kind: [Item(" ".join(text.split()), (), origin if origin == OF_REPOSITORY else ", ".join(filter(None, (f"session {session_id}", origin))))
               for text, origin in pairs]
        for kind, pairs in (("finding", findings), ("question", questions), ("move", moves), ("scope", scope))
    }
    others = [Section(heading, "\n".join(lines), origin) for heading, lines, origin in (
        ("Repository", [f"- {line}" for line in repository.lines], OF_REPOSITORY),
        ("Last prompts", [text for text, _ in prompts], f"session {session_id}, {', '.join(origin for _, origin in prompts if origin)}")) if lines]  # fmt: skip
    headings = sum(bool(found) for found in items.values()) + len(others) + bool(repository.purpose)
    return Notes(" ".join((title or f"Session {session_id[:13]}").split()), repository.purpose, items, others, headings)


def _planned_by(calls: list[tuple[Any, ...]], text: str) -> str:
    """Return the last call to a todo tool that names an item, which says where it comes from; nothing where its input was cut."""
    beginning = text.strip()[:40]
    return next((f"call {call[6]}" for call in reversed(calls) if TODO_TOOLS.search(call[0] or "") and beginning in (call[1] or "")), "")


def _most(kind: str, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return as many as a handoff takes of a kind, with a line that says how many were left out."""
    most, unique = MOST[kind], list(dict.fromkeys(pairs))
    rest = len(unique) - most
    return unique[:most] + ([(f"{rest} of {len(unique)} more of this kind; journal show tells all", "")] if rest > 0 else [])


def _sentences(texts: list[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield (`decision` or `open`, sentence, record) of prompts and answers, the newest first."""
    seen: set[str] = set()
    for kind, text, record in texts:
        for told, sentence in cards.told_in(kind, text, {"decision", "open"}):
            if told in ("decision", "open") and sentence not in seen:
                seen.add(sentence)
                yield told, sentence, f"record {record}"


def _files(views: sqlite3.Connection, session_id: str, ranges: Ranges) -> list[tuple[str, str]]:
    found = []
    for path, absolute, operations, added, removed, _, record in views.execute(CHANGED, (session_id,)).fetchall():
        counts = f" +{added or 0} -{removed or 0}" if added or removed else ""
        locators, hints = ranges(absolute, path)
        places = ", ".join(f"`{locator}`" for locator in locators) or path
        found.append((f"Changed {places} ({operations}{counts})" + (f": {', '.join(hints[:MOST_HINTS])}" if hints else ""), f"record {record}"))
    return found


def _tests(calls: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """Return each test command with how it ended last."""
    last: dict[str, tuple[str, str]] = {}
    for _, given, is_error, exit_code, output, _, call_id in calls:
        command = cards.command_of(given)
        if command and TESTS.search(command):
            lines = [line.strip(" =") for line in (output or "").splitlines() if line.strip(" =")]
            ended = "passed" if not is_error and not exit_code else f"failed with exit {exit_code}" if exit_code else "failed"
            last.pop(command, None)
            last[command] = (f"Tests `{cut(command, 120)}` {ended}" + (f": {cut(lines[-1], 160)}" if lines else ""), f"call {call_id}")
    return list(reversed(last.values()))


def _commits(calls: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    found = []
    for _, given, _, _, output, _, call_id in calls:
        command = cards.command_of(given)
        if command and "commit" in command:
            found += [(f"Made commit {name}: {subject}", f"call {call_id}") for name, subject in MADE.findall(output or "")]
    return list(reversed(found))
