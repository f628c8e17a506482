"""Commands that say what hooks would say: `restore` and `context`."""

import argparse
import json
import os
import sqlite3
import time
from typing import Any

from cli.render import print_json, say
from cli.wiring import current_project, read_views, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings

SPARKS = "▁▂▃▄▅▆▇█"
HISTORY = 40
MEASURED = "SELECT used_tokens FROM context_history WHERE session_id = ? ORDER BY occurred_at DESC, offset_bytes DESC LIMIT ?"


def restore(settings: Settings, asked: argparse.Namespace) -> int:
    """Print what a session start would bring back, and what it costs."""
    from ingest.hooks import facts_of
    from journal import hook_settings
    from projections.restore import Limits, compose

    chosen, wrong = hook_settings.load(Home(settings.home).config)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    views = read_views(settings)
    handoff, cards, present = _past(views, asked) if asked.snapshot or asked.as_of else _gathered(views, asked)
    cap = facts_of(asked.host).inject_cap if asked.host else 1 << 40
    budget = 1 << 30 if asked.all else asked.budget or chosen.restore_tokens
    withhold = float("inf") if asked.all or asked.snapshot else chosen.withhold_after_h * 3600
    limits = Limits(budget, cap, chosen.stale_after_h * 3600, withhold, {} if asked.all else chosen.card)
    if chosen.recall and not (asked.snapshot or asked.as_of or asked.session):
        from cli.hooks import learnings

        restored = learnings.composed(handoff, cards, present, limits, views, 1 << 30 if asked.all else chosen.recall_tokens)
    else:
        restored = compose(handoff, cards, present, limits)
    answer = {"text": restored.text, "tokens": restored.tokens if restored.text else 0, "parts": restored.parts,
              "withheld": restored.withheld, "warnings": restored.warnings, "learnings": restored.learnings}  # fmt: skip
    if asked.json or asked.format == "json":
        print_json(answer)
        return 0
    if not restored.text:
        say("the journal knows nothing of this project; try: journal sessions --all")
        return 0
    from cli.render import print_text

    print_text(restored.text)
    say(f"{restored.tokens} tokens (four bytes each)")
    return 0


def _past(views: sqlite3.Connection, asked: argparse.Namespace) -> tuple[Any, list[Any], Any]:
    """Return handoff, cards and the present as of a time, or those of a snapshot's session as of its moment.

    As of a time the ages are those of then; a snapshot is told with its age of now and what was committed since.
    """
    from cli.snapshots import by_prefix
    from ingest import checkout
    from journal.moments import seconds_of
    from journal.timestamps import normalise
    from projections import restore as parts
    from projections import restore_past

    place = checkout.find(os.getcwd())
    if asked.snapshot:
        row = views.execute("SELECT session_id, at, project, head FROM snapshots WHERE snapshot_id = ?", (by_prefix(views, asked.snapshot),)).fetchone()
        session_id, at, project, head = row
        cards = restore_past.read_cards(views, at, session_id=session_id)
        is_here = place is not None and place.repository == project
        commits, files = _changes(place, head, at) if is_here else (None, ())
        return None, cards, parts.Present(time.time(), project or "", branch=place.branch if is_here and place else None, commits=commits, changed_files=files,
                                          borrowed=_foreign(views, project))  # fmt: skip
    at = normalise(asked.as_of)
    if at is None:
        raise SettingInvalid(f"--as-of {asked.as_of} is no time", hint="write it like 2026-11-30T21:16 (UTC) or 2026-11-30T23:16+02:00")
    session = session_by_prefix(views, asked.session) if asked.session else None
    project = current_project(views)
    if session:
        project = views.execute("SELECT project FROM sessions WHERE session_id = ?", (session,)).fetchone()[0] or ""
    branch = place.branch if place and not session else None
    handoff = None if session else restore_past.read_handoff(views, at, project, branch)
    cards = restore_past.read_cards(views, at, project=project, session_id=session, sessions=10 if asked.all else 2)
    return handoff, cards, parts.Present(seconds_of(at) or time.time(), project)


