"""Commands that read learnings: recall and learnings."""

import argparse
import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import now, read_views
from journal.settings import Settings

if TYPE_CHECKING:
    from projections.learned import Learning

WORST = ("gone", "changed", "moved", "ok", "verified")
NO_LIMIT = 1 << 40


def recall(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell the learnings that fit, those that contradict each other together."""
    from projections import learned, learned_text

    moment = now()
    with contextlib.closing(read_views(settings)) as views:
        found = learned.recall(views, " ".join(asked.query), None if asked.all else here(), moment, limit=asked.limit)
        drifts = {one.learning.learning_id: drift_of(views, one.learning) for one in found}
    if asked.json:
        print_json({"mode": "lexical", "learnings": [
            {**_row(one.learning, moment), "score": round(one.score, 4), "drift": drifts[one.learning.learning_id][0],
             "conflicts": [{"learning_id": name, "why": why} for name, why in one.conflicts]} for one in found]})  # fmt: skip
        return 0
    if not found:
        say("nothing was learned about that" + ("" if asked.all else " here; try --all, or: journal search"))
        return 0
    lines = learned_text.told(found, time.time(), {name: why for name, (_, why) in drifts.items()})
    print_text(learned_text.fenced(lines, NO_LIMIT, NO_LIMIT)[0])
    return 0


def listing(settings: Settings, asked: argparse.Namespace) -> int:
    """List learnings, newest first, with what became of them."""
    from projections import learned

    moment = now()
    with contextlib.closing(read_views(settings)) as views:
        every = [one for one in learned.read(views, None if asked.all else here(), moment, everything=asked.everything)
                 if asked.kind in (None, one.kind)]  # fmt: skip
        found = every[: asked.limit]
        drifts = {one.learning_id: drift_of(views, one) for one in found}
        against = {one.learning_id: [other.learning_id for other, _ in learned.conflicts(views, one.text, one.root, moment, but=one.learning_id)]
                   for one in found if one.state(moment) == "live"}  # fmt: skip
    if asked.json:
        print_json({"learnings": [{**_row(one, moment), "drift": drifts[one.learning_id][0], "conflicts": against.get(one.learning_id, []),
                                   "superseded_by": one.superseded_by, "retired_at": one.retired_at, "reason": one.reason} for one in found],
                    "total": len(every)})  # fmt: skip
        return 0
    if not found:
        say("nothing was learned here yet; put something down: journal learn TEXT, or look at all: journal learnings --all --everything")
        return 0
    print_table(("learning", "learned", "kind", "state", "drift", "text"), [
        (one.learning_id, (one.learned_at or "")[:10], one.kind, one.state(moment) + (", in conflict" if against.get(one.learning_id) else ""),
         drifts[one.learning_id][0] or "", one.text) for one in found], prose=True)  # fmt: skip
    if len(every) > len(found):
        say(f"{len(found)} of {len(every)} shown; more: --limit {len(every)}")
    return 0


def here() -> str:
    """Return the folder that learnings of this project are known by."""
    from ingest import checkout

    folder = os.path.realpath(os.getcwd())
    place = checkout.find(folder)
    return place.repository if place else folder


def drift_of(views: sqlite3.Connection, learning: "Learning") -> tuple[str | None, str]:
    """Return what became of the places that a learning names: the worst status of them, and in words what to take care of.

    None where it names no place, or none that can be looked at now.
    """
    from cli.handoffs.reading import seen
    from cli.handoffs.rows import anchor_of
    from ingest import checkout
    from projections.drift import LOST, judge_all

    rows = views.execute("SELECT '', locator, kind, path, start, end, symbol, reason, shape FROM learning_anchors WHERE learning_id = ? ORDER BY number",
                         (learning.learning_id,)).fetchall()  # fmt: skip
    if not rows:
        return None, ""
    anchors = [anchor_of(row) for row in rows]
    place = checkout.find(os.getcwd())
    own = place if place and place.repository == learning.root else None
    judged = [one for one in judge_all(anchors, seen(learning.root, learning.head, anchors, own).world) if one.status in WORST]
    if not judged:
        return None, ""
    worst = min(judged, key=lambda one: WORST.index(one.status))
    told = [f"{one.anchor.locator}: {one.why}" for one in judged if one.status in LOST or one.status == "moved"]
    return worst.status, "; ".join(told)


def _row(learning: "Learning", moment: str) -> dict[str, Any]:
    return {"learning_id": learning.learning_id, "kind": learning.kind, "scope": learning.scope, "text": learning.text, "session_id": learning.session_id,
            "learned_at": learning.learned_at, "confirmed_at": learning.confirmed_at, "expires_at": learning.expires_at, "state": learning.state(moment),
            "root": learning.root}  # fmt: skip
