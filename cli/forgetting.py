"""The command that forgets: a session, a project or every record with a text, from log, views, inbox and, when asked, backups."""

import argparse
import contextlib
import json
import os
import shlex
import sqlite3
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cli.amounts import counted, sized
from cli.progress import Meter, Progress, meter
from cli.projects import project_named
from cli.render import print_json, print_table, say
from cli.wiring import LOCK_WAIT_S, bring_up_to_date, now, read_views, roots_of, session_by_prefix
from journal.errors import LogError, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.forgetting import Selection, Target

SHORTEST_TEXT = 4
"""A shorter text stands in far more than anyone means."""


def forget(settings: Settings, asked: argparse.Namespace) -> int:
    """Forget a session, a project or every record with a text; say what went and where it still stands."""
    from cli import elsewhere
    from ingest.catalog import adapters
    from journal.database import open_log
    from journal.lock import writer_lock

    if (asked.target is None) == (asked.match is None):
        raise SettingInvalid("name a session or a project, or give --match TEXT", hint="run: journal forget --help")
    if not (asked.yes or asked.dry_run or _can_ask()):
        words = [asked.target] if asked.match is None else ["--match", asked.match]
        raise SettingInvalid("what is forgotten is gone for good: without a terminal to ask at, --yes is needed",
                             hint=f"look first: journal forget {shlex.join(words)} --dry-run; then the same with --yes")  # fmt: skip
    text = _text(asked.match) if asked.match is not None else None
    roots = roots_of(settings, [])
    bring_up_to_date(settings, roots)
    home, known = open_home(settings.home), adapters()
    with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_log(home.journal_db, writable=True)) as log:
        target = _target(settings, asked, text)
        if asked.dry_run or not asked.yes:
            answer = _looked_up(home, log, known, target, roots, with_backups=asked.backups)
            if asked.dry_run:
                return _print(answer, asked, "would go")
            if not asked.json:
                _print(answer, asked, "would go")
            if not _agreed(answer):
                say("nothing was forgotten")
                return _print(answer, asked, "would go") if asked.json else 0
        answer, selection = _forgotten(settings, log, known, target, roots, with_backups=asked.backups)
    # Only now: reading a database's file beside an open connection would take away its locks.
    answer["elsewhere"] += elsewhere.stand_at_home(home, selection)
    return _print(answer, asked, "forgotten")


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(answer: dict[str, Any]) -> bool:
    say(f"for good: {counted(answer['events'], 'record')}, {sized(answer['bytes'])}. Type yes to go on:")
    return sys.stdin.readline().strip() == "yes"


def _text(match: str) -> str:
    """Return the text to look for; `-` reads it from standard input, so that no shell keeps it.

    Raises: SettingInvalid: it is too short.
    """
    text = sys.stdin.read().rstrip("\n") if match == "-" else match
    if len(text.strip()) < SHORTEST_TEXT:
        raise SettingInvalid(f"--match needs {SHORTEST_TEXT} characters or more", hint="give more of the text")
    return text


def _target(settings: Settings, asked: argparse.Namespace, text: str | None) -> "Target":
    """Return what the words name.

    Raises: NotFound, Ambiguous.
    """
    from ingest.forgetting import Target

    if text is not None:
        return Target("match", text, stays_out=not asked.once)
    with contextlib.closing(read_views(settings)) as views:
        project = project_named(views, asked.target)
        if project is None:
            session_id = session_by_prefix(views, asked.target)
            return Target("session", session_id, frozenset([session_id]))
        sessions = frozenset(row[0] for row in views.execute("SELECT session_id FROM sessions WHERE project = ?", (project,)))
        paths = frozenset(row[0] for row in views.execute("SELECT DISTINCT cwd FROM sessions WHERE project = ? AND cwd IS NOT NULL", (project,)))
    return Target("project", project, sessions, paths | {project})


def _looked_up(home: Home, log: sqlite3.Connection, known: Mapping[str, Any], target: "Target", roots: list[tuple[str, str]], *,
               with_backups: bool) -> dict[str, Any]:  # fmt: skip
    """Return what would be forgotten, without a change."""
    from cli import elsewhere
    from ingest.forgetting import select
    from journal.tombstones import Keys, forgotten

    before = forgotten(log)
    with meter() as shown:
        selection = select(log, known, target, before.keys if before else Keys(os.urandom(32)), _told(log, shown))
    kept = elsewhere.stand_in(home, selection, elsewhere.files_of(log, selection), roots) + elsewhere.handoffs_of(log, selection)
    kept += elsewhere.drafts_in(elsewhere.projects_of(home), selection, kept)
    copies = [found for path in elsewhere.backups(home) for found in elsewhere.in_backup(path, known, selection)]
    return {"events": len(selection.chosen), "bytes": selection.bytes, "elsewhere": kept + ([] if with_backups else copies), "dry_run": True}


