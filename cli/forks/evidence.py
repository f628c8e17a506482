"""What speaks for a session to go on from: texts by words and by meaning, its age, its place in a chain, and the repository of today."""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.amounts import counted
from journal.cutting import on_one_line
from journal.settings import Settings
from projections.forks import Candidate, Hit
from projections.lineage import Lineage

if TYPE_CHECKING:
    from cli.index.semantic import Search

DAY_S = 86_400.0
MOST_SIMILAR = 400
"""Texts that are taken from an index at most."""
QUESTION_S = 600.0
"""A text so young that holds the whole task is the question itself, put to an agent."""
SNIPPETS = 3
SNIPPET_CHARS = 160
SESSION = "SELECT session_id, host, project, cwd, title, last_at, head_commit, kind, parent_session_id, link_kind, messages FROM sessions"
CHUNKS = "SELECT session_id, count(*) FROM chunks GROUP BY session_id"
PROMPT = "SELECT substr(text, 1, 400) FROM messages WHERE session_id = ? AND record_id = ? AND kind = 'prompt' LIMIT 1"
IN_SCOPE = "SELECT session_id FROM session_folders WHERE project = ?"
HOOKED = "SELECT head FROM hook_events WHERE session_id = ? AND head IS NOT NULL ORDER BY occurred_at DESC LIMIT 1"
FILES = """SELECT absolute_path, path, max(operation = 'delete') FROM file_changes WHERE session_id = ? AND is_copy = 0
GROUP BY absolute_path ORDER BY max(occurred_at) DESC, absolute_path"""
MOST_FILES = 400


class Text(NamedTuple):
    """A text that speaks for a session, to be shown."""

    strength: float
    by: str
    """`words` or `meaning`."""
    kind: str
    at: str | None
    snippet: str
    is_bare: bool


class Evidence(NamedTuple):
    """All that was found for a task."""

    candidates: list[Candidate]
    texts: Mapping[str, list[Text]]
    sessions: Mapping[str, dict[str, Any]]
    meaning: str | None
    """Why there was no search by meaning; None where there was."""
    coverage: float | None
    """The share of all texts that a search by meaning could find."""


class Drift(NamedTuple):
    """What became of the files that a session changed."""

    status: str
    """`none`, `low` (other files changed), `medium`, `high` (most of its files changed or are gone) or `unknown`."""
    why: str
    commits: int | None
    files: int
    changed: list[str]
    gone: list[str]
    since: tuple[str, ...] = ()
    """All files that commits changed since the session."""

    def told(self) -> dict[str, Any]:
        """Return it as an answer has it."""
        return {"status": self.status, "why": self.why, "commits": self.commits, "files": self.files, "changed": self.changed, "gone": self.gone}


def gather(
    settings: Settings, views: sqlite3.Connection, task: str, project: str | None, lineage: Lineage, now: float, without: Iterable[str],
    *, opened: "tuple[Search | None, str] | None" = None,
) -> Evidence:
    """Return the candidates for *task* of one project, or of all; what a sub-agent did speaks for the session that called it.

    *opened* is a search by meaning that is open already, or why there is none.
    """
    from journal.moments import seconds_of, written
    from projections import fork_words

    sessions = {row[0]: dict(zip(("session_id", "host", "project", "cwd", "title", "last_at", "head_commit", "kind", "parent", "link", "messages"),
                                 row, strict=True)) for row in views.execute(SESSION)}  # fmt: skip
    scope = None if project is None else {row[0] for row in views.execute(IN_SCOPE, (project,))}
    left_out = set(without)
    texts: dict[str, list[Text]] = {}

    def add(session_id: str, text: Text) -> None:
        root = _caller(session_id, sessions)
        if root in sessions and root not in left_out and (scope is None or root in scope):
            texts.setdefault(root, []).append(text)

    fresh = written(now - QUESTION_S)
    for found in fork_words.find(views, task, fresh):
        add(found.session_id, Text(found.hit.strength, "words", found.kind, found.at, found.snippet, found.hit.is_bare))
    similar, why_not, coverage = by_meaning(settings, views, task, project, fresh, opened)
    counts = dict(views.execute(CHUNKS).fetchall()) if similar else {}
    for session_id, text in similar:
        add(session_id, text)
    candidates = []
    for session_id, found_texts in texts.items():
        session = sessions[session_id]
        last = seconds_of(session["last_at"]) if session["last_at"] else None
        candidates.append(Candidate(
            session_id, [Hit(one.strength, one.is_bare) for one in found_texts if one.by == "meaning"],
            [Hit(one.strength, one.is_bare) for one in found_texts if one.by == "words"],
            counts.get(session_id) or max(1, session["messages"]),
            0.0 if last is None else max(0.0, now - last) / DAY_S, lineage.position(session_id)))  # fmt: skip
    for found_texts in texts.values():
        found_texts.sort(key=lambda one: -one.strength)
    return Evidence(candidates, texts, sessions, why_not, coverage)


