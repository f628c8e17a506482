"""Copies of the log that are proved before they count, made while another process appends, and their way back."""

import contextlib
import os
import sqlite3
from typing import NamedTuple

from journal.database import as_log_error, open_readonly
from journal.errors import LogCorrupt, LogTooNew, NotFound, SettingInvalid
from journal.reader import Head, head
from journal.verify import check_chain


class Proof(NamedTuple):
    """What was proved of a copy."""

    head: Head
    events: int
    bytes: int
    schema: int


def copy(source: sqlite3.Connection, target: str) -> Proof:
    """Copy the log to the new file *target* (0600) as it stands at one moment, prove the copy, and return what was proved.

    The copy appears under its name only once it is proved. It has no free pages, in which scrubbed bytes might wait.
    Raises: SettingInvalid: the file exists. LogCorrupt: the copy is damaged. LogError.
    """
    if os.path.lexists(target):
        raise SettingInvalid(f"{target}: the file exists", hint="name a new file")
    unfinished = f"{target}.unfinished"
    try:
        copy_pages(source, unfinished)
        proof = prove(unfinished)
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
        os.rename(unfinished, target)
    except sqlite3.DatabaseError as error:
        raise as_log_error(error, target) from error
    finally:
        for name in (unfinished, f"{unfinished}-journal"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
    return proof


def copy_pages(source: sqlite3.Connection, target: str) -> None:
    """Write the pages in use of *source* to the file *target* (0600), which has no WAL beside it; what it held is gone.

    Raises: sqlite3.DatabaseError.
    """
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
    source.execute("VACUUM INTO ?", (target,))


def prove(path: str) -> Proof:
    """Prove that *path* is a whole log: SQLite's own check, the hash chain, and a version that this program knows.

    Raises: NotFound: there is no such file. LogCorrupt, LogTooNew.
    """
    from journal.database import SCHEMA_VERSION  # noqa: PLC0415  read when asked, since a test may raise it

    if not os.path.isfile(path):
        raise NotFound(f"there is no file {path}", hint="journal backup restore FILE")
    with contextlib.closing(open_readonly(path)) as made:
        try:
            schema = int(made.execute("PRAGMA user_version").fetchone()[0])
            if schema > SCHEMA_VERSION:
                raise LogTooNew(f"{path} has schema {schema}, this program knows up to {SCHEMA_VERSION}", hint="upgrade the program")
            if not schema or not made.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone():
                raise LogCorrupt(f"{path} is no log of the journal", hint="name a file that `journal backup` made")
            found = made.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if found != "ok":
                raise LogCorrupt(f"{path}: {found}", hint="use another backup")
            chain = check_chain(made)
            if not chain.ok:
                raise LogCorrupt(f"{path}: the chain is broken at position {chain.first_bad_position}", hint="use another backup")
            events = made.execute("SELECT count(*) FROM events").fetchone()[0]
            return Proof(head(made), events, os.path.getsize(path), schema)
        except sqlite3.DatabaseError as error:
            raise as_log_error(error, path) from error
