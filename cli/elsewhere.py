"""What the journal does not touch: the places on disk where something forgotten still stands, the hosts' own files first."""

import contextlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from journal.home import Home

if TYPE_CHECKING:
    from ingest.forgetting import Selection

LARGEST_FILE_BYTES = 1024 * 1024 * 1024
DRAFTS = (".journal", ".claude/skills", ".gemini/extensions", "AGENTS.md", ".github/copilot-instructions.md")
"""Where in a repository skills, handoffs and bundles stand that came out of the log."""
_NAMED = re.compile(rb"session [0-9A-Za-z-]+|[0-9A-Za-z-]{12,}")
MOST_LINES = 1000
"""So many line numbers are told of one file."""


def files_of(log: sqlite3.Connection, selection: "Selection") -> list[str]:
    """Return the files that exist of the sources in which something is to be forgotten; asked before their paths are hidden."""
    chosen = {one.source_id for one in selection.chosen.values()}
    paths = [path for source_id, path, host in log.execute("SELECT source_id, path, host FROM sources ORDER BY host, path")
             if source_id in chosen and host != "journal"]  # fmt: skip
    return [name for path in paths for name in (path, path + ".zst") if os.path.isfile(name)]


def handoffs_of(log: sqlite3.Connection, selection: "Selection") -> list[dict[str, Any]]:
    """Return the handoff files in work trees that still say what is to be forgotten: hooks read them at every session start.

    Asked before the log is scrubbed: its records name the files.
    """
    from journal.reader import SegmentCache, read_event

    cache, said = SegmentCache(log), dict[str, str]()
    for one in selection.chosen.values():
        if selection.facts[one.source_id].host == "journal" and (event := read_event(cache, one.position)) and b'"journal.handoff"' in event.line:
            with contextlib.suppress(ValueError):
                record = json.loads(event.line)
                said[str(record.get("path"))] = str(record.get("text"))
    found: list[dict[str, Any]] = []
    for path, text in sorted((path, text) for path, text in said.items() if os.path.isfile(path)):
        with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
            now = file.read(LARGEST_FILE_BYTES)
            if selection.text:
                file.seek(0)
                found += _told("handoff", path, _lines(file, selection))
            elif now.decode("utf-8", "replace").startswith(text):
                found.append({"path": path, "kind": "handoff", "lines": [], "count": 0})
    return found


def stand_in(home: Home, selection: "Selection", files: list[str], roots: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the hosts' files that still hold what was forgotten: *files*, then whatever else below *roots* shows it.

    The journal's own folder is left out: reading a database's file beside an open connection takes away the locks of this process.
    """
    from ingest.tail import open_source

    found: list[dict[str, Any]] = []
    seen = set[str]()
    transcripts = {name for facts in selection.facts.values() for name in (facts.path, facts.path + ".zst")}
    for path in files:
        seen.add(os.path.realpath(path))
        with contextlib.suppress(OSError, ValueError), open_source(path) as file:
            found += _told("transcript", path, _lines(file, selection))
    for _, root in roots:
        for path in _below(root):
            if os.path.realpath(path) in seen or os.path.realpath(path).startswith(os.path.realpath(home.root) + os.sep):
                continue
            seen.add(os.path.realpath(path))
            kind = "transcript" if path in transcripts else "host file"
            if any(name in path for name in selection.target.sessions):
                found.append({"path": path, "kind": kind, "lines": [], "count": 0})
            elif selection.text:
                with contextlib.suppress(OSError, ValueError), open_source(path) as file:
                    found += _told(kind, path, _lines(file, selection))
    return found


def projects_of(home: Home) -> list[str]:
    """Return the folders of all projects that still exist; asked before the views are scrubbed."""
    from journal.database import open_readonly
    from journal.errors import LogError

    with contextlib.suppress(LogError, sqlite3.DatabaseError), contextlib.closing(open_readonly(home.views_db)) as views:
        return [path for (path,) in views.execute("SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL ORDER BY 1") if os.path.isdir(path)]
    return []


def drafts_in(projects: list[str], selection: "Selection", known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the files in *projects* that the journal drafted from the log, or that agents wrote for it, where they show what was forgotten.

    For a text that is every line with it, for sessions every line that names one of them as its source.

    Those that *known* tells already are left out.
    """
    found: list[dict[str, Any]] = []
    told = {os.path.realpath(one["path"]) for one in known}
    sources = _sources(selection)
    for project in projects:
        for path in (path for name in DRAFTS for path in _at(os.path.join(project, name)) if os.path.realpath(path) not in told):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                found += _told("draft", path, _lines(file, selection) if selection.text else [
                    number for number, line in enumerate(file, 1) if any(name in sources for name in _NAMED.findall(line))])  # fmt: skip
    return found


def _sources(selection: "Selection") -> frozenset[bytes]:
    """Return the sessions that are forgotten as drafts name them: `session 03d02093`, or the whole id."""
    from projections.skill_items import short

    names = selection.target.sessions if selection.text is None else ()
    return frozenset(text.encode() for name in names for text in (name, f"session {short(name)}"))


def stand_at_home(home: Home, selection: "Selection") -> list[dict[str, Any]]:
    """Return the files in the journal's own folder whose bytes still show a text that was forgotten: none, but for what is not ours."""
    found: list[dict[str, Any]] = []
    for path in _below(home.root) if selection.text else ():
        if os.path.dirname(path) != home.backups:
            with contextlib.suppress(OSError), open(path, "rb") as file:
                found += _told("own file", path, _lines(file, selection))
    return found


def backups(home: Home) -> list[str]:
    """Return the databases in the folder of backups."""
    with contextlib.suppress(FileNotFoundError):
        return sorted(entry.path for entry in os.scandir(home.backups) if entry.is_file() and entry.name.endswith(".db"))
    return []


def in_backup(path: str, adapters: Mapping[str, Any], selection: "Selection") -> list[dict[str, Any]]:
    """Return the backup at *path* if it holds something that was forgotten."""
    from ingest.forgetting import select
    from journal.database import open_readonly
    from journal.errors import LogError

    try:
        with contextlib.closing(open_readonly(path)) as copy:
            count = len(select(copy, adapters, selection.target, selection.known.keys).chosen)
    except (LogError, sqlite3.DatabaseError):
        return []
    return [{"path": path, "kind": "backup", "lines": [], "count": count}] if count else []


def _told(kind: str, path: str, lines: list[int]) -> Iterator[dict[str, Any]]:
    if lines:
        yield {"path": path, "kind": kind, "lines": lines[:MOST_LINES], "count": len(lines)}


def _lines(file: BinaryIO, selection: "Selection") -> list[int]:
    """Return the numbers, from 1, of the lines that are forgotten or show the text."""
    text, known = selection.text, selection.known
    return [number for number, line in enumerate(file, 1)
            if (text.is_in(line) if text else bool(line.strip()) and known.has_line(line))]  # fmt: skip


def _at(path: str) -> Iterator[str]:
    """Yield the file *path*, or the files below the folder *path*."""
    if os.path.isfile(path):
        yield path
    else:
        yield from _below(path)


def _below(root: str) -> Iterator[str]:
    """Yield the regular files below *root* that are not too large to be searched, in a fixed order; links are not followed."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) <= LARGEST_FILE_BYTES:
                    yield path
