"""The words of the commands that follow sessions: chains, the tree, resume, forks, and what a session was about."""

import argparse
from typing import Any

from cli.arguments import Add, count

NAMED = "a session id, a unique prefix of one, or `latest`"
CATEGORIES = ("feature", "bugfix", "refactor", "docs", "test", "research", "ops")


def declare(add: Add) -> None:
    """Declare chain, tree, resume, annotate, registry, fork, skill and migrate."""
    command = add("chain", "show which sessions a session goes on from, and which go on from it", runs="cli.forks.chains:chain", example="journal chain latest")
    command.add_argument("session", metavar="SESSION", help=NAMED)
    command = add("tree", "show sessions under those that they came from, sub-agents too", runs="cli.forks.chains:tree", example="journal tree --all")
    command.add_argument("session", metavar="SESSION", nargs="?", help=f"only the tree of this one: {NAMED}")
    command.add_argument("--all", action="store_true", help="of all projects")
    command.add_argument("--limit", type=count, default=20, metavar="N", help="at most N trees (default 20)")
    command = add("resume", "print or run the host's own command that continues a session", runs="cli.forks.resuming:resume", example="journal resume latest")
    command.add_argument("session", metavar="SESSION", help=NAMED)
    command.add_argument("--fork", action="store_true", help="continue a copy, where the host can")
    command.add_argument("--run", action="store_true", help="run the command in the session's folder")
    command.add_argument("--into", metavar="SESSION", help="write down that this session goes on from it; `here` is the one that this command runs in")
    command = add("annotate", "say what a session was about, or show what the journal makes of it", runs="cli.forks.registry:annotate",
                  example='journal annotate latest --title "The lock" --category bugfix --topic lock')  # fmt: skip
    command.add_argument("session", metavar="SESSION", help=NAMED)
    command.add_argument("--title", metavar="TEXT", help="the title, instead of the host's")
    command.add_argument("--summary", metavar="TEXT", help="what was done, in a few sentences")
    command.add_argument("--topic", action="append", default=[], metavar="WORD", help="what it is about; may be repeated")
    command.add_argument("--category", choices=CATEGORIES, help="what kind of work it was")
    command = add("registry", "list what sessions were about, and which annotations are stale", runs="cli.forks.registry:registry",
                  example="journal registry --all")  # fmt: skip
    command.add_argument("--stale", action="store_true", help="only sessions whose annotation is missing or older than their last record")
    command.add_argument("--all", action="store_true", help="of all projects")
    command.add_argument("--limit", type=count, default=20, metavar="N", help="at most N (default 20)")
    group = add("fork", "find the session that already knows a task, and load what it knew", runs="cli.forks.forking:detect")
    verbs = group.add_subparsers(dest="verb", required=True, metavar="VERB")
    command = _verb(verbs, "detect", "find the sessions to go on from for a task", "cli.forks.forking:detect", 'journal fork detect "add a division" --explain')
    command.add_argument("task", metavar="TASK", nargs="+", help="what is to be done, in your own words")
    command.add_argument("--scoring", choices=("default", "classic"), default="default", help="classic: fixed weights, steps of recency, chain quality")
    command.add_argument("--explain", action="store_true", help="what each score is made of, and the texts that speak for it")
    command.add_argument("--all", action="store_true", help="of all projects")
    command.add_argument("--limit", type=count, default=5, metavar="N", help="at most N (default 5; 20 are scored)")
    command = _verb(verbs, "prime", "print what an earlier session knew, to go on from it here", "cli.forks.priming:prime", "journal fork prime latest")
    command.add_argument("session", metavar="SESSION", help=NAMED)
    command.add_argument("--budget", type=count, default=8000, metavar="TOKENS", help="at most so many tokens (default 8000)")
    command.add_argument("--into", metavar="SESSION", help="write down that this session goes on from it; `here` is the one that this command runs in")
    group = add("skill", "draft a skill of this project from its sessions, and keep it up to date", runs="cli.memory.skills:create")
    verbs = group.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, sentence in (("create", "draft a skill: decisions, solutions, gotchas, habits and places, each with its source"),
                           ("update", "bring in what sessions said since; lines that a person changed stay")):  # fmt: skip
        command = _verb(verbs, verb, sentence, f"cli.memory.skills:{verb}", f"journal skill {verb} project-notes --session latest")
        command.add_argument("name", metavar="NAME", help="small letters, digits and hyphens")
        command.add_argument("--host", action="append", default=[], choices=("claude", "codex", "gemini", "copilot"),
                             help="a Claude skill (the default), a section of AGENTS.md, a Gemini extension, Copilot's instructions; repeatable")  # fmt: skip
        command.add_argument("--session", action="append", default=[], metavar="SESSION", help="only from this session; may be repeated")
        command.add_argument("--limit", type=count, default=30, metavar="N", help="from the newest N sessions of this project (default 30)")
        command.add_argument("--dry-run", action="store_true", help="say what would be written")
    command = add("migrate", "read everything that is there, say what the sessions were about, and index them", runs="cli.forks.migrating:migrate",
                  example="journal migrate")  # fmt: skip
    command.add_argument("--root", action="append", default=[], metavar="HOST=PATH", help="read only this host's home folder; may be repeated")
    command.add_argument("--no-index", action="store_true", help="leave the index of meanings as it is")


def _verb(verbs: "argparse._SubParsersAction[Any]", name: str, sentence: str, runs: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = verbs.add_parser(name, help=sentence, description=sentence, epilog=f"example: {example}")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(runs=runs)
    return command