def _gathered(views: sqlite3.Connection, asked: argparse.Namespace) -> tuple[Any, list[Any], Any]:
    """Return handoff, cards and the present for the session asked for, or for this project."""
    from cli.hooks.restore import pointed
    from ingest import checkout
    from journal.moments import written
    from projections import restore as parts
    from projections import restore_bundles, restore_rows

    now = time.time()
    place = checkout.find(os.getcwd())
    branch = place.branch if place else None
    if asked.session:
        session_id = session_by_prefix(views, asked.session)
        row = views.execute("SELECT project FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
        rows = restore_rows.read(views, row[0] or "", branch, session_id=session_id, own=True, running_since=written(now), sessions=0)
        if not rows.cards:
            raise NotFound(f"session {session_id} has nothing to restore", hint="run: journal sessions --all")
        own = rows.handoff if rows.handoff and rows.handoff.session_id == session_id else None
        return own, rows.cards, parts.Present(now, row[0] or "", borrowed=_foreign(views, row[0]))
    project = current_project(views)
    since = written(now - parts.RUNNING_FOR_S)
    rows = restore_rows.read(views, project, branch, session_id="", own=False, running_since=since, sessions=10 if asked.all else 2)
    known = restore_bundles.newest(rows.handoff, rows.bundle, branch)
    handoff, borrowed = (known, "") if known else pointed(place.repository if place else os.path.realpath(os.getcwd()))
    own = None if borrowed else handoff
    at = own.saved_at if own else rows.cards[0].last_at if rows.cards else None
    commits, files = _changes(place, own.head if own else rows.head, at)
    here = place.repository if place else project
    moved_from = rows.moved_from or (project if here != project and not os.path.exists(os.path.join(project, ".git")) else "")
    return handoff, rows.cards, parts.Present(
        now, here if moved_from else project, branch=branch, head=place.head if place else None, commits=commits, changed_files=files,
        others_running=rows.running, borrowed=borrowed, moved_from=moved_from,
    )  # fmt: skip


def _foreign(views: sqlite3.Connection, project: str | None) -> str:
    """Return what to say where a session of another project than this folder's was asked for by name."""
    here = current_project(views)
    return "" if project in (None, here) else f"this is of another project, {project}; here is {here}."


def _changes(place: Any, head: str | None, at: str | None) -> tuple[int | None, tuple[str, ...]]:
    from ingest import history

    if place is None or at is None:
        return None, ()
    return history.changes(place, head, at)


def context(settings: Settings, asked: argparse.Namespace) -> int:
    """Say how full the context of a session is."""
    from cli.hooks.views import COMPACT_POINT
    from journal import hook_settings, windows
    from projections import context as policy

    chosen, wrong = hook_settings.load(Home(settings.home).config)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    views = read_views(settings)
    session_id = session_by_prefix(views, asked.session or newest(views))
    row = views.execute("SELECT used_tokens, window_tokens, model, occurred_at FROM context_state WHERE session_id = ?", (session_id,)).fetchone()
    used, reported, model, measured_at = row or (None, None, None, None)
    host, estimated = views.execute("SELECT host, is_estimated FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    lines = [json.loads(text) for (text,) in views.execute(
        "SELECT line FROM hook_history WHERE session_id = ? ORDER BY occurred_at, record_id", (session_id,))]  # fmt: skip
    last: dict[str, Any] = next((line for line in reversed(lines) if line.get("used") is not None), {})
    if used is None and last.get("estimated"):
        used, model, measured_at, estimated = last["used"], last.get("model"), last.get("at"), True
    named = policy.full_name(model, lines)
    window = policy.window(chosen.context_limit, reported, named, used, catalog=windows.refreshed(named, windows.catalog_path(os.environ)))
    compact_at = (views.execute(COMPACT_POINT, (host, model)).fetchone() or (None,))[0]
    thresholds = policy.adapted(chosen.thresholds, lines) if chosen.adaptive else chosen.thresholds
    thresholds = policy.before_compaction(thresholds, compact_at, window.tokens)
    alerts = [{"at": line.get("at"), "threshold": line.get("threshold")} for line in lines if line.get("kind") == "alert"]
    percent = None if used is None or not window.tokens else round(100 * used / window.tokens, 1)
    answer = {"session_id": session_id, "model": model, "used_tokens": used, "window_tokens": window.tokens, "window_source": window.source,
              "percent": percent, "estimated": bool(estimated), "thresholds": list(thresholds), "alerts": alerts, "measured_at": measured_at,
              "auto_compact_tokens": compact_at}  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    _tell(answer, [row[0] for row in views.execute(MEASURED, (session_id, HISTORY))])
    return 0


def newest(views: sqlite3.Connection) -> str:
    """Return the newest session of this project."""
    row = views.execute(
        "SELECT session_id FROM sessions WHERE project = ? AND kind <> 'subagent' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
        (current_project(views),),
    ).fetchone()
    if row is None:
        raise NotFound("this folder's project has no session", hint="name one: journal context latest")
    return str(row[0])


def _tell(answer: dict[str, Any], newest_first: list[int | None]) -> None:
    from cli.render import print_text
    from journal.texts import figure

    used, window = answer["used_tokens"], answer["window_tokens"]
    if used is None:
        print_text(f"{answer['session_id']}: not known until the next answer" if newest_first else f"{answer['session_id']}: no answer with tokens yet")
        return
    of = f"of {figure(window)} ({answer['percent']:.0f} %), window by {answer['window_source']}" if window else "of an unknown window"
    print_text(f"{answer['session_id']}: {figure(used)} tokens {of}{', estimated' if answer['estimated'] else ''}")
    print_text(f"model {answer['model'] or 'unknown'}, measured {answer['measured_at']}")
    print_text("history " + spark([value or 0 for value in reversed(newest_first)], window))
    told = [share for share in answer["thresholds"] if window and used < share * window]
    if window:
        print_text(f"next threshold {told[0]:.0%} ({figure(int(told[0] * window))})" if told else "all thresholds are passed")
    else:
        say("set the window: [hooks] context_limit = TOKENS in config.toml")
    if answer["auto_compact_tokens"]:
        print_text(f"the host compacted this model's context at {figure(answer['auto_compact_tokens'])}")


def spark(values: list[int], most: int | None) -> str:
    """Return *values* as a line of eight heights, the highest for *most* or the largest of them."""
    top = max([*values, most or 0, 1])
    return "".join(SPARKS[min(7, value * 8 // (top + 1))] for value in values)
