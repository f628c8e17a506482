"""`journal secrets`: which kinds of secrets the transcripts hold, and where; the secrets themselves are not shown."""

import argparse
import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from cli.amounts import counted
from cli.outlet import Found, clean, found
from cli.progress import Progress, meter
from cli.render import print_json, print_table, say
from cli.wiring import current_project, decoders, read_views, session_by_prefix
from journal.domain import FileChanged, ToolCalled, ToolReturned
from journal.errors import NotFound
from journal.home import Home
from journal.settings import Settings
from projections.records import Records

AROUND = 24
"""Characters of the text before and after a secret that a preview shows."""
MARGIN = 200
"""What of the text beyond them is read, so that a secret cut by the preview's edge is known for one."""


class Secret(NamedTuple):
    """One secret in one record."""

    kind: str
    session_id: str
    host: str
    position: int
    occurred_at: str | None
    where: str
    """`prompt`, `answer`, `input`, `output`, ... or `record` where no event of it holds the secret."""
    tool: str | None
    preview: str
    digest: bytes
    """Tells equal secrets from others; never printed."""


def secrets(settings: Settings, asked: argparse.Namespace) -> int:
    """Search the log for secrets, record by record."""
    from journal.database import open_log

    views = read_views(settings)
    log = open_log(Home(settings.home).journal_db, writable=False)
    sources = _sources(log, views, asked)
    records = Records(log, decoders()[0])
    kinds: dict[str, tuple[set[bytes], set[str], list[int]]] = {}
    places: list[dict[str, Any]] = []
    total = 0
    for secret in _watched(records, sources, views):
        total += 1
        digests, sessions, positions = kinds.setdefault(secret.kind, (set(), set(), [0]))
        digests.add(secret.digest)
        sessions.add(secret.session_id)
        positions[0] += 1
        if len(places) < asked.limit:
            places.append({key: value for key, value in secret._asdict().items() if key != "digest"})
    by_kind = [{"kind": kind, "places": places_of[0], "distinct": len(digests), "sessions": len(sessions)}
               for kind, (digests, sessions, places_of) in sorted(kinds.items())]  # fmt: skip
    if asked.json:
        print_json({"kinds": by_kind, "places": places, "total": total, "records": records.reads})
        return 0
    if not total:
        say(f"no secrets found in {counted(records.reads, 'record')}" + ("" if asked.all or asked.session else " of this project; try --all"))
        return 0
    print_table(("kind", "places", "distinct", "sessions"), [tuple(row.values()) for row in by_kind])
    print_table(("session", "host", "position", "where", "tool", "secret"),
                [(p["session_id"], p["host"], p["position"], p["where"], p["tool"], p["preview"]) for p in places])  # fmt: skip
    if len(places) < total:
        say(f"{len(places)} of {total} places shown; --limit {total} shows all")
    say("views, search and exports hold these redacted; only the log and the hosts' own files hold them")
    return 0


def _sources(log: sqlite3.Connection, views: sqlite3.Connection, asked: argparse.Namespace) -> list[int]:
    """Return the sources to search.

    Raises: NotFound: the session has no file of its own.
    """
    if asked.session:
        wanted = {session_by_prefix(views, asked.session)}
    elif asked.all:
        return [row[0] for row in log.execute("SELECT source_id FROM sources")]
    else:
        wanted = {row[0] for row in views.execute("SELECT session_id FROM sessions WHERE project = ?", (current_project(views),))}
    chosen = [source_id for source_id, native_id in log.execute("SELECT source_id, native_id FROM sources") if native_id in wanted]
    if asked.session and not chosen:
        raise NotFound(f"session {asked.session} has no file of its own", hint="run: journal secrets --all")
    return chosen


def _watched(records: Records, sources: list[int], views: sqlite3.Connection) -> Iterator[Secret]:
    """Yield the secrets of the sources, and show how far the search has come."""
    from journal.reader import head

    with meter() as shown:
        yield from _all(records, sources, views, shown.by_position("looking for secrets", head(records.cache.connection).position))


def _all(records: Records, sources: list[int], views: sqlite3.Connection, progress: Progress | None) -> Iterator[Secret]:
    """Yield the secrets of the sources, in the order of the log."""
    positions = records.cache.connection.execute(
        "SELECT global_position FROM events WHERE source_id IN (SELECT value FROM json_each(?)) ORDER BY global_position", (str(sources),)
    )
    for (position,) in positions:
        line = records.line(position).decode("utf-8", "replace")
        if progress:
            progress(position, len(line))
        in_line = found(line)
        if in_line:
            yield from _of_record(records, position, line, in_line, views)


def _of_record(records: Records, position: int, line: str, in_line: list[Found], views: sqlite3.Connection) -> Iterator[Secret]:
    """Yield the secrets of one record, by the event that holds each; what no event holds stands in the record itself."""
    host, native_id = records.source(position)
    told = False
    for place, event in records.events(position):
        tool = None
        if isinstance(event, ToolCalled | ToolReturned | FileChanged):
            row = views.execute("SELECT name FROM tool_calls WHERE session_id = ? AND tool_call_id = ?", (place.session_id, event.tool_call_id)).fetchone()
            tool = row[0] if row else None
        for where, text in _texts(event):
            for one in found(text):
                told = True
                yield _secret(one, text, where, tool, position, (place.session_id, host, place.occurred_at))
    if not told:
        for one in in_line:
            yield _secret(one, line, "record", None, position, (native_id, host, None))


def _secret(one: Found, text: str, where: str, tool: str | None, position: int, place: tuple[str, str, str | None]) -> Secret:
    before = clean(text[max(0, one.start - MARGIN) : one.start])[-AROUND:]
    after = clean(text[one.end : one.end + MARGIN])[:AROUND]
    preview = " ".join(f"{before}[redacted:{one.kind}]{after}".split())
    return Secret(one.kind, place[0], place[1], position, place[2], where, tool, preview, sha256(text[one.start : one.end].encode(errors="replace")).digest())


def _texts(event: object) -> Iterator[tuple[str, str]]:
    """Yield the texts of an event and what each is."""
    if isinstance(event, ToolCalled):
        yield "input", event.input_text
    elif isinstance(event, ToolReturned):
        yield "output", event.output_text
    elif isinstance(getattr(event, "text", None), str):
        yield getattr(event, "kind", "prompt"), getattr(event, "text", "")
    elif isinstance(getattr(event, "title", None), str):
        yield "title", getattr(event, "title", "")
