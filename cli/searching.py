"""The command `search`: by words, by meaning where there is an index, or both; nothing heavy is imported where it is by words."""

import argparse
import os
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from cli.projects import project_asked
from cli.reading import short
from cli.render import print_json, print_table, say
from cli.wiring import current_project, read_views
from journal.errors import SettingInvalid
from journal.home import Home
from journal.settings import Settings
from projections.fusion import is_code
from projections.search_filters import Filters

WARM_S = 3.0
"""So long a running `journal watch` may take; the first question of all loads its model."""
INDEX_FILE = "vectors.faiss"
KEYS = ("session_id", "host", "project", "role", "occurred_at", "snippet", "global_position", "score", "by", "similarity")
SHOWN = {("words",): "", ("meaning",): " ~"}
"""What stands behind a hit that was found by its meaning alone."""


def search(settings: Settings, asked: argparse.Namespace) -> int:
    """Find prompts, answers, tool inputs and errors, by their words and by their meaning."""
    views, query = read_views(settings), " ".join(asked.query)
    filters = filters_of(views, asked)
    wanted = asked.mode or "hybrid"
    hits, mode, why, coverage = _by_meaning(settings, views, query, filters, asked) if wanted != "lexical" else (None, "lexical", "", None)
    if hits is None:
        hits = by_words(views, query, filters, asked.limit)
    if asked.reveal:
        revealed = _revealing(settings, query)
        for hit in hits:
            if hit["global_position"] is not None:
                hit["snippet"] = revealed(hit["global_position"], hit["record_id"]) or hit["snippet"]
    hits = [{key: hit[key] for key in KEYS} for hit in hits]
    if asked.json:
        print_json({"hits": hits, "mode": mode, "why": why, "coverage": coverage}, reveal=asked.reveal)
        return 0
    for found in hits:
        when, place = (found["occurred_at"] or "")[:16].replace("T", " "), "" if found["global_position"] is None else f" [{found['global_position']}]"
        head = f"{short(found['session_id'])} {found['host']} {found['role']} {when}{place}{SHOWN.get(tuple(found['by']), '')}"
        print_table((head,), [("  " + found["snippet"],)], reveal=asked.reveal)
    if not hits:
        say("nothing found" if filters.project is None else f"nothing found in {filters.project}; try --all")
    if why and (asked.mode or not hits):
        say(why if coverage is not None else f"searched by words only: {why}")
    if coverage is not None and coverage < 1:
        say(f"{coverage:.0%} of the texts have a vector so far; the rest was searched by words only; run: journal index update")
    return 0


def filters_of(views: sqlite3.Connection, asked: argparse.Namespace) -> Filters:
    """Return the filters that a command line asks for.

    Raises: SettingInvalid: a moment cannot be read. NotFound, Ambiguous: no or several projects are called so.
    """
    from journal import zones

    project = project_asked(views, asked.project) if asked.project else None if asked.all else current_project(views)
    since = None
    if asked.since:
        try:
            since = zones.moment_of(asked.since, zones.zone(None, os.environ), int(time.time()))
        except ValueError as error:
            raise SettingInvalid(f"--since {asked.since}: no point in time", hint="write it like 2026-11-30, 2026-11-30T21:16, today, 24h, 7d") from error
    return Filters(project=project, host=asked.host, since=since, path=asked.file, tool=asked.tool)


def _by_meaning(settings: Settings, views: sqlite3.Connection, query: str, filters: Filters,
                asked: argparse.Namespace) -> tuple[list[dict[str, Any]] | None, str, str, float | None]:  # fmt: skip
    """Return the hits, the mode that ran, why, and the share of texts with a vector; no hits where it must be by words."""
    if not os.path.exists(os.path.join(Home(settings.home).index, INDEX_FILE)):
        return None, "lexical", "there is no index yet; run: journal index update", None
    if asked.mode is None and is_code(query) and (hits := by_words(views, query, filters, asked.limit)):
        return hits, "lexical", "every word is written as code is, and all were found", None
    from cli.index import warm

    mode = asked.mode or "hybrid"
    request = {"ask": "search", "query": query, "filters": filters._asdict(), "mode": mode, "limit": asked.limit, "index": list(settings.index_settings)}
    if answer := warm.ask(Home(settings.home), request, WARM_S):
        return answer["hits"], mode, answer["why"], answer["coverage"]
    from cli.index.searching import find

    found = find(settings, views, query, filters, mode=mode, limit=asked.limit)
    return found.hits, mode if found.hits is not None else "lexical", found.why, found.coverage


def by_words(views: sqlite3.Connection, query: str, filters: Filters, limit: int) -> list[dict[str, Any]]:
    """Return the places where all words of the query stand."""
    from projections.search import search as find

    hits = []
    for hit in find(views, query, filters=filters, limit=limit):
        row = views.execute(
            "SELECT role, global_position FROM messages WHERE session_id = ?1 AND record_id = ?2 UNION ALL"
            " SELECT 'tool', global_position FROM tool_calls WHERE session_id = ?1 AND record_id = ?2 LIMIT 1",
            (hit.session_id, hit.record_id),
        ).fetchone()
        role, position = row or (None, None)
        hits.append({"session_id": hit.session_id, "host": hit.host, "project": hit.project, "role": "tool" if hit.kind == "tool" else role,
                     "occurred_at": hit.occurred_at, "snippet": hit.snippet, "global_position": position, "score": round(hit.score, 4),
                     "record_id": hit.record_id, "by": ["words"], "similarity": None})  # fmt: skip
    return hits


def _revealing(settings: Settings, query: str) -> Callable[[int, str], str | None]:
    """Return a function that cuts the snippet of a hit from the log's own record, with the secrets that the views leave out."""
    from cli.wiring import decoders
    from journal.database import open_log
    from journal.home import Home
    from projections.records import Records
    from projections.search import needles_of, snippet

    records = Records(open_log(Home(settings.home).journal_db, writable=False), decoders()[0])

    def cut(position: int, record_id: str) -> str | None:
        for where, event in records.events(position):
            text = getattr(event, "text", None) or getattr(event, "input_text", None)
            if where.record_id == record_id and isinstance(text, str) and any(needle in text.casefold() for needle in needles_of(query)):
                return snippet(text, needles_of(query))
        return None

    return cut
