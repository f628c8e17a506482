"""Where the layers are wired together: log, hosts, projections, inbox and the observation of projects."""

import contextlib
import os
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.render import say
from journal.errors import Ambiguous, LogFull, NotFound, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

if TYPE_CHECKING:
    from cli.progress import Meter
    from ingest.ingester import IngestReport

LOCK_WAIT_S = 30.0
IN_PROJECT = "session_id IN (SELECT session_id FROM session_folders WHERE project = :project)"
"""The scope of a command: sessions of which any working directory, not only the main one, lies in the project."""
Roots = list[tuple[str, str]]


class Brought(NamedTuple):
    """What bringing log and views up to date did."""

    report: "IngestReport"
    unknown: int
    sessions: int


def spare_collector() -> None:
    """Let the collector of cycles run rarely in a process that handles many records: they make no cycles, and its walks cost 2 %."""
    import gc

    gc.set_threshold(50_000, 20, 100)


def now() -> str:
    """Return the present as the log writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def roots_of(settings: Settings, given: list[str]) -> Roots:
    """Return the (host, folder) pairs to read: those given as HOST=PATH, else the hosts' defaults and the settings'.

    Raises: SettingInvalid: a root names no known host.
    """
    from ingest.catalog import HOSTS, adapter

    pairs: Roots = []
    for word in given:
        host, sign, path = word.partition("=")
        if not sign or host not in HOSTS:
            raise SettingInvalid(f"--root {word}: not HOST=PATH with a host of {', '.join(HOSTS)}", hint="journal ingest --root claude=~/.claude")
        if not os.path.isdir(os.path.expanduser(path)):
            raise SettingInvalid(f"--root {word}: there is no such folder", hint="check the path")
        pairs.append((host, os.path.expanduser(path)))
    if pairs:
        return pairs
    for host in HOSTS:
        pairs += [(host, root) for root in adapter(host).default_roots(dict(os.environ))]
    for host, root in settings.roots:
        if host not in HOSTS:
            raise SettingInvalid(f"roots.{host}: no such host; known are {', '.join(HOSTS)}", hint="correct config.toml")
        pairs.append((host, root))
    return pairs


def bring_up_to_date(settings: Settings, roots: Roots, meter: "Meter | None" = None) -> Brought:
    """Read what is new into the log, catch the views up, observe new working directories, and catch up with that.

    Raises: LogBusy: another process is ingesting for longer than the wait. SettingInvalid: the home's files are tracked by git.
    """
    from cli.cleaning import finish_if_broken_off
    from ingest import sealing
    from ingest.blanking import scrub_inbox
    from ingest.catalog import adapters
    from ingest.ingester import ingest
    from ingest.repository import ignore_itself, is_tracked
    from journal import inbox
    from journal.database import open_log
    from journal.lock import writer_lock
    from journal.log import Writer

    spare_collector()
    home = open_home(settings.home)
    ignore_itself(home.root)
    if is_tracked(home.root):
        raise SettingInvalid(f"{home.root}: git tracks files in it, and transcripts would be committed with them",
                             hint=f"run: git rm -r --cached {home.root}, or set JOURNAL_HOME to another folder")  # fmt: skip
    known = adapters()
    with writer_lock(home, LOCK_WAIT_S):
        is_new = not os.path.exists(home.journal_db)
        log = open_log(home.journal_db, writable=True)
        if is_new and (mode := log.execute("PRAGMA journal_mode").fetchone()[0]) != "wal":
            say(f"{home.root}: the file system has no shared memory for SQLite's WAL; the journal uses mode {mode}, and readers may wait")
        finish_if_broken_off(settings, log, known)
        views = open_views(home)
        try:
            report = ingest(log, roots, known, now, progress=meter.by_bytes("reading") if meter else None)
            own = ingest(log, [("journal", home.inbox)], known, now)
            if own.refused:
                scrub_inbox(Writer(log, now), home.inbox)
            report.refused += own.refused
            report.damaged += own.damaged
            report.warnings += own.warnings
            catch_up(log, views, settings, meter)
            from cli.handoffs import net

            if observe_new(home, views, log) + net.write_down(home, views):
                ingest(log, [("journal", home.inbox)], known, now)
                catch_up(log, views, settings)
            if days := inbox.sealed(home, now()[:10]):
                sealing.delete_proved(log, days)
            unknown, sessions = views.execute("SELECT (SELECT count(*) FROM unknown_records), (SELECT count(*) FROM sessions)").fetchone()
        except sqlite3.OperationalError as error:
            if is_full(error):
                raise full() from error
            raise
        finally:
            views.close()
            log.close()
    return Brought(report, unknown, sessions)


def is_full(error: sqlite3.DatabaseError) -> bool:
    """Tell whether SQLite found no space; a full disk shows as a failed read or write too."""
    return "full" in str(error) or "disk I/O" in str(error)


def full() -> LogFull:
    """Return the error of views that find no space."""
    return LogFull("there is no space left for the views", hint="free some space and run: journal ingest")


def decoders() -> tuple[dict[str, Any], dict[str, int]]:
    """Return the decode function and its version for every host."""
    from ingest.catalog import adapters

    known = adapters()
    return {host: adapter.decode for host, adapter in known.items()}, {host: adapter.decoder_version for host, adapter in known.items()}


def catch_up(log: sqlite3.Connection, views: sqlite3.Connection, settings: Settings, meter: "Meter | None" = None) -> None:
    """Catch the views up with the log, unless they stand at its head already."""
    from journal.reader import head
    from projections import runner
    from projections.catalog import in_force

    progress = meter.by_position("building views", head(log).position) if meter else None
    runner.catch_up(log, views, *decoders(), projections=in_force(settings.views), progress=progress)


def observe_new(home: Home, views: sqlite3.Connection, log: sqlite3.Connection) -> int:
    """Put an observation of every working directory not yet observed into the inbox, nothing forgotten in it; return how many."""
    missing = views.execute(
        "SELECT DISTINCT cwd FROM session_folders WHERE cwd NOT IN (SELECT path FROM project_observations WHERE occurred_at IS NOT NULL)"
        " ORDER BY cwd"
    ).fetchall()
    if not missing:
        return 0
    from ingest.observation import observe
    from journal import inbox
    from journal.tombstones import forgotten
    from projections.projects import without_remote

    moment, known, observed = now(), forgotten(log), 0
    roots = without_remote(views)
    for (cwd,) in missing:
        record = {"at": moment, **observe(cwd, roots)}
        if record["root_commit"] and not record["remote"] and not record["copied_from"]:
            roots.add((record["root_commit"], record["root"]))
        if known:
            record = {key: None if isinstance(value, str) and known.has_phrase(value.encode(errors="replace")) else value for key, value in record.items()}
        if record["path"]:
            inbox.append(home, None, moment[:10], record)
            observed += 1
    return observed


def open_views(home: Home) -> sqlite3.Connection:
    """Return a writing connection to the views; a damaged file is deleted, since the log holds all that it held."""
    from projections import checkpoint, search

    try:
        views = checkpoint.connect(home.views_db)
        checkpoint.read(views)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        views = _fresh_views(home, error)
    search.register_functions(views)
    return views


def _fresh_views(home: Home, error: sqlite3.DatabaseError) -> sqlite3.Connection:
    """Delete damaged views and return a connection to an empty file."""
    from projections import checkpoint

    say(f"{home.views_db}: {error}; the views are built again from the log")
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(home.views_db + suffix)
    return checkpoint.connect(home.views_db)


def sound_views(home: Home) -> sqlite3.Connection:
    """Return a writing connection to views without damaged pages, where need be to an empty file."""
    from projections import search

    views = open_views(home)
    try:
        found = views.execute("PRAGMA quick_check(1)").fetchone()[0]
        error = None if found == "ok" else sqlite3.DatabaseError("the file is damaged")
    except sqlite3.OperationalError:
        views.close()
        raise
    except sqlite3.DatabaseError as damage:
        error = damage
    if error is not None:
        views.close()
        views = _fresh_views(home, error)
        search.register_functions(views)
    return views


def read_views(settings: Settings) -> sqlite3.Connection:
    """Return a read-only connection to the views.

    Raises: NotFound: nothing was ingested yet.
    """
    path = Home(settings.home).views_db
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("there are no views yet", hint="run: journal ingest") from None
    from journal.database import open_readonly

    return open_readonly(path)


def session_by_prefix(views: sqlite3.Connection, prefix: str) -> str:
    """Return the session whose id begins with *prefix*; a session goes before its own sub-agents, `latest` is the newest of all.

    A sub-agent is also found by the beginnings of both parts of its id, as lists write it: `9d482481:afbe44`.

    Raises: NotFound, Ambiguous.
    """
    prefix = prefix.encode(errors="replace").decode()  # a word that is no UTF-8 has lone surrogates, which SQLite refuses
    if prefix == "latest":
        found = views.execute("SELECT session_id FROM sessions WHERE last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1").fetchall()
    else:
        parent, colon, agent = prefix.partition(":")
        found = views.execute(
            "SELECT session_id FROM sessions WHERE substr(session_id, 1, length(?1)) = ?1 OR (?2 AND instr(session_id, ':')"
            " AND substr(session_id, 1, length(?3)) = ?3 AND substr(session_id, instr(session_id, ':') + 1, length(?4)) = ?4)"
            " ORDER BY session_id = ?1 DESC, session_id LIMIT 21",
            (prefix, bool(colon and parent and agent), parent, agent),
        ).fetchall()
        if found and found[0][0] == prefix:
            return prefix
    if not found:
        alias = views.execute("SELECT session_id FROM session_aliases WHERE alias = ?", (prefix,)).fetchone()
        if alias:
            return str(alias[0])
        if prefix == "latest":
            raise NotFound("there are no sessions yet", hint="run: journal ingest")
        raise NotFound(f"no session begins with {prefix}", hint="run: journal sessions --all")
    if all(row[0].startswith(f"{found[0][0]}:") for row in found[1:]):
        return str(found[0][0])
    if len(found) > 1:
        raise Ambiguous(f"{prefix} fits several sessions", candidates=[row[0] for row in found], hint="give more of the id")
    return str(found[0][0])


def current_project(views: sqlite3.Connection) -> str:
    """Return the project that the current directory lies in; the directory itself where the views know none."""
    here = os.path.realpath(os.getcwd())
    return _known_project(views, here) or _moved_project(views, here) or here


def _known_project(views: sqlite3.Connection, here: str) -> str | None:
    """Return the project of the nearest folder at or above *here* that the views know."""
    from projections.projects import project_of

    folder = here
    known = {row[0]: row[0] for row in views.execute("SELECT DISTINCT project FROM session_folders WHERE project IS NOT NULL")}
    known |= {root: path for path, root in views.execute("SELECT path, root FROM project_observations WHERE root IS NOT NULL")}
    while folder not in known:
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return project_of(views, known[folder])


def _moved_project(views: sqlite3.Connection, here: str) -> str | None:
    """Return the project that the repository at *here* was before it moved: the one with its first commit and remote."""
    from ingest.observation import observe
    from projections.projects import same_repository, without_remote

    if not any(os.path.exists(os.path.join(folder, ".git")) for folder in _upwards(here)):
        return None
    seen = observe(here, without_remote(views))
    if seen["copied_from"]:
        return str(seen["root"])
    return same_repository(views, seen["root_commit"], seen["remote"])


def _upwards(folder: str) -> list[str]:
    """Return *folder* and all folders above it."""
    folders = [folder]
    while (parent := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(parent)
    return folders
