"""The rows that a restore is made of, read from the views; any connection of SQLite serves, also the bare one of a hook."""

from collections.abc import Sequence

from journal import jsontext
from journal.moments import written
from projections import restore_bundles
from projections.restore import Card, Handoff

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import sqlite3

NEWEST_PATH = """SELECT b.root FROM project_observations AS a JOIN project_observations AS b ON b.root_commit = a.root_commit AND b.remote IS a.remote
WHERE a.root = ? AND a.copied_from IS NULL AND b.root IS NOT NULL AND b.copied_from IS NULL ORDER BY b.occurred_at DESC, b.root DESC LIMIT 1"""
HANDOFF = """SELECT text, saved_at, session_id, branch, head, path, mtime_us, size, root FROM handoffs WHERE project = ?1
ORDER BY branch IS ?2 DESC, saved_at DESC, handoff_id LIMIT 1"""
# One project at a time: so the index on project and time gives the newest without a look at the others.
CARDS = """SELECT session_id, host, title, branch, last_at, parts FROM restore_cards WHERE project = ?1 AND session_id <> ?2
ORDER BY last_at DESC, session_id LIMIT ?3"""
OWN = "SELECT session_id, host, title, branch, last_at, parts FROM restore_cards WHERE session_id = ?"
RUNNING = """SELECT c.session_id, c.host FROM restore_cards AS c WHERE c.project = ?1 AND c.session_id <> ?2
AND c.last_at > ?3 AND c.end_reason IS NULL AND NOT EXISTS (SELECT 1 FROM hook_events AS e WHERE e.session_id = c.session_id
    AND e.role = 'session-end' AND e.occurred_at >= c.last_at) ORDER BY c.last_at DESC LIMIT 3"""
ELSEWHERE = """SELECT o.root FROM session_folders AS f JOIN project_observations AS o ON o.path = f.cwd
WHERE f.session_id = ? AND f.project = ? AND o.root IS NOT NULL AND o.root <> ? ORDER BY o.occurred_at DESC, o.root LIMIT 1"""
REPOSITORIES = """SELECT root_commit, remote, root FROM project_observations WHERE root_commit IS NOT NULL AND copied_from IS NULL AND root IS NOT NULL
GROUP BY 1, 2, 3 ORDER BY max(occurred_at) DESC, root LIMIT 200"""
HEAD = "SELECT head FROM hook_events WHERE session_id = ? AND head IS NOT NULL ORDER BY occurred_at DESC LIMIT 1"


class Rows:
    """What the views hold for one project."""

    __slots__ = ("bundle", "cards", "handoff", "handoff_version", "head", "moved_from", "project", "running")

    def __init__(
        self, project: str, handoff: Handoff | None, handoff_version: tuple[str, int, int] | None, cards: list[Card], running: tuple[str, ...], head: str | None
    ) -> None:
        self.project = project
        self.handoff = handoff
        self.handoff_version = handoff_version
        """Path, mtime in microseconds and size of the file that the handoff was read from."""
        self.bundle: Handoff | None = None
        """The newest handoff that was saved by command."""
        self.cards = cards
        self.moved_from = ""
        """The root at which the repository lay when the newest of this was written, where that is another one."""
        self.running = running
        self.head = head
        """The commit at which the newest of the sessions was last seen."""


def read(
    views: "sqlite3.Connection", root: str, branch: str | None, *, session_id: str, own: bool, running_since: str, sessions: int = 2
) -> Rows:
    """Return the rows of the project at *root*; with *own* the session itself goes first (it was compacted)."""
    row = views.execute(NEWEST_PATH, (root,)).fetchone()
    project = row[0] if row else root
    projects = dict.fromkeys((project, root))
    found = next((row for name in projects for row in views.execute(HANDOFF, (name, branch))), None)
    handoff = Handoff(found[0], aged(found[1], found[6]), *found[2:5]) if found else None
    version = tuple(found[5:8]) if found and found[5] and found[6] is not None else None
    others = [_card(row) for name in projects for row in views.execute(CARDS, (name, session_id, sessions))]
    others.sort(key=lambda card: card.last_at or "", reverse=True)
    cards = ([_card(row) for row in views.execute(OWN, (session_id,))] if own else []) + others[:sessions]
    running = tuple(f"{row[0]} ({row[1]})" for name in projects for row in views.execute(RUNNING, (name, session_id, running_since)))
    head = views.execute(HEAD, (cards[0].session_id,)).fetchone() if cards else None
    rows = Rows(project, handoff, version, cards, running, head[0] if head else None)
    bundles = [bundle for name in projects if (bundle := restore_bundles.read(views, name, branch)) is not None]
    rows.bundle = restore_bundles.newest(bundles[0], bundles[-1], branch) if bundles else None
    if found and found[8] and found[8] != root:
        rows.moved_from = found[8]
    elif cards and not found:
        lay = views.execute(ELSEWHERE, (cards[0].session_id, project, root)).fetchone()
        rows.moved_from = lay[0] if lay else ""
    return rows


def repositories(views: "sqlite3.Connection") -> list[tuple[str, str | None, str]]:
    """Return first commit, remote and root of the repositories that were observed, those of last first."""
    return [(row[0], row[1], row[2]) for row in views.execute(REPOSITORIES)]


def aged(saved_at: str, mtime_us: int | None) -> str:
    """Return since when a handoff is as it is: of a file its own time, which may be long before the hook that saw it first."""
    return min(saved_at, written(mtime_us / 1e6)) if mtime_us else saved_at


def _card(row: Sequence[str]) -> Card:
    parts = jsontext.loads(row[5])
    pairs = [(str(kind), str(text)) for kind, text in parts] if isinstance(parts, list) else []
    return Card(row[0], row[1], row[2], row[3], row[4], pairs)
