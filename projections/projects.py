"""The `projects` view, and what was observed of working directories: a project is its repository, under every path."""

import re
import sqlite3
from hashlib import sha256

from journal.domain import ProjectObserved
from projections.projection import Place, Projection, Rows

WORKTREE = re.compile(r"^(.+?)/(?:\.claude/worktrees|\.worktrees)/[^/]+")
WSL_DRIVE = re.compile(r"^/mnt/[a-z]/", re.IGNORECASE)

OBSERVED = """INSERT INTO project_observations VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET path_hash = excluded.path_hash, real_path = excluded.real_path, root = excluded.root,
    root_commit = excluded.root_commit, remote = excluded.remote, copied_from = excluded.copied_from, occurred_at = excluded.occurred_at
WHERE (coalesce(excluded.root, ''), coalesce(excluded.occurred_at, '')) >= (coalesce(root, ''), coalesce(occurred_at, ''))"""
MARK = """INSERT OR IGNORE INTO unsettled SELECT session_id FROM sessions WHERE cwd = ?1 OR project_hash = ?2
UNION SELECT session_id FROM session_folders WHERE cwd = ?1"""
# A repository seen at another path brings the sessions of all its paths together.
MARK_REPOSITORY = """INSERT OR IGNORE INTO unsettled SELECT session_id FROM session_folders
WHERE ?1 IS NOT NULL AND cwd IN (SELECT path FROM project_observations WHERE root_commit = ?1)"""
NEWEST = """SELECT root FROM project_observations WHERE root_commit = ?1 AND remote IS ?2 AND root IS NOT NULL AND copied_from IS NULL
ORDER BY occurred_at DESC, root DESC LIMIT 1"""


def _observed(place: Place, event: ProjectObserved, rows: Rows) -> None:
    hashed = path_hash(event.path)
    rows.add(OBSERVED, (event.path, hashed, event.real_path, event.root, event.root_commit, event.remote, event.copied_from, place.occurred_at))
    rows.add(MARK, (event.path, hashed))
    rows.add(MARK_REPOSITORY, (event.root_commit,))


def path_hash(path: str) -> str:
    """Return the hash that Gemini names a project by."""
    return sha256(path.encode()).hexdigest()


def project_of(views: sqlite3.Connection, cwd: str | None) -> str | None:
    """Return the project of a working directory: the newest path of its repository if observed, else `root_of` it.

    Repositories with the same first commit and the same remote are one, seen at several paths; a copy beside its original is not.
    """
    if cwd is None:
        return None
    row = views.execute("SELECT root_commit, remote FROM project_observations WHERE path = ? AND root IS NOT NULL AND copied_from IS NULL", (cwd,)).fetchone()
    return (row and same_repository(views, *row)) or root_of(views, cwd)


def same_repository(views: sqlite3.Connection, root_commit: str | None, remote: str | None) -> str | None:
    """Return the newest path of the repository with this first commit and remote, if one was observed."""
    newest = views.execute(NEWEST, (root_commit, remote)).fetchone() if root_commit else None
    return _folded(newest[0]) if newest else None


def without_remote(views: sqlite3.Connection) -> set[tuple[str, str]]:
    """Return (first commit, root) of the repositories that have no remote to be known by."""
    rows = views.execute("SELECT root_commit, root FROM project_observations WHERE remote IS NULL AND root_commit IS NOT NULL AND copied_from IS NULL")
    return {(commit, root) for commit, root in rows}


def root_of(views: sqlite3.Connection, cwd: str) -> str:
    """Return the top folder of a working directory: of its repository if observed, else the directory by rule."""
    row = views.execute("SELECT root, real_path FROM project_observations WHERE path = ?", (cwd,)).fetchone()
    return _folded(next((found for found in row or () if found), cwd))


def _folded(path: str) -> str:
    """Return *path* without the folder of a worktree, and in one case where the drive has none."""
    path = path.rstrip("/") or "/"
    worktree = WORKTREE.match(path)
    path = worktree[1] if worktree else path
    return path.lower() if WSL_DRIVE.match(path) else path


PROJECTION = Projection(
    name="projects",
    version=4,
    tables={
        "project_observations": """CREATE TABLE {name} (path TEXT NOT NULL PRIMARY KEY, path_hash TEXT NOT NULL, real_path TEXT,
            root TEXT, root_commit TEXT, remote TEXT, copied_from TEXT, occurred_at TEXT) STRICT, WITHOUT ROWID""",
        "projects": """CREATE VIEW {name} AS SELECT project AS path, count(*) AS sessions, min(started_at) AS first_at,
            max(last_at) AS last_at FROM sessions WHERE project IS NOT NULL GROUP BY project""",
    },
    indexes=("CREATE INDEX IF NOT EXISTS project_observations_by_commit ON project_observations (root_commit)",),
    statements=(OBSERVED, MARK, MARK_REPOSITORY),
    handlers={ProjectObserved: _observed},
    digest={
        "project_observations": "SELECT path, real_path, root, root_commit, remote, copied_from FROM project_observations ORDER BY path",
        "projects": "SELECT path, sessions, first_at, last_at FROM projects ORDER BY path",
    },
)
