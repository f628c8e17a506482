"""Commands that keep the log: copies and their way back, what takes how much space, and making it smaller."""

import argparse
import contextlib
import os
import shlex
import sqlite3
import sys
from datetime import UTC, datetime
from typing import Any

from cli.amounts import counted, sized
from cli.render import print_json, print_table, print_text, say
from cli.wiring import LOCK_WAIT_S, bring_up_to_date, now, roots_of
from journal.errors import LogBusy, NotFound, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

INBOX_WAIT_S = 5.0
"""So long a backup waits for an ingester, to bring the inbox into the log first."""

LEAST_SHARE = 0.01
"""Tables below this share of their database are told together."""


def backup(settings: Settings, asked: argparse.Namespace) -> int:
    """Copy the log while others write, prove the copy, and say what it holds; or restore one."""
    if asked.target == "restore":
        if asked.file is None:
            raise SettingInvalid("restore needs the backup's FILE", hint="journal backup restore FILE")
        return _restore(settings, asked, os.path.abspath(os.path.expanduser(asked.file)))
    if asked.file is not None:
        raise SettingInvalid("name one FILE or one folder", hint="run: journal backup --help")
    from journal import backup as copies
    from journal.database import open_log

    home = Home(settings.home)
    if not os.path.exists(home.journal_db):
        raise NotFound(f"there is no journal at {home.journal_db}", hint="run: journal ingest")
    home = open_home(settings.home)
    target = _target(asked.target)
    read = _read_inbox(home)
    with contextlib.closing(open_log(home.journal_db, writable=False)) as log:
        proof = copies.copy(log, target)
    waiting = _not_in(target, read)
    for name in waiting:
        say(f"warning: {name} has lines that are not in the log yet; run: journal ingest, and back up again")
    answer = {"path": target, "bytes": proof.bytes, "events": proof.events, "position": proof.head.position, "hash": proof.head.hash.hex(),
              "log_id": proof.head.log_id, "inbox_waiting": waiting, "proved": True}  # fmt: skip
    if asked.json:
        print_json(answer)
    else:
        print_table(("backup", "size", "events", "chain ends in"), [(target, sized(proof.bytes), f"{proof.events:,}", proof.head.hash.hex()[:16])])
        say(f"proved; restore it with: journal backup restore {target}")
    return 1 if waiting else 0


def _target(word: str) -> str:
    """Return the file to write: *word*, or in the folder *word* one named by the moment.

    Raises: NotFound: there is no such folder.
    """
    path = os.path.abspath(os.path.expanduser(word))
    if word.endswith(os.sep) or os.path.isdir(path):
        path = os.path.join(path, f"journal-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.db")
    if not os.path.isdir(os.path.dirname(path)):
        raise NotFound(f"there is no folder {os.path.dirname(path)}", hint=f"make it first: mkdir -p {shlex.quote(os.path.dirname(path))}")
    return path


def _read_inbox(home: Home) -> dict[str, int]:
    """Bring the inbox into the log, unless an ingester is at it for long, and return how far each file went before that."""
    from ingest.catalog import adapters
    from ingest.ingester import ingest
    from journal.database import open_log
    from journal.lock import writer_lock

    sizes = {os.path.realpath(entry.path): entry.stat().st_size for entry in os.scandir(home.inbox) if entry.name.endswith(".jsonl")}
    with contextlib.suppress(LogBusy), writer_lock(home, INBOX_WAIT_S), contextlib.closing(open_log(home.journal_db, writable=True)) as log:
        ingest(log, [("journal", home.inbox)], adapters(), now)
    return sizes


def _not_in(copy: str, sizes: dict[str, int]) -> list[str]:
    """Return the inbox files of which the copy holds less than they had when it was begun."""
    from journal.database import open_readonly
    from journal.tombstones import forgotten

    with contextlib.closing(open_readonly(copy)) as made:
        known = forgotten(made)
        held = dict(made.execute("SELECT path, offset_bytes FROM sources JOIN offsets USING (source_id) WHERE host = 'journal'"))
    return [path for path, size in sizes.items() if max(held.get(path, 0), held.get(known.keys.hidden(path), 0) if known else 0) < size]


