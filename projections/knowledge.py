"""What a session knew, read off its whole log: files, failures with what fixed them, decisions, wishes and figures, each with its place.

The log holds what was said before every compaction, so that nothing of it has to be made up again: these are the session's own
words. Copied history counts, since a fork knows it too.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from journal.cutting import cut
from projections.cards import command_of, path_of, told_in
from projections.error_lines import error_line

KINDS = ("decision", "failure", "wish", "figure", "file", "open")
"""What is told, in the order of its worth."""
SENTENCES = ("decision", "wish", "figure", "open")
"""The kinds that are read off sentences, in that order too."""
MOST_MESSAGES = 6000
MOST_CALLS = 20_000
MOST_OF_A_KIND = 80
MOST_FILES = 400
TEXT_CHARS = 30_000
INPUT_CHARS = 4000
BETWEEN = 3
ERROR_CHARS = 300
COMMAND_CHARS = 200

TEXTS = """SELECT kind, substr(text, 1, ?2), occurred_at, global_position FROM messages WHERE session_id = ?1 AND kind IN ('prompt', 'answer')
AND dropped_by IS NULL ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT ?3"""
CALLS = """SELECT name, substr(input_text, 1, ?2), is_error, exit_code, output_excerpt, occurred_at, global_position FROM tool_calls
WHERE session_id = ?1 ORDER BY occurred_at DESC, tool_call_id DESC LIMIT ?3"""
FILES = """SELECT path, group_concat(DISTINCT operation), sum(lines_added), sum(lines_removed), min(occurred_at), max(global_position) FROM file_changes
WHERE session_id = ? GROUP BY path ORDER BY max(occurred_at) DESC, path LIMIT ?"""
COUNT = "SELECT count(*) FROM messages WHERE session_id = ? AND kind IN ('prompt', 'answer') AND dropped_by IS NULL"
COMPACTED = "SELECT occurred_at, pre_tokens FROM compactions WHERE session_id = ? ORDER BY occurred_at DESC NULLS LAST"
SUMMARY = """SELECT text FROM messages WHERE session_id = ? AND kind = 'summary' AND dropped_by IS NULL
ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT 1"""
LATER = """SELECT substr(text, 1, ?3) FROM messages WHERE session_id = ?1 AND kind IN ('prompt', 'answer') AND dropped_by IS NULL AND occurred_at > ?2
ORDER BY occurred_at LIMIT 2000"""


class Fact(NamedTuple):
    """One thing that a session knew."""

    kind: str
    """One of KINDS."""
    text: str
    at: str | None
    position: int
    """Where it stands in the log."""


class Memory(NamedTuple):
    """What the session still held at its end, in its own context."""

    compactions: int
    compacted_at: str | None
    pre_tokens: int | None
    summary: str
    """The host's newest summary; empty where there is none."""
    later: str
    """What was said after it."""


class Knowledge(NamedTuple):
    """All facts of a session, of each kind the newest first."""

    facts: list[Fact]
    prompts: list[Fact]
    answer: Fact | None
    messages: int
    looked_at: int
    """Of the messages, so many were looked through: the newest."""


def memory(views: sqlite3.Connection, session_id: str) -> Memory:
    """Return what is left of a session in its own context: all of it, or the summary and what followed."""
    rows = views.execute(COMPACTED, (session_id,)).fetchall()
    summary = views.execute(SUMMARY, (session_id,)).fetchone()
    if not rows:
        return Memory(0, None, None, "", "")
    at, tokens = rows[0]
    later = [row[0] for row in views.execute(LATER, (session_id, at or "", TEXT_CHARS))] if at else []
    return Memory(len(rows), at, tokens, summary[0] if summary else "", "\n".join(later))


def read(views: sqlite3.Connection, session_id: str) -> Knowledge:
    """Return what a session knew."""
    rows = views.execute(TEXTS, (session_id, TEXT_CHARS, MOST_MESSAGES)).fetchall()
    found: dict[str, dict[str, Fact]] = {kind: {} for kind in KINDS}
    prompts: list[Fact] = []
    answer: Fact | None = None
    for kind, text, at, position in rows:
        if kind == "prompt":
            prompts.append(Fact("prompt", " ".join(text.split()), at, position))
        elif answer is None:
            answer = Fact("answer", " ".join(text.split()), at, position)
        wanted = {told for told in SENTENCES if len(found[told]) < MOST_OF_A_KIND}
        for told, sentence in told_in(kind, text, wanted) if wanted else ():
            if told in wanted:
                _keep(found, Fact(told, sentence, at, position))
    for fact in _failures(views, session_id):
        found["failure"].setdefault(fact.text, fact)
    for fact in _files(views, session_id):
        found["file"].setdefault(fact.text, fact)
    total = views.execute(COUNT, (session_id,)).fetchone()[0]
    return Knowledge([fact for kind in KINDS for fact in found[kind].values()], prompts, answer, total, len(rows))


def _keep(found: dict[str, dict[str, Fact]], fact: Fact) -> None:
    """Keep a sentence once, under the kind of most worth: one that decides on a figure is a decision."""
    folded = " ".join(fact.text.casefold().split())
    place = SENTENCES.index(fact.kind)
    if any(folded in found[kind] for kind in SENTENCES[: place + 1]):
        return
    for kind in SENTENCES[place + 1 :]:
        found[kind].pop(folded, None)
    found[fact.kind][folded] = fact


def _files(views: sqlite3.Connection, session_id: str) -> Iterator[Fact]:
    for path, operations, added, removed, at, position in views.execute(FILES, (session_id, MOST_FILES)):
        counts = f" +{added or 0} -{removed or 0}" if added or removed else ""
        yield Fact("file", f"{path} ({operations}{counts})", at, position)


def _failures(views: sqlite3.Connection, session_id: str) -> list[Fact]:
    """Return the commands that failed, with the exact error and what was done until the same command passed; the newest first."""
    pending: dict[str, tuple[str, str | None, int, list[str]]] = {}
    done: list[Fact] = []
    for name, given, is_error, exit_code, output, at, position in reversed(views.execute(CALLS, (session_id, INPUT_CHARS, MOST_CALLS)).fetchall()):
        command = command_of(given)
        if is_error or exit_code not in (None, 0):
            key = command or f"{name} {path_of(given) or ''}".strip()
            code = f"exit {exit_code}" if exit_code else "failed"
            pending.pop(key, None)
            pending[key] = (f"`{cut(key, COMMAND_CHARS)}` {code}: {cut(error_line(output), ERROR_CHARS)}", at, position, [])
        elif command in pending:
            text, failed_at, place, between = pending.pop(command)
            done.append(Fact("failure", f"{text} → passed later" + (f", after {'; '.join(between[-BETWEEN:])}" if between else ""), failed_at, place))
        else:
            told = path_of(given) or (f"`{cut(command, 80)}`" if command else None)
            for _, _, _, between in pending.values() if told else ():
                if not between or between[-1] != f"{name} {told}":
                    between.append(f"{name} {told}")
                    del between[:-BETWEEN]
    done += [Fact("failure", f"{text} → no later run of it passed", at, position) for text, at, position, _ in pending.values()]
    done.sort(key=lambda fact: (fact.at or "", fact.position), reverse=True)
    return done[:MOST_OF_A_KIND]