def _caller(session_id: str, sessions: Mapping[str, dict[str, Any]]) -> str:
    """Return the session that a sub-agent worked for; others are their own."""
    seen = set()
    while session_id in sessions and sessions[session_id]["kind"] == "subagent" and session_id not in seen:
        seen.add(session_id)
        session_id = sessions[session_id]["parent"] or session_id
    return session_id


def by_meaning(
    settings: Settings, views: sqlite3.Connection, task: str, project: str | None, fresh: str, opened: "tuple[Search | None, str] | None"
) -> tuple[list[tuple[str, Text]], str | None, float | None]:
    """Return texts that mean about the same as *task* with the share that could be found, or why none can be looked for."""
    from cli.index import building, semantic
    from journal.home import Home
    from projections import chunks
    from projections.fork_words import is_question
    from projections.forks import is_bare
    from projections.search_filters import Filters

    search, why_not = opened or semantic.open_search(settings)
    if search is None:
        return [], f"only words were looked for: {why_not}", None
    found = []
    for match in search.find(views, task, Filters(project=project), MOST_SIMILAR):
        stretch = chunks.stretch_of(views, match.chunk_id)
        if is_question(stretch, match.occurred_at, task, fresh):
            continue
        # an answer is embedded behind the beginning of its prompt: the two together run a command, or say something
        prompt = views.execute(PROMPT, (match.session_id, match.turn_id)).fetchone() if match.kind not in ("prompt", "command") else None
        bare = match.is_bare_command or is_bare(f"{prompt[0]}\n\n{stretch}" if prompt else stretch)
        found.append((match.session_id, Text(match.similarity, "meaning", match.kind, match.occurred_at, on_one_line(stretch, SNIPPET_CHARS), bare)))
    texts, covered = building.coverage(Home(settings.home), search.embedder.model_id)
    return found, None, round(covered / texts, 4) if texts else 1.0


def head_of(views: sqlite3.Connection, session: Mapping[str, Any]) -> str | None:
    """Return the commit at which a session was last seen, as far as a hook said it."""
    row = views.execute(HOOKED, (session["session_id"],)).fetchone()
    return row[0] if row else None


def drift_of(views: sqlite3.Connection, session: Mapping[str, Any]) -> Drift:
    """Return what became of the files that a session changed, against the checkout of today; at most one git process."""
    from ingest import checkout, history

    rows = views.execute(FILES, (session["session_id"],)).fetchall()[:MOST_FILES]
    folder = session["project"]
    here = checkout.find(os.getcwd())
    place = here if here is not None and here.repository == folder else checkout.find(folder)
    if place is None or not session["last_at"]:
        why = "the project's folder is gone" if folder and not os.path.isdir(folder) else "the project is no git repository"
        return Drift("unknown", why, None, len(rows), [], [])
    inside = [(_relative(absolute, place, folder) or path, bool(deleted)) for absolute, path, deleted in rows]
    gone = [path for path, deleted in inside if not deleted and not os.path.lexists(os.path.join(place.root, path))]
    commits, files = history.changes(place, head_of(views, session), session["last_at"])
    if commits is None:
        return Drift("unknown", "git does not know the commit that the session saw", None, len(rows), [], gone)
    since = set(files)
    changed = [path for path, _ in inside if path in since and path not in gone]
    lost = len(changed) + len(gone)
    status = "none" if not commits and not gone else "low" if not lost else "high" if lost * 2 > len(inside) else "medium"
    count = f"{counted(commits, 'commit')} since"
    why = f"{count}; {lost} of its {counted(len(inside), 'file')} changed or gone" if inside else f"{count}; it changed no file"
    return Drift(status, why, commits, len(rows), changed, gone, files)


def _relative(absolute: str | None, place: Any, folder: str | None) -> str | None:
    """Return a file's path in the checkout, from whichever work tree the session saw it."""
    for root in (place.root, place.repository, folder):
        if absolute and root and absolute.startswith(root.rstrip("/") + "/"):
            return absolute[len(root.rstrip("/")) + 1 :]
    return None
