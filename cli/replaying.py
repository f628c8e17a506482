"""The command that rebuilds the views, compares them with a rebuild, or builds them as of an earlier point."""

import argparse
import contextlib
import os
import sqlite3

from cli.progress import Progress, meter
from cli.render import print_json, print_table, say
from cli.wiring import LOCK_WAIT_S, decoders, sound_views, spare_collector
from journal.errors import SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings


def replay(settings: Settings, asked: argparse.Namespace) -> int:
    """Rebuild the views from the log; with --verify compare a rebuild with the live views; with --into as of a point."""
    from journal.database import open_log
    from journal.reader import head

    if asked.as_of is not None and (asked.verify or asked.view):
        raise SettingInvalid("--as-of builds all views in a file of their own: it takes neither --view nor --verify", hint="journal replay --help")
    if (asked.as_of is None) != (asked.into is None):
        raise SettingInvalid("--as-of and --into go together", hint="journal replay --as-of 100 --into old.db")
    spare_collector()
    home = open_home(settings.home)
    with contextlib.closing(open_log(home.journal_db, writable=False)) as log, meter() as shown:
        progress = shown.by_position("comparing" if asked.verify else "replaying", head(log).position)
        return _live(home, log, settings, asked, progress) if asked.as_of is None else _as_of(log, settings, asked, progress)


def _live(home: Home, log: sqlite3.Connection, settings: Settings, asked: argparse.Namespace, progress: Progress | None) -> int:
    from journal.lock import writer_lock
    from projections import replay as rebuilding
    from projections.catalog import in_force
    from projections.runner import catch_up

    kept = in_force(settings.views)
    names = tuple(asked.view)
    shown = [table for projection in rebuilding.named(names, kept) for table in projection.tables] if names else None
    verified: bool | None = None
    with writer_lock(home, LOCK_WAIT_S), contextlib.closing(sound_views(home)) as views:
        if asked.verify:
            catch_up(log, views, *decoders(), projections=kept)
            found_different = rebuilding.verify(log, views, *decoders(), projections=kept, progress=progress)
            different = [found for found in found_different if shown is None or found.view in shown]
            verified = not different
            for found in different:
                say(f"{found.view}: the live view differs from its rebuild; run: journal replay")
        else:
            rebuilding.rebuild(log, views, *decoders(), names=names, projections=kept, progress=progress)
        _print(views, settings, asked, verified, shown)
    if verified and not asked.json:
        say("the views say what the log says")
    return 0 if verified in (None, True) else 1


def _as_of(log: sqlite3.Connection, settings: Settings, asked: argparse.Namespace, progress: Progress | None) -> int:
    """Build the views as of a position or a time in a new file."""
    from projections import replay as rebuilding
    from projections.catalog import in_force

    position, time = _point(log, asked.as_of)
    if os.path.lexists(asked.into):
        raise SettingInvalid(f"--into {asked.into}: the file exists", hint="name a new file")
    if not os.path.isdir(os.path.dirname(os.path.abspath(asked.into))):
        raise SettingInvalid(f"--into {asked.into}: there is no such folder", hint="make the folder first")
    kept = in_force(settings.views)
    built = rebuilding.build_at(log, asked.into, *decoders(), position=position, time=time, projections=kept, progress=progress)
    with contextlib.closing(built) as views:
        _print(views, settings, asked, None, None)
    return 0


def _point(log: sqlite3.Connection, given: str) -> tuple[int | None, str | None]:
    """Return the position or the UTC time that --as-of names.

    Raises: SettingInvalid: neither, or a position that the log does not have.
    """
    from journal.reader import head
    from journal.timestamps import normalise

    if given.isdigit():
        last = head(log).position
        if int(given) > last:
            raise SettingInvalid(f"--as-of {given}: the log ends at position {last}", hint=f"give a position up to {last}, or a time")
        return int(given), None
    time = normalise(given)
    if time is None:
        raise SettingInvalid(f"--as-of {given}: neither a position nor a time", hint="write it like 2026-11-30T21:16 (UTC) or 2026-11-30T23:16+02:00")
    return None, time


def _print(views: sqlite3.Connection, settings: Settings, asked: argparse.Namespace, verified: bool | None, shown: list[str] | None) -> None:
    from projections import digest
    from projections.catalog import in_force

    digests = {name: value for name, value in digest.digests(views, in_force(settings.views)).items() if shown is None or name in shown}
    counted = {name: {"rows": views.execute(f"SELECT count(*) FROM {name}").fetchone()[0], "digest": value} for name, value in digests.items()}
    position = views.execute("SELECT position FROM checkpoints WHERE name = 'views'").fetchone()[0]
    if asked.json:
        print_json({"views": counted, "events": position, "verified": verified})
    else:
        print_table(("view", "rows", "digest"), [(name, view["rows"], view["digest"][:16]) for name, view in counted.items()])
