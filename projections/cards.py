"""The `restore_cards` view: the finished parts of what a restore says of a session, so that a hook only picks and prints."""

import json
import re
import sqlite3
from collections.abc import Iterator

from ahocorasick_rs import AhoCorasick

from journal.cutting import cut
from projections.error_lines import error_line
from projections.projection import Projection
from projections.todo_lists import IS_TODO_TOOL, todos

MESSAGES = 200
"""How many of a session's last prompts and answers are looked through."""
LOOKED_AT_CHARS = 4000
SENTENCE_CHARS = 240
LONGEST = {"open": 4, "todo": 8, "decision": 4, "wish": 3, "figure": 3, "failure": 3, "prompt": 3, "answer": 1, "file": 8, "said": 6}
"""How many parts of a kind a card holds at most."""
COUNTED = {"file": "files", "todo": "todos"}
"""Kinds of which a card says how many it leaves out."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DECISION = re.compile(r"\b(?:decid\w+|decision|chose|chosen|choose|pick(?:ed)?|went with|go with|going with|instead of|rather than|because|the reason|"
                       r"settled on)\b", re.IGNORECASE)  # fmt: skip
_WISH = re.compile(r"\b(?:please|always|never|do not|don't|must|should|prefer|want|make sure|no need|only)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:todo|still|remaining|remains|not yet|open question|open:|next step|next:|left to|unclear|needs? to|to be done|blocked|"
                   r"unfinished)\b|\?\s*$", re.IGNORECASE)  # fmt: skip
_FIGURE = re.compile(r"\b\d[\d,._]*\s?(?:ms|s|sec|seconds|min|minutes|h|hours|%|[kmg]i?b|bytes|tokens|rows|requests|retries|items|lines|px|x|days|percent)\b|"
                     r"\b(?:port|timeout|limit|threshold|version|size|count|max|min|retries|ttl|batch)\b[^.\n]{0,24}\b\d", re.IGNORECASE)  # fmt: skip
_TELLING = re.compile(r"\d|[A-Za-z]\w*[-_./:]\w+|[a-z][A-Z]|`")
"""A figure, a name of code, a path: what a sentence without any other mark can still tell."""
_MARKUP = re.compile(r"^[\s>*#-]+|`{3,}.*$")
WORDS = {
    "open": ("todo", "still", "remain", "not yet", "open", "next", "left to", "unclear", "need", "to be done", "block", "unfinished", "?"),
    "decision": ("deci", "chose", "choose", "pick", "went with", "go with", "going with", "instead of", "rather than", "because", "the reason", "settled"),
    "wish": ("please", "always", "never", "do not", "don't", "must", "should", "prefer", "want", "make sure", "no need", "only"),
}
"""Kinds that are read off sentences, with what stands in each of them in lower case: most texts are done with after it."""
CHARACTERS = {"figure": re.compile("[0-9]"), "said": re.compile("[0-9_./:`-]")}
"""Kinds of which one of these characters is the sign."""
SIGNED = (*WORDS, *CHARACTERS)
_KINDS = {word: kind for kind, words in WORDS.items() for word in words}
_WORDS = AhoCorasick(list(_KINDS))

TEXTS = f"""SELECT kind, substr(text, 1, {LOOKED_AT_CHARS}) FROM messages
WHERE session_id = ? AND kind IN ('prompt', 'answer') AND is_copy = 0 AND dropped_by IS NULL
ORDER BY occurred_at DESC, record_id DESC, ordinal DESC LIMIT ?"""
FAILED = """SELECT tool_call_id, name, input_text, exit_code, output_excerpt, occurred_at FROM tool_calls
WHERE session_id = ? AND is_copy = 0 AND (is_error = 1 OR exit_code <> 0) ORDER BY occurred_at DESC, tool_call_id DESC LIMIT 12"""
PLANNED = f"""SELECT name, input_text, is_error FROM tool_calls WHERE session_id = ? AND is_copy = 0 AND {IS_TODO_TOOL}
ORDER BY occurred_at, tool_call_id"""
LATER = """SELECT name, input_text, is_error, exit_code FROM tool_calls WHERE session_id = ?1 AND is_copy = 0 AND occurred_at > ?2
ORDER BY occurred_at, tool_call_id LIMIT 40"""
FILES = """SELECT path, group_concat(DISTINCT operation), sum(lines_added), sum(lines_removed), max(occurred_at) FROM file_changes
WHERE session_id = ? AND is_copy = 0 GROUP BY path ORDER BY max(occurred_at) DESC, path"""
SESSION = "SELECT host, project, branch, title, kind, started_at, last_at, end_reason FROM sessions WHERE session_id = ?"
CARD = "INSERT OR REPLACE INTO restore_cards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def settle(views: sqlite3.Connection, session_ids: list[str]) -> None:
    """Write the cards of the sessions again; sub-agents and empty sessions have none."""
    for session_id in session_ids:
        views.execute("DELETE FROM restore_cards WHERE session_id = ?", (session_id,))
        row = views.execute(SESSION, (session_id,)).fetchone()
        if row is None or row[4] in ("subagent", "empty") or row[6] is None:
            continue
        host, project, branch, title, _, started_at, last_at, end_reason = row
        told = json.dumps(list(parts(views, session_id)), ensure_ascii=False)
        views.execute(CARD, (session_id, host, project, branch, title, started_at, last_at, end_reason, told))


def parts(views: sqlite3.Connection, session_id: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) pairs, of each kind the weightier first."""
    texts = views.execute(TEXTS, (session_id, MESSAGES)).fetchall()
    found: dict[str, list[str]] = {kind: [] for kind in LONGEST}
    for kind, text in texts:
        if kind == "prompt":
            found["prompt"].append(cut(" ".join(text[:LOOKED_AT_CHARS].split()), SENTENCE_CHARS))
        elif not found["answer"]:
            found["answer"].append(cut(" ".join(text[:LOOKED_AT_CHARS].split()), 2 * SENTENCE_CHARS))
        beginning = text[:LOOKED_AT_CHARS]
        wanting = {told for told in SIGNED if len(found[told]) < LONGEST[told]}
        wanted = wanting & _signs(beginning) if wanting else wanting
        for told, sentence in told_in(kind, beginning, wanted) if wanted else ():
            if sentence not in found[told]:
                found[told].append(sentence)
    found["todo"] = [cut(" ".join(text.split()), SENTENCE_CHARS) for text in todos(views.execute(PLANNED, (session_id,)))]
    found["failure"] = [text for text, _ in failures(views, session_id)]
    found["file"] = [_file(*row) for row in views.execute(FILES, (session_id,)).fetchall()]
    for kind, most in LONGEST.items():
        for text in found[kind][:most]:
            yield kind, text
        if kind in COUNTED and len(found[kind]) > most:
            yield kind, f"{len(found[kind]) - most} of {len(found[kind])} more {COUNTED[kind]}"


