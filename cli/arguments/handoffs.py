"""The words of the commands that hand work over to a later session."""

import argparse
from typing import Any

from cli.arguments import Add, count


def declare(add: Add) -> None:
    """Declare handoff with save, load, list, show, diff and score."""
    group = add("handoff", "hand work over to a later session, with evidence that is checked", runs="cli.handoffs:save")
    verbs = group.add_subparsers(dest="verb", required=True, metavar="VERB")
    command = _verb(verbs, "save", "put findings, questions and next moves down, each with its evidence", "cli.handoffs:save",
                    "journal handoff save --title Lock --notes notes.md")  # fmt: skip
    command.add_argument("--title", metavar="T", help="the title (default: the notes' first heading)")
    command.add_argument("--notes", metavar="FILE", help="Markdown under headings; `-` reads standard input; without it, what the log knows of the session")
    command.add_argument("--session", metavar="SESSION", help="the session that it comes from (default: the newest of this project)")
    command.add_argument("--tag", action="append", default=[], metavar="TAG", help="may be repeated")
    command.add_argument("--update", nargs="?", const="latest", metavar="ID", help="replace a handoff of this project (default the newest); the old one stays")
    command = _verb(verbs, "load", "tell what a handoff says, and what became of its evidence", "cli.handoff_reading:load", "journal handoff load --deep")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY", help="latest, the beginning of an id, or words of a title")
    command.add_argument("--deep", action="store_true", help="everything, with diffs")
    command = _verb(verbs, "list", "list the handoffs of this project, newest first", "cli.handoff_reading:listing", "journal handoff list")
    command.add_argument("--all", action="store_true", help="of all projects, and those that were replaced")
    command.add_argument("--limit", type=count, default=20, metavar="N", help="at most N (default 20)")
    command = _verb(verbs, "show", "print a handoff as it was saved", "cli.handoff_reading:show", "journal handoff show latest")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY")
    command = _verb(verbs, "diff", "tell what a later handoff has that an earlier one has not", "cli.handoff_reading:diff",
                    "journal handoff diff latest latest")  # fmt: skip
    command.add_argument("before", metavar="BEFORE")
    command.add_argument("after", metavar="AFTER")
    command = _verb(verbs, "score", "tell how good a handoff is, and why", "cli.handoff_reading:score", "journal handoff score")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY")


def _verb(verbs: "argparse._SubParsersAction[Any]", name: str, sentence: str, runs: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = verbs.add_parser(name, help=sentence, description=sentence, epilog=f"example: {example}")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(runs=runs)
    return command
