"""Putting a backup in the place of the log: in a copy first, where what was forgotten since is scrubbed again."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from typing import Any

from cli.render import say
from cli.wiring import LOCK_WAIT_S
from journal.errors import LogError
from journal.home import Home

Row = tuple[Any, ...]


def restore(home: Home, path: str, now: Callable[[], str]) -> tuple[str | None, int]:
    """Restore the proved backup at *path*; return where the present log is kept (None where there was none) and how many events were scrubbed.

    The log's file stays the same file, so that whoever has it open sees the old log or the new one, and never half of each.
    """
    from journal.database import connect
    from journal.lock import writer_lock

    made = os.path.join(home.root, "restoring.db")
    with writer_lock(home, LOCK_WAIT_S):
        _remove(made)
        secret, keys = _forgotten_here(home.journal_db)
        try:
            scrubbed = _prepare(path, made, secret, keys, now)
            aside = _keep_aside(home, now())
            with contextlib.closing(sqlite3.connect(made)) as source, contextlib.closing(connect(home.journal_db)) as log:
                source.backup(log)
                log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            _remove(made)
    return aside, scrubbed


def _forgotten_here(path: str) -> tuple[str | None, list[Row]]:
    """Return the secret and the keys of what the present log has forgotten, as far as it can be read."""
    from journal.database import open_readonly
    from journal.tombstones import can_forget

    if not os.path.exists(path):
        return None, []
    try:
        with contextlib.closing(open_readonly(path)) as log:
            row = log.execute("SELECT value FROM log_meta WHERE key = 'forget_secret'").fetchone() if can_forget(log) else None
            return (row[0], log.execute("SELECT * FROM forgotten").fetchall()) if row else (None, [])
    except (LogError, sqlite3.DatabaseError) as error:
        say(f"warning: what the present log had forgotten cannot be read ({error}); forget it again after the restore")
        return None, []


def _prepare(path: str, made: str, secret: str | None, keys: list[Row], now: Callable[[], str]) -> int:
    """Copy the backup to *made*, bring it to this program's schema, and scrub there what was forgotten since."""
    from cli.cleaning import rewrite
    from ingest.catalog import adapters
    from ingest.forgetting import Target, select
    from journal import migrate
    from journal.backup import copy_pages
    from journal.database import SCHEMA_VERSION, connect, open_readonly
    from journal.log import Writer

    with contextlib.closing(open_readonly(path)) as source:
        copy_pages(source, made)
    with contextlib.closing(sqlite3.connect(made)) as copy:
        version = copy.execute("PRAGMA user_version").fetchone()[0]
    if version < SCHEMA_VERSION:
        migrate.upgrade(made)
    with contextlib.closing(connect(made)) as copy:
        scrubbed = 0
        if keys:
            own = copy.execute("SELECT value FROM log_meta WHERE key = 'forget_secret'").fetchone()
            if own and own[0] != secret:
                say("warning: the backup is of a log that forgot on its own: what was forgotten here may be in it; forget it again")
            else:
                with Writer(copy, now).transaction():
                    copy.execute("INSERT OR REPLACE INTO log_meta VALUES ('forget_secret', ?)", (secret,))
                    copy.executemany("INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?, ?, ?, ?, ?)", keys)
                    selection = select(copy, adapters(), Target("known", ""))
                    selection.forget()
                    scrubbed = len(selection.chosen)
                rewrite(copy, made)
        copy.execute("PRAGMA journal_mode = DELETE")
    return scrubbed


def _keep_aside(home: Home, moment: str) -> str | None:
    """Copy the present log into the folder of backups and return the copy; one that cannot be read is moved there as it is."""
    from journal.backup import copy_pages
    from journal.database import connect

    if not os.path.exists(home.journal_db):
        return None
    os.makedirs(home.backups, mode=0o700, exist_ok=True)
    aside = os.path.join(home.backups, f"journal-before-restore-{moment.translate({ord(sign): None for sign in '-:.'})}.db")
    try:
        with contextlib.closing(connect(home.journal_db)) as log:
            copy_pages(log, aside)
    except (LogError, sqlite3.DatabaseError):
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(home.journal_db + suffix, aside + suffix)
    return aside


def _remove(path: str) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
