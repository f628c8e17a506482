"""What a session may have taught: fixed errors, corrections by the user, commands used again and again. Offered, never stored by itself."""

import re
import sqlite3
from typing import NamedTuple

from journal.cutting import cut, on_one_line
from projections import past
from projections.cards import command_of

OFTEN = 4
"""A command that was run so often with success is how something is done here."""
MOST_PROMPTS = 400
PROMPT_CHARS = 1200
LONGEST = 300
PROMPTS = f"""SELECT substr(text, 1, {PROMPT_CHARS}), occurred_at FROM messages WHERE session_id = ?
AND kind = 'prompt' AND is_copy = 0
AND dropped_by IS NULL ORDER BY occurred_at DESC, record_id DESC LIMIT {MOST_PROMPTS}"""
FIXES = "SELECT command, error, fix, fixed_at FROM fixes WHERE session_id = ? ORDER BY fixed_at DESC, tool_call_id"
CALLS = """SELECT CASE WHEN length(input_text) < 2000 THEN input_text END FROM tool_calls WHERE session_id = ? AND is_copy = 0
AND coalesce(is_error, 0) = 0 AND coalesce(exit_code, 0) = 0 ORDER BY occurred_at, tool_call_id"""
CORRECTION = re.compile(r"^\s*(?:no[,.!:]|nope|stop|wait|actually|that'?s (?:wrong|not)|wrong|not (?:like )?that|undo|"
                        r"revert)(?!\w)|\b(?:don'?t|do not|never|always|instead of|rather than|"
                        r"should (?:have|be|not)|must (?:not )?be|use \S+,? not)\b", re.IGNORECASE)  # fmt: skip
RULE = re.compile(r"\b(?:never|always|prefer|don'?t|do not)\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
TRIVIAL = re.compile(r"^(?:ls|cd|cat|pwd|echo|git (?:status|diff|log|add|show)|head|tail|wc|find|grep|rg|sed -n|which|mkdir)\b")


class Suggestion(NamedTuple):
    """A learning that a session suggests."""

    kind: str
    text: str
    why: str
    """What in the session it was read off."""


def read(views: sqlite3.Connection, session_id: str) -> list[Suggestion]:
    """Return what a session suggests: fixes, then corrections, then habits; each text once."""
    found = [*_fixes(views, session_id), *_corrections(views, session_id), *_habits(views, session_id)]
    return list({suggestion.text: suggestion for suggestion in found}.values())


def _fixes(views: sqlite3.Connection, session_id: str) -> list[Suggestion]:
    found = []
    for command, error, fix, fixed_at in views.execute(FIXES, (session_id,)).fetchall():
        if fix.startswith("nothing:"):
            continue
        row = views.execute(past.ANSWER, (session_id, fixed_at, PROMPT_CHARS)).fetchone()
        said = f" The agent said: {on_one_line(row[0], past.SNIPPET_CHARS)}" if row else ""
        text = f"`{cut(command, 100)}` failed with {cut(error, 160)}; fixed by {cut(fix, 160)}.{said}"
        found.append(Suggestion("solution", cut(text, 2 * LONGEST), "an error and its fix"))
    return found


def _corrections(views: sqlite3.Connection, session_id: str) -> list[Suggestion]:
    prompts = views.execute(PROMPTS, (session_id,)).fetchall()
    found = []
    for text, _ in prompts:
        for sentence in SENTENCE.split(text):
            told = " ".join(sentence.split())
            if 12 <= len(told) <= LONGEST and not told.endswith("?") and CORRECTION.search(told):
                found.append(Suggestion("preference" if RULE.search(told) else "gotcha", told, "a correction by the user"))
    return found


def _habits(views: sqlite3.Connection, session_id: str) -> list[Suggestion]:
    counts: dict[str, int] = {}
    for (given,) in views.execute(CALLS, (session_id,)):
        command = command_of(given)
        if command and len(command) <= LONGEST and not TRIVIAL.match(command):
            counts[command] = counts.get(command, 0) + 1
    often = sorted((pair for pair in counts.items() if pair[1] >= OFTEN), key=lambda pair: (-pair[1], pair[0]))
    return [Suggestion("pattern", f"Run `{command}` here.", f"run {count} times with success") for command, count in often[:5]]
