"""Commands that read: sessions and search."""

import argparse
import json
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.render import print_json, print_table, say
from cli.wiring import IN_PROJECT, current_project, read_views
from journal.database import open_log
from journal.errors import JournalError
from journal.home import Home
from journal.settings import Settings

OPEN_FOR = timedelta(minutes=30)
"""A session without an end counts as open for so long after its last record; later its last turn decides."""
COLUMNS = ("session_id", "host", "project", "title", "branch", "started_at", "last_at", "turns", "messages", "tool_calls", "models",
           "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "parent_session_id", "kind", "end_reason", "is_turn_open",
           "concurrent_strands")  # fmt: skip


STALE_AFTER = timedelta(minutes=2)
"""A hook so long after the last record means that the host has stopped writing the transcript."""
HOOKED = "SELECT session_id, max(occurred_at) FROM hook_events WHERE role IN ('prompt', 'stop') GROUP BY session_id"


GONE = "SELECT host, native_id, max(changed_at) FROM sources WHERE host <> 'journal' GROUP BY 1, 2 HAVING sum(state = 'gone') = count(*)"


def gone_sources(settings: Settings) -> dict[tuple[str, str], str]:
    """Return when it was seen that nothing is left on disk of a session, by host and the session's own id."""
    try:
        with closing(open_log(Home(settings.home).journal_db, writable=False)) as log:
            return {(host, native_id): at for host, native_id, at in log.execute(GONE)}
    except JournalError as error:
        say(f"warning: {error}; which sources are gone is not known")
        return {}


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


def short(session_id: str) -> str:
    """Return the beginning of an id, with a sub-agent's own part: enough to go on with."""
    parent, colon, agent = session_id.partition(":")
    return f"{parent[:8]}:{agent[:6]}" if colon else parent[:13]


def sessions(settings: Settings, asked: argparse.Namespace) -> int:
    """List sessions, newest first."""
    from cli.usage import asked_span

    views = read_views(settings)
    when = asked_span(asked, views)
    project = when.span.project or (None if asked.all else current_project(views))
    where = " AND ".join(["(:host IS NULL OR host = :host)", "(:since IS NULL OR last_at >= :since)", "(:until IS NULL OR started_at < :until)",
                          *([] if asked.all else ["kind = 'interactive'"]), *([IN_PROJECT] if project else [])])  # fmt: skip
    links = {child: [kind, parent] for child, kind, parent in views.execute("SELECT child_session_id, kind, parent_session_id FROM session_links")}
    rows = views.execute(f"SELECT {', '.join(COLUMNS)} FROM sessions WHERE {where} ORDER BY last_at DESC NULLS LAST, session_id LIMIT :limit",
                         {**when.span._asdict(), "project": project, "limit": asked.limit, "host": asked.host}).fetchall()  # fmt: skip
    gone = gone_sources(settings)
    moment, hooked = datetime.now(UTC), dict(views.execute(HOOKED).fetchall())
    found = []
    for row in rows:
        session: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
        session["models"] = json.loads(session["models"])
        hooked_at = hooked.get(session["session_id"])
        session["transcript_stale"] = is_stale(session["last_at"], hooked_at)
        heard_at = hooked_at if session["transcript_stale"] else session["last_at"]
        session["state"] = state_of(session.pop("end_reason"), session.pop("is_turn_open"), heard_at, moment)
        session["source_gone_at"] = gone.get((session["host"], session["session_id"]))
        session["link"] = links.get(session["session_id"], [None])[0]
        found.append(session)
    if asked.json:
        print_json({"sessions": found})
        return 0
    where_heads = ("project",) if asked.all else ()
    print_table(("session", "host", "last (UTC)", "turns", "output tokens", "state", *where_heads, "title"),
                [(short(s["session_id"]), s["host"], (s["last_at"] or "")[:16].replace("T", " "), s["turns"], f"{s['output_tokens']:,}", _told(s),
                  *(_folder(s["project"]) for _ in where_heads), s["title"]) for s in found])  # fmt: skip
    if not found:
        narrowed = asked.host or asked.since or asked.until
        of = "sessions" if project is None else f"sessions of {project}" if asked.all else f"interactive sessions of {project}"
        say(f"no {of} of that host and time" if narrowed else f"no {of}; try: journal sessions --all" if project else
            "the journal holds no sessions; run: journal ingest")  # fmt: skip
    return 0


def _folder(project: str | None) -> str:
    """Return a project by its folder's name, as the list has many beside each other."""
    return os.path.basename(project or "") or project or ""


def _told(session: dict[str, Any]) -> str:
    """Return the state for people, with when the last of its files was found to be gone, and that several processes wrote it at once."""
    told, gone_at = str(session["state"]), session["source_gone_at"]
    if gone_at:
        told += f", source gone {gone_at[:16].replace('T', ' ')}"
    return f"{told}, several writers" if session["concurrent_strands"] else told
