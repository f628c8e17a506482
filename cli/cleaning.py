"""The second half of forgetting, which can be broken off and done again: inbox, views and free pages lose what the log has lost."""

import contextlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from cli.render import say
from cli.wiring import LOCK_WAIT_S, catch_up, is_full, now, sound_views
from journal.errors import LogBusy, LogFull
from journal.home import Home
from journal.lock import indexer_lock
from journal.settings import Settings

UNFINISHED = "forget_unfinished"
"""The key in `log_meta` that stands from the scrub of the log until all else is clean; its value is the line for the inbox."""
READERS_WAIT_S = 10.0
DERIVED = ("index", "restoring.db")
"""The index is made from the vectors, in moments. A restore that was broken off left a copy."""


def is_unfinished(log: sqlite3.Connection) -> bool:
    """Tell whether a forget was broken off after it had scrubbed the log."""
    return log.execute("SELECT 1 FROM log_meta WHERE key = ?", (UNFINISHED,)).fetchone() is not None


def finish(settings: Settings, log: sqlite3.Connection, known: Mapping[str, Any]) -> None:
    """Clean everything that is made from the log, then the free pages of both databases; the caller holds the writer lock.

    Raises: LogBusy: another process keeps an old state of a database open. LogFull: no space to rewrite one.
    """
    home = Home(settings.home)
    with indexer_lock(home, LOCK_WAIT_S):
        _finish(settings, home, log, known)


def _finish(settings: Settings, home: Home, log: sqlite3.Connection, known: Mapping[str, Any]) -> None:
    """Clean; whoever embeds waits, so that no vector of what goes is made meanwhile."""
    from ingest.blanking import scrub_inbox
    from ingest.ingester import ingest
    from journal import inbox
    from journal.log import Writer

    row = log.execute("SELECT value FROM log_meta WHERE key = ?", (UNFINISHED,)).fetchone()
    scrub_inbox(Writer(log, now), home.inbox)
    if row is not None:
        record = json.loads(row[0])
        inbox.append(home, None, record["at"][:10], record)
        ingest(log, [("journal", home.inbox)], known, now)
    for name in DERIVED:
        path = os.path.join(home.root, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    with contextlib.closing(sound_views(home)) as views:
        views.execute("PRAGMA secure_delete = ON")
        _build_from_nothing(settings, log, views)
        _keep_vectors(home, views)
        rewrite(views, home.views_db)
    log.execute("PRAGMA secure_delete = ON")
    rewrite(log, home.journal_db)
    log.execute("DELETE FROM log_meta WHERE key = ?", (UNFINISHED,))
    empty_wal(log, home.journal_db)


def _keep_vectors(home: Home, views: sqlite3.Connection) -> None:
    """Take out of the cache the vectors of texts that no chunk and no learning has any more; a cache that cannot be read goes as a whole."""
    if not os.path.exists(home.cache_db):
        return
    from projections import chunks

    chunks.catch_up(views)
    stay = {row[0] for row in views.execute("SELECT DISTINCT text_hash FROM chunks")}
    stay |= {chunks.hash_of(row[0]) for row in views.execute("SELECT text FROM learnings")}
    try:
        with contextlib.closing(sqlite3.connect(home.cache_db, isolation_level=None)) as cache:
            cache.execute("PRAGMA busy_timeout=5000")
            cache.execute("PRAGMA secure_delete=ON")
            cache.execute("CREATE TEMP TABLE stay (text_hash INTEGER PRIMARY KEY)")
            cache.execute("BEGIN IMMEDIATE")
            cache.executemany("INSERT INTO stay VALUES (?)", [(text_hash,) for text_hash in stay])
            cache.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM stay)")
            cache.execute("COMMIT")
            rewrite(cache, home.cache_db)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and is_full(error):
            raise LogFull(f"{home.cache_db} cannot be written anew: {error}", hint="free some space, and run: journal ingest") from error
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(home.cache_db + suffix)


def _build_from_nothing(settings: Settings, log: sqlite3.Connection, views: sqlite3.Connection) -> None:
    """Drop every table of the views, also one that no projection of this version knows, and fill them anew in one transaction."""
    from projections.checkpoint import transaction

    with transaction(views):
        # Views first, then full-text tables, which take their own along.
        while found := views.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%'"
                                     " ORDER BY type = 'view' DESC, sql LIKE 'CREATE VIRTUAL%' DESC LIMIT 1").fetchone():  # fmt: skip
            views.execute(f'DROP {found[0]} "{found[1]}"')
        catch_up(log, views, settings)


def finish_if_broken_off(settings: Settings, log: sqlite3.Connection, known: Mapping[str, Any]) -> None:
    """Finish a forget that was broken off; what hinders it is said and tried again by the next command that writes."""
    if not is_unfinished(log):
        return
    say("finishing what `journal forget` began")
    try:
        finish(settings, log, known)
    except (LogBusy, LogFull) as error:
        say(f"warning: {error}; tried again by the next: journal ingest")


def rewrite(database: sqlite3.Connection, path: str) -> None:
    """Write a database anew without its free pages, and leave nothing in its WAL.

    Raises: LogBusy, LogFull.
    """
    try:
        database.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if is_full(error):
            raise LogFull(f"{path} cannot be written anew: {error}", hint="free as much space as it takes, and run: journal ingest") from error
        raise
    empty_wal(database, path)


def empty_wal(database: sqlite3.Connection, path: str) -> None:
    """Move what the WAL holds into the database and truncate it.

    Raises: LogBusy: a reader keeps an old state open.
    """
    deadline = time.monotonic() + READERS_WAIT_S
    while database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > deadline:
            raise LogBusy(f"another process keeps an old state of {path} open", hint="close it, and run: journal ingest")
        time.sleep(0.2)