def _restore(settings: Settings, asked: argparse.Namespace, path: str) -> int:
    """Put a backup in the place of the log; the present log is kept aside, and what was forgotten since stays forgotten."""
    from cli.restored import restore
    from journal import backup as copies

    proof = copies.prove(path)
    home = open_home(settings.home)
    if not asked.yes and os.path.exists(home.journal_db):
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise SettingInvalid("the backup takes the place of the present log: without a terminal to ask at, --yes is needed",
                                 hint=f"journal backup restore {path} --yes")  # fmt: skip
        say(f"{path} ({counted(proof.events, 'event')}) takes the place of the present log, which is kept in {home.backups}. Type yes to go on:")
        if sys.stdin.readline().strip() != "yes":
            say("nothing was changed")
            return 1
    aside, scrubbed = restore(home, path, now)
    bring_up_to_date(settings, roots_of(settings, []))
    if asked.json:
        print_json({"path": path, "events": proof.events, "position": proof.head.position, "aside": aside, "scrubbed": scrubbed})
    else:
        say(f"restored {counted(proof.events, 'event')}; what the transcripts have beyond them was read again")
        if aside:
            say(f"the log that was there is kept as {aside}")
        if scrubbed:
            say(f"forgotten since it was made, and scrubbed again: {counted(scrubbed, 'record')}")
    return 0


def compact(settings: Settings, asked: argparse.Namespace) -> int:
    """Merge small segments, tidy the full-text index, and give free pages back; no byte that is read and no view changes."""
    from cli.cleaning import empty_wal, rewrite
    from cli.space import bytes_of
    from cli.wiring import sound_views
    from journal.database import open_log
    from journal.lock import writer_lock
    from journal.log import Writer
    from journal.merging import SMALL_BYTES, merge_source

    home = open_home(settings.home)
    if not os.path.exists(home.journal_db):
        raise NotFound(f"there is no journal at {home.journal_db}", hint="run: journal ingest")
    before = bytes_of(home)
    rewritten = []
    with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_log(home.journal_db, writable=True)) as log:
        small = log.execute("SELECT source_id, generation FROM segments WHERE codec = 'zstd' AND length_bytes <= ? GROUP BY 1, 2 HAVING count(*) > 1",
                            (SMALL_BYTES,)).fetchall()  # fmt: skip
        writer = Writer(log, now)
        merged = sum(merge_source(writer, source_id, generation) for source_id, generation in small)
        with contextlib.closing(sound_views(home)) as views:
            for (name,) in views.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'").fetchall():
                views.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
            for database, path in ((log, home.journal_db), (views, home.views_db)):
                empty_wal(database, path)
                if _is_worth_it(database):
                    rewrite(database, path)
                    rewritten.append(os.path.basename(path))
    after = bytes_of(home)
    if asked.json:
        print_json({"before": before, "after": after, "merged_segments": merged, "rewritten": rewritten})
    else:
        print_table(("file", "before", "after"), [(name, sized(size), sized(after.get(name, 0))) for name, size in before.items()], right_from=1)
        say(f"{counted(merged, 'small segment')} merged; written anew: {', '.join(rewritten) or 'nothing, since it was not worth it'}")
    return 0


def _print_sizes(answer: dict[str, Any]) -> None:
    """Print what takes space, the largest first; of tables only those that a reader would miss."""
    files = sorted(answer["files"].items(), key=lambda row: (-row[1], row[0]))
    print_table(("file", "size"), [*((name, sized(size)) for name, size in files if size), ("all", sized(sum(size for _, size in files)))], right_from=1)
    for name in ("journal.db", "views.db"):
        tables = [row for row in answer["tables"] if row["database"] == name]
        floor = sum(row["bytes"] for row in tables) * LEAST_SHARE
        shown = [(row["table"], sized(row["bytes"])) for row in tables if row["bytes"] >= floor]
        rest = [row["bytes"] for row in tables if row["bytes"] < floor]
        print_text("")
        print_table((f"{name}: table or index", "size"), [*shown, *([(counted(len(rest), "smaller one"), sized(sum(rest)))] if rest else [])], right_from=1)
    print_text("")
    print_table(("host", "sources", "events", "read", "kept"),
                [(row["host"], f"{row['sources']:,}", f"{row['events']:,}", sized(row["read_bytes"]), sized(row["kept_bytes"])) for row in answer["hosts"]],
                right_from=1)  # fmt: skip
    print_text("")
    print_table(("kind of record", "events", "read"), [(row["type"], f"{row['events']:,}", sized(row["read_bytes"])) for row in answer["types"]], right_from=1)


def _is_worth_it(database: sqlite3.Connection) -> bool:
    """Tell whether at least a twentieth of a database is free pages."""
    free, pages = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
    return bool(pages) and free * 20 >= pages


def size(settings: Settings, asked: argparse.Namespace) -> int:
    """Say what takes how much space: files, tables, hosts and kinds of records."""
    from cli.space import measured

    home = Home(settings.home)
    if not os.path.exists(home.journal_db):
        raise NotFound(f"there is no journal at {home.journal_db}", hint="run: journal ingest")
    answer: dict[str, Any] = measured(home)
    if asked.json:
        print_json(answer)
        return 0
    _print_sizes(answer)
    if answer["is_estimated"]:
        say("this SQLite tells no sizes of tables: theirs are the lengths of their values, without indexes")
    return 0
