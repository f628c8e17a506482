"""`journal resume`: the host's own command that continues a session, and the link to the session that goes on from it."""

import argparse
import contextlib
import os
import shlex
import sqlite3
import sys
from typing import NamedTuple

from cli import running
from cli.render import print_json, print_text, say
from cli.wiring import bring_up_to_date, now, read_views, session_by_prefix
from journal.errors import LogBusy, NotFound, SettingInvalid
from journal.home import open_home
from journal.settings import Settings


class Way(NamedTuple):
    """How a session is continued."""

    words: tuple[str, ...]
    folder: str | None
    """Where the host looks for the session, or None where that is not known."""

    @property
    def line(self) -> str:
        """The shell line to paste."""
        return f"cd {shlex.quote(self.folder)} && {shlex.join(self.words)}" if self.folder else shlex.join(self.words)


def way(host: str, session_id: str, folder: str | None, *, fork: bool = False) -> Way | None:
    """Return how *host* continues a session, or a copy of it; None where it has no such command."""
    from ingest.facts import HOSTS
    from ingest.hooks import facts_of

    if host not in HOSTS or ":" in session_id:  # a sub-agent has no conversation of its own to go on with
        return None
    continuing = facts_of(host).continuing
    words = continuing.fork if fork else continuing.resume
    return Way(tuple(session_id if word == "{id}" else word for word in words), folder) if words else None


def resume(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the host's command, or run it."""
    with contextlib.closing(read_views(settings)) as views:
        session_id = session_by_prefix(views, asked.session)
        host, folder = views.execute("SELECT host, cwd FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    child = resolved(settings, asked.into) if asked.into else None
    found = way(host, session_id, folder, fork=asked.fork)
    if found is None:
        if ":" in session_id:
            raise NotFound(f"{session_id} is a sub-agent's run, which no host continues", hint=f"run: journal resume {session_id.partition(':')[0]}")
        raise NotFound(f"{host} has no command that continues a copy of a session", hint=f"run: journal fork prime {session_id}")
    if child:
        link(settings, child, session_id, is_fork=asked.fork, evidence="journal resume --into")
    if asked.run:
        _run(settings, found, host, session_id, is_fork=asked.fork)
    if asked.json:
        print_json({"session_id": session_id, "host": host, "command": found.line, "words": list(found.words), "cwd": found.folder, "continued_as": child})
        return 0
    print_text(found.line)
    if child:
        say(f"written down: {child} goes on from {session_id}")
    return 0


def resolved(settings: Settings, name: str) -> str | None:
    """Return the session that *name* is; `here` is the one whose tool this process is, and None where nobody can say which.

    A host names it in the environment of its tools; else it is the only session of this repository whose turn is open, as the hooks saw it.
    Raises: NotFound, Ambiguous.
    """
    if name != "here":
        with contextlib.closing(read_views(settings)) as views:
            return session_by_prefix(views, name)
    found = running.candidates(settings)
    if len(found) == 1:
        return found[0]
    say(f"no link is written: {'several sessions' if found else 'no session'} of this folder can be the one that this command runs in; name it: --into SESSION")
    return None


def link(settings: Settings, child: str, parent: str, *, is_fork: bool, evidence: str) -> None:
    """Write down that *child* goes on from *parent*.

    Raises: SettingInvalid: a session cannot go on from itself.
    """
    if child == parent:
        raise SettingInvalid(f"{child} cannot go on from itself", hint="name another session after --into")
    try:
        _append(settings, child, {"child_session_id": child, "parent_session_id": parent, "is_fork": is_fork, "is_run": False, "evidence": evidence})
    except OSError as error:  # a host's sandbox lets its tools read, and not write in a home
        say(f"no link is written: {error}")
        return
    try:
        bring_up_to_date(settings, [])
    except LogBusy:
        say("another process is ingesting; the link is written down, and the views have it after the next: journal ingest")
    except (OSError, sqlite3.OperationalError) as error:
        say(f"the link is written down, and the views have it after the next: journal ingest ({error})")


def _append(settings: Settings, session_id: str, record: dict[str, object]) -> None:
    from journal import inbox

    moment = now()
    inbox.append(open_home(settings.home), session_id, moment[:10], {"type": "journal.resumed", "at": moment, "session_id": session_id, **record})


def _run(settings: Settings, found: Way, host: str, session_id: str, *, is_fork: bool) -> None:
    """Become the host's program, in the session's folder.

    Raises: NotFound: the folder or the program is not there.
    """
    import shutil

    program = shutil.which(found.words[0])
    if program is None:
        raise NotFound(f"{found.words[0]} is not on the search path", hint=f"install {host}, or run: journal fork prime {session_id}")
    if found.folder and not os.path.isdir(found.folder):
        raise NotFound(f"{found.folder} is gone, and {host} looks for the session there", hint=f"run: journal fork prime {session_id}")
    _append(settings, session_id, {"child_session_id": None, "parent_session_id": session_id, "is_fork": is_fork, "is_run": True,
                                   "evidence": "journal resume --run"})  # fmt: skip
    if found.folder:
        os.chdir(found.folder)
    sys.stdout.flush()
    os.execv(program, found.words)  # noqa: S606  the host's own command, asked for with --run
