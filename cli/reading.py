"""Commands that read: sessions and search."""

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.render import print_json, print_table, say
from cli.wiring import IN_PROJECT, current_project, read_views
from journal.settings import Settings

OPEN_FOR = timedelta(minutes=30)
"""A session without an end counts as open for so long after its last record; later its last turn decides."""
COLUMNS = ("session_id", "host", "project", "title", "branch", "started_at", "last_at", "turns", "messages", "tool_calls", "models",
           "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "parent_session_id", "kind", "end_reason", "is_turn_open")  # fmt: skip


STALE_AFTER = timedelta(minutes=2)
"""A hook so long after the last record means that the host has stopped writing the transcript."""
HOOKED = "SELECT session_id, max(occurred_at) FROM hook_events WHERE role IN ('prompt', 'stop') GROUP BY session_id"


def is_stale(last_at: str | None, hooked_at: str | None) -> bool:
    """Tell whether hooks went on where the transcript did not."""
    return bool(last_at and hooked_at and datetime.fromisoformat(hooked_at) - datetime.fromisoformat(last_at) > STALE_AFTER)


def state_of(end_reason: str | None, is_turn_open: bool, last_at: str | None, moment: datetime) -> str:
    """Return `ended`, `open` or `killed`, judged against the present; killed is what broke off inside a turn."""
    if end_reason:
        return "ended"
    if last_at is None:
        return "empty"
    last = datetime.fromisoformat(last_at)
    if moment - last < OPEN_FOR:
        return "open"
    return "killed" if is_turn_open else "ended"


def _short(session_id: str) -> str:
    """Return the beginning of an id, with a sub-agent's own part: enough to go on with."""
    parent, colon, agent = session_id.partition(":")
    return f"{parent[:8]}:{agent[:6]}" if colon else parent[:13]


def sessions(settings: Settings, asked: argparse.Namespace) -> int:
    """List sessions, newest first."""
    views = read_views(settings)
    project = None if asked.all else current_project(views)
    where = "1" if asked.all else f"kind = 'interactive' AND {IN_PROJECT}"
    links = {child: [kind, parent] for child, kind, parent in views.execute("SELECT child_session_id, kind, parent_session_id FROM session_links")}
    rows = views.execute(f"SELECT {', '.join(COLUMNS)} FROM sessions WHERE {where} ORDER BY last_at DESC NULLS LAST, session_id LIMIT :limit",
                         {"project": project, "limit": asked.limit}).fetchall()  # fmt: skip
    moment, hooked = datetime.now(UTC), dict(views.execute(HOOKED).fetchall())
    found = []
    for row in rows:
        session: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
        session["models"] = json.loads(session["models"])
        hooked_at = hooked.get(session["session_id"])
        session["transcript_stale"] = is_stale(session["last_at"], hooked_at)
        heard_at = hooked_at if session["transcript_stale"] else session["last_at"]
        session["state"] = state_of(session.pop("end_reason"), session.pop("is_turn_open"), heard_at, moment)
        session["link"] = links.get(session["session_id"], [None])[0]
        found.append(session)
    if asked.json:
        print_json({"sessions": found})
        return 0
    print_table(("session", "host", "last", "turns", "output", "state", "title"),
                [(_short(s["session_id"]), s["host"], (s["last_at"] or "")[:16].replace("T", " "), s["turns"], s["output_tokens"], s["state"], s["title"])
                 for s in found])  # fmt: skip
    if not found:
        say("the journal holds no sessions; run: journal ingest" if asked.all else f"no sessions of {project}; try: journal sessions --all")
    return 0


def search(settings: Settings, asked: argparse.Namespace) -> int:
    """Find prompts, answers and tool inputs by full text."""
    from projections.search import search as find

    views = read_views(settings)
    project = None if asked.all else current_project(views)
    hits: list[dict[str, Any]] = []
    revealed = _revealing(settings, " ".join(asked.query)) if asked.reveal else None
    for hit in find(views, " ".join(asked.query), project=project, limit=asked.limit):
        row = views.execute(
            "SELECT role, global_position FROM messages WHERE session_id = ?1 AND record_id = ?2 UNION ALL"
            " SELECT 'tool', global_position FROM tool_calls WHERE session_id = ?1 AND record_id = ?2 LIMIT 1",
            (hit.session_id, hit.record_id),
        ).fetchone()
        role, position = row or (None, None)
        if revealed is not None and position is not None:
            hit = hit._replace(snippet=revealed(position, hit.record_id) or hit.snippet)  # noqa: PLW2901  the same hit in the host's own words
        hits.append({"session_id": hit.session_id, "host": hit.host, "project": hit.project, "role": "tool" if hit.kind == "tool" else role,
                     "occurred_at": hit.occurred_at, "snippet": hit.snippet, "global_position": position, "score": round(hit.score, 4)})  # fmt: skip
    if asked.json:
        print_json({"hits": hits, "mode": "lexical"}, reveal=asked.reveal)
        return 0
    for found in hits:
        head = f"{_short(found['session_id'])} {found['host']} {found['role']} {(found['occurred_at'] or '')[:16]}"
        print_table((head,), [("  " + found["snippet"],)], reveal=asked.reveal)
    if not hits:
        say("nothing found" if asked.all else f"nothing found in {project}; try --all")
    return 0


def _revealing(settings: Settings, query: str) -> Callable[[int, str], str | None]:
    """Return a function that cuts the snippet of a hit from the log's own record, with the secrets that the views leave out."""
    from cli.wiring import decoders
    from journal.database import open_log
    from journal.home import Home
    from projections.records import Records
    from projections.search import needles_of, snippet

    records = Records(open_log(Home(settings.home).journal_db, writable=False), decoders()[0])

    def cut(position: int, record_id: str) -> str | None:
        for where, event in records.events(position):
            text = getattr(event, "text", None) or getattr(event, "input_text", None)
            if where.record_id == record_id and isinstance(text, str) and any(needle in text.casefold() for needle in needles_of(query)):
                return snippet(text, needles_of(query))
        return None

    return cut
