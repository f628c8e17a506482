"""The past fix that a prompt needs: an error in it that a command of this project failed with before. Imports nothing heavy; hooks use it."""

from projections import likeness

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

LOOKED_AT = 20
THRESHOLD = 0.4
SHARE = 0.5
"""Errors are alike more easily than learnings: they share the words of their kind."""
FIXES = f"""SELECT x.session_id, x.tool_call_id, x.command, x.error, x.fixed_at, x.fix FROM fixes_fts AS f JOIN fixes AS x ON x.fix_rowid = f.rowid
WHERE fixes_fts MATCH ?1 AND x.fix NOT LIKE 'nothing:%' AND x.session_id IN (SELECT session_id FROM session_folders WHERE project = ?2) AND x.session_id <> ?3
ORDER BY f.rank, x.fixed_at DESC LIMIT {LOOKED_AT}"""


class Fixed:
    """A fix that was found."""

    __slots__ = ("command", "error", "fix", "fixed_at", "name", "score", "session_id")

    def __init__(self, row: "tuple[str, ...]", score: float) -> None:
        self.session_id, call, self.command, self.error, self.fixed_at, self.fix = row
        self.name = f"fix:{self.session_id}:{call}"
        self.score = score


def best(views: "sqlite3.Connection", prompt: str, project: str, *, but: str = "") -> Fixed | None:
    """Return the fix of the error that is most like the prompt, if one surely is.

    Not of the session *but*, which knows it.
    """
    asked = likeness.terms_of(prompt)
    match = likeness.match_of(asked)
    found: Fixed | None = None
    for row in views.execute(FIXES, (match, project, but)) if match else ():
        score = likeness_of(asked, likeness.terms_of(row[3]))
        if score and (found is None or score > found.score):
            found = Fixed(row, score)
    return found


def likeness_of(asked: dict[str, float], error: dict[str, float]) -> float:
    """Return how much a prompt, or the line of an output, is like an error; 0 where it is not surely the same one.

    The kind of an error (`TypeError`) says no more than a word: besides it an identifier must be shared, or two words, and half of all that tells.
    """
    asked, error = _weighed(asked), _weighed(error)
    shared = {term: weight for term, weight in error.items() if term in asked and not _is_kind(term)}
    is_telling = likeness.IDENTIFIER in shared.values() or sum(weight >= likeness.WORD for weight in shared.values()) >= 2
    rest = sum(weight for term, weight in error.items() if not _is_kind(term))
    is_sure = rest > 0 and (asked == error or (is_telling and sum(shared.values()) >= SHARE * rest))
    score = likeness.likeness(asked, error) if is_sure else 0.0
    return score if score >= THRESHOLD else 0.0


def _weighed(terms: dict[str, float]) -> dict[str, float]:
    return {term: min(weight, likeness.WORD) if _is_kind(term) else weight for term, weight in terms.items()}


def _is_kind(term: str) -> bool:
    return term.endswith(("error", "exception", "err"))
