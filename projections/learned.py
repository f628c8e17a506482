"""Learnings as they are read: which hold now, which fit a query, which contradict each other. Any connection of SQLite serves."""

from journal.moments import DAY_S, seconds_of
from projections import likeness

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

KINDS = ("solution", "gotcha", "pattern", "decision", "preference")
WEIGHT_OF = {"preference": 0.3, "decision": 0.25, "gotcha": 0.2, "pattern": 0.15, "solution": 0.1}
"""What a kind is worth to a session that just begins: how the user wants it before how one problem was solved."""
LOOKED_AT = 40
"""So many rows of the index, the best by its own rank, are compared with the query."""
LOOKED_AT_TELLING = 16
"""And so many where a hook asks, which has milliseconds and tells three."""
# A repository is known by all the places that it was ever seen at: the same first commit and remote.
HERE = """(l.scope = 'global' OR l.root = :root OR l.root IN (SELECT b.root FROM project_observations AS a JOIN project_observations AS b
    ON b.root_commit = a.root_commit AND b.remote IS a.remote WHERE a.root = :root AND a.root_commit IS NOT NULL))"""
LIVE = """NOT EXISTS (SELECT 1 FROM learnings AS n WHERE n.replaces = l.learning_id)
AND NOT EXISTS (SELECT 1 FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired')
AND (l.expires_at IS NULL OR l.expires_at > :now)"""
COLUMNS = """l.learning_id, l.kind, l.scope, l.text, l.session_id, l.learned_at, l.expires_at, l.replaces, l.origin, l.root, l.branch, l.head,
(SELECT n.learning_id FROM learnings AS n WHERE n.replaces = l.learning_id ORDER BY n.learned_at DESC, n.learning_id LIMIT 1),
(SELECT max(v.said_at) FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired'),
(SELECT v.reason FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired' ORDER BY v.said_at DESC LIMIT 1),
(SELECT max(v.said_at) FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'confirmed')"""


class Learning:
    """A learning with what became of it."""

    __slots__ = ("branch", "confirmed_at", "expires_at", "head", "kind", "learned_at", "learning_id", "origin", "reason", "replaces", "retired_at", "root",
                 "scope", "session_id", "superseded_by", "text")  # fmt: skip

    def __init__(self, row: "Sequence[str]") -> None:
        (self.learning_id, self.kind, self.scope, self.text, self.session_id, self.learned_at, self.expires_at, self.replaces, self.origin, self.root,
         self.branch, self.head, self.superseded_by, self.retired_at, self.reason, self.confirmed_at) = row  # fmt: skip

    def state(self, now: str) -> str:
        """Return `live`, `superseded`, `retired` or `expired`, judged at the moment *now*."""
        if self.superseded_by:
            return "superseded"
        if self.retired_at:
            return "retired"
        return "expired" if self.expires_at and self.expires_at <= now else "live"

    @property
    def known_at(self) -> str:
        """When it was last said to hold."""
        return self.confirmed_at or self.learned_at or ""


class Found:
    """A learning that fits a query, and how well."""

    __slots__ = ("conflicts", "learning", "score")

    def __init__(self, learning: Learning, score: float) -> None:
        self.learning = learning
        self.score = score
        self.conflicts: list[tuple[str, str]] = []
        """(learning, why) of those that hold as well and contradict it."""


def recall(views: "sqlite3.Connection", query: str, root: str | None, now: str, *, limit: int, threshold: float = 0.0, telling: bool = False) -> list[Found]:
    """Return the learnings that hold and fit *query*, the best first, those that contradict one of them right behind it.

    Without a *root* those of all projects. With *telling* only what shares more than common words, and contradictions are looked
    for among what fits the query at all, which is enough to tell without being asked.
    """
    asked = likeness.terms_of(query)
    match = likeness.match_of(asked)
    if not match:
        return []
    found = []
    candidates = _indexed(views, match, root, now, LOOKED_AT_TELLING if telling else LOOKED_AT)
    for learning in candidates:
        told = likeness.terms_of(learning.text)
        score = likeness.likeness(asked, told)
        if score > 0 and score >= threshold and (not telling or likeness.is_telling(asked, told)):
            found.append(Found(learning, score))
    found.sort(key=lambda one: (-one.score, one.learning.learning_id))
    return with_conflicts(views, found[:limit], now, among=candidates if telling else None)


def with_conflicts(views: "sqlite3.Connection", found: "list[Found]", now: str, *, among: "list[Learning] | None" = None) -> "list[Found]":
    """Return the learnings, each with those that contradict it behind it, however little they fit the query themselves.

    Looked for in the index, or only *among* some.
    """
    ordered: dict[str, Found] = {}
    known = {one.learning.learning_id: one for one in found}
    words: dict[str, list[str]] = {}
    for one in found:
        ordered.setdefault(one.learning.learning_id, one)
        for other, why in conflicts(views, one.learning.text, one.learning.root, now, but=one.learning.learning_id, among=among, words=words):
            one.conflicts.append((other.learning_id, why))
            beside = ordered.get(other.learning_id) or known.get(other.learning_id) or Found(other, 0.0)
            if other.learning_id not in known:
                beside.conflicts.append((one.learning.learning_id, why))
            ordered.setdefault(other.learning_id, beside)
    return list(ordered.values())


