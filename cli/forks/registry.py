"""Commands that say what sessions were about: `annotate` and `registry`."""

import argparse
import contextlib
import sqlite3
from typing import Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import IN_PROJECT, bring_up_to_date, current_project, now, read_views, session_by_prefix
from journal.errors import LogBusy, SettingInvalid
from journal.home import open_home
from journal.settings import Settings

LONGEST = {"title": 200, "summary": 4000, "topic": 60}
"""Characters of each field at most."""
MOST_TOPICS = 12


def annotate(settings: Settings, asked: argparse.Namespace) -> int:
    """Write down what a session was about, and show what the journal knows of it now."""
    with contextlib.closing(read_views(settings)) as views:
        session_id = session_by_prefix(views, asked.session)
    is_new = bool(asked.title or asked.summary or asked.topic or asked.category)
    if is_new:
        _write(settings, asked, session_id)
    with contextlib.closing(read_views(settings)) as views:
        answer = described(views, session_id)
    if asked.json:
        print_json(answer)
        return 0
    print_text(f"{session_id}: {answer['title'] or ''}\ncategory: {answer['category']}\ntopics: {', '.join(answer['topics'])}\n{answer['summary']}")
    said = f"annotated {answer['annotated_at']}" + (", and the session went on since" if answer["is_stale"] else "")
    say(said if answer["annotated_at"] else "derived from the session's own texts; better words: journal annotate SESSION --title T --summary S")
    return 0


def described(views: sqlite3.Connection, session_id: str) -> dict[str, Any]:
    """Return what is told of a session, derived now or annotated."""
    from projections import registry_rows
    from projections.registry import entry

    host, last_at = views.execute("SELECT host, last_at FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    found = entry(registry_rows.material(views, session_id), registry_rows.annotation(views, session_id), last_at)
    return {"session_id": session_id, "host": host, "last_at": last_at, "title": found.title, "summary": found.summary, "topics": list(found.topics),
            "category": found.category, "source": "annotated" if found.annotated_at else "derived", "annotated_at": found.annotated_at,
            "is_stale": found.is_stale}  # fmt: skip


def registry(settings: Settings, asked: argparse.Namespace) -> int:
    """List what sessions were about, newest first."""
    with contextlib.closing(read_views(settings)) as views:
        where = "1" if asked.all else IN_PROJECT
        stale = """AND NOT EXISTS (SELECT 1 FROM session_annotations AS a WHERE a.session_id = sessions.session_id AND a.annotated_at >= sessions.last_at)"""
        where = f"kind NOT IN ('subagent', 'empty') AND last_at IS NOT NULL AND {where} {stale if asked.stale else ''}"
        values = {"project": None if asked.all else current_project(views), "limit": asked.limit}
        total = views.execute(f"SELECT count(*) FROM sessions WHERE {where}", values).fetchone()[0]
        found = views.execute(f"SELECT session_id FROM sessions WHERE {where} ORDER BY last_at DESC, session_id LIMIT :limit", values).fetchall()
        entries = [described(views, session_id) for (session_id,) in found]
    if asked.json:
        print_json({"sessions": entries, "total": total})
        return 0
    print_table(("session", "category", "said by", "title", "topics"),
                [(one["session_id"], one["category"], _source(one), one["title"], ", ".join(one["topics"][:4])) for one in entries])  # fmt: skip
    if total > len(entries):
        say(f"{len(entries)} of {total} shown; more: --limit {total}")
    if not entries:
        say("no annotation is missing or stale" if asked.stale else "no sessions here; try: journal registry --all")
    return 0


def _source(one: dict[str, Any]) -> str:
    if not one["annotated_at"]:
        return "derived"
    return f"annotated {one['annotated_at'][:10]}" + (", stale" if one["is_stale"] else "")


def _write(settings: Settings, asked: argparse.Namespace, session_id: str) -> None:
    """Append the annotation to the inbox, and bring the views up to date.

    Raises: SettingInvalid: a text is too long.
    """
    from journal import inbox

    for name, text in (("title", asked.title), ("summary", asked.summary), *(("topic", topic) for topic in asked.topic)):
        if text and len(text) > LONGEST[name]:
            raise SettingInvalid(f"--{name} has {len(text)} characters, more than {LONGEST[name]}", hint="say it shorter")
    if len(asked.topic) > MOST_TOPICS:
        raise SettingInvalid(f"{len(asked.topic)} topics are more than {MOST_TOPICS}", hint="name the ones that matter")
    moment = now()
    record: dict[str, object] = {"type": "journal.annotation", "at": moment, "session_id": session_id, "title": asked.title, "summary": asked.summary,
                                 "topics": asked.topic, "category": asked.category}  # fmt: skip
    inbox.append(open_home(settings.home), session_id, moment[:10], record)
    try:
        bring_up_to_date(settings, [])
    except LogBusy:
        say("another process is ingesting; the annotation is written down, and the views have it after the next: journal ingest")
