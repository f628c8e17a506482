"""Commands that say how the journal is: status and doctor."""

import argparse
import os
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from cli.amounts import counted, sized
from cli.checks import Checked, Scene, run
from cli.render import print_json, print_table, print_text, say
from cli.survey import Survey, survey
from cli.wiring import read_views, roots_of
from journal.errors import JournalError, LogError
from journal.home import Home
from journal.settings import Settings

T = TypeVar("T")
FILES = ("journal.db", "views.db", "cache.db")


CONCURRENT = """SELECT session_id, concurrent_strands, (SELECT leaf_record_id FROM session_strands AS c WHERE c.session_id = s.session_id AND is_chain)
    FROM sessions AS s WHERE concurrent_strands ORDER BY session_id"""


def status(settings: Settings, asked: argparse.Namespace) -> int:
    """Say what is in the log, how far it lags behind the files, and what of it was damaged or unknown."""
    from journal.database import open_log
    from journal.lock import is_watching, is_writing
    from journal.tombstones import can_forget

    home = Home(settings.home)
    log = open_log(home.journal_db, writable=False)
    views = read_views(settings)
    files = survey(log, [*roots_of(settings, []), ("journal", home.inbox)])
    head = log.execute("SELECT coalesce(max(global_position), 0) FROM events").fetchone()[0]
    # Views ahead of a log that was restored from a backup are rebuilt by the next ingest: all of it is to come.
    position = min(head, views.execute("SELECT position FROM checkpoints WHERE name = 'views'").fetchone()[0])
    answer: dict[str, Any] = {
        "home": home.root, "events": head, "lag": head - position,
        "files_behind": sum(file.is_behind for file in files.files), "bytes_behind": sum(file.waiting_bytes for file in files.files),
        "hosts": _hosts(log, views, files),
        "damaged": [list(row) for row in views.execute("SELECT host, damage, count(*) FROM damaged_records GROUP BY 1, 2 ORDER BY 1, 2")],
        "unknown": [list(row) for row in views.execute("SELECT host, kind, count(*) FROM unknown_records GROUP BY 1, 2 ORDER BY 1, 2")],
        "sources": [dict(zip(("host", "path", "generation", "lines", "damaged", "unknown"), row, strict=True)) for row in views.execute(
            "SELECT host, path, generation, lines, damaged, unknown FROM source_report WHERE damaged OR unknown ORDER BY host, path, generation")],
        "concurrent": [dict(zip(("session_id", "strands", "leaf_record_id"), row, strict=True)) for row in views.execute(CONCURRENT)],
        "forgotten": log.execute("SELECT count(*) FROM tombstones").fetchone()[0] if can_forget(log) else 0,
        "bytes": _sizes(home), "index": _index(settings), "watching": is_watching(home), "writing": is_writing(home),
        "journal_mode": log.execute("PRAGMA journal_mode").fetchone()[0],
    }  # fmt: skip
    if asked.json:
        print_json(answer)
    else:
        _show(answer)
    return 0


def _hosts(log: sqlite3.Connection, views: sqlite3.Connection, files: Survey) -> list[dict[str, Any]]:
    """Return one row per host: what the log has of it, and what waits on disk."""
    lines = dict(views.execute("SELECT host, sum(lines) FROM source_lines GROUP BY host"))
    found = []
    for row in log.execute(
        "SELECT s.host, count(*), sum(s.state = 'gone'), max(s.changed_at), sum(s.state = 'live'), sum(s.state = 'compressed'),"
        " coalesce(sum(o.offset_bytes), 0), max((SELECT e.occurred_at FROM events AS e WHERE e.source_id = s.source_id AND e.generation = s.generation"
        " AND e.occurred_at IS NOT NULL ORDER BY e.offset_bytes DESC LIMIT 1))"
        " FROM sources AS s LEFT JOIN offsets AS o USING (source_id) GROUP BY s.host ORDER BY s.host"
    ):
        host = dict(zip(("host", "sources", "gone", "last_change", "live", "compressed", "bytes", "last_event_at"), row, strict=True))
        mine = [file for file in files.files if file.host == host["host"]]
        found.append({**host, "events": lines.get(host["host"], 0), "files_behind": sum(file.is_behind for file in mine),
                      "bytes_behind": sum(file.waiting_bytes for file in mine)})  # fmt: skip
    return found


def _index(settings: Settings) -> dict[str, Any]:
    """Return how search by meaning stands; a look that imports nothing heavy where there is no index."""
    if not os.path.exists(os.path.join(Home(settings.home).index, "vectors.faiss")):
        return {"state": "absent", "why": "search by meaning comes with: journal index update", "coverage": 0.0, "model": None}
    from cli.index.commands import brief

    return brief(settings)


