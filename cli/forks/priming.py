"""`journal fork prime`: what an earlier session knew, what it had lost, and what the repository of today makes of it."""

import argparse
import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Any

from cli.amounts import counted
from cli.forks.evidence import Drift, drift_of
from cli.forks.resuming import link, resolved, way
from cli.render import print_json, print_text, say
from cli.wiring import current_project, read_views, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.settings import Settings

if TYPE_CHECKING:
    from projections.knowledge import Fact
    from projections.priming import Now, Source

LEAST_TOKENS = 400
NAMED_FILES = 8
STALE_AFTER_S = 24 * 3600
SESSION = """SELECT session_id, host, title, project, cwd, branch, started_at, last_at, turns, head_commit, kind FROM sessions WHERE session_id = ?"""
COLUMNS = ("session_id", "host", "title", "project", "cwd", "branch", "started_at", "last_at", "turns", "head_commit", "kind")


def prime(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the context report of a session."""
    answer = report_of(settings, asked.session, asked.budget, into=asked.into)
    if asked.json:
        print_json(answer)
        return 0
    print_text(answer["report"])
    hidden = sum(one["all"] - one["shown"] for one in answer["shown"].values())
    say(f"{answer['tokens']} tokens (four bytes each)" + (f"; {counted(hidden, 'line')} left out, more: --budget {2 * asked.budget}" if hidden else ""))
    return 0


def report_of(settings: Settings, prefix: str, budget: int, *, into: str | None = None) -> dict[str, Any]:
    """Return the context report of a session with all that it is made of; *into* is the session that goes on from it.

    Raises: SettingInvalid: the budget is too small. NotFound, Ambiguous: there is no such session.
    """
    from projections import knowledge as known
    from projections import priming, registry_rows

    if budget < LEAST_TOKENS:
        raise SettingInvalid(f"--budget {budget}: a report needs {LEAST_TOKENS} tokens", hint="give more")
    with contextlib.closing(read_views(settings)) as views:
        session = dict(zip(COLUMNS, views.execute(SESSION, (session_by_prefix(views, prefix),)).fetchone(), strict=True))
        if session["last_at"] is None:
            raise NotFound(f"session {session['session_id']} has no records yet", hint="run: journal sessions --all")
        memory, knowledge = known.memory(views, session["session_id"]), known.read(views, session["session_id"])
        drift = drift_of(views, session)
        source = _source(session, registry_rows.lineage(views).heads(session["session_id"]))
        now = _now(views, session, drift)
    found = priming.gaps(knowledge, memory)
    report = priming.report(source, knowledge, memory, found, now, budget)
    child = resolved(settings, into) if into else None
    if child:
        link(settings, child, session["session_id"], is_fork=True, evidence="journal fork prime --into")
    return {
        "session_id": session["session_id"], "type": "compacted" if memory.compactions else "full", "compacted_at": memory.compacted_at,
        "clear": _texts(found.clear), "fuzzy": _texts(found.fuzzy), "gaps": _texts(found.gaps),
        "quantitative": [{**_text(fact), "missing": missing} for fact, missing in found.quantitative], "recovered": _texts(found.lost()),
        "drift": drift.told(), "warnings": list(now.warnings), "report": report.text, "tokens": report.tokens, "budget": budget,
        "shown": {kind: {"shown": shown, "all": total} for kind, (shown, total) in report.shown.items()}, "continued_as": child,
    }  # fmt: skip


def _texts(facts: "list[Fact]") -> list[dict[str, Any]]:
    return [_text(fact) for fact in facts]


def _text(fact: "Fact") -> dict[str, Any]:
    return {"kind": fact.kind, "text": fact.text, "at": fact.at, "global_position": fact.position}


def _source(session: dict[str, Any], heads: list[str]) -> "Source":
    from projections.priming import Source

    found = way(session["host"], session["session_id"], session["cwd"])
    return Source(session["session_id"], session["host"], session["title"], session["project"], session["branch"], session["started_at"], session["last_at"],
                  session["turns"], found.line if found else None, tuple(head for head in heads if head != session["session_id"]))  # fmt: skip


def _now(views: sqlite3.Connection, session: dict[str, Any], drift: Drift) -> "Now":
    """Return what the checkout of today says: age, another project, another branch, commits since."""
    from ingest import checkout
    from journal.moments import age, seconds_of
    from projections.priming import Now

    said = []
    here = current_project(views)
    if session["project"] and session["project"] != here:
        said.append(f"it is of another project, {session['project']}; here is {here}.")
    last = seconds_of(session["last_at"])
    if last is not None and time.time() - last >= STALE_AFTER_S:
        said.append(f"this is {age(time.time() - last)} old; check it before you rely on it.")
    place = checkout.find(os.getcwd())
    if place is not None and place.branch and session["branch"] and place.repository == session["project"] and place.branch != session["branch"]:
        said.append(f"it worked on branch {session['branch']}, the checkout is on {place.branch} now.")
    if drift.status == "unknown":
        said.append(f"its facts could not be held against the repository: {drift.why}.")
    elif drift.commits or drift.gone:
        lost = [*(f"{path} (gone)" for path in drift.gone), *drift.changed]
        named = ", ".join(lost[:NAMED_FILES]) + (f" and {len(lost) - NAMED_FILES} more" if len(lost) > NAMED_FILES else "")
        said.append(f"drift {drift.status}: {drift.why}" + (f": {named}" if lost else "") + ". Facts that name these files are marked.")
    return Now(tuple(said), [path for path in dict.fromkeys([*drift.changed, *drift.since]) if path not in drift.gone], drift.gone)
