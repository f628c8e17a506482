"""Commands around snapshots: take one, list them, compare two; `show` prints one."""

import argparse
import contextlib
import sqlite3
from typing import Any

from cli import running
from cli.amounts import counted
from cli.render import print_json, print_table, print_text, say
from cli.wiring import bring_up_to_date, current_project, now, read_views, roots_of, session_by_prefix
from journal.errors import Ambiguous, NotFound, SettingInvalid
from journal.home import open_home
from journal.settings import Settings

MOST_EDITS = 200
"""So many edits of a file are looked at for what they brought or took."""
EDITS = """SELECT global_position, absolute_path, tool_call_id FROM file_changes WHERE session_id = ? AND path = ? AND is_copy = 0 AND occurred_at <= ?
AND evidence = 'tool' ORDER BY occurred_at LIMIT ?"""
COLUMNS = "snapshot_id, session_id, reason, at, files, tool_calls, branch, head, used_tokens"


def take(settings: Settings, asked: argparse.Namespace) -> int:
    """Write a manual snapshot of a session down, and say what it holds."""
    from journal import inbox

    own = None if asked.session else running.session(settings)
    with contextlib.closing(read_views(settings)) as views:
        session_id = own or _session(views, asked.session)
    moment = now()
    record: dict[str, object] = {"type": "journal.snapshot", "at": moment, "session_id": session_id, "note": asked.note}
    inbox.append(open_home(settings.home), session_id, moment[:10], record)
    bring_up_to_date(settings, roots_of(settings, []))
    with contextlib.closing(read_views(settings)) as views:
        row = views.execute(f"SELECT {COLUMNS} FROM snapshots WHERE session_id = ? AND at = ?", (session_id, moment)).fetchone()
    if row is None:
        raise NotFound(f"session {session_id} has no records yet", hint="run: journal ingest")
    answer = _row(row)
    if asked.json:
        print_json(answer)
    else:
        print_text(f"{answer['snapshot_id']}: {counted(answer['files'], 'file')}, {counted(answer['tools'], 'tool call')}")
    return 0


def listing(settings: Settings, asked: argparse.Namespace) -> int:
    """List the snapshots of this project, newest first."""
    with contextlib.closing(read_views(settings)) as views:
        where, values = "1", []
        if asked.session:
            where, values = "session_id = ?", [session_by_prefix(views, asked.session)]
        elif not asked.all:
            where, values = "project = ? AND at >= strftime('%Y-%m-%dT%H:%M:%S', 'now', ?)", [current_project(views), f"-{_listed_days(settings)} days"]
        rows = views.execute(f"SELECT {COLUMNS} FROM snapshots WHERE {where} ORDER BY at DESC, snapshot_id LIMIT ?", (*values, asked.limit)).fetchall()
        total = views.execute(f"SELECT count(*) FROM snapshots WHERE {where}", values).fetchone()[0]
    found = [_row(row) for row in rows]
    if asked.json:
        print_json({"snapshots": found, "total": total})
        return 0
    print_table(("snapshot", "reason", "session", "files", "tools", "branch", "context"),
                [(s["snapshot_id"], s["reason"], s["session_id"][:13], s["files"], s["tools"], s["branch"], s["used_tokens"] and f"{s['used_tokens']:,}")
                 for s in found])  # fmt: skip
    if total > len(found):
        say(f"{len(found)} of {total} shown; more: --limit {total}")
    if not found:
        say("no snapshots here; try: journal snapshots --all")
    return 0


def _listed_days(settings: Settings) -> int:
    """Return the days after which snapshots leave the list, not the log; `--all` shows them.

    Raises: SettingInvalid.
    """
    from journal import hook_settings
    from journal.home import Home

    chosen, wrong = hook_settings.load(Home(settings.home).config)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    return chosen.listed_days


def compare(settings: Settings, asked: argparse.Namespace) -> int:
    """Say what the second snapshot has that the first has not."""
    with contextlib.closing(read_views(settings)) as views:
        before, after = (detail(views, by_prefix(views, name)) for name in (asked.before, asked.after))
    old, new = ({file["path"]: file for file in snapshot["files_changed"]} for snapshot in (before, after))
    changed = [path for path in new if path in old and new[path] != old[path]]
    answer = {"before": before["snapshot_id"], "after": after["snapshot_id"], "files_added": [path for path in new if path not in old],
              "files_gone": [path for path in old if path not in new], "files_changed": changed,
              "tools": {name: count - before["tools"].get(name, 0) for name, count in after["tools"].items() if count != before["tools"].get(name, 0)},
              "used_tokens": [before["used_tokens"], after["used_tokens"]], "head": [before["head"], after["head"]],
              "prompts": [prompt for prompt in after["prompts"] if prompt not in before["prompts"]]}  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    for name in ("files_added", "files_changed", "files_gone", "prompts"):
        for text in answer[name]:
            print_text(f"{name.replace('_', ' ')}: {text}")
    print_text(f"context {before['used_tokens']} → {after['used_tokens']} tokens" +
               (f", HEAD {before['head']} → {after['head']}" if before["head"] or after["head"] else ""))  # fmt: skip
    return 0


