"""The words of the commands that remember what was learned."""

import argparse

from cli.arguments import Add, count

KINDS = ("solution", "gotcha", "pattern", "decision", "preference")


def declare(add: Add) -> None:
    """Declare learn, supersede, confirm, retire, recall, learnings, why, fix and mcp."""
    command = add("learn", "put down what later sessions should know", runs="cli.memory.learning:learn",
                  example='journal learn "the lock is not re-entrant" --kind gotcha --expires 90d')  # fmt: skip
    command.add_argument("text", metavar="TEXT", nargs="?", help="one thing, in a sentence or two; `-` reads standard input")
    command.add_argument("--suggest", action="store_true", help="instead: what a session seems to have taught, for you to accept")
    command.add_argument("--accept", type=count, action="append", default=[], metavar="N", help="store the suggestion with this number; may be repeated")
    _about(command)
    command = add("supersede", "put a learning in the place of another", runs="cli.memory.learning:supersede",
                  example='journal supersede latest "the lock is re-entrant since version 3"')  # fmt: skip
    command.add_argument("learning", metavar="LEARNING", help="the beginning of an id, as `journal learnings` shows it, or `latest`")
    command.add_argument("text", metavar="TEXT", help="what holds now")
    _about(command)
    command = add("confirm", "say that a learning still holds", runs="cli.memory.learning:confirm", example="journal confirm latest")
    command.add_argument("learning", metavar="LEARNING", help="the beginning of an id, or `latest`")
    command = add("retire", "say that a learning holds no more", runs="cli.memory.learning:retire", example='journal retire latest --reason "the lock is gone"')
    command.add_argument("learning", metavar="LEARNING", help="the beginning of an id, or `latest`")
    command.add_argument("--reason", metavar="TEXT", help="why it holds no more")
    command = add("recall", "tell what was learned about something, the best first", runs="cli.memory.recalling:recall",
                  example="journal recall 'lock timeout'")  # fmt: skip
    command.add_argument("query", metavar="WORD", nargs="+", help="words, an error, a whole question")
    command.add_argument("--all", action="store_true", help="of all projects")
    command.add_argument("--limit", type=count, default=10, metavar="N", help="at most N (default 10)")
    command = add("learnings", "list what was learned in this project and for all, newest first", runs="cli.memory.recalling:listing",
                  example="journal learnings --everything")  # fmt: skip
    command.add_argument("--all", action="store_true", help="of all projects")
    command.add_argument("--everything", action="store_true", help="also what was retired, superseded or has expired")
    command.add_argument("--kind", choices=KINDS, help="of this sort only")
    command.add_argument("--limit", type=count, default=50, metavar="N", help="at most N (default 50)")
    command = add("why", "tell what was decided and learned about a file, and who changed it for which prompt", runs="cli.memory.past:why",
                  example="journal why calc.py")  # fmt: skip
    command.add_argument("path", metavar="PATH", help="a path, absolute, relative to here or to the project, or the end of one")
    command.add_argument("--limit", type=count, default=12, metavar="N", help="at most N decisions and changes (default 12)")
    command = add("fix", "tell how an error like this one was fixed before", runs="cli.memory.past:fix", example="journal fix 'ModuleNotFoundError: calc'")
    command.add_argument("error", metavar="WORD", nargs="+", help="the error as it was printed, or words of it")
    command.add_argument("--all", action="store_true", help="in all projects")
    command.add_argument("--limit", type=count, default=5, metavar="N", help="at most N (default 5)")
    add("mcp", "serve search, recall, learn, restore and more to an MCP client, on standard input and output (needs the extra `mcp`)",
        runs="cli.mcp.server:serve", example="journal mcp")  # fmt: skip


def _about(command: argparse.ArgumentParser) -> None:
    command.add_argument("--kind", choices=KINDS, help="what sort of thing it is (default: solution, or that of the one superseded)")
    command.add_argument("--scope", choices=("project", "global"), help="where it holds (default: project)")
    command.add_argument("--anchor", action="append", default=[], metavar="LOC", help="a place that proves it, such as calc.py:4-6; may be repeated")
    command.add_argument("--expires", metavar="T", help="when it ends: 30d, 12h, 2w from now, or a date")
    command.add_argument("--session", metavar="SESSION", help="the session that it comes from (default: the newest of this project)")
