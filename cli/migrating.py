"""`journal migrate`: everything that is there is read, told what it is about, and indexed, under one line of progress."""

import argparse
import contextlib
from collections import Counter
from typing import Any

from cli.progress import meter
from cli.registry import described
from cli.render import print_json, print_table, say
from cli.wiring import bring_up_to_date, read_views, roots_of
from journal.settings import Settings

SESSIONS = "SELECT session_id FROM sessions WHERE kind NOT IN ('subagent', 'empty') AND last_at IS NOT NULL ORDER BY session_id"


def migrate(settings: Settings, asked: argparse.Namespace) -> int:
    """Ingest, enrich and index; each can be broken off and goes on where it was."""
    roots = roots_of(settings, asked.root)
    with meter() as shown:
        done = bring_up_to_date(settings, roots, shown)
        categories = _enriched(settings)
    for warning in done.report.warnings:
        say(f"warning: {warning}")
    answer: dict[str, Any] = {
        "sources": done.report.sources, "bytes": done.report.bytes, "events": done.report.events, "damaged": done.report.damaged,
        "sessions": sum(categories.values()), "categories": dict(sorted(categories.items())), "index": None,
    }  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    print_table(("sources", "new events", "damaged", "sessions"), [(answer["sources"], answer["events"], answer["damaged"], answer["sessions"])])
    print_table(("category", "sessions"), list(answer["categories"].items()))
    return 0


def _enriched(settings: Settings) -> Counter[str]:
    """Return how many sessions are of which category; nothing is kept of it, since it is derived whenever it is asked for."""
    counts: Counter[str] = Counter()
    with contextlib.closing(read_views(settings)) as views:
        for (session_id,) in views.execute(SESSIONS).fetchall():
            counts[described(views, session_id)["category"]] += 1
    return counts
