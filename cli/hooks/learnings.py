"""The learnings that a new session is told, behind what the sessions before it left and within the same budget."""

import os

from journal.moments import seconds_of, written
from projections import learned, restore
from projections.restore import Card, Handoff, Limits, Present, Restored

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

MOST = 6
SHARE = 0.25
"""At most this part of a restore's budget goes to learnings, as long as there is anything else to tell."""
NEWEST = 300
LOOKED_AT_CHARS = 2000


def composed(handoff: Handoff | None, cards: list[Card], present: Present, limits: Limits, views: "sqlite3.Connection", tokens: int) -> Restored:
    """Return a restore with the learnings that matter behind it; together they keep the limits."""
    chosen = _chosen(views, handoff, cards, present)
    if not chosen:
        return restore.compose(handoff, cards, present, limits)
    from projections import learned_text

    doubts = {one.learning.learning_id: doubt(views, one.learning, one.learning.root or present.project) for one in chosen}
    lines = learned_text.told(chosen, present.now, doubts)
    room = min(tokens, int(limits.tokens * SHARE) if handoff or cards else limits.tokens)
    text, count = learned_text.fenced(lines, room, int(limits.chars * SHARE) if handoff or cards else limits.chars)
    used = restore.tokens_of(text) + 1
    rest = Limits(limits.tokens - used, limits.chars - len(text) - 2, limits.stale_after_s, limits.withhold_after_s, limits.card)
    restored = restore.compose(handoff, cards, present, rest)
    if count:
        restored.text = f"{restored.text}\n\n{text}" if restored.text else text
        restored.learnings = [one.learning.learning_id for one in chosen[:count]]
    return restored


def _chosen(views: "sqlite3.Connection", handoff: Handoff | None, cards: list[Card], present: Present) -> list[learned.Found]:
    import _sqlite3

    moment = written(present.now)
    last = [text for card in cards[:1] for kind, text in card.parts if kind in ("prompt", "open", "todo", "file")]
    context = " ".join([handoff.text[:LOOKED_AT_CHARS] if handoff else "", *last])[: 2 * LOOKED_AT_CHARS]
    try:
        every = learned.read(views, present.project, moment, limit=NEWEST)
        found = [learned.Found(one, 0.0) for one in learned.mattering(every, context, present.now, most=MOST)]
        return learned.with_conflicts(views, found, moment)
    except _sqlite3.Error:  # views of another version, or damaged ones: nothing is known
        return []


def doubt(views: "sqlite3.Connection", learning: learned.Learning, root: str) -> str:
    """Return what speaks against a learning by the times of the files that it names below *root*: a look at each, no reading."""
    known = seconds_of(learning.known_at)
    rows = views.execute("SELECT DISTINCT path FROM learning_anchors WHERE learning_id = ? AND kind IN ('file', 'range', 'symbol') LIMIT 8",
                         (learning.learning_id,)).fetchall()  # fmt: skip
    for (path,) in rows:
        try:
            status = os.stat(os.path.join(root, path))
        except OSError:
            return f"{path} is gone"
        if known is not None and status.st_mtime > known + 1:
            return f"{path} changed since"
    return ""
