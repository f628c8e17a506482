"""The command `decisions`: the snapshots of sessions side by side, and in the order of time what was decided between them."""

import argparse
import contextlib
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import current_project, read_views, session_by_prefix
from journal.settings import Settings
from projections.restore import CLOSING, OPENING, neutral

if TYPE_CHECKING:
    from projections.decisions import File, Stretch

SESSIONS = "SELECT session_id, host, title FROM sessions WHERE {where} AND last_at IS NOT NULL ORDER BY last_at DESC, session_id"
MOST_FILES = 8
MOST_FAILURES = 3


def decisions(settings: Settings, asked: argparse.Namespace) -> int:
    """Compare snapshots and print the decisions between them, oldest first."""
    with contextlib.closing(read_views(settings)) as views:
        sessions, found, is_cut = _newest(views, asked)
    if asked.json:
        print_json({"sessions": sessions, "stretches": [_answer(stretch) for stretch in found], "cut": is_cut})
        return 0
    if not found:
        say("nothing was decided and no snapshot was taken here; try: journal decisions --all")
        return 0
    print_table(("snapshot", "reason", "files", "changed", "+", "-", "commits", "failed", "decisions", "context", "HEAD"), [_row(one) for one in found])
    named = {session["session_id"]: session for session in sessions}
    print_text("\n".join(_timeline(found, named)))
    if is_cut:
        say(f"the newest {len(found)} shown; more: --limit {2 * asked.limit}")
    return 0


def _newest(views: sqlite3.Connection, asked: argparse.Namespace) -> tuple[list[dict[str, Any]], "list[Stretch]", bool]:
    """Return the sessions, their newest stretches, oldest session first, and whether there are more."""
    from projections.decisions import stretches

    where, values = "kind NOT IN ('subagent', 'empty')", []
    if asked.session:
        where, values = "session_id = ?", [session_by_prefix(views, asked.session)]
    elif not asked.all:
        where, values = "project = ? AND kind = 'interactive'", [current_project(views)]
    sessions: list[dict[str, Any]] = []
    groups: list[list[Stretch]] = []
    left = asked.limit
    for session_id, host, title in views.execute(SESSIONS.format(where=where), values).fetchall():
        if left < 0:
            break
        told = stretches(views, session_id)
        if told:
            sessions.insert(0, {"session_id": session_id, "host": host, "title": title})
            groups.insert(0, told)
            left -= len(told)
    found = [stretch for group in groups for stretch in group]
    shown = found[-asked.limit :]
    ids = {stretch.session_id for stretch in shown}
    return [session for session in sessions if session["session_id"] in ids], shown, len(shown) < len(found)


def _answer(stretch: "Stretch") -> dict[str, Any]:
    return {"session_id": stretch.session_id, "after": stretch.after, "snapshot": stretch.snapshot._asdict() if stretch.snapshot else None,
            "decisions": [decision._asdict() for decision in stretch.decisions], "files_changed": [file._asdict() for file in stretch.files],
            "commits": stretch.commits, "errors": stretch.failures}  # fmt: skip


def _row(stretch: "Stretch") -> tuple[object, ...]:
    end = stretch.snapshot
    changed = (len(stretch.files), sum(file.lines_added for file in stretch.files), sum(file.lines_removed for file in stretch.files))
    counts = (*changed, len(stretch.commits), len(stretch.failures), len(stretch.decisions))
    if end is None:
        return ("none since" if stretch.after else "none", stretch.session_id[:13], "", *counts, "", "")
    return (end.snapshot_id, end.reason, end.files, *counts, end.used_tokens, (end.head or "")[:10])


def _timeline(found: "list[Stretch]", sessions: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the timeline, between the marks of quoted text."""
    yield OPENING
    before = ""
    for stretch in found:
        if stretch.session_id != before:
            before = stretch.session_id
            session = sessions[before]
            yield neutral(f"## Session {before} ({session['host']})" + (f": {' '.join(session['title'].split())}" if session["title"] else ""))
        for decision in stretch.decisions:
            place = f", position {decision.position}" if decision.position is not None else ""
            yield neutral(f"{_when(decision.at)} {decision.by}{place}: {decision.text}")
        if stretch.snapshot:
            branch = f" on {stretch.snapshot.branch}" if stretch.snapshot.branch else ""
            yield neutral(f"{_when(stretch.snapshot.at)} --- {stretch.snapshot.snapshot_id} ({stretch.snapshot.reason}){branch}")
        else:
            yield "(after the last snapshot)" if stretch.after else "(no snapshot)"
        yield from (neutral(line) for line in _changes(stretch))
    yield CLOSING


def _changes(stretch: "Stretch") -> Iterator[str]:
    """Yield what changed in a stretch, the heaviest changes first, and how many lines are left out."""
    files = sorted(stretch.files, key=lambda file: (-file.lines_added - file.lines_removed, file.path))
    if files:
        more = f", and {len(files) - MOST_FILES} more files" if len(files) > MOST_FILES else ""
        yield f"    changed: {', '.join(_file(file) for file in files[:MOST_FILES])}{more}"
    yield from (f"    committed: {' '.join(message.split())}" for message in stretch.commits)
    yield from (f"    failed: {failure}" for failure in stretch.failures[-MOST_FAILURES:])
    if len(stretch.failures) > MOST_FAILURES:
        yield f"    failed: {len(stretch.failures) - MOST_FAILURES} more before"


def _file(file: "File") -> str:
    return f"{file.path} ({file.operations} +{file.lines_added} -{file.lines_removed})"


def _when(at: str) -> str:
    return at[:16].replace("T", " ")