def conflicts(
    views: "sqlite3.Connection", text: str, root: str | None, now: str, *, but: str = "", among: "list[Learning] | None" = None,
    words: dict[str, list[str]] | None = None,
) -> list[tuple[Learning, str]]:
    """Return the learnings that hold for the project and contradict *text*, with the reason; *words* as `likeness.contradict` keeps them."""
    near = _near(views, text, root, now, but) if among is None else [one for one in among if one.learning_id != but]
    return [(other, why) for other in near if (why := likeness.contradict(text, other.text, words))]


def duplicates(views: "sqlite3.Connection", text: str, root: str | None, now: str) -> list[tuple[Learning, float]]:
    """Return the learnings that hold for the project and say the same, 1.0 where word by word."""
    terms = likeness.terms_of(text)
    found = []
    for other in _near(views, text, root, now, ""):
        alike = 1.0 if likeness.is_same(text, other.text) else min(0.99, likeness.likeness(terms, likeness.terms_of(other.text)))
        if alike >= likeness.SAME and not likeness.contradict(text, other.text):
            found.append((other, alike))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].learning_id))


def read(views: "sqlite3.Connection", root: str | None, now: str, *, everything: bool = False, limit: int = -1) -> list[Learning]:
    """Return the learnings of a project and the global ones, the newest first; with *everything* those that hold no more, too."""
    where = f"{HERE if root is not None else '1'} AND {'1' if everything else LIVE}"
    query = f"SELECT {COLUMNS} FROM learnings AS l WHERE {where} ORDER BY l.learned_at DESC, l.learning_id LIMIT :limit"
    return [Learning(row) for row in views.execute(query, {"root": root, "now": now, "limit": limit})]


def is_any(views: "sqlite3.Connection", root: str | None) -> bool:
    """Tell whether anything was ever learned for the project."""
    return bool(views.execute(f"SELECT 1 FROM learnings AS l WHERE {HERE} LIMIT 1", {"root": root}).fetchall())


def holding(views: "sqlite3.Connection", names: "Sequence[str]", root: str | None, now: str) -> list[Learning]:
    """Return those of the learnings *names* that hold now and for the project, in the order of the names."""
    marks = ", ".join(f":n{number}" for number in range(len(names)))
    query = f"SELECT {COLUMNS} FROM learnings AS l WHERE l.learning_id IN ({marks}) AND {HERE if root is not None else '1'} AND {LIVE}"
    given = {f"n{number}": name for number, name in enumerate(names)}
    found = {row[0]: Learning(row) for row in views.execute(query, {**given, "root": root, "now": now})}
    return [found[name] for name in names if name in found]


def mattering(learnings: "Iterable[Learning]", context: str, now: float, *, most: int) -> list[Learning]:
    """Return the learnings that a new session needs first: like what was worked on last, of a weighty kind, fresh, confirmed."""
    asked = likeness.terms_of(context)
    scored = []
    for one in learnings:
        days = max(0.0, now - (seconds_of(one.known_at) or 0.0)) / DAY_S
        score = likeness.likeness(asked, likeness.terms_of(one.text)) + WEIGHT_OF.get(one.kind, 0.1) + 0.2 / (1 + days / 30)
        scored.append((-score - (0.1 if one.confirmed_at else 0.0), one.learning_id, one))
    return [one for _, _, one in sorted(scored, key=lambda row: row[:2])[:most]]


def _near(views: "sqlite3.Connection", text: str, root: str | None, now: str, but: str) -> "Iterable[Learning]":
    match = likeness.match_of(likeness.terms_of(text))
    return [other for other in _indexed(views, match, root, now) if other.learning_id != but] if match else []


def _indexed(views: "sqlite3.Connection", match: str, root: str | None, now: str, most: int = LOOKED_AT) -> list[Learning]:
    where = f"{HERE if root is not None else '1'} AND {LIVE}"
    query = f"""SELECT {COLUMNS} FROM (SELECT l.learning_rowid, f.rank AS place FROM learnings_fts AS f JOIN learnings AS l ON l.learning_rowid = f.rowid
        WHERE learnings_fts MATCH :match AND {where} ORDER BY f.rank, l.learning_id LIMIT {most}) AS c
        JOIN learnings AS l ON l.learning_rowid = c.learning_rowid ORDER BY c.place, l.learning_id"""
    return [Learning(row) for row in views.execute(query, {"match": match, "root": root, "now": now})]
