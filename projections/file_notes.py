"""What is known of a file: learnings that name it, findings of handoffs, decisions of late sessions. Hooks use it; imports nothing heavy."""

from journal import jsontext
from projections import learned

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

SESSIONS = 40
"""So many of the project's last sessions are looked through for decisions."""
SHORTEST_NAME = 4
ANCHORED = "SELECT DISTINCT learning_id FROM learning_anchors WHERE path = ?"
NAMING = "SELECT l.learning_id, l.text FROM learnings_fts AS f JOIN learnings AS l ON l.learning_rowid = f.rowid WHERE learnings_fts MATCH ? LIMIT 40"
FOUND_OUT = """SELECT b.handoff_id, s.number, b.session_id, b.saved_at, s.text FROM handoff_anchors AS a
JOIN handoff_statements AS s USING (handoff_id, statement_id) JOIN handoff_bundles AS b USING (handoff_id)
WHERE a.path = ?1 AND b.root = ?2 AND s.kind IN ('finding', 'recommendation') ORDER BY b.saved_at DESC, b.handoff_id, s.number LIMIT 3"""
CARDS = """SELECT session_id, last_at, parts FROM (SELECT session_id, last_at, parts FROM restore_cards WHERE project = ?1 AND session_id <> ?2
ORDER BY last_at DESC LIMIT ?3) WHERE instr(parts, ?4) ORDER BY last_at DESC LIMIT 3"""


class Note:
    """Something that was found out or decided about a file."""

    __slots__ = ("at", "kind", "name", "session_id", "text")

    def __init__(self, kind: str, name: str, session_id: str | None, at: str | None, text: str) -> None:
        self.kind = kind
        self.name = name
        """What it is known by, so that it is told once."""
        self.session_id = session_id
        self.at = at
        self.text = text


def learnings(views: "sqlite3.Connection", path: str, root: str, now: str) -> "list[learned.Learning]":
    """Return the learnings that hold for the project and name the file *path* (relative to the checkout): by an anchor first, then in their text."""
    names = [row[0] for row in views.execute(ANCHORED, (path,))]
    base = path.rpartition("/")[2]
    if len(base) >= SHORTEST_NAME and '"' not in base:
        names += [name for name, text in views.execute(NAMING, (f'"{base}"',)) if _names(text, path, base) and name not in names]
    return learned.holding(views, names, root, now) if names else []


def _names(text: str, path: str, base: str) -> bool:
    """Tell whether a text means this file, and not another one of the same name in another folder."""
    if path in text:
        return True
    place = text.find(base)
    return place >= 0 and (place == 0 or not (text[place - 1].isalnum() or text[place - 1] in "/_-."))


def notes(views: "sqlite3.Connection", path: str, root: str, session_id: str) -> list[Note]:
    """Return what handoffs found out about the file, and what other sessions decided that name it, the newest first of each."""
    found = [Note("finding", f"finding:{handoff}:{number}", session, at, text) for handoff, number, session, at, text in views.execute(FOUND_OUT, (path, root))]
    base = path.rpartition("/")[2]
    if len(base) < SHORTEST_NAME:
        return found
    for session, at, parts in views.execute(CARDS, (root, session_id, SESSIONS, base)):
        told = jsontext.loads(parts)
        for number, part in enumerate(told if isinstance(told, list) else []):
            if isinstance(part, list) and len(part) == 2 and part[0] == "decision" and isinstance(part[1], str) and _names(part[1], path, base):
                found.append(Note("decision", f"decision:{session}:{number}", session, at, part[1]))
    return found
