"""The parser and the way from words to a command; argparse, since it costs 10 ms to import (docs/adr/0001)."""

import argparse
import contextlib
import os
import signal
import sqlite3
import sys
from types import FrameType
from typing import Any, NoReturn

from cli.arguments import GROUPS, declare, function
from cli.render import close_quietly, fail, take_any_text
from journal import __version__
from journal.errors import Interrupted, JournalError, LogBusy, LogCorrupt, LogError, NotFound, SettingInvalid
from journal.home import default_home
from journal.settings import Settings, load

EXIT_CODES = (
    "exit codes: 0 done, 1 found something wrong, 2 bad argument or setting, 3 log unusable, 4 not found or ambiguous, 5 transcript unreadable,"
    " 6 view cannot be built, 7 no search by meaning, 130 interrupted"
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that they too come as JSON where that was asked for; options have one name only."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"allow_abbrev": False, **named})

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Refuse unknown words where their command is known, so that the hint names it."""
        asked, unknown = super().parse_known_args(*given, **named)
        if unknown and not self._subparsers:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return asked, unknown

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the words, and what may have been meant."""
        from cli.misspelt import told

        said = told(message, self.prog, [name for action in self._actions for name in action.option_strings])
        raise SettingInvalid(said.message, hint=said.hint)


class Whole(Parser):
    """The parser of the whole command line, whose help lists the commands by what they are for."""

    def format_help(self) -> str:
        """Return usage, commands and exit codes."""
        from cli import overview

        commands = next(action.choices for action in self._actions if isinstance(action.choices, dict))
        sentences = {name: command.description or "" for name, command in commands.items()}
        return f"{self.format_usage()}\n{self.description}\n\n{overview.text(GROUPS, sentences, [overview.FIRST], [self.epilog or ''])}\n"


def parser(words: list[str]) -> argparse.ArgumentParser:
    """Return the parser of the command that *words* begins with, or of the whole command line where none does."""
    top = Whole(prog="journal", description="An append-only log of what your AI coding agents did.", epilog=EXIT_CODES)
    top.add_argument("--version", action="version", version=f"journal {__version__}")
    declare(top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser), words)
    return top


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["hook"] and "--help" not in words:
        from cli.hooks import edge

        return edge.main(words[1:])
    take_any_text()
    try:
        return _run(words, as_json="--json" in (words[: words.index("--")] if "--" in words else words))
    except BrokenPipeError:
        return 0
    finally:
        close_quietly()


def _run(words: list[str], *, as_json: bool) -> int:
    """Run one command; every error of the tree and every one of SQLite and the operating system ends as one message.

    Raises: BrokenPipeError: whoever read our output has gone.
    """
    told = _note_interrupts()
    try:
        asked = parser(words).parse_args(words)
        status = function(asked.runs)(_settings(asked), asked)
        sys.stdout.flush()
    except JournalError as error:
        return fail(error, as_json=as_json)
    except sqlite3.DatabaseError as error:
        return fail(_interrupted() if told else _database_error(error), as_json=as_json)
    except BrokenPipeError:
        raise
    except OSError as error:
        if _is_here_gone():
            return fail(NotFound("the current folder is gone", hint="change to a folder that exists"), as_json=as_json)
        named = f"{error.filename}: " if error.filename else ""
        return fail(LogError(f"{named}{error.strerror or error}", hint="check the path, its permissions and the space left"), as_json=as_json)
    except KeyboardInterrupt:
        return fail(_interrupted(), as_json=as_json)
    finally:
        _forget_interrupts()
    return status


def _note_interrupts() -> list[int]:
    """Return a list that gets an entry at Ctrl-C: in a function that SQLite calls, KeyboardInterrupt is lost and comes out as an error of SQLite."""
    told: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        told.append(number)
        raise KeyboardInterrupt

    # Where Ctrl-C is ignored (nohup, a detached ingest), or somebody else's matter, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # not in the main thread
            signal.signal(signal.SIGINT, interrupt)
    return told


def _forget_interrupts() -> None:
    """Give Ctrl-C back where a command had it."""
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, signal.SIG_IGN):
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_here_gone() -> bool:
    """Tell whether somebody removed the folder that this process runs in."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _interrupted() -> JournalError:
    return Interrupted("interrupted; what was committed stays", hint="run the same again: it goes on from there")


def _settings(asked: argparse.Namespace) -> Settings:
    """Return the settings in force; a command that looks for what is wrong with them goes on without.

    Raises: SettingInvalid.
    """
    try:
        return load(os.environ)
    except SettingInvalid:
        if getattr(asked, "needs_settings", True):
            raise
        return Settings(default_home(os.environ))


def _database_error(error: sqlite3.DatabaseError) -> JournalError:
    """Return what an error of SQLite in a reading command means: a writer is at work, or the views are damaged."""
    from cli.wiring import full, is_full

    if is_full(error):
        return full()
    if "readonly" in str(error) or "unable to open" in str(error):
        return LogError(f"the views cannot be opened: {error}", hint="check that you may write the journal's folder")
    if "locked" in str(error):
        return LogBusy("the database is locked by another process", hint="try again in a moment")
    if "vtable" in str(error):
        return LogCorrupt(f"the views cannot be read: {error}", hint="delete views.db in the journal's folder, then run: journal ingest")
    return LogCorrupt(f"the views cannot be read: {error}", hint="run: journal replay" if "malformed" in str(error) else "run: journal ingest")


if __name__ == "__main__":
    sys.exit(main())
