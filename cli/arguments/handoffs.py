"""The words of the commands that hand work over to a later session."""

import argparse
from typing import Any

from cli.arguments import Add, count

NAMED = "latest, the beginning of an id, or words of a title"

def declare(add: Add) -> None:
    """Declare handoff with all its verbs."""
    group = add("handoff", "hand work over to a later session, with evidence that is checked", runs="cli.handoffs.saving:save")
    verbs = group.add_subparsers(dest="verb", required=True, metavar="VERB")
    command = _verb(verbs, "save", "put findings, questions and next moves down, each with its evidence", "cli.handoffs.saving:save",
                    "journal handoff save --title Lock --notes notes.md")  # fmt: skip
    command.add_argument("--title", metavar="T", help="the title (default: the notes' first heading)")
    command.add_argument("--notes", metavar="FILE", help="Markdown under headings; `-` reads standard input; without it, what the log knows of the session")
    command.add_argument("--session", metavar="SESSION", help="the session that it comes from (default: the newest of this project)")
    command.add_argument("--tag", action="append", default=[], metavar="TAG", help="may be repeated")
    command.add_argument("--update", nargs="?", const="latest", metavar="ID", help="replace a handoff of this project (default the newest); the old one stays")
    command = _verb(verbs, "load", "tell what a handoff says, and what became of its evidence", "cli.handoffs.reading:load", "journal handoff load --deep")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY", help=NAMED)
    command.add_argument("--deep", action="store_true", help="everything, with diffs")
    command = _verb(verbs, "list", "list the handoffs of this project, newest first", "cli.handoffs.reading:listing", "journal handoff list")
    command.add_argument("--all", action="store_true", help="of all projects, and those that were replaced")
    command.add_argument("--limit", type=count, default=20, metavar="N", help="at most N (default 20)")
    command = _verb(verbs, "show", "print a handoff as it was saved", "cli.handoffs.reading:show", "journal handoff show latest")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY", help=NAMED)
    command = _verb(verbs, "diff", "tell what a later handoff has that an earlier one has not", "cli.handoffs.reading:diff",
                    "journal handoff diff latest latest")  # fmt: skip
    command.add_argument("before", metavar="BEFORE", help=f"the earlier one: {NAMED}")
    command.add_argument("after", metavar="AFTER", help=f"the later one: {NAMED}")
    command = _verb(verbs, "merge", "unite two handoffs of this project, and show where they do not agree", "cli.handoffs.keeping:merge",
                    "journal handoff merge h5f1c2d3e4f60 h6a7b8c9d0e1f --dry-run")  # fmt: skip
    command.add_argument("first", metavar="A", help=f"one of them: {NAMED}")
    command.add_argument("second", metavar="B", help=f"the other one: {NAMED}")
    command.add_argument("--title", metavar="T", help="the title (default: the later one's)")
    command.add_argument("--dry-run", action="store_true", help="show conflicts and quality, write nothing")
    for name, sentence, runs in (("delete", "take handoffs of this project off the lists; the log keeps them", "cli.handoffs.keeping:delete"),
                                 ("undelete", "bring deleted or pruned handoffs back", "cli.handoffs.keeping:undelete")):  # fmt: skip
        command = _verb(verbs, name, sentence, runs, f"journal handoff {name} h5f1c2d3e4f60 --dry-run")
        command.add_argument("ids", nargs="+", metavar="ID", help="a whole id")
        command.add_argument("--dry-run", action="store_true", help="tell what would happen, write nothing")
    command = _verb(verbs, "prune", "keep the newest handoffs of each chain of this project on the lists", "cli.handoffs.keeping:prune",
                    "journal handoff prune --keep 2 --dry-run")  # fmt: skip
    command.add_argument("--keep", type=count, default=1, metavar="N", help="so many of each chain (default 1)")
    command.add_argument("--dry-run", action="store_true", help="tell what would happen, write nothing")
    command = _verb(verbs, "export", "write a handoff as a bundle directory, Markdown and JSON, that other tools read", "cli.handoffs.exchange:export",
                    "journal handoff export latest --output bundles")  # fmt: skip
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY", help=NAMED)
    command.add_argument("--output", metavar="FOLDER", help="the folder that gets it (default: .context-handoffs in the work tree)")
    command = _verb(verbs, "import", "read bundle directories, also of another tool, into the journal", "cli.handoffs.exchange:bring_in",
                    "journal handoff import .context-handoffs --dry-run")  # fmt: skip
    command.add_argument("paths", nargs="*", metavar="PATH", help="bundles or stores (default: .context-handoffs here and ~/.context-handoff-bundles)")
    command.add_argument("--dry-run", action="store_true", help="tell what would be imported, write nothing")
    command = _verb(verbs, "validate", "tell what is wrong with notes or with a bundle directory, before it is saved or imported",
                    "cli.handoffs.checks:validate", "journal handoff validate notes.md")  # fmt: skip
    command.add_argument("path", metavar="PATH", help="a Markdown file, or a bundle directory")
    command = _verb(verbs, "init", "write a Markdown file with the headings of a handoff, to be filled in", "cli.handoffs.checks:init",
                    "journal handoff init --output new-notes.md")  # fmt: skip
    command.add_argument("--output", metavar="FILE", default="handoff-notes.md", help="the new file (default handoff-notes.md)")
    command.add_argument("--title", metavar="T", default="", help="the title")
    command.add_argument("--force", action="store_true", help="write over an existing file")
    command = _verb(verbs, "score", "tell how good a handoff is, and why", "cli.handoffs.reading:score", "journal handoff score")
    command.add_argument("query", nargs="?", default="latest", metavar="QUERY", help=NAMED)


def _verb(verbs: "argparse._SubParsersAction[Any]", name: str, sentence: str, runs: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = verbs.add_parser(name, help=sentence, description=sentence, epilog=f"example: {example}")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(runs=runs)
    return command
