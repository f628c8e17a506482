"""What every rendering of a transcript says in the same words: heads, tools in one line, figures, cut texts."""

import json
import re
from collections.abc import Iterable
from typing import Any

from cli.amounts import counted
from projections.transcript import Called, Edited, Opened

ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""What terminals obey: colours, cursor moves, titles (ECMA-48)."""
UNSHOWN = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Control characters but tab and newline, and those that turn the direction of writing."""
TELLING = ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "description", "prompt", "task_name", "name", "message")
"""Parameters that say in one line what a call is about, the most telling first."""
LONGEST_LINE = 100
SAFE_SCHEMES = ("http:", "https:", "mailto:", "#")
"""What a link in a page may begin with."""
LONGEST_PART = 100_000
"""Characters of one input, output or diff that a document shows; JSON and raw show all."""


def plain(text: str) -> str:
    """Return *text* without escape sequences and control characters; line ends are newlines."""
    if "\x1b" in text:
        text = ESCAPE_SEQUENCE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(UNSHOWN)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return the beginning of *text* in one line of at most *longest* characters."""
    line = " ".join(plain(text[: longest * 8]).split())
    return line if len(line) <= longest and len(text) <= longest * 8 else line[: longest - 1] + "…"


def told_by(call: Called) -> str:
    """Return in one line what a call is about."""
    given = call.input_text or ""
    try:
        values = json.loads(given) if given.startswith("{") else None
    except ValueError:
        values = None
    if isinstance(values, dict):
        for key in TELLING:
            if isinstance(values.get(key), str) and values[key].strip():
                return one_line(values[key])
            if isinstance(values.get(key), list) and values[key]:
                return one_line(" ".join(map(str, values[key])))
    return one_line(given)


def input_of(call: Called) -> str:
    """Return a call's input for reading: indented JSON where it is JSON, a lone command as it is."""
    given = call.input_text or ""
    if not given.startswith(("{", "[")) or len(given) > LONGEST_PART:
        return given
    try:
        values = json.loads(given)
    except ValueError:
        return given
    if isinstance(values, dict) and len(values) == 1 and isinstance(next(iter(values.values())), str):
        return str(next(iter(values.values())))
    return json.dumps(values, ensure_ascii=False, indent=2)


def outcome(call: Called) -> str:
    """Return how a call ended."""
    words = []
    if call.exit_code:
        words.append(f"exit {call.exit_code}")
    elif call.is_error:
        words.append("failed")
    if call.output_chars is None:
        words.append("no result")
    if call.duration_ms is not None:
        words.append(f"{call.duration_ms / 1000:.1f} s")
    return ", ".join(words)


def change(edit: Edited) -> str:
    """Return a file change in one line."""
    lines = "" if edit.lines_added is None else f" +{edit.lines_added} −{edit.lines_removed or 0}"
    guessed = " (read off the command)" if edit.evidence == "shell" else ""
    return f"{edit.operation} {one_line(edit.path, 400)}" + (f" → {one_line(edit.moved_to, 400)}" if edit.moved_to else "") + lines + guessed


def clock(at: str | None) -> str:
    """Return the time of day, in UTC, to the second."""
    return at[11:19] if at else ""


def span(opened: Opened) -> str:
    """Return when a session ran."""
    first, last = opened.session["started_at"], opened.session["last_at"]
    if not first or not last:
        return "no time known"
    return f"{first[:10]} {first[11:16]} – {last[11:16] if first[:10] == last[:10] else f'{last[:10]} {last[11:16]}'} UTC"


def title(opened: Opened) -> str:
    """Return a session's title, or what stands for it."""
    return one_line(opened.session["title"] or "(no title)", 200)


def facts(opened: Opened) -> list[str]:
    """Return what is known of a session, in one phrase each."""
    session = opened.session
    count = [counted(session["turns"], "turn"), counted(session["tool_calls"], "tool call"), *json.loads(session["models"])]
    origin = [f"{kind} of {parent}" for kind, parent in opened.links]
    places = [one_line(word, 300) for word in (session["project"], session["branch"]) if word]
    return [session["host"], *places, span(opened), *count, *origin]


def used(models: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return one phrase of tokens per model."""
    return [f"{model}: {counted(responses, 'response')}, {given:,} input, {output:,} output, {read:,} cache read, {written:,} cache write"
            for model, given, output, read, written, _, responses in models]  # fmt: skip


def cut(text: str, longest: int = LONGEST_PART) -> tuple[str, int]:
    """Return at most *longest* characters of *text*, and how many were left out."""
    return (text, 0) if len(text) <= longest else (text[:longest], len(text) - longest)
