"""What a skill has to say of a project: the decisions, solutions, habits and places of its sessions, and what was learned, each with its source."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence

from projections import knowledge, registry_rows
from projections.cards import command_of
from projections.registry import entry
from projections.skill_pages import Item

SECTIONS = ("architecture", "decisions", "solutions", "gotchas", "preferences", "patterns", "status")
OF_LEARNINGS = {"solution": "solutions", "gotcha": "gotchas", "pattern": "patterns", "decision": "decisions", "preference": "preferences"}
MOST_FOLDERS = 30
FILES_NAMED = 6
_LASTING = re.compile(r"\b(?:always|never|do not|don't|must|should|prefer|make sure|no need|by default|from now on|every time)\b", re.IGNORECASE)
"""Words of a wish that holds longer than its task."""
OFTEN = 3
"""A command that passed so often is how things are done here."""
PROJECT_SESSIONS = """SELECT session_id FROM sessions WHERE kind IN ('interactive', 'headless') AND last_at IS NOT NULL
AND session_id IN (SELECT session_id FROM session_folders WHERE project = ?) ORDER BY last_at DESC, session_id LIMIT ?"""
FILES = """SELECT path, count(*), max(occurred_at), max(session_id) FROM file_changes WHERE session_id IN ({}) AND is_copy = 0
AND operation <> 'delete' AND substr(path, 1, 1) <> '/' GROUP BY path"""
COMMANDS = """SELECT substr(input_text, 1, 1000), session_id, occurred_at FROM tool_calls WHERE session_id IN ({}) AND is_copy = 0
AND coalesce(is_error, 0) = 0 AND coalesce(exit_code, 0) = 0 AND returned_at IS NOT NULL ORDER BY occurred_at"""
LEARNINGS = """SELECT l.kind, l.text, l.learning_id, coalesce(l.learned_at, '') FROM learnings AS l WHERE (l.root = ?1 OR l.scope = 'global')
AND NOT EXISTS (SELECT 1 FROM learnings AS n WHERE n.replaces = l.learning_id)
AND NOT EXISTS (SELECT 1 FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired')
AND (l.expires_at IS NULL OR l.expires_at > ?2) ORDER BY l.learned_at"""


def sessions_of(views: sqlite3.Connection, project: str, limit: int) -> list[str]:
    """Return the newest sessions of a project, without sub-agents."""
    return [row[0] for row in views.execute(PROJECT_SESSIONS, (project, limit))]


def items(views: sqlite3.Connection, session_ids: Sequence[str], project: str, now: str) -> list[Item]:
    """Return what these sessions and the project's learnings have to say, the oldest first, so that a later word can correct an earlier one."""
    found = [*_learned(views, project, now)]
    for session_id in session_ids:
        found += _known(views, session_id)
    found += [*_architecture(views, session_ids), *_patterns(views, session_ids)]
    # a skill is for every checkout of the project
    root = project.rstrip("/") + "/"
    found = [item._replace(text=item.text.replace(root, "")) for item in found]
    found.sort(key=lambda item: (item.at, item.section, item.text))
    return found


def short(session_id: str) -> str:
    """Return the beginning of an id that names one session: ids of version 7 (Codex) begin with the time, and all of a minute alike."""
    return session_id[:13] if session_id[14:15] == "7" else session_id[:8]


def _source(session_id: str, at: str | None) -> str:
    return f"session {short(session_id)}, {(at or '?')[:10]}"


def _known(views: sqlite3.Connection, session_id: str) -> Iterator[Item]:
    known = knowledge.read(views, session_id)
    for fact in known.facts:
        section = {"decision": "decisions", "wish": "preferences", "failure": "solutions"}.get(fact.kind)
        if fact.kind == "failure" and "→ passed later, after" not in fact.text:
            section = "gotchas" if "→ no later run of it passed" in fact.text else None
        if section and (fact.kind != "wish" or _LASTING.search(fact.text)):
            # of a failure the command and its error are what it is; how it came to pass may be told anew
            name = _name("error", fact.text.partition(" → ")[0]) if fact.kind == "failure" else ""
            yield Item(section, fact.text, _source(session_id, fact.at), fact.at or "", name)
    last_at = views.execute("SELECT last_at FROM sessions WHERE session_id = ?", (session_id,)).fetchone()[0]
    about = entry(registry_rows.material(views, session_id), registry_rows.annotation(views, session_id), last_at)
    yield Item("status", f"{about.category}: {about.title or 'untitled'}", _source(session_id, last_at), last_at or "", f"session-{short(session_id)}")


def _learned(views: sqlite3.Connection, project: str, now: str) -> Iterator[Item]:
    for kind, text, learning_id, at in views.execute(LEARNINGS, (project, now)):
        yield Item(OF_LEARNINGS.get(kind, "patterns"), text, f"learning {learning_id}, {at[:10]}", at)


def _architecture(views: sqlite3.Connection, session_ids: Sequence[str]) -> Iterator[Item]:
    """Yield the folders that were worked in, with the files that changed most."""
    folders: dict[str, list[tuple[int, str, str, str]]] = {}
    for path, count, at, session_id in views.execute(FILES.format(", ".join("?" * len(session_ids))), tuple(session_ids)):
        folder = path.rpartition("/")[0]
        folders.setdefault("/".join(folder.split("/")[:2]) + "/" if folder else "./", []).append((count, path, at or "", session_id))
    order = sorted(folders, key=lambda folder: (-sum(one[0] for one in folders[folder]), folder))[:MOST_FOLDERS]
    for folder in order:
        files = sorted(folders[folder], key=lambda one: (-one[0], one[1]))
        newest = max(files, key=lambda one: one[2])
        named = ", ".join(f"`{path.removeprefix(folder)}`" for _, path, _, _ in files[:FILES_NAMED])
        more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
        yield Item("architecture", f"`{folder}`: {named}{more}", _source(newest[3], newest[2]), newest[2], folder.replace(">", "_"))


def _patterns(views: sqlite3.Connection, session_ids: Sequence[str]) -> Iterator[Item]:
    """Yield the commands that passed again and again."""
    counts: dict[str, tuple[int, str, str]] = {}
    for given, session_id, at in views.execute(COMMANDS.format(", ".join("?" * len(session_ids))), tuple(session_ids)):
        command = command_of(given)
        if command and len(command) <= 160:
            counts[command] = (counts.get(command, (0, "", ""))[0] + 1, session_id, at or "")
    for command, (count, session_id, at) in counts.items():
        if count >= OFTEN:
            yield Item("patterns", f"Runs again and again: `{command}`", _source(session_id, at), at, _name("command", command))


def _name(kind: str, words: str) -> str:
    """Return the name of what is known by its words."""
    return f"{kind}-{hashlib.sha256(words.encode(errors='replace')).hexdigest()[:8]}"
