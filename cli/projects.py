"""Projects as people name them on the command line."""

import os
import sqlite3

from cli.wiring import current_project
from journal.errors import Ambiguous, NotFound


def project_asked(views: sqlite3.Connection, word: str | None) -> str | None:
    """Return the project that `--project` names, or None where it was not given.

    Raises: NotFound. Ambiguous: several have this name.
    """
    if word is None:
        return None
    found = project_named(views, word)
    if found is None:
        known = _named(views, word)
        if known:
            raise Ambiguous(f"{word} fits several projects", candidates=known, hint="give the whole path")
        raise NotFound(f"no project is called {word}", hint="run: journal sessions --all")
    return found


def project_named(views: sqlite3.Connection, word: str) -> str | None:
    """Return the project that *word* names: by its path, by `.`, or by the last part of its path where only one has it; None where none or several do.

    Raises: NotFound: no project lies at the path that it is.
    """
    path = os.path.abspath(os.path.expanduser(word))
    if word == ".":
        path = current_project(views)
    known = _known(views)
    found = [path] if path in known else _named(views, word)
    if len(found) == 1:
        return found[0]
    if os.sep in word or word == ".":
        raise NotFound(f"no project lies at {path}", hint="run: journal sessions --all")
    return None


def _known(views: sqlite3.Connection) -> list[str]:
    return [row[0] for row in views.execute("SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL ORDER BY 1")]


def _named(views: sqlite3.Connection, word: str) -> list[str]:
    return [project for project in _known(views) if os.path.basename(project) == word]
