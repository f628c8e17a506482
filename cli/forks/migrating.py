"""`journal migrate`: everything that is there is read, told what it is about, and indexed, under one line of progress."""

import argparse
import contextlib
from collections import Counter
from typing import Any

from cli.forks.registry import described
from cli.progress import Progress, meter
from cli.render import print_json, print_table, say
from cli.wiring import bring_up_to_date, read_views, roots_of
from journal.settings import Settings

SESSIONS = "SELECT session_id FROM sessions WHERE kind NOT IN ('subagent', 'empty') AND last_at IS NOT NULL ORDER BY session_id"


def migrate(settings: Settings, asked: argparse.Namespace) -> int:
    """Ingest, enrich and index; each can be broken off and goes on where it was."""
    roots = roots_of(settings, asked.root)
    with meter() as shown:
        done = bring_up_to_date(settings, roots, shown)
        categories = _enriched(settings, shown.by_items("what sessions were about"))
        index, why_not = (None, "") if asked.no_index else _indexed(settings, shown.by_items("embedding"))
    for warning in done.report.warnings:
        say(f"warning: {warning}")
    answer: dict[str, Any] = {
        "sources": done.report.sources, "bytes": done.report.bytes, "events": done.report.events, "damaged": done.report.damaged,
        "sessions": sum(categories.values()), "categories": dict(sorted(categories.items())), "index": index, "why_no_index": why_not or None,
    }  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    print_table(("sources", "new events", "damaged", "sessions"), [(answer["sources"], answer["events"], answer["damaged"], answer["sessions"])])
    print_table(("category", "sessions"), list(answer["categories"].items()))
    if index:
        print_table(("texts embedded", "left", "vectors"), [(index["embedded"], index["left"], index["vectors"])])
    if why_not:
        say(f"search and forks go by words alone: {why_not}")
    return 0


def _enriched(settings: Settings, tell: Progress | None) -> Counter[str]:
    """Return how many sessions are of which category; nothing is kept of it, since it is derived whenever it is asked for."""
    counts: Counter[str] = Counter()
    with contextlib.closing(read_views(settings)) as views:
        sessions = [row[0] for row in views.execute(SESSIONS)]
        for number, session_id in enumerate(sessions, 1):
            counts[described(views, session_id)["category"]] += 1
            if tell:
                tell(number, len(sessions))
    return counts


def _indexed(settings: Settings, tell: Progress | None) -> tuple[dict[str, int] | None, str]:
    """Return what bringing the index up to date did, or why there is none: without a model the rest is done all the same."""
    from cli.index import building, embedding
    from journal.errors import IndexUnusable
    from journal.home import open_home

    try:
        done = building.update(open_home(settings.home), lambda: embedding.open_embedder(settings), told=tell)
    except IndexUnusable as error:
        return None, f"{error}; {error.hint}" if error.hint else str(error)
    return done._asdict(), ""
