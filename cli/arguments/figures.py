"""The words of the commands that count: usage, stats, timeline, and the catalog of models."""

import argparse

from cli.arguments import Add, count

BY = ("day", "week", "month", "hour", "session", "model", "project", "host")


def declare(add: Add) -> None:
    """Declare usage, stats, timeline and catalog."""
    command = add("usage", "report the tokens used and what they cost", runs="cli.usage:usage", example="journal usage --by model --since 7d")
    command.add_argument("--by", choices=BY, default="day", help="what the rows stand for (default day); sub-agents count for their parent session")
    command.add_argument("--csv", action="store_true", help="print CSV instead of a table")
    command.add_argument("--plot", metavar="FILE", help="draw the rows into a new FILE, .svg or .png (needs the extra `analyst`)")
    span(command)
    _project(command)
    command = add("stats", "show when and how the agents work: hours, hosts, tools, compactions, longest sessions", runs="cli.stats:stats",
                  example="journal stats --since 30d")  # fmt: skip
    span(command)
    _project(command)
    command = add("timeline", "list who changed a file, or what was said and done about a topic, oldest first", runs="cli.timeline:timeline",
                  example="journal timeline --file src/app.py")  # fmt: skip
    command.add_argument("about", metavar="PATH|TOPIC", nargs="*", help="a file that sessions changed, else words that must all stand")
    command.add_argument("--file", metavar="PATH", help="a path, absolute, relative to here or to the project, or the end of one; no topic")
    command.add_argument("--limit", type=count, default=40, metavar="N", help="at most N places of a topic (default 40)")
    span(command)
    command = add("catalog", "list what is known of models, or fetch newer prices from the network", runs="cli.catalog:catalog",
                  example="journal catalog refresh")  # fmt: skip
    command.add_argument("action", choices=("list", "refresh"), nargs="?", default="list", help="without it: list; `refresh` is the one that uses the network")
    command.add_argument("--url", metavar="URL", help="fetch from here instead of https://models.dev/api.json; the same format")


def _project(command: argparse.ArgumentParser) -> None:
    command.add_argument("--project", metavar="PROJECT", nargs="?", const=".",
                         help="of one project only: its path or name (default: that of the current directory)")


def span(command: argparse.ArgumentParser) -> None:
    """Add --since, --until and --timezone."""
    command.add_argument("--since", metavar="T", help="from then on: a date, a time, today, yesterday, or 24h, 7d, 2w ago")
    command.add_argument("--until", metavar="T", help="before then; a day counts as a whole")
    command.add_argument("--timezone", metavar="TZ", help="days and hours of this zone, like Europe/Berlin (default: the system's)")
