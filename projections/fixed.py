"""The past fix that a prompt needs: an error in it that a command of this project failed with before. Imports nothing heavy; hooks use it."""

from projections import likeness

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

LOOKED_AT = 20
THRESHOLD = 0.4
"""Errors are alike more easily than learnings: they share the words of their kind."""
FIXES = f"""SELECT x.session_id, x.tool_call_id, x.command, x.error, x.fixed_at, x.fix FROM fixes_fts AS f JOIN fixes AS x ON x.fix_rowid = f.rowid
WHERE fixes_fts MATCH ?1 AND x.fix NOT LIKE 'nothing:%' AND x.session_id IN (SELECT session_id FROM session_folders WHERE project = ?2)
ORDER BY f.rank, x.fixed_at DESC LIMIT {LOOKED_AT}"""


class Fixed:
    """A fix that was found."""

    __slots__ = ("command", "error", "fix", "fixed_at", "name", "score", "session_id")

    def __init__(self, row: "tuple[str, ...]", score: float) -> None:
        self.session_id, call, self.command, self.error, self.fixed_at, self.fix = row
        self.name = f"fix:{self.session_id}:{call}"
        self.score = score


def best(views: "sqlite3.Connection", prompt: str, project: str) -> Fixed | None:
    """Return the fix of the error that is most like the prompt, if one surely is: an identifier and half of the error's weight shared."""
    asked = likeness.terms_of(prompt)
    match = likeness.match_of(asked)
    found: Fixed | None = None
    for row in views.execute(FIXES, (match, project)) if match else ():
        told = likeness.terms_of(row[3])
        shared = sum(weight for term, weight in told.items() if term in asked)
        is_sure = shared >= 0.5 * sum(told.values()) and any(weight == likeness.IDENTIFIER and term in asked for term, weight in told.items())
        score = likeness.likeness(asked, told)
        if is_sure and score >= THRESHOLD and (found is None or score > found.score):
            found = Fixed(row, score)
    return found
