"""Commands that read handoffs: load, list, show, diff and score."""

import argparse
import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from cli import tokens
from cli.handoffs import lines
from cli.handoffs import rows as handoff_rows
from cli.handoffs.rows import COLUMNS, LISTED, chosen
from cli.render import print_json, print_table, print_text, say
from cli.wiring import read_views
from journal.settings import Settings
from projections.handoff_bundles import IS_REMOVED, IS_REPLACED
from projections.restore import neutral

if TYPE_CHECKING:
    from ingest.checkout import Checkout
    from projections.drift import Anchor

MOST_CALLS = 3
"""So many processes of git a load takes at most."""
SHOWN = 5
"""So many lines of each section are told without --deep."""


def load(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what a handoff says, what became of its evidence, and what to look at first."""
    from projections import handoff_report

    with contextlib.closing(read_views(settings)) as views:
        place = handoff_rows.here()
        bundle = chosen(views, asked.query, place, foreign=True)
        rows = handoff_rows.statements(views, bundle["handoff_id"])
        anchors = handoff_rows.anchors(views, bundle["handoff_id"])
        is_own = handoff_rows.is_own(views, bundle, place)
    counter = tokens.counter(settings.home, dict(os.environ))
    seen = _seen(bundle, anchors, place if is_own else None)._replace(count=counter.count, method=counter.method)
    report = handoff_report.of(bundle, rows, anchors, seen, is_own=is_own, shown=1 << 30 if asked.deep else SHOWN)
    lines.remark(settings, bundle["session_id"], {
        "type": "journal.handoff_loaded", "session_id": bundle["session_id"], "handoff_id": bundle["handoff_id"],
        "tokens": report.answer["tokens"]["resume"], "source_tokens": report.answer["tokens"]["sources"],
    })  # fmt: skip
    if asked.json:
        print_json(report.answer)
    else:
        print_text(report.text)
    return 0


def listing(settings: Settings, asked: argparse.Namespace) -> int:
    """List handoffs, newest first."""
    with contextlib.closing(read_views(settings)) as views:
        where, values = ("1", ()) if asked.all else handoff_rows.scope(views, handoff_rows.here())
        where = where if asked.all else f"{where} AND {LISTED}"
        state = f"CASE WHEN {IS_REMOVED} THEN 'deleted' WHEN {IS_REPLACED} THEN 'replaced' ELSE 'listed' END"
        rows = views.execute(f"SELECT {', '.join(COLUMNS)}, {state} FROM handoff_bundles WHERE {where} ORDER BY saved_at DESC, handoff_id LIMIT ?",
                             (*values, asked.limit)).fetchall()  # fmt: skip
        total = views.execute(f"SELECT count(*) FROM handoff_bundles WHERE {where}", values).fetchone()[0]
    found = [handoff_rows.bundle_of(row[:-1]) | {"state": row[-1]} for row in rows]
    if asked.json:
        names = ("handoff_id", "title", "root", "branch", "saved_at", "session_id", "rating", "score", "tags", "replaces", "chain_id", "state")
        print_json({"handoffs": [{name: one[name] for name in names} for one in found], "total": total})
        return 0
    print_table(("handoff", "saved", "quality", "branch", "title"),
                [(one["handoff_id"], (one["saved_at"] or "")[:16].replace("T", " "), one["rating"], one["branch"], neutral(one["title"]))
                 for one in found])  # fmt: skip
    if total > len(found):
        say(f"{len(found)} of {total} shown; more: --limit {total}")
    if not found:
        say("no handoffs here; save one: journal handoff save --notes FILE, or try: journal handoff list --all")
    return 0


def show(settings: Settings, asked: argparse.Namespace) -> int:
    """Print a handoff as it was saved."""
    with contextlib.closing(read_views(settings)) as views:
        bundle = chosen(views, asked.query, handoff_rows.here(), foreign=True)
        statements = handoff_rows.statements(views, bundle["handoff_id"])
        anchors = handoff_rows.anchors(views, bundle["handoff_id"])
        origins, lineage = handoff_rows.origins(views, bundle["handoff_id"]), handoff_rows.lineage(views, bundle["handoff_id"])
    told = [{"id": name, "kind": kind, "text": text, "details": details, "origin": origins.get(name),
             "anchors": [{"locator": one.locator, "kind": one.kind, "reason": one.reason} for one in anchors if one.statement_id == name]}
            for name, kind, text, details in statements]  # fmt: skip
    if asked.json:
        print_json({**bundle, **lineage, "statements": told})
        return 0
    from projections import handoff_report

    print_text(handoff_report.as_saved(bundle, told))
    return 0


def diff(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell which statements of the second handoff are new, kept or gone against the first, and which questions it answers."""
    from projections import handoff_report

    with contextlib.closing(read_views(settings)) as views:
        place = handoff_rows.here()
        before, after = (chosen(views, name, place, foreign=True) for name in (asked.before, asked.after))
        old, new = (handoff_rows.statements(views, one["handoff_id"]) for one in (before, after))
        old_places, new_places = (handoff_rows.anchors(views, one["handoff_id"]) for one in (before, after))
    answer = handoff_report.compared(old, new, old_places, new_places)
    if asked.json:
        print_json({"before": before["handoff_id"], "after": after["handoff_id"], **answer})
        return 0
    print_text(handoff_report.as_difference(answer))
    return 0


def score(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the quality of a handoff, and what to fix first."""
    with contextlib.closing(read_views(settings)) as views:
        bundle = chosen(views, asked.query, handoff_rows.here(), foreign=True)
    if asked.json:
        print_json({"handoff_id": bundle["handoff_id"], "title": bundle["title"], "quality": bundle["rating"], "score": bundle["score"],
                    "dimensions": bundle["dimensions"], "warnings": bundle["warnings"]})  # fmt: skip
        return 0
    print_text(f"{bundle['handoff_id']}: {bundle['rating']} ({bundle['score']:.2f})")
    print_table(("dimension", "value"), list(bundle["dimensions"].items()))
    for warning in bundle["warnings"]:
        print_text(f"- {warning}")
    return 0


def _seen(bundle: dict[str, Any], anchors: "list[Anchor]", place: "Checkout | None") -> Any:
    """Return what the checkout shows now of a handoff."""
    return seen(bundle["root"], bundle["head"], anchors, place)


def _likely_first(paths: list[str], anchors: "list[Anchor]") -> list[str]:
    """Return files in the order in which lines that moved are looked for: those whose name or kind is that of an anchor's file first."""
    names, kinds = {os.path.basename(one.path) for one in anchors}, {os.path.splitext(one.path)[1] for one in anchors}
    return sorted(paths, key=lambda path: (os.path.basename(path) not in names, os.path.splitext(path)[1] not in kinds))


def seen(root: str | None, head: str | None, anchors: "list[Anchor]", place: "Checkout | None") -> Any:
    """Return what the checkout shows now: files, and git's view since the commit *head*, by at most three processes."""
    from ingest import checkout, test_results
    from ingest.anchoring import Files, Git, symbol_line
    from projections.drift import LOST, World, judge_all
    from projections.handoff_report import UNCOUNTED, Seen

    root = place.root if place else root
    is_here = bool(root) and os.path.isdir(root or "")
    here = place or (checkout.find(root or "") if is_here else None)
    files = Files(here.root if here else root or "/")
    world = World(files.lines, files.is_folder, symbol_line, is_here, None, {}, ())
    facts = {"tests": test_results.read(here.root if here else root or "")} if is_here else None
    if here is None:
        return Seen(world, None, None, None, time.time(), facts)
    git = Git(here.root)
    commits = git.commits(sorted({one.path for one in anchors if one.kind == "commit"}))
    changes = git.changes(head) if head else None
    world = world._replace(commits=commits, renamed=changes.renamed if changes else {}, changed=_likely_first(changes.changed if changes else [], anchors))
    if git.calls < MOST_CALLS and any(one.status in LOST for one in judge_all(anchors, world)):
        world = world._replace(untracked=_likely_first(git.untracked(), anchors))
    distance = None if changes is None else (0, 0) if head == here.head else git.distance(head or "") if git.calls < MOST_CALLS else UNCOUNTED
    return Seen(world, here.branch, here.head, distance, time.time(), facts)
