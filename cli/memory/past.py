"""Commands that ask the past: why a file is as it is, and how an error was fixed before."""

import argparse
import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import current_project, now, read_views
from journal.settings import Settings

if TYPE_CHECKING:
    import sqlite3

    from projections.file_history import Change
    from projections.learned import Found

SHOWN = 12


def why(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what was decided and learned about a file, and who changed it for which prompt."""
    from projections import learned, learned_text, past
    from projections.file_history import changes, names_of

    given = asked.path.encode(errors="replace").decode()
    spots = [os.path.normpath(os.path.join(os.getcwd(), given)), os.path.realpath(given)]
    with contextlib.closing(read_views(settings)) as views:
        project = current_project(views)
        names = names_of(views, dict.fromkeys(spots), given, project)
        done = sorted((change for name in names for change in changes(views, name)), key=lambda change: change.occurred_at or "")
        relative = os.path.relpath(spots[1], os.path.realpath(project)) if spots[1].startswith(os.path.realpath(project) + os.sep) else given
        decided = past.decisions(views, done)
        decided += past.findings(views, relative)
        known = past.learned_at(views, relative)
        found = [learned.Found(one, 1.0) for one in learned.read(views, None, now()) if one.learning_id in known]
    if asked.json:
        print_json({"path": given, "paths": names, "decisions": past.rows_of(decided[: asked.limit]),
                    "learnings": [{"learning_id": one.learning.learning_id, "kind": one.learning.kind, "text": one.learning.text} for one in found],
                    "changes": [change._asdict() for change in done[-asked.limit :]], "total": {"decisions": len(decided), "changes": len(done)}})  # fmt: skip
        return 0
    if not (decided or found or done):
        say(f"no session is known to have touched {given}" + ("" if names else "; give more or less of its path"))
        return 0
    if found:
        print_text(learned_text.fenced(learned_text.told(found, time.time(), {}), 1 << 40, 1 << 40)[0])
    for entry in decided[: asked.limit]:
        print_text(f"{(entry.occurred_at or '?')[:16].replace('T', ' ')} {entry.kind} ({entry.session_id or 'handoff'}): {entry.text}")
    print_table(("when", "session", "host", "what", "lines", "prompt"), [_change(change) for change in done[-asked.limit :]])
    cut = [f"{shown} of {total} {what}" for what, total in (("decisions", len(decided)), ("changes", len(done))) if (shown := min(asked.limit, total)) < total]
    if cut:
        say(f"{', '.join(cut)} shown; more: --limit {max(len(decided), len(done))}")
    return 0


def _change(change: "Change") -> tuple[object, ...]:
    prompt = " ".join((change.prompt or "").split())
    return ((change.occurred_at or "?")[:16].replace("T", " "), change.session_id[:13], change.host, change.operation,
            f"+{change.lines_added or 0} -{change.lines_removed or 0}", prompt[:60])  # fmt: skip


def fix(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell how an error like this one was fixed before, and what was learned about it."""
    from cli.memory.recalling import here
    from projections import learned, learned_text, likeness, past

    error = " ".join(asked.error)
    with contextlib.closing(read_views(settings)) as views:
        project = None if asked.all else current_project(views)
        fixes = past.fixes(views, error, project, limit=asked.limit)
        found = learned.recall(views, error, None if asked.all else here(), now(), limit=3, threshold=likeness.THRESHOLD, telling=True)
    if asked.json:
        print_json({"error": error, "fixes": [{**one._asdict(), "score": round(one.score, 4)} for one in fixes],
                    "learnings": [{"learning_id": one.learning.learning_id, "kind": one.learning.kind, "text": one.learning.text,
                                   "score": round(one.score, 4)} for one in found]})  # fmt: skip
        return 0
    if not fixes and not found:
        say("no fix of an error like that is known" + ("" if asked.all else " here; try --all, or: journal search"))
        return 0
    if found:
        print_text(learned_text.fenced(learned_text.told(found, time.time(), {}), 1 << 40, 1 << 40)[0])
    for one in fixes:
        print_text(f"{one.fixed_at[:16].replace('T', ' ')} {one.host} {one.session_id}\n  failed: {one.command}\n  error: {one.error}\n  then: {one.fix}"
                   + (f"\n  the agent said: {one.said}" if one.said else ""))  # fmt: skip
    return 0


def topic(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what was said, done and learned about a topic, oldest first."""
    from projections import past

    words = " ".join(asked.about)
    with contextlib.closing(read_views(settings)) as views:
        project = current_project(views)
        entries = past.about(views, words, project, limit=asked.limit)
        entries += _learned(views, words)
    entries.sort(key=lambda entry: entry.occurred_at or "")
    if asked.json:
        print_json({"topic": words, "entries": past.rows_of(entries)})
        return 0
    if not entries:
        say(f"nothing was said about {words} in {project}; try: journal search --all")
        return 0
    print_table(("when", "what", "session", "text"), [((entry.occurred_at or "?")[:16].replace("T", " "), entry.kind, (entry.session_id or "")[:13], entry.text)
                                                      for entry in entries])  # fmt: skip
    return 0


def _learned(views: "sqlite3.Connection", words: str) -> list[Any]:
    from cli.memory.recalling import here
    from projections import learned, likeness, past

    found: list[Found] = learned.recall(views, words, here(), now(), limit=SHOWN, threshold=likeness.THRESHOLD)
    return [past.Entry(one.learning.learned_at, "learning", one.learning.session_id, None, one.learning.text) for one in found]