def show(settings: Settings, asked: argparse.Namespace) -> int:
    """Print what a snapshot holds."""
    with contextlib.closing(read_views(settings)) as views:
        found = detail(views, by_prefix(views, asked.session))
        _add_hints(settings, views, found)
    if asked.json:
        print_json(found)
        return 0
    state = "".join(f"  {name} {found[key]}" for name, key in (("branch", "branch"), ("HEAD", "head"), ("context", "used_tokens")) if found[key] is not None)
    print_text(f"{found['snapshot_id']}  {found['reason']}  session {found['session_id']}\n{found['at']}{state}")
    print_table(("file", "operations", "+", "-"), [(f["path"], f["operations"], f["lines_added"], f["lines_removed"]) for f in found["files_changed"]])
    for file in found["files_changed"]:
        if file["hints"]:
            print_text(f"{file['path']}: {', '.join(file['hints'])}")
    print_text("tools: " + ", ".join(f"{name} {count}" for name, count in found["tools"].items()))
    for name in ("commits", "uncommitted", "errors", "todos", "prompts", "answers"):
        for text in found[name]:
            print_text(f"{name}: {text}")
    return 0


def by_prefix(views: sqlite3.Connection, prefix: str) -> str:
    """Return the snapshot whose id begins with *prefix*, or the newest one for `latest`.

    Raises: NotFound, Ambiguous.
    """
    if prefix == "latest":
        rows = views.execute("SELECT snapshot_id FROM snapshots ORDER BY at DESC, snapshot_id LIMIT 1").fetchall()
    else:
        rows = views.execute("SELECT snapshot_id FROM snapshots WHERE substr(snapshot_id, 1, ?) = ? LIMIT 21", (len(prefix), prefix)).fetchall()
    if not rows:
        raise NotFound(f"no snapshot begins with {prefix}", hint="run: journal snapshots --all")
    if len(rows) > 1:
        raise Ambiguous(f"{prefix} fits several snapshots", candidates=[row[0] for row in rows], hint="give more of the id")
    return str(rows[0][0])


def detail(views: sqlite3.Connection, snapshot_id: str) -> dict[str, Any]:
    """Return what the views hold of a session up to the moment of a snapshot."""
    from projections import snapshot_detail

    row = views.execute(f"SELECT {COLUMNS} FROM snapshots WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
    return _row(row) | snapshot_detail.read(views, snapshot_id, row[1], row[3])


def _add_hints(settings: Settings, views: sqlite3.Connection, found: dict[str, Any]) -> None:
    """Add to each file what its edits up to the snapshot brought or took: functions, classes, types, imports."""
    from cli.wiring import decoders
    from journal.database import open_log
    from journal.home import Home
    from projections import hints
    from projections.records import Records

    with contextlib.closing(open_log(Home(settings.home).journal_db, writable=False)) as log:
        records = Records(log, decoders()[0])
        for file in found["files_changed"]:
            edits = views.execute(EDITS, (found["session_id"], file["path"], found["at"], MOST_EDITS)).fetchall()
            file["hints"] = hints.of_edits(file["path"], filter(None, (records.diff(*edit) for edit in edits)))


def _session(views: sqlite3.Connection, prefix: str | None) -> str:
    if prefix:
        return session_by_prefix(views, prefix)
    row = views.execute(
        "SELECT session_id FROM sessions WHERE project = ? AND kind = 'interactive' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
        (current_project(views),),
    ).fetchone()
    if row is None:
        raise NotFound("this folder's project has no session", hint="name one: journal snapshot --session latest")
    return str(row[0])


def _row(row: tuple[Any, ...]) -> dict[str, Any]:
    names = ("snapshot_id", "session_id", "reason", "at", "files", "tools", "branch", "head", "used_tokens")
    return dict(zip(names, row, strict=True))


