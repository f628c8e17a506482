"""The command `usage`: tokens and costs by hour, day, week, month, session, model, project or host."""

import argparse
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from cli.layout import is_wider
from cli.projects import project_asked
from cli.render import print_csv, print_json, print_table, print_text, say, terminal_width
from cli.wiring import read_views
from journal import catalog, zones
from journal.errors import SettingInvalid
from journal.prices import CHECKED
from journal.settings import Settings
from projections.usage_report import FIGURES, TIMES, Span, Sum, extent, owners, sums

UNKNOWN = "unknown"
NAMES = ("key", "model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens",
         "total_tokens", "responses", "estimated_responses", "cost_usd", "cost_at_least_usd", "unpriced")  # fmt: skip
COUNTED = NAMES[2:11]
LONGEST_TITLE = 40
KEYS = {"session": "session_id", "model": "coalesce(model, 'unknown')", "project": "session_id", "host": "session_id"}
LONGER: dict[str, Callable[[str], str]] = {"week": lambda day: "{}-W{:02d}".format(*date.fromisoformat(day).isocalendar()), "month": lambda day: day[:7]}
"""What a day belongs to: a week of ISO 8601, from Monday on, or a month."""
SPARE = ("reasoning_tokens", "responses", "cache_write_1h_tokens", "cache_write_tokens", "cache_read_tokens")
"""What a table leaves out where a terminal is too narrow, in this order."""
CENT_PARTS = 6
"""Decimals of US dollars in JSON and CSV: a token of the cheapest model costs a hundredth of a millionth."""


class Asked(NamedTuple):
    """The zone and the span that a command was asked for."""

    zone: zones.Zone
    span: Span


def asked_span(asked: argparse.Namespace, views: sqlite3.Connection | None = None) -> Asked:
    """Return the zone and the span of --timezone, --since and --until, and with *views* of --project.

    Raises: SettingInvalid, NotFound, Ambiguous.
    """
    zone, now_s = zones.zone(asked.timezone, os.environ), int(time.time())
    ends: list[str | None] = []
    for option, end in (("since", False), ("until", True)):
        word = getattr(asked, option)
        try:
            ends.append(None if word is None else zones.moment_of(word, zone, now_s, end=end))
        except ValueError as error:
            raise SettingInvalid(f"--{option} {word}: no point in time", hint="write it like 2026-11-30, 2026-11-30T21:16, today, 24h, 7d") from error
    return Asked(zone, Span(ends[0], ends[1], project_asked(views, asked.project) if views is not None else None))


def usage(settings: Settings, asked: argparse.Namespace) -> int:
    """Report tokens and what they cost at list prices."""
    if asked.json and asked.csv:
        raise SettingInvalid("--json and --csv exclude each other", hint="journal usage --json")
    if asked.plot:
        from cli.plot import check

        check(asked.plot)
    views = read_views(settings)
    when = asked_span(asked, views)
    path = catalog.cache_path(os.environ)
    models, wrong = catalog.load(settings.prices, path)
    if wrong:
        say(f"warning: {wrong}; built-in prices are used; run: journal catalog refresh")
    rows = _rows(_sums(views, asked.by, when, models), models)
    totals = _totals(rows)
    if asked.plot:
        from cli.plot import draw

        draw(asked.plot, asked.by, rows)
        say(f"drawn: {asked.plot}")
    if asked.json:
        print_json({"by": asked.by, "timezone": when.zone.name, "since": when.span.since, "until": when.span.until, "project": when.span.project,
                    "rows": rows, "totals": totals,
                    "prices": {"built_in": CHECKED, "in_force": sorted({model.source for model in models.values()})}})  # fmt: skip
    elif asked.csv:
        print_csv(NAMES, [[" ".join(value) if isinstance(value, list) else value for value in row.values()] for row in rows])
    else:
        _show(asked.by, rows, totals, dict(views.execute("SELECT session_id, title FROM sessions")) if asked.by == "session" else {})
    return 0


def _sums(views: sqlite3.Connection, by: str, when: Asked, models: catalog.Catalog) -> Iterable[Sum]:
    """Return the sums by the key asked for; what SQL can only sum by session is renamed to whom the session counts for."""
    thresholds = {model.long_from for model in models.values() if model.long_from}
    key = KEYS.get(by)
    if key is None:
        known = zones.offsets(when.zone, *extent(views))
        key = zones.hour_sql("occurred_at", known) if by == "hour" else zones.day_sql("occurred_at", known)
    found = sums(views, key, span=when.span, thresholds=sorted(thresholds))
    if by in LONGER:
        return (one._replace(key=LONGER[by](one.key) if one.key else None) for one in found)
    if key != "session_id":
        return found
    whom = owners(views)
    return [one._replace(key=getattr(whom[one.key], by) if one.key in whom else None) for one in found]