def _sizes(home: Home) -> dict[str, int]:
    """Return the bytes of the databases and of what waits in their WAL."""
    names = [name + suffix for name in FILES for suffix in ("", "-wal")]
    return {name: os.path.getsize(os.path.join(home.root, name)) for name in names if os.path.exists(os.path.join(home.root, name))}


def _minute(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ")


def _show(answer: dict[str, Any]) -> None:
    print_table(("home", "events", "views lag", "files behind", "bytes behind", "watching", "mode"),
                [(answer["home"], f"{answer['events']:,}", f"{answer['lag']:,}", answer["files_behind"], sized(answer["bytes_behind"]),
                  "yes" if answer["watching"] else "no", answer["journal_mode"])])  # fmt: skip
    print_text("\n")
    print_table(("host", "live", "gone", "compressed", "bytes", "events", "last event (UTC)", "last read (UTC)", "behind"),
                [(h["host"], h["live"], h["gone"], h["compressed"], sized(h["bytes"]), f"{h['events']:,}", _minute(h["last_event_at"]),
                  _minute(h["last_change"]), h["files_behind"]) for h in answer["hosts"]])  # fmt: skip
    for label in ("damaged", "unknown"):
        if answer[label]:
            print_text("\n")
            print_table(("host", label, "records"), answer[label])
    if answer["sources"]:
        print_text("\n")
        print_table(("host", "damaged", "unknown", "of lines", "path"),
                    [(s["host"], s["damaged"], s["unknown"], s["lines"], s["path"]) for s in answer["sources"]])  # fmt: skip
    for session in answer["concurrent"]:
        say(f"warning: several processes wrote the transcript of session {session['session_id']} at once: {session['strands']} strands;"
            f" the chain is the one with the leaf {session['leaf_record_id']}, written last; all are kept. See: journal sql --example strands")
    index = answer["index"]
    print_text("\n")
    share = "" if index["state"] == "absent" else f"{index['coverage']:.0%}"
    print_table(("search by meaning", "texts with a vector", "model"), [(index["state"], share, index["model"] or index["why"])])
    if answer["forgotten"]:
        say("forgotten: " + counted(answer["forgotten"], "record"))
    print_text("\n")
    print_table(("file", "size"), [(name, sized(size)) for name, size in answer["bytes"].items()], right_from=1)


def doctor(settings: Settings, asked: argparse.Namespace) -> int:
    """Run every check; with --fix repair what is safe and check again."""
    from cli.repairs import repair

    checked = _examine(settings, deep=asked.deep)
    fixed: list[str] = []
    if asked.fix:
        fixed = repair(settings, [check.id for check in checked if check.findings], say)
        checked = _examine(settings, deep=asked.deep) if fixed else checked
    findings = [finding for check in checked for finding in check.findings]
    if asked.json:
        print_json({"findings": [finding._asdict() for finding in findings],
                    "checks": [{"id": check.id, "ok": check.ok, "looked_at": check.looked_at} for check in checked], "fixed": fixed})  # fmt: skip
        return 1 if findings else 0
    print_table(("check", "state", "looked at"), [(check.id, "ok" if check.ok else "!", check.looked_at) for check in checked], prose=True)
    for done in fixed:
        say(f"repaired: {done}")
    alike: dict[tuple[str, str | None], list[str]] = {}
    for finding in findings:
        alike.setdefault((finding.evidence, finding.next_command), []).append(f"{finding.severity}: {finding.what}")
    for (evidence, command), whats in alike.items():
        print_text("\n")
        lines = [*whats[1:], f"  {evidence}", *([f"  run: {command}"] if command else [])]
        print_table((whats[0],), [(line,) for line in lines])
    say(counted(len(findings), "finding") if findings else f"all {len(checked)} checks found nothing")
    return 1 if findings else 0


def _examine(settings: Settings, *, deep: bool) -> list[Checked]:
    """Run all checks over what can be opened."""
    from cli.checks.catalog import CHECKS
    from journal.database import open_log

    home = Home(settings.home)
    log = _or_error(lambda: open_log(home.journal_db, writable=False))
    views = _or_error(lambda: read_views(settings))
    files = _or_error(lambda: survey(log if isinstance(log, sqlite3.Connection) else None, [*roots_of(settings, []), ("journal", home.inbox)]))
    scene = Scene(settings, home, log, views, files, datetime.now(UTC), deep)
    try:
        return [run(check, scene) for check in CHECKS]
    finally:
        for opened in (log, views):
            if isinstance(opened, sqlite3.Connection):
                opened.close()


def _or_error(part: Callable[[], T]) -> T | JournalError:
    """Return what *part* gives, or the error that keeps it away."""
    try:
        return part()
    except JournalError as error:
        return error
    except (OSError, sqlite3.DatabaseError) as error:
        return LogError(str(error), hint="run: journal status")
