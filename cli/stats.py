"""The command `stats`: when and how the agents work."""

import argparse

from cli.amounts import counted
from cli.chart import heat_map, sparks
from cli.render import print_json, print_table, print_text, say
from cli.usage import asked_span
from cli.wiring import read_views
from journal import zones
from journal.settings import Settings
from projections import activity, continuity

MOST_TOOLS = 20
LONGEST_TITLE = 50
SHOWN_DAYS = 14


def stats(settings: Settings, asked: argparse.Namespace) -> int:
    """Show activity by weekday and hour, hosts, tools with their error rates, compactions, the longest sessions, and what the journal told."""
    views = read_views(settings)
    when = asked_span(asked, views)
    local = zones.local_sql("occurred_at", zones.offsets(when.zone, *activity.extent(views)))
    grid = activity.heat(views, local, when.span)
    hosts, tools = activity.hosts(views, when.span), activity.tools(views, when.span)
    compactions, longest = activity.compactions(views, when.span), activity.longest(views, when.span)
    told = continuity.days(views, local, when.span)
    if asked.json:
        print_json({"timezone": when.zone.name, "since": when.span.since, "until": when.span.until, "project": when.span.project,
                    "activity_by_weekday_and_hour": grid,
                    "hosts": [row._asdict() for row in hosts], "tools": [row._asdict() for row in tools],
                    "compactions": [row._asdict() for row in compactions], "longest_sessions": [row._asdict() for row in longest],
                    "continuity": continuity.total(told), "continuity_by_day": [row._asdict() for row in told]})  # fmt: skip
        return 0
    if not hosts and not told:
        say("nothing happened in that time; try another --since and --until, or run: journal ingest")
        return 0
    print_text("\n".join([f"prompts, answers and tool calls by hour ({when.zone.name})", *heat_map(grid), ""]))
    print_table([name.replace("_", " ") for name in activity.HostActivity._fields], hosts)
    print_text("")
    print_table(("tool", "calls", "errors", "error rate"),
                [(row.name, row.calls, row.errors, "" if row.error_rate is None else f"{row.error_rate:.1%}") for row in tools[:MOST_TOOLS]])  # fmt: skip
    if len(tools) > MOST_TOOLS:
        say(f"{counted(len(tools) - MOST_TOOLS, 'more tool')}; see --json")
    if compactions:
        print_text("")
        print_table(("host", "compactions by", "number", "tokens before", "tokens after"),
                    [(row[0], row[1], row[2], *("" if size is None else f"{size:,}" for size in row[3:])) for row in compactions])  # fmt: skip
    print_text("")
    print_table(("longest session", "host", "active", "span", "turns", "project", "title"),
                [(row.session_id, row.host, duration(row.active_s), duration(row.span_s), row.turns, row.project, (row.title or "")[:LONGEST_TITLE])
                 for row in longest])  # fmt: skip
    if told:
        print_text("")
        print_table(("told by the journal", *(name.replace("_", " ") for name in continuity.Day._fields[1:])),
                    [("all days", *continuity.total(told).values()), *told[-SHOWN_DAYS:]])  # fmt: skip
        if len(told) > 1:
            print_text(f"tokens told: {told[0].day} {sparks([row.injected_tokens for row in told])} {told[-1].day}")
        if len(told) > SHOWN_DAYS:
            say(f"{SHOWN_DAYS} of {len(told)} days shown; see --json")
    return 0


def duration(seconds: int) -> str:
    """Return a length of time in its two largest units."""
    for unit, size, part, part_size in (("d", 86_400, "h", 3600), ("h", 3600, "m", 60), ("m", 60, "s", 1)):
        if seconds >= size:
            return f"{seconds // size}{unit} {seconds % size // part_size}{part}"
    return f"{seconds}s"
