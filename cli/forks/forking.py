"""`journal fork detect`: the sessions that already know most of a task, each with why, what changed since, and how to go on from it."""

import argparse
import contextlib
import os
import sqlite3
import time
from typing import Any

from cli.forks.evidence import SNIPPETS, Evidence, drift_of, gather
from cli.forks.resuming import way
from cli.render import print_json, print_text, say
from cli.wiring import current_project, read_views
from journal.errors import SettingInvalid
from journal.home import Home
from journal.hook_settings import HookSettings
from journal.settings import Settings

LONGEST_TASK = 4000
SHOWN = 5
CONTEXT = "SELECT used_tokens, window_tokens, model FROM context_state WHERE session_id = ?"


def detect(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the sessions that fit a task, best first."""
    answer, project = found(settings, " ".join(asked.task), scoring=asked.scoring, everywhere=asked.all, limit=asked.limit)
    if asked.json:
        print_json(answer)
        return 0
    for result in answer["results"]:
        print_text("\n".join(_lines(result, explain=asked.explain, is_foreign=project is not None and result["project"] != project)))
    _say_rest(answer, project)
    return 0


def found(settings: Settings, task: str, *, scoring: str = "default", everywhere: bool = False, limit: int = SHOWN) -> tuple[dict[str, Any], str | None]:
    """Return the answer to a task, and the project that it was looked for in, None for all.

    Raises: SettingInvalid: config.toml. NotFound: nothing was ingested yet.
    """
    from journal import hook_settings
    from projections import registry_rows
    from projections.forks import SCORINGS, rank

    task = task[:LONGEST_TASK].encode(errors="replace").decode()
    chosen, wrong = hook_settings.load(Home(settings.home).config)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    with contextlib.closing(read_views(settings)) as views:
        project = None if everywhere else current_project(views)
        lineage = registry_rows.lineage(views)
        evidence = gather(settings, views, task, project, lineage, time.time(), own_sessions())
        scored, minimum = rank(evidence.candidates, SCORINGS[scoring], words_alone=evidence.meaning is not None)
        results = []
        for one in scored[:limit]:
            session = evidence.sessions[one.session_id]
            heads = [head for head in lineage.heads(one.session_id) if head != one.session_id]
            results.append(_result(views, one, session, evidence) | {
                "heads": heads, "position": lineage.position(one.session_id), "drift": drift_of(views, session).told(),
                "context": context_of(views, one.session_id, chosen)})  # fmt: skip
    return {"task": task, "scoring": scoring, "mode": "lexical" if evidence.meaning else "hybrid", "why": evidence.meaning,
            "coverage": evidence.coverage, "minimum": minimum, "results": results, "total": len(scored)}, project  # fmt: skip


def own_sessions() -> list[str]:
    """Return the session whose tool this process is, as far as a host says: it holds the task's own words."""
    from cli import running

    return [os.environ[name] for name in running.variables() if os.environ.get(name)]


def _result(views: sqlite3.Connection, scored: Any, session: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    from cli.forks.registry import described

    about = described(views, scored.session_id)
    resuming = way(session["host"], scored.session_id, session["cwd"])
    forking = way(session["host"], scored.session_id, session["cwd"], fork=True)
    best = forking or resuming
    return {
        "session_id": scored.session_id, "title": about["title"], "score": round(scored.score, 4), "parts": scored.parts(), "host": session["host"],
        "project": session["project"], "last_at": session["last_at"], "summary": about["summary"], "category": about["category"], "topics": about["topics"],
        "command": best.line if best else None, "resume": resuming.line if resuming else None,
        "fork": forking.line if forking else None, "prime": f"journal fork prime {scored.session_id}",
        "evidence": [{"by": text.by, "kind": text.kind, "at": text.at, "strength": round(text.strength, 4), "bare_command": text.is_bare,
                      "snippet": text.snippet} for text in evidence.texts[scored.session_id][:SNIPPETS]],
    }  # fmt: skip


def context_of(views: sqlite3.Connection, session_id: str, chosen: HookSettings) -> dict[str, Any]:
    """Return how much of the session's context is used and left, as far as the host told it."""
    from journal import windows
    from projections import context as policy

    used, reported, model = views.execute(CONTEXT, (session_id,)).fetchone() or (None, None, None)
    window = policy.window(chosen.context_limit, reported, model, used, catalog=windows.refreshed(model, windows.catalog_path(os.environ)))
    left = None if used is None or not window.tokens else max(0, window.tokens - used)
    share = None if left is None or not window.tokens else round(100 * left / window.tokens, 1)
    return {"used_tokens": used, "window_tokens": window.tokens, "left_tokens": left, "left_percent": share}


def _lines(result: dict[str, Any], *, explain: bool, is_foreign: bool) -> list[str]:
    """Return what is told of one result."""
    summary = " | ".join((result["summary"] or "").splitlines())
    lines = [f'[{result["score"]:.2f}] {result["session_id"]} - "{result["title"] or ""}"']
    if is_foreign:
        lines.append(f"    of another project: {result['project']}")
    context = result["context"]
    left = f", {context['left_percent']:.0f} % of its context left" if context["left_percent"] is not None else ""
    lines += [f"    {summary}", f"    {result['host']}, last {(result['last_at'] or '')[:16].replace('T', ' ')}, {result['category']}{left}",
              f"    drift {result['drift']['status']}: {result['drift']['why']}"]  # fmt: skip
    if result["heads"]:
        lines.append(f"    goes on as {', '.join(result['heads'])}")
    lines += [f"    {result['prime']}"] + ([f"    {result['command']}"] if result["command"] else [])
    if explain:
        lines.append("    " + ", ".join(f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in result["parts"].items()))
        lines += [f"    {text['strength']:.2f} by {text['by']} ({text['kind']}{', only runs a command' if text['bare_command'] else ''}): {text['snippet']}"
                  for text in result["evidence"]]  # fmt: skip
    return lines


def _say_rest(answer: dict[str, Any], project: str | None) -> None:
    if answer["why"]:
        say(answer["why"])
    if answer["coverage"] is not None and answer["coverage"] < 1:
        say(f"{answer['coverage']:.0%} of the texts are indexed; more: journal index update")
    if answer["total"] > len(answer["results"]):
        say(f"{len(answer['results'])} of {answer['total']} shown; more: --limit {answer['total']}")
    if not answer["results"]:
        say("no session knows this" if project is None else f"no session of {project} knows this; try: journal fork detect --all")
