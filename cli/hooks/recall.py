"""What a prompt brings back: learnings and past fixes; silence wherever it is not sure.

By words, from the views alone: SQLite's own index finds the candidates, and a comparison of words decides (projections/likeness.py). A running
`journal watch` with a model loaded is asked besides, for some tens of milliseconds, what the prompt means; what it names is looked up in the views, so that
nobody behind the socket can put a word into the conversation. Nothing heavy is imported.
"""

import os

from cli.hooks.call import Call

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    from projections import learned

MOST = 3
SHORTEST_PROMPT = 8
WATCH_S = 0.08
"""So long the watcher may take; an answer takes 5 to 30 ms."""
ASKED_CHARS = 2000
NAMED = 12
"""So many names out of an answer are looked up."""
ANYTHING = "SELECT 1 WHERE EXISTS (SELECT 1 FROM learnings) OR EXISTS (SELECT 1 FROM fixes)"
"""Where nothing was ever learned or fixed, what compares words is not even imported."""


def recalled(call: Call) -> str:
    """Return what to tell of the prompt, fenced; the empty text where nothing is sure to fit or all was told before."""
    prompt = (call.payload.prompt or "").strip()
    if not call.settings.recall or call.views.connection is None or not call.can_write or call.role not in call.facts.context_roles:
        return ""
    if len(prompt.encode("utf-8", "replace")) < SHORTEST_PROMPT or prompt.startswith("/") or not call.views.rows(ANYTHING):
        return ""
    before = told(call.lines, resume_drops_start=call.facts.resume_drops_start)
    found = [one for one in _found(call, prompt) if one.learning.learning_id not in before][:MOST]
    if not found:
        return _fixed(call, prompt, before)
    from cli.hooks.learnings import doubt
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
        found = fixed.best(views, prompt, project_of(call)) if views else None
    except _sqlite3.Error:  # as below
        return ""
    if found is None or found.name in before:
        return ""
    from projections import learned_text

    line = learned_text.fix_line(found, call.now)
    text, count = learned_text.fenced([line], call.settings.recall_tokens, call.facts.inject_cap)
    return text if count and claimed(call, [found.name]) else ""


def told(lines: list[dict[str, object]], *, resume_drops_start: bool = False) -> set[str]:
    """Return the learnings that stand in this session's context already; a compaction or a clear takes them away.

    Where a resume drops the prompt that a session start told something with, it takes away what was told by then.
    """
    found: set[str] = set()
    early: set[str] = set()
    has_start, prompts = False, 0
    for line in lines:
        source, names = line.get("source"), line.get("learnings")
        if source in ("compact", "clear") or line.get("kind") == "compacted":
            found.clear()
        if source is not None:
            found -= early if source == "resume" and resume_drops_start else set()
            early, has_start, prompts = set(), False, 0
        has_start |= line.get("kind") == "restore"
        prompts += line.get("type") == "journal.context" and line.get("role") == "prompt"
        if isinstance(names, list):
            found.update(str(name) for name in names)
            if has_start and prompts <= 1:
                early.update(str(name) for name in names)
    return found


def claimed(call: Call, names: list[str]) -> bool:
    """Write down what is about to be told; False where another hook of the same prompt was first (a host may call two of ours)."""
    nonce = call.announce("recall", learnings=names)
    mine = next((number for number, line in enumerate(call.lines) if line.get("nonce") == nonce), len(call.lines))
    return not told(call.lines[:mine], resume_drops_start=call.facts.resume_drops_start) & set(names)


def _found(call: Call, prompt: str) -> "list[learned.Found]":
    import _sqlite3

    from projections import learned, likeness

    if call.views.connection is None:
        return []
    try:
        root = project_of(call)
        found = learned.recall(call.views.connection, prompt, root, call.at, limit=MOST, threshold=likeness.THRESHOLD, telling=True)
        return _weighed(call, prompt, root, found)
    except _sqlite3.Error:  # views of another version, or damaged ones: nothing is known
        return []


def _weighed(call: Call, prompt: str, root: str, found: "list[learned.Found]") -> "list[learned.Found]":
    """Return what was found by words without what means something else, and what means the same behind it, as far as a watcher can say."""
    from cli.index import warm
    from projections import learned, likeness

    views = call.views.connection
    if views is None or not (found or learned.is_any(views, root)):
        return found
    known = [one.learning.learning_id for one in found]
    answer = warm.ask(call.home, {"ask": "recall", "prompt": prompt[:ASKED_CHARS], "root": root, "by_words": known}, WATCH_S)
    near, unlike = (_names(answer, name) for name in ("near", "unlike"))
    sure = {one.learning.learning_id for one in found if one.score >= likeness.THRESHOLD and one.learning.learning_id not in unlike}
    stay = [one for one in found if one.learning.learning_id in sure or any(name in sure for name, _ in one.conflicts)]
    wanted = [name for name in near if name not in known][:NAMED] if len(stay) < MOST else []
    new = learned.holding(views, wanted, root, call.at)[: MOST - len(stay)] if wanted else []
    return stay + learned.with_conflicts(views, [learned.Found(one, 0.0) for one in new], call.at, among=new)


def _names(answer: "dict[str, object] | None", name: str) -> list[str]:
    """Return a list of ids out of an answer, which anybody may have written."""
    given = answer.get(name) if answer else None
    return [one for one in given if isinstance(one, str) and one.isascii()] if isinstance(given, list) else []


def project_of(call: Call) -> str:
    """Return the folder that learnings of this project are known by."""
    return call.place.repository if call.place else os.path.realpath(call.payload.cwd or "/")