def _rows(found: Iterable[Sum], models: catalog.Catalog) -> list[dict[str, Any]]:
    """Return one row for each key and model, with its cost where all that was used has a price."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    priced: dict[str | None, catalog.Model | None] = {}
    for one in found:
        key, name = one.key or UNKNOWN, one.model or UNKNOWN
        row = rows.setdefault((key, name), {"key": key, "model": name, **dict.fromkeys(COUNTED, 0), "cost_usd": None, "cost_at_least_usd": 0.0, "unpriced": []})
        for figure in FIGURES:
            row[figure] += getattr(one, figure)
        row["total_tokens"] += one.input_tokens + one.output_tokens + one.cache_read_tokens + one.cache_write_tokens
        row["responses"] += one.responses
        row["estimated_responses"] += one.estimated
        if one.model not in priced:
            priced[one.model] = catalog.find(models, one.model)
        dollars, missing = _cost(one, priced[one.model])
        row["cost_at_least_usd"] += dollars
        row["unpriced"] = [kind for kind in catalog.KINDS if kind in missing or kind in row["unpriced"]]
    for row in rows.values():
        _close(row)
    return [rows[pair] for pair in sorted(rows)]


def _cost(one: Sum, model: catalog.Model | None) -> tuple[float, tuple[str, ...]]:
    """Return what a sum costs, and the kinds of its tokens that have no price."""
    rates = catalog.Rates()
    if model is not None:
        is_long = model.long_from is not None and model.long_rates is not None and model.long_from <= one.longer_than
        rates = model.long_rates if is_long and model.long_rates is not None else model.rates
    return catalog.cost(rates, {
        "input": one.input_tokens, "output": one.output_tokens, "cache_read": one.cache_read_tokens,
        "cache_write": one.cache_write_tokens - one.cache_write_1h_tokens, "cache_write_1h": one.cache_write_1h_tokens,
    })  # fmt: skip


def _close(row: dict[str, Any]) -> None:
    """Round a row's cost; an unknown part makes the whole unknown and leaves what it costs at least."""
    row["cost_at_least_usd"] = round(row["cost_at_least_usd"], CENT_PARTS)
    row["cost_usd"] = None if row["unpriced"] else row["cost_at_least_usd"]


def _totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    totals: dict[str, Any] = {name: sum(row[name] for row in rows) for name in COUNTED}
    totals["cost_usd"] = None
    totals["cost_at_least_usd"] = sum(row["cost_at_least_usd"] for row in rows)
    totals["unpriced"] = [kind for kind in catalog.KINDS if any(kind in row["unpriced"] for row in rows)]
    _close(totals)
    return totals


def _show(by: str, rows: list[dict[str, Any]], totals: dict[str, Any], titles: Mapping[str, str | None]) -> None:
    """Print a table with its totals and what has no price, and on a terminal a chart; what does not follow in time begins with the most."""
    if not rows:
        say("no tokens were used; try another --since and --until, or run: journal ingest")
        return
    shown = [name for name in COUNTED if name != "estimated_responses" and (totals[name] or name in {"input_tokens", "output_tokens"})]
    total = [*(rows if by in TIMES else _largest_first(rows)), {"key": "total", "model": "", **totals}]
    first = {"model": 1, "session": 3}.get(by, 2)
    heads, lines = _table(by, total, shown, "{:,}".format, titles)
    width = terminal_width()
    spare, is_rounded = [name for name in SPARE if name in shown], is_wider(heads, lines, width)
    if is_rounded:
        from cli.chart import short

        heads, lines = _table(by, total, shown, short, titles)
        while spare and is_wider(heads, lines, width):
            shown.remove(spare.pop(0))
            heads, lines = _table(by, total, shown, short, titles)
    print_table(heads, lines, right_from=first)
    if is_rounded:
        without = "".join(f", without {_head(name)}" for name in SPARE if totals[name] and name not in shown)
        say(f"rounded{without} to fit; whole: --csv")
    for model in sorted({row["model"] for row in rows if row["unpriced"]}):
        kinds = {kind for row in rows if row["model"] == model for kind in row["unpriced"]}
        say(f"no price of {', '.join(kind for kind in catalog.KINDS if kind in kinds)} is known for {model}; "
            f'run: journal catalog refresh, or give it in config.toml: [prices."{model}"]')  # fmt: skip
    if totals["estimated_responses"]:
        say("~ holds responses whose tokens the host did not report; they are estimates")
    if width is not None:
        from cli.chart import chart

        print_text("\n".join(["", *chart(by, rows)]))


def _largest_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows by the tokens of their keys, the rows of one key together."""
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["key"]] = totals.get(row["key"], 0) + row["total_tokens"]
    return sorted(rows, key=lambda row: (-totals[row["key"]], row["key"], -row["total_tokens"], row["model"]))


def _table(by: str, rows: list[dict[str, Any]], shown: Sequence[str], figure: Callable[[int], str],
           titles: Mapping[str, str | None]) -> tuple[list[str], list[list[str]]]:  # fmt: skip
    """Return the heads and the lines of the table, with what is *shown* written by *figure*."""
    lines = []
    for row in rows:
        title = [(titles.get(row["key"]) or "")[:LONGEST_TITLE]] if by == "session" else []
        names = [row["key"]] if by == "model" else [row["key"], *title, row["model"]]
        estimated = "~" if row["estimated_responses"] else ""
        lines.append([*names, *(estimated + figure(row[name]) for name in shown), cost_text(row)])
    return [*(() if by == "model" else ("session", "title") if by == "session" else (by,)), "model", *(_head(name) for name in shown), "cost USD"], lines


def cost_text(row: dict[str, Any]) -> str:
    """Return a cost for people: `?` where nothing is known, `≥` before what is known in part."""
    if row["cost_usd"] is not None:
        return f"{row['cost_usd']:,.2f}"
    return f"≥{row['cost_at_least_usd']:,.2f}" if row["cost_at_least_usd"] else "?"


def _head(name: str) -> str:
    return name.removesuffix("_tokens").replace("_1h", " 1h").replace("_", " ")
