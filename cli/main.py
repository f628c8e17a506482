"""The parser and the way from words to a command; argparse, since it costs 10 ms to import (docs/adr/0001)."""

import argparse
import os
import sqlite3
import sys
from typing import NoReturn

from cli.arguments import declare, function
from cli.render import close_quietly, fail, say
from journal import __version__
from journal.errors import JournalError, LogBusy, LogCorrupt, LogError, SettingInvalid
from journal.settings import load

EXIT_CODES = (
    "exit codes: 0 done, 1 found something wrong, 2 bad argument or setting, 3 log unusable, 4 not found or ambiguous, 5 transcript unreadable,"
    " 6 view cannot be built, 130 interrupted"
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that they too come as JSON where that was asked for."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the words."""
        raise SettingInvalid(message, hint=f"run: {self.prog} --help")


def parser(words: list[str]) -> argparse.ArgumentParser:
    """Return the parser of the command that *words* begins with, or of the whole command line where none does."""
    top = Parser(prog="journal", description="An append-only log of what your AI coding agents did.", epilog=EXIT_CODES)
    top.add_argument("--version", action="version", version=f"journal {__version__}")
    declare(top.add_subparsers(dest="command", metavar="COMMAND", required=True), words)
    return top


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["hook"] and "--help" not in words:
        from cli import hook

        return hook.main(words[1:])
    as_json = "--json" in words
    try:
        asked = parser(words).parse_args(words)
        return function(asked.runs)(load(os.environ), asked)
    except JournalError as error:
        return fail(error, as_json=as_json)
    except sqlite3.DatabaseError as error:
        return fail(_database_error(error), as_json=as_json)
    except BrokenPipeError:
        close_quietly()
        return 0
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        return fail(LogError(f"{named}{error.strerror or error}", hint="check the path, its permissions and the space left"), as_json=as_json)
    except KeyboardInterrupt:
        say("interrupted; what was committed stays, and the next run goes on from there")
        return 130


def _database_error(error: sqlite3.DatabaseError) -> JournalError:
    """Return what an error of SQLite in a reading command means: a writer is at work, or the views are damaged."""
    from cli.wiring import full, is_full

    if is_full(error):
        return full()
    if "readonly" in str(error) or "unable to open" in str(error):
        return LogError(f"the views cannot be opened: {error}", hint="check that you may write the journal's folder")
    if "locked" in str(error):
        return LogBusy("the database is locked by another process", hint="try again in a moment")
    return LogCorrupt(f"the views cannot be read: {error}", hint="run: journal replay" if "malformed" in str(error) else "run: journal ingest")


if __name__ == "__main__":
    sys.exit(main())
