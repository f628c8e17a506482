"""The words of the commands that search by meaning and keep its index."""

import argparse

from cli.arguments import Add, count
from cli.arguments.hosts import HOSTS


def declare(add: Add) -> None:
    """Declare search, similar and index."""
    command = add("search", "find prompts, answers, tool inputs and errors by their words and, where there is an index, by their meaning",
                  runs="cli.searching:search", example="journal search --all 'lock timeout'")  # fmt: skip
    command.add_argument("query", metavar="WORD", nargs="+", help="what is looked for; a phrase in quotes of its own")
    command.add_argument("--mode", choices=("hybrid", "semantic", "lexical"), help="by words and meaning (the default), meaning, or words: all must stand")
    command.add_argument("--reveal", action="store_true", help="cut the snippets from the log, with the secrets in them")
    _filters(command, 20)
    command = add("similar", "find sessions that are about the same as one", runs="cli.index.commands:similar", example="journal similar latest --all")
    command.add_argument("session", metavar="SESSION", help="the beginning of its id, or latest")
    _filters(command, 10)
    command = add("index", "say how the index for search by meaning stands, bring it up to date, or fetch a model", runs="cli.index.commands:index",
                  example="journal index update")  # fmt: skip
    command.add_argument("action", choices=("status", "update", "model"), nargs="?", default="status", help="without it: status")
    command.add_argument("what", choices=("fetch",), nargs="?", help="`model fetch` downloads all-MiniLM-L6-v2 (90 MB), a pinned version, once")
    command.add_argument("--seconds", type=count, metavar="N", help="update: stop after N seconds; the next one goes on from there")
    command.add_argument("--url", metavar="URL", help="model fetch: another address of the same file")


def _filters(command: argparse.ArgumentParser, limit: int) -> None:
    scope = command.add_mutually_exclusive_group()
    scope.add_argument("--all", action="store_true", help="all projects, headless runs and sub-agents as well")
    scope.add_argument("--project", metavar="P", help="sessions of this project only: its path or its name")
    command.add_argument("--host", choices=HOSTS, help="sessions of this host only")
    command.add_argument("--since", metavar="T", help="from then on: a date, a time, today, yesterday, or 24h, 7d, 2w ago")
    command.add_argument("--file", metavar="PATH", help="sessions that changed this file")
    command.add_argument("--tool", metavar="NAME", help="sessions that called this tool")
    command.add_argument("--limit", type=count, default=limit, metavar="N", help=f"at most N (default {limit})")
