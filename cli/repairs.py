"""What `journal doctor --fix` may do: only what loses nothing and can be done again. The log itself is never touched."""

import contextlib
import os
import stat
from collections.abc import Callable, Mapping

from cli.amounts import counted, sized
from cli.checks.storage import DATABASES, open_to_others, paths_below
from cli.wiring import LOCK_WAIT_S, catch_up, sound_views
from journal.errors import JournalError
from journal.home import Home, private_umask
from journal.settings import Settings


def close_to_others(settings: Settings) -> list[str]:
    """Take away what other users may do with our own files and folders."""
    done = []
    for path in [path for path in paths_below(settings.home) if open_to_others(path) and os.lstat(path).st_uid == os.geteuid()]:
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        os.chmod(path, mode & ~0o077)
        done.append(f"{path}: mode {mode:04o} is now {mode & ~0o077:04o}")
    return done


def cut_wal(settings: Settings) -> list[str]:
    """Move what stands in the WAL files into their databases and cut the files."""
    from journal.database import connect
    from journal.lock import writer_lock

    home, done = Home(settings.home), []
    with writer_lock(home, LOCK_WAIT_S):
        for path in [os.path.join(home.root, name) for name in DATABASES]:
            if not os.path.exists(path + "-wal"):
                continue
            before = os.path.getsize(path + "-wal")
            with contextlib.closing(connect(path)) as connection:
                is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            done.append(f"{path}-wal: {sized(before)}, " + ("still in use by a reader" if is_busy else "checkpointed"))
    return done


def build_views(settings: Settings) -> list[str]:
    """Build the views again where they are damaged or of another log, or catch them up."""
    from journal.database import open_log
    from journal.lock import writer_lock

    home = Home(settings.home)
    with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_log(home.journal_db, writable=False)) as log, contextlib.closing(sound_views(home)) as views:
        catch_up(log, views, settings)
        position = views.execute("SELECT position FROM checkpoints WHERE name = 'views'").fetchone()[0]
    return [f"{home.views_db}: built from the log up to position {position}"]


def forget_errors(settings: Settings) -> list[str]:
    """Delete what hooks kept outside the home, once the home can be written again."""
    from journal import aside

    path = aside.path(dict(os.environ))
    if not os.access(Home(settings.home).inbox, os.W_OK):
        return []
    lines = aside.lines(dict(os.environ))
    if lines:
        os.unlink(path)
    return [f"{path}: {counted(len(lines), 'line')} deleted"] if lines else []


REPAIRS: Mapping[str, Callable[[Settings], list[str]]] = {
    "permissions": close_to_others,
    "space": cut_wal,
    "integrity": build_views,
    "views": build_views,
    "hook_errors": forget_errors,
}
"""Check to what repairs what it finds; one that stands here twice is done once."""


def repair(settings: Settings, checks: list[str], say: Callable[[str], None]) -> list[str]:
    """Do the repairs for *checks* that have findings and return what was done; what failed is said."""
    private_umask()
    done: list[str] = []
    for function in dict.fromkeys(REPAIRS[check] for check in checks if check in REPAIRS):
        try:
            done += function(settings)
        except (JournalError, OSError) as error:
            say(f"warning: not repaired: {error}")
    return done
