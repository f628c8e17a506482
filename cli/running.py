"""The session whose tool this process is: what an agent puts down belongs to it, also where no transcript was read yet."""

import contextlib
import os
import sqlite3
import time

from cli.wiring import bring_up_to_date, read_views
from journal.errors import LogBusy, NotFound
from journal.home import Home
from journal.settings import Settings

OPEN_FOR_S = 2 * 3600
# of a group SQLite gives the row that has the maximum
OPEN_TURNS = """SELECT session_id FROM (SELECT session_id, role, max(occurred_at) FROM hook_events WHERE root = ? AND occurred_at > ?
AND role IN ('session-start', 'prompt', 'stop', 'session-end') GROUP BY session_id) WHERE role = 'prompt'"""


def session(settings: Settings) -> str | None:
    """Return the session whose tool this process is; None where nobody can say, as in a person's own terminal."""
    found = candidates(settings)
    return found[0] if len(found) == 1 else None


def candidates(settings: Settings) -> list[str]:
    """Return the session that the host names in the environment of its tools, else those of this repository whose turn is open, as the hooks saw it."""
    named = [os.environ[variable] for variable in variables() if os.environ.get(variable)]
    return named[:1] or _with_an_open_turn(settings)


def variables() -> list[str]:
    """Return the names of the environment variables in which hosts tell their tools the session."""
    from ingest.facts import HOSTS
    from ingest.hooks import facts_of

    return [variable for host in HOSTS for variable in facts_of(host).continuing.variables]


def _with_an_open_turn(settings: Settings) -> list[str]:
    """Return the sessions of this repository to which a prompt was given, and that did not stop since."""
    from ingest import checkout
    from journal.moments import written

    place = checkout.find(os.getcwd())
    if place is None or not os.path.isdir(Home(settings.home).inbox):
        return []
    with contextlib.suppress(LogBusy, OSError, sqlite3.OperationalError):
        bring_up_to_date(settings, [])
    try:
        with contextlib.closing(read_views(settings)) as views:
            return [row[0] for row in views.execute(OPEN_TURNS, (place.repository, written(time.time() - OPEN_FOR_S)))]
    except (NotFound, sqlite3.OperationalError):  # no views yet, or those of an earlier version
        return []
