"""The parser and the way from words to a command; argparse, since it costs 10 ms to import (docs/adr/0001)."""

import argparse
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import NoReturn

from cli.render import close_quietly, fail, say
from journal import __version__
from journal.errors import JournalError, LogBusy, LogCorrupt, LogError, SettingInvalid
from journal.settings import Settings, load

Command = Callable[[Settings, argparse.Namespace], int]
EXIT_CODES = "exit codes: 0 done, 1 found something wrong, 2 bad argument or setting, 3 log unusable, 4 not found or ambiguous, 130 interrupted"


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that they too come as JSON where that was asked for."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the words."""
        raise SettingInvalid(message, hint=f"run: {self.prog} --help")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = Parser(prog="journal", description="An append-only log of what your AI coding agents did.", epilog=EXIT_CODES)
    top.add_argument("--version", action="version", version=f"journal {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, sentence: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=sentence, description=sentence)
        command.add_argument("--json", action="store_true", help="print one JSON object")
        return command

    command = add("ingest", "read what is new in the transcripts into the log")
    command.add_argument("--root", action="append", default=[], metavar="HOST=PATH", help="read only this host's home folder; may be repeated")
    command = add("watch", "ingest whenever a transcript changes, until stopped")
    command.add_argument("--root", action="append", default=[], metavar="HOST=PATH", help="read only this host's home folder; may be repeated")
    command = add("replay", "rebuild the views from the log")
    command.add_argument("--view", action="append", default=[], metavar="NAME", help="only this view; may be repeated")
    command.add_argument("--verify", action="store_true", help="rebuild beside the live views and compare")
    command.add_argument("--as-of", metavar="POSITION|TIME",
                         help="with only the records up to a position, or to a time of theirs (UTC unless it names a zone; a date is its start)")  # fmt: skip
    command.add_argument("--into", metavar="FILE", help="the new file that --as-of fills")
    command = add("sessions", "list the sessions of this project, newest first")
    _scope(command, 50)
    command = add("search", "find prompts, answers and tool inputs by full text")
    command.add_argument("query", metavar="WORD", nargs="+", help="""words that must all stand; a phrase in quotes of its own""")
    _scope(command, 20)
    command = add("usage", "report the tokens used")
    command.add_argument("--by", choices=("day", "session", "model", "project", "host", "hour"), default="day")
    add("status", "say what is in the log, damaged and unknown records, sizes")
    add("verify", "prove the log against its chain and the sources against the log")
    command = add("export", "write the original transcript of a session, byte for byte")
    command.add_argument("session", metavar="SESSION", help="a session id, a unique prefix of one, or `latest`")
    command.add_argument("--format", choices=("raw",), default="raw")
    command.add_argument("--output", metavar="FILE", help="write to FILE instead of standard output")
    command = add("note", "note a text on the newest session of this project")
    command.add_argument("text", metavar="TEXT")
    command.add_argument("--session", metavar="SESSION", help="note it on this session instead")
    add("config", "show the settings in force")
    return top


def _scope(command: argparse.ArgumentParser, limit: int) -> None:
    command.add_argument("--all", action="store_true", help="all projects, headless runs and sub-agents as well")
    command.add_argument("--limit", type=_count, default=limit, metavar="N", help=f"at most N (default {limit})")


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > 18 or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is no number from 1 on")
    return int(word)


def command_named(name: str) -> Command:
    """Return the function of a command; only its module is imported."""
    if name == "watch":
        from cli import watching

        return watching.watch
    if name == "replay":
        from cli import replaying

        return replaying.replay
    if name in ("ingest", "note", "config"):
        from cli import writing

        return getattr(writing, name)  # type: ignore[no-any-return]
    from cli import reading

    return getattr(reading, name)  # type: ignore[no-any-return]


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    as_json = "--json" in (sys.argv[1:] if words is None else words)
    try:
        asked = parser().parse_args(words)
        return command_named(asked.command)(load(os.environ), asked)
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
