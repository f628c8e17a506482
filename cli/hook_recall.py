"""What a prompt brings back: learnings and past fixes by words, from the views alone; silence wherever it is not sure.

Nothing heavy is imported: SQLite's own index finds the candidates, and a comparison of words decides (projections/likeness.py).
"""

import os

from cli.hook_call import Call
from projections import learned, likeness

MOST = 3
SHORTEST_PROMPT = 8


def recalled(call: Call) -> str:
    """Return what to tell of the prompt, fenced; the empty text where nothing is sure to fit or all was told before."""
    prompt = (call.payload.prompt or "").strip()
    if not call.settings.recall or call.views.connection is None or not call.can_write or call.role not in call.facts.context_roles:
        return ""
    if len(prompt.encode("utf-8", "replace")) < SHORTEST_PROMPT or prompt.startswith("/"):
        return ""
    before = told(call.lines)
    found = [one for one in _found(call, prompt) if one.learning.learning_id not in before][:MOST]
    if not found:
        return _fixed(call, prompt, before)
    from cli.hook_learnings import doubt
    from projections import learned_text

    views, place = call.views.connection, call.place
    roots = {place.repository: place.root} if place else {}
    doubts = {one.learning.learning_id: doubt(views, one.learning, roots.get(one.learning.root, one.learning.root) or "/") for one in found}
    text, count = learned_text.fenced(learned_text.told(found, call.now, doubts), call.settings.recall_tokens, call.facts.inject_cap)
    if not count or not claimed(call, [one.learning.learning_id for one in found[:count]]):
        return ""
    return text


def _fixed(call: Call, prompt: str, before: set[str]) -> str:
    """Return the past fix of the error in a prompt, fenced, where no learning says anything."""
    import _sqlite3

    from projections import fixed

    views = call.views.connection
    try:
        found = fixed.best(views, prompt, _project(call)) if views else None
    except _sqlite3.Error:  # as below
        return ""
    if found is None or found.name in before:
        return ""
    from projections import learned_text

    line = learned_text.fix_line(found, call.now)
    text, count = learned_text.fenced([line], call.settings.recall_tokens, call.facts.inject_cap)
    return text if count and claimed(call, [found.name]) else ""


def told(lines: list[dict[str, object]]) -> set[str]:
    """Return the learnings that stand in this session's context already; a compaction or a clear takes them away."""
    found: set[str] = set()
    for line in lines:
        if line.get("source") in ("compact", "clear") or line.get("kind") == "compacted":
            found.clear()
        names = line.get("learnings")
        if isinstance(names, list):
            found.update(str(name) for name in names)
    return found


def claimed(call: Call, names: list[str]) -> bool:
    """Write down what is about to be told; False where another hook of the same prompt was first (a host may call two of ours)."""
    nonce = call.announce("recall", learnings=names)
    mine = next((number for number, line in enumerate(call.lines) if line.get("nonce") == nonce), len(call.lines))
    return not told(call.lines[:mine]) & set(names)


def _found(call: Call, prompt: str) -> list[learned.Found]:
    import _sqlite3

    if call.views.connection is None:
        return []
    try:
        return learned.recall(call.views.connection, prompt, _project(call), call.at, limit=MOST, threshold=likeness.THRESHOLD, telling=True)
    except _sqlite3.Error:  # views of another version, or damaged ones: nothing is known
        return []


def _project(call: Call) -> str:
    return call.place.repository if call.place else os.path.realpath(call.payload.cwd or "/")
