"""Commands that read: sessions, search, status, verify."""

import argparse
import json
import os
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.render import print_json, print_table, say
from cli.wiring import IN_PROJECT, current_project, read_views
from journal.home import Home
from journal.settings import Settings

OPEN_FOR = timedelta(minutes=30)
"""A session without an end counts as open for so long after its last record; later its last turn decides."""
COLUMNS = ("session_id", "host", "project", "title", "branch", "started_at", "last_at", "turns", "messages", "tool_calls", "models",
           "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "parent_session_id", "kind", "end_reason", "is_turn_open")  # fmt: skip


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
    moment = datetime.now(UTC)
    found = []
    for row in rows:
        session: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
        session["models"] = json.loads(session["models"])
        session["state"] = state_of(session.pop("end_reason"), session.pop("is_turn_open"), session["last_at"], moment)
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
    for hit in find(views, " ".join(asked.query), project=project, limit=asked.limit):
        row = views.execute(
            "SELECT role, global_position FROM messages WHERE session_id = ?1 AND record_id = ?2 UNION ALL"
            " SELECT 'tool', global_position FROM tool_calls WHERE session_id = ?1 AND record_id = ?2 LIMIT 1",
            (hit.session_id, hit.record_id),
        ).fetchone()
        role, position = row or (None, None)
        hits.append({"session_id": hit.session_id, "host": hit.host, "project": hit.project, "role": "tool" if hit.kind == "tool" else role,
                     "occurred_at": hit.occurred_at, "snippet": hit.snippet, "global_position": position, "score": round(hit.score, 4)})  # fmt: skip
    if asked.json:
        print_json({"hits": hits, "mode": "lexical"})
        return 0
    for found in hits:
        print_table((f"{_short(found['session_id'])} {found['host']} {found['role']} {(found['occurred_at'] or '')[:16]}",), [("  " + found["snippet"],)])
    if not hits:
        say("nothing found" if asked.all else f"nothing found in {project}; try --all")
    return 0


def status(settings: Settings, asked: argparse.Namespace) -> int:
    """Say what is in the log, and what of it was damaged or unknown."""
    from journal.database import open_log

    home = Home(settings.home)
    log = open_log(home.journal_db, writable=False)
    views = read_views(settings)
    head = log.execute("SELECT coalesce(max(global_position), 0) FROM events").fetchone()[0]
    # Views ahead of a log that was restored from a backup are rebuilt by the next ingest: all of it is to come.
    position = min(head, views.execute("SELECT position FROM checkpoints WHERE name = 'views'").fetchone()[0])
    hosts = [dict(zip(("host", "sources", "gone", "last_change"), row, strict=True)) for row in log.execute(
        "SELECT host, count(*), sum(state = 'gone'), max(changed_at) FROM sources GROUP BY host ORDER BY host")]  # fmt: skip
    damaged = [list(row) for row in views.execute("SELECT host, damage, count(*) FROM damaged_records GROUP BY 1, 2 ORDER BY 1, 2")]
    unknown = [list(row) for row in views.execute("SELECT host, kind, count(*) FROM unknown_records GROUP BY 1, 2 ORDER BY 1, 2")]
    sizes = {name: os.path.getsize(os.path.join(home.root, name)) for name in ("journal.db", "views.db")}
    if asked.json:
        print_json({"home": home.root, "events": head, "lag": head - position, "hosts": hosts, "damaged": damaged, "unknown": unknown, "bytes": sizes})
        return 0
    print_table(("home", "events", "lag", *sizes), [(home.root, head, head - position, *sizes.values())])
    print_table(("host", "sources", "gone", "last change"), [tuple(host.values()) for host in hosts])
    for label, rows in (("damaged", damaged), ("unknown", unknown)):
        if rows:
            print_table(("host", label, "records"), rows)
    return 0


def verify(settings: Settings, asked: argparse.Namespace) -> int:
    """Prove the log against its hash chain, and every source against the log; exit 1 when something is missing."""
    import zstandard

    from ingest.tail import open_source, stat_of
    from journal.database import open_log
    from journal.log import offset_of, sources
    from journal.verify import check_chain, compare_source

    log = open_log(Home(settings.home).journal_db, writable=False)
    chain = check_chain(log)
    found, missing, unread = [], 0, 0
    for row in sources(log):
        offset = offset_of(log, row.source_id)
        events, damaged = log.execute(
            "SELECT count(*), count(damage) FROM events WHERE source_id = ? AND generation = ?", (row.source_id, row.generation)
        ).fetchone()
        item: dict[str, Any] = {"path": row.path, "host": row.host, "state": row.state, "log_bytes": offset.offset_bytes if offset else 0,
                                "events": events, "lines": events, "damaged": damaged, "disk_bytes": None, "pending": 0, "missing": 0}  # fmt: skip
        path = row.path if os.path.exists(row.path) else row.path + ".zst"
        try:
            report = None
            if os.path.lexists(path):
                stat_of(path)  # opening a named pipe would wait for ever
                with open_source(path) as stream:
                    report = compare_source(log, row, stream)
        except (OSError, zstandard.ZstdError) as error:
            item["error"] = getattr(error, "strerror", None) or str(error)
            say(f"warning: {path}: {item['error']}, not compared")
            unread += 1
        if report is not None:
            item["disk_bytes"] = report.file_bytes
            if report.first_difference is not None:
                item["missing"] = report.file_bytes - report.first_difference
            else:
                item["pending"] = max(0, report.file_bytes - report.log_bytes)
        missing += item["missing"]
        found.append(item)
    if asked.json:
        print_json({"sources": found, "missing_bytes": missing, "chain_ok": chain.ok})
    else:
        print_table(("state", "on disk", "in log", "pending", "missing", "events", "damaged", "path"),
                    [(s["state"], s["disk_bytes"], s["log_bytes"], s["pending"], s["missing"], s["events"], s["damaged"], s["path"])
                     for s in found])  # fmt: skip
        say("the chain is whole" if chain.ok else f"the chain is broken at position {chain.first_bad_position}")
        if missing:
            say(f"{missing} bytes on disk are not in the log; run: journal ingest")
    return 0 if chain.ok and not missing and not unread else 1
