"""Sessions of this project that no ingest has read to their end: what was said last in them, from their transcripts.

A session that was killed left its hooks' lines in the inbox, and these name its transcript.
"""

import os
from importlib import import_module

from cli.hooks.call import Call
from ingest import hooks, tailend
from journal.cutting import on_one_line
from journal.moments import written
from projections.restore import Card

MOST_FILES = 8
LOOKED_AT_BYTES = 32 * 1024
MOST_WORDS = 6
LONGEST_TEXT = 480
INGESTED = "SELECT bytes FROM source_lines WHERE path = ? ORDER BY generation DESC LIMIT 1"


def cards(call: Call, root: str, known: list[Card]) -> list[Card]:
    """Return the cards, with what unread transcripts add to them or before them."""
    found = {card.session_id: card for card in known}
    fresh: list[Card] = []
    for line in _newest_lines(call):
        session_id, host, path = str(line.get("session_id")), str(line.get("host")), _path(line, root)
        if path is None or session_id in (call.session_id, "") or not hooks.is_host(host) or any(card.session_id == session_id for card in fresh):
            continue
        size = tailend.size_of(path)
        ingested = next((row[0] for row in call.views.rows(INGESTED, path)), 0)
        if size is None or not isinstance(ingested, int) or size <= ingested:
            continue
        card = _card(session_id, host, path, line, found.get(session_id), ingested)
        if card is not None:
            fresh.append(card)
    return fresh + [card for card in known if card.session_id not in {other.session_id for other in fresh}]


def _newest_lines(call: Call) -> list[dict[str, object]]:
    """Return the last line of each of the inbox files that were written last, newest first."""
    try:
        with os.scandir(call.home.inbox) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.endswith(".jsonl") and entry.name.count(".") == 1]
    except OSError:
        return []
    lines = []
    for _, path in sorted(files, reverse=True)[:MOST_FILES]:
        said = tailend.objects(path, longest=LOOKED_AT_BYTES)
        line = next((record for record in said if record.get("type") == "journal.hook"), None)
        if line is not None:
            lines.append(line)
    return lines


def _path(line: dict[str, object], root: str) -> str | None:
    """Return the transcript of a hook's line, where the hook ran in the project at *root*."""
    checkout, transcript, payload = line.get("checkout"), line.get("transcript"), line.get("payload")
    there = checkout.get("root") if isinstance(checkout, dict) else payload.get("cwd") if isinstance(payload, dict) else None
    path = transcript.get("path") if isinstance(transcript, dict) else None
    return path if there == root and isinstance(path, str) else None


def _card(session_id: str, host: str, path: str, line: dict[str, object], known: Card | None, ingested: int) -> Card | None:
    """Return a card of what was said last, with the parts that the views know already behind it.

    What was ingested is not read again: some of it may have been forgotten since.
    """
    from journal.redaction import redact  # only where a transcript is unread

    try:
        said = tailend.words(path, import_module(f"ingest.hooks.{host}").words, most=MOST_WORDS, since=ingested)
        at = written(os.stat(path).st_mtime)
    except OSError:
        return None
    parts = [(kind, on_one_line(redact(text), LONGEST_TEXT)) for kind, text in said]
    if not parts:
        return None
    checkout = line.get("checkout")
    branch = checkout.get("branch") if isinstance(checkout, dict) else None
    older = [part for part in known.parts if part not in parts and part[0] != "answer"] if known else []
    return Card(session_id, host, known.title if known else None, branch if isinstance(branch, str) else None, at, parts + older)
