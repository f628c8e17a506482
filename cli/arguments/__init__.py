"""The words of every command, group by group; a group declares arguments only and imports nothing heavy.

A command is three lines here and one function elsewhere: its name in GROUPS, its arguments in the group's `declare`,
and `runs="module:function"`, which is imported when the command is asked for.
"""

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

GROUPS: Mapping[str, tuple[str, ...]] = {
    "log": ("ingest", "watch", "replay", "verify", "note", "config"),
    "hooks": ("hook", "restore", "post-compact", "context", "snapshot", "snapshots", "diff", "decisions", "next"),
    "handoffs": ("handoff",),
    "memory": ("learn", "recall", "learnings", "supersede", "confirm", "retire", "why", "fix", "mcp"),
    "hosts": ("install", "uninstall", "setup"),
    "reading": ("sessions",),
    "meaning": ("search", "similar", "index"),
    "forks": ("chain", "tree", "resume", "annotate", "registry", "fork", "skill", "migrate"),
    "transcripts": ("show", "export", "secrets"),
    "figures": ("usage", "stats", "timeline", "catalog"),
    "analysts": ("sql", "datasette", "records", "completion"),
    "keeping": ("forget", "backup", "size", "compact"),
    "health": ("status", "doctor"),
}
"""Group (a module beside this one) to its commands, in the order of the help."""


class Add(Protocol):
    """Adds one command and returns its parser, to which the group adds arguments."""

    def __call__(self, name: str, sentence: str, *, runs: str, example: str = "") -> argparse.ArgumentParser:
        """Add the command *name*, run by the function *runs* (`module:function`)."""


def declare(commands: "argparse._SubParsersAction[Any]", words: list[str]) -> None:
    """Declare the commands; only the group of the command that *words* begins with, where one does."""
    asked = [group for group, names in GROUPS.items() if words and words[0] in names]

    def add(name: str, sentence: str, *, runs: str, example: str = "") -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(name, help=sentence, description=sentence, epilog=example and f"example: {example}")
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.set_defaults(runs=runs)
        return command

    for group in asked or GROUPS:
        import_module(f"cli.arguments.{group}").declare(add)


def scope(command: argparse.ArgumentParser, limit: int) -> None:
    """Add --all and --limit, which every list has."""
    command.add_argument("--all", action="store_true", help="all projects, headless runs and sub-agents as well")
    command.add_argument("--limit", type=count, default=limit, metavar="N", help=f"at most N (default {limit})")


def count(word: str) -> int:
    """Return the number that *word* says, from 1 on."""
    if not (word.isascii() and word.isdigit()) or len(word) > 18 or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is no number from 1 on")
    return int(word)


def function(runs: str) -> Callable[..., int]:
    """Return the function that `module:function` names."""
    module, _, name = runs.partition(":")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]  # an attribute by name has no type