def _signs(text: str) -> set[str]:
    """Return the kinds of which a sign stands in *text*."""
    told = {_KINDS[word] for word in _WORDS.find_matches_as_strings(text.lower().encode("utf-8", "replace").decode(), overlapping=True)}
    return told.union(kind for kind, characters in CHARACTERS.items() if characters.search(text))


def told_in(kind: str, text: str, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what the sentences of a text seem to be: words that people use to decide, to wish, to leave open, to measure."""
    for piece in _SENTENCE.split(text):
        sentence = _MARKUP.sub("", piece).strip()
        if not 12 <= len(sentence) <= 3 * SENTENCE_CHARS:
            continue
        told = cut(sentence, SENTENCE_CHARS)
        is_figure = "figure" in wanted and _FIGURE.search(sentence) is not None
        if is_figure:
            yield "figure", told
        if "wish" in wanted and kind == "prompt" and _WISH.search(sentence):
            yield "wish", told
        if "decision" in wanted and _DECISION.search(sentence):
            yield "decision", told
        elif kind == "answer":
            if "open" in wanted and _OPEN.search(sentence):
                yield "open", told
            elif "said" in wanted and not is_figure and _TELLING.search(sentence):
                yield "said", told


def failures(views: sqlite3.Connection, session_id: str) -> Iterator[tuple[str, str]]:
    """Yield the failed calls, the last first, each with what made the same command pass later, and the id of the call."""
    seen: set[str] = set()
    for call_id, name, given, exit_code, output, at in views.execute(FAILED, (session_id,)).fetchall():
        command = command_of(given) or str(name)
        if command in seen:
            continue
        seen.add(command)
        code = f"exit {exit_code}" if exit_code else "failed"
        text = f"`{cut(command, 120)}` {code}: {cut(error_line(output), 160)}"
        passed = _passed(views, session_id, command, at)
        yield (f"{text} → {passed}" if passed else text), call_id


def _passed(views: sqlite3.Connection, session_id: str, command: str, at: str | None) -> str | None:
    """Return how the same command came to pass: what was done in between."""
    between: list[str] = []
    for name, given, is_error, exit_code in views.execute(LATER, (session_id, at or "")).fetchall():
        later = command_of(given)
        if later is not None and later == command and not is_error and exit_code in (None, 0):
            return f"passed later, after {'; '.join(between[-3:])}" if between else "passed later"
        told = path_of(given) or (f"`{cut(later, 60)}`" if later else None)
        if told and not is_error:
            between.append(f"{name} {told}")
    return None


def command_of(given: str | None) -> str | None:
    """Return the shell command in a call's input."""
    value = _object(given)
    command = value.get("command") or value.get("cmd")
    if isinstance(command, list):
        command = " ".join(map(str, command[-1:]))
    return " ".join(command.split()) if isinstance(command, str) else None


def path_of(given: str | None) -> str | None:
    value = _object(given)
    path = value.get("file_path") or value.get("path") or value.get("absolute_path")
    return path if isinstance(path, str) else None


def _object(given: str | None) -> dict[str, object]:
    try:
        value = json.loads(given) if given else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _file(path: str, operations: str | None, added: int | None, removed: int | None, _: str | None) -> str:
    counts = f" +{added or 0} -{removed or 0}" if added or removed else ""
    return f"{path} ({operations}{counts})"


PROJECTION = Projection(
    name="restore_cards",
    version=2,
    tables={
        "restore_cards": """CREATE TABLE {name} (session_id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, project TEXT, branch TEXT,
            title TEXT, started_at TEXT, last_at TEXT NOT NULL, end_reason TEXT, parts TEXT NOT NULL) STRICT"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS restore_cards_by_project ON restore_cards (project, last_at)",),
    statements=(),
    handlers={},
    settle=settle,
    digest={"restore_cards": "SELECT * FROM restore_cards ORDER BY session_id"},
)