def _forgotten(settings: Settings, log: sqlite3.Connection, known: Mapping[str, Any], target: "Target", roots: list[tuple[str, str]], *,
               with_backups: bool) -> "tuple[dict[str, Any], Selection]":  # fmt: skip
    """Forget, and return what went. Backups go first: after the log, a second try would no longer know what to look for."""
    from cli import cleaning, elsewhere
    from ingest.forgetting import select
    from journal.log import Writer

    home = Home(settings.home)
    events_in_backups = sum(_in_backup(path, known, target) for path in elsewhere.backups(home)) if with_backups else 0
    with Writer(log, now).transaction():
        with meter() as shown:
            selection = select(log, known, target, progress=_told(log, shown))
        files, handoffs, projects = elsewhere.files_of(log, selection), elsewhere.handoffs_of(log, selection), elsewhere.projects_of(home)
        size = selection.forget()
        log.execute("INSERT OR REPLACE INTO log_meta VALUES (?, ?)", (cleaning.UNFINISHED, json.dumps(_record(selection, size))))
    cleaning.finish(settings, log, known)
    left = elsewhere.stand_in(home, selection, files, roots) + handoffs
    left += elsewhere.drafts_in(projects, selection, left)
    if not with_backups:
        left += [found for path in elsewhere.backups(home) for found in elsewhere.in_backup(path, known, selection)]
    answer = {"events": len(selection.chosen), "bytes": size, "elsewhere": left, "dry_run": False, "events_in_backups": events_in_backups}
    return answer, selection


def _told(log: sqlite3.Connection, shown: Meter) -> Progress | None:
    """Return what to tell while the log is searched, which takes two rounds: for what is named, and for its copies."""
    from journal.reader import head

    return shown.by_position("searching the log", 2 * head(log).position)


def _record(selection: "Selection", size: int) -> dict[str, Any]:
    """Return the line for the inbox: that something was forgotten, how much, and keyed hashes; never what."""
    return {"type": "journal.forgot", "at": now(), "kind": selection.target.kind, "events": len(selection.chosen), "bytes": size,
            "keys": len(selection.fresh), "hash": selection.known.keys.line(selection.target.name.encode(errors="replace")).hex()}  # fmt: skip


def _in_backup(path: str, known: Mapping[str, Any], target: "Target") -> int:
    """Forget in a backup of the log, brought to this program's schema first, and return how many events it had."""
    from cli.cleaning import rewrite
    from ingest.forgetting import select
    from journal import migrate
    from journal.database import SCHEMA_VERSION, connect
    from journal.log import Writer

    try:
        with contextlib.closing(connect(path)) as copy:
            version = copy.execute("PRAGMA user_version").fetchone()[0]
            if not version or version > SCHEMA_VERSION:
                say(f"warning: {path} is no log of this version, left as it is")
                return 0
        if version < SCHEMA_VERSION:
            migrate.upgrade(path)
        with contextlib.closing(connect(path)) as copy:
            copy.execute("PRAGMA secure_delete = ON")
            with Writer(copy, now).transaction():
                selection = select(copy, known, target)
                selection.forget()
            rewrite(copy, path)
            copy.execute("PRAGMA journal_mode = DELETE")
        return len(selection.chosen)
    except (LogError, sqlite3.DatabaseError) as error:
        say(f"warning: {path}: {error}, left as it is")
        return 0


def _print(answer: dict[str, Any], asked: argparse.Namespace, what: str) -> int:
    if asked.json:
        print_json(answer)
        return 0
    print_table((what, "size"), [(counted(answer["events"], "record"), sized(answer["bytes"]))])
    if answer["elsewhere"]:
        say("still on disk, since the journal does not touch what is not its own (and backups only with --backups):")
        rows = [(found["kind"], _numbers(found), found["path"]) for found in answer["elsewhere"]]
        print_table(("kind", "lines", "path"), rows, prose=True)  # nobody can go to a path that is cut
    return 0


def _numbers(found: dict[str, Any]) -> str:
    shown = ", ".join(str(number) for number in found["lines"][:5])
    if not shown:
        return counted(found["count"], "record") if found["count"] else "all"
    return f"{shown}, … ({found['count']:,})" if found["count"] > 5 else shown
