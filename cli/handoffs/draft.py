"""Notes of a handoff that nobody wrote: the views of the session, the log's own diffs, and the repository as it stands."""

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

from cli.amounts import counted
from cli.wiring import decoders, read_views
from journal.errors import NotFound
from journal.home import Home
from journal.settings import Settings
from projections.handoff_draft import WHOSE

if TYPE_CHECKING:
    from ingest.anchoring import Files, Git
    from ingest.checkout import Checkout
    from ingest.repository_facts import Facts
    from projections.handoff_draft import Ranges, Repository
    from projections.handoff_notes import Notes
    from projections.records import Records

EDITS = f"""SELECT global_position, tool_call_id FROM file_changes WHERE {WHOSE} AND absolute_path = ? AND is_copy = 0
ORDER BY occurred_at DESC LIMIT 12"""
MOST_RANGES = 4
SHOWN = 5


def of(settings: Settings, session_id: str | None, place: "Checkout | None", git: "Git | None") -> "Notes":
    """Return what the log knows of a session and the repository of its work.

    Raises: NotFound: there is no session.
    """
    from ingest import repository_facts
    from ingest.anchoring import Files
    from journal.database import open_log
    from projections import handoff_draft
    from projections.records import Records

    if session_id is None:
        raise NotFound("this folder's project has no session to build a handoff from", hint="write notes: journal handoff save --notes FILE")
    facts = repository_facts.read(place, git) if place and git else None
    with contextlib.closing(read_views(settings)) as views, contextlib.closing(open_log(Home(settings.home).journal_db, writable=False)) as log:
        files = Files(place.root if place else os.getcwd())
        ranges = _ranges(views, session_id, Records(log, decoders()[0]), files)
        return handoff_draft.of(views, session_id, ranges, _repository(facts, place))


def _ranges(views: sqlite3.Connection, session_id: str, records: "Records", files: "Files") -> "Ranges":
    """Return a function that tells where the lines which the session wrote into a file stand now, and what they brought or took."""
    from projections import hints

    def find(absolute: str, path: str) -> tuple[list[str], list[str]]:
        lines = files.lines(path)
        diffs = [records.diff(position, absolute, call) or "" for position, call in views.execute(EDITS, (session_id, absolute)).fetchall()]
        told = hints.of_edits(path, reversed(diffs))
        if lines is None:
            return [], told
        taken: list[tuple[int, int]] = []
        for diff in diffs:
            for block in _blocks(diff):
                at = _place(lines, block)
                if at and not any(at[0] <= end and start <= at[1] for start, end in taken):
                    taken.append(at)
        shown = sorted(taken[:MOST_RANGES])
        return [f"{path}:{start}" if start == end else f"{path}:{start}-{end}" for start, end in shown] or [path], told

    return find


def _blocks(diff: str) -> list[list[str]]:
    """Return the runs of added lines in a diff."""
    found: list[list[str]] = [[]]
    for line in diff.split("\n"):
        if line.startswith("+"):
            found[-1].append(line[1:].removesuffix("\r"))
        elif found[-1]:
            found.append([])
    return [block for block in found if "".join(block).strip()]


def _place(lines: list[str], block: list[str]) -> tuple[int, int] | None:
    """Return the first and last line of *block*, where it stands exactly once."""
    length = len(block)
    found = [at for at in range(len(lines) - length + 1) if lines[at] == block[0] and lines[at : at + length] == block]
    return (found[0] + 1, found[0] + length) if len(found) == 1 else None


def _repository(facts: "Facts | None", place: "Checkout | None") -> "Repository":
    from ingest import test_results
    from projections.handoff_draft import Repository

    if facts is None or place is None:
        return Repository("", (), ())
    tests = test_results.read(place.root)
    failing = tests["failing"] if tests else 0
    lines = [
        f"Branch {place.branch}: {counted(facts.ahead, 'commit')} ahead of the trunk: {'; '.join(facts.ahead_subjects)}" if facts.ahead else "",
        f"Last commits: {'; '.join(facts.last_subjects)}" if facts.last_subjects else "",
        f"Files of the last five commits: {_some(facts.last_files)}" if facts.last_files else "",
        f"Work in progress: {facts.staged} staged, {facts.modified} modified, {facts.untracked} untracked: {_some(facts.dirty)}" if facts.dirty else "",
        f"Stack: {', '.join(facts.stack)}" if facts.stack else "",
        f"TODO and FIXME marks: {counted(facts.todo_lines, 'line')} in {counted(facts.todo_files, 'file')}" if facts.todo_lines else "",
        f"Failing tests, by {tests['source']}: {failing}" + (f": {_some(tests['names'])}" if tests["names"] else "") if tests and failing else "",
    ]
    questions = [
        f"Are the uncommitted changes to be committed: {_some(facts.dirty)}?" if facts.dirty else "",
        f"Why {'does' if failing == 1 else 'do'} {counted(failing, 'test')} fail{': ' + _some(tests['names']) if tests and tests['names'] else ''}?"
        if failing else "",
        f"Is branch {place.branch}, {counted(facts.ahead, 'commit')} ahead, to be merged?" if facts.ahead else "",
    ]
    return Repository(facts.purpose, tuple(filter(None, lines)), tuple(filter(None, questions)))


def _some(names: "tuple[str, ...] | list[str]") -> str:
    return ", ".join(names[:SHOWN]) + (f" ({SHOWN} of {len(names)})" if len(names) > SHOWN else "")
