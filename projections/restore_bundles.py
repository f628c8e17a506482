"""The newest handoff that was saved by command, as a restore tells it; any connection of SQLite serves, also the bare one of a hook."""

from projections.restore import BYTES_PER_TOKEN, Handoff

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

TOKENS = 800
"""A handoff of more is told in part, so that there is room for what happened since."""
HEADINGS = {"move": "Next moves", "question": "Open questions", "finding": "Findings", "recommendation": "Recommendations"}
"""Kinds of statements in the order in which they are told."""
_LISTED = """coalesce((SELECT r.verb FROM handoff_removals AS r WHERE r.handoff_id = {} ORDER BY r.removed_at DESC, r.record_id DESC LIMIT 1), 'undelete')
    = 'undelete'"""
BUNDLE = f"""SELECT b.handoff_id, b.saved_at, b.session_id, b.branch, b.head, b.title, b.purpose FROM handoff_bundles AS b
WHERE b.root = ?1 AND b.saved_at <= ?3 AND {_LISTED.format('b.handoff_id')}
AND NOT EXISTS (SELECT 1 FROM handoff_links AS l WHERE l.older = b.handoff_id AND {_LISTED.format('l.newer')})
ORDER BY b.branch IS ?2 DESC, b.saved_at DESC, b.handoff_id LIMIT 1"""
STATEMENTS = "SELECT kind, text FROM handoff_statements WHERE handoff_id = ? ORDER BY number LIMIT 200"


def read(views: "sqlite3.Connection", root: str, branch: str | None, *, until: str = "9") -> Handoff | None:
    """Return the newest handoff saved at *root* by the moment *until*, one of *branch* before others, none that was replaced or deleted."""
    row = views.execute(BUNDLE, (root, branch, until)).fetchone()
    if row is None:
        return None
    said = views.execute(STATEMENTS, (row[0],)).fetchall()
    lines = [f"# {row[5]}", *([row[6]] if row[6] else [])]
    for kind, heading in HEADINGS.items():
        texts = [" ".join(text.split()) for found, text in said if found == kind]
        lines += [f"## {heading}", *(f"- {text}" for text in texts)] if texts else []
    return Handoff("\n".join(_within(lines, row[0])), *row[1:5])


def newest(handoff: Handoff | None, bundle: Handoff | None, branch: str | None) -> Handoff | None:
    """Return the one that is to be told: of this branch before others, then the newer one."""
    both = [one for one in (handoff, bundle) if one is not None]
    return max(both, key=lambda one: (one.branch in (None, branch), one.saved_at), default=None)


def _within(lines: list[str], handoff_id: str) -> list[str]:
    """Return the lines within the budget, and where the rest and the state of the evidence are told."""
    kept: list[str] = []
    left = TOKENS * BYTES_PER_TOKEN
    for line in lines:
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            break
        kept.append(line)
    more = f"{len(lines) - len(kept)} more lines, and what" if len(kept) < len(lines) else "What"
    return [*kept, f"({more} became of its evidence: journal handoff load {handoff_id})"]
