"""Checks of the journal's own folder: permissions, databases, chain, sizes, settings, inbox, backups."""

import os
import shlex
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta

from cli.amounts import counted, sized
from cli.checks import Finding, Outcome, Scene, age_days, day

WAL_LIMIT_BYTES = 64 * 1024 * 1024
"""The WAL is cut back to this at a checkpoint; above it a reader pins it, or nothing checkpoints."""
FREE_BYTES = 256 * 1024 * 1024
CHAIN_EVENTS = 10_000
BACKUP_DAYS = 30
MARGIN_BYTES = 64 * 1024 * 1024
DATABASES = ("journal.db", "views.db", "cache.db")
SHOWN = 5


def paths_below(root: str) -> Iterator[str]:
    """Yield *root* and everything below it, links as they are.

    Raises: OSError: a folder cannot be read.
    """
    def refuse(error: OSError) -> None:
        raise error

    root = os.path.realpath(root)  # a link has no mode of its own
    yield root
    for folder, folders, files in os.walk(root, onerror=refuse):
        yield from (os.path.join(folder, name) for name in sorted([*folders, *files]))


def open_to_others(path: str) -> bool:
    """Tell whether anybody but the owner may do anything with *path*."""
    found = os.lstat(path)
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & 0o077)


def permissions(scene: Scene) -> Outcome:
    """Everything below the home is the user's alone."""
    paths = list(paths_below(scene.home.root))
    wide = [path for path in paths if open_to_others(path)]
    foreign = [path for path in paths if os.lstat(path).st_uid != os.geteuid()]
    findings = []
    if wide:
        modes = ", ".join(f"{path} {stat.S_IMODE(os.lstat(path).st_mode):04o}" for path in wide[:SHOWN])
        what = f"open to other users: {counted(len(wide), 'file or folder', 'files or folders')}"
        findings.append(Finding("permissions", "error", what, modes, "journal doctor --fix"))
    if foreign:
        owners = ", ".join(f"{path} uid {os.lstat(path).st_uid}" for path in foreign[:SHOWN])
        findings.append(Finding("permissions", "error", f"of another user: {counted(len(foreign), 'file or folder', 'files or folders')}", owners, None))
    return Outcome(f"mode and owner of {counted(len(paths), 'file or folder', 'files and folders')} below {scene.home.root}", tuple(findings))


def integrity(scene: Scene) -> Outcome:
    """The databases have no damaged pages."""
    findings = []
    for name, connection, command in (("journal.db", scene.log, None), ("views.db", scene.views, "journal doctor --fix")):
        found = _quick_check(connection)
        if found != "ok":
            what = f"{name} has damaged pages" + ("" if command else ": restore a backup, or move it away and ingest again")
            findings.append(Finding("integrity", "error", what, found[:500], command or "journal ingest"))
    return Outcome("PRAGMA quick_check of journal.db and views.db", tuple(findings))


def _quick_check(connection: sqlite3.Connection) -> str:
    try:
        return "; ".join(row[0] for row in connection.execute("PRAGMA quick_check(5)"))
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        return str(error)


def chain(scene: Scene) -> Outcome:
    """No event was changed since it was written."""
    from journal.reader import head
    from journal.verify import check_chain

    last = head(scene.log).position
    start = 0 if scene.deep else max(0, last - CHAIN_EVENTS)
    found = check_chain(scene.log, start)
    looked_at = f"the hashes of all {last:,} events" if start == 0 else f"the hashes of the last {CHAIN_EVENTS:,} of {last:,} events; all with --deep"
    if found.ok:
        return Outcome(looked_at)
    evidence = f"the first event that differs stands at position {found.first_bad_position}"
    return Outcome(looked_at, (Finding("chain", "error", "the log is not what was written", evidence, "journal verify"),))


def space(scene: Scene) -> Outcome:
    """The WAL is short and the disk has room."""
    sizes = {}
    for name in DATABASES:
        for suffix in ("", "-wal"):
            path = os.path.join(scene.home.root, name + suffix)
            if os.path.exists(path):
                sizes[name + suffix] = os.path.getsize(path)
    free = shutil.disk_usage(scene.home.root).free
    findings = []
    for name, size in sizes.items():
        if name.endswith("-wal") and size > WAL_LIMIT_BYTES:
            what = f"{name} has grown beyond {WAL_LIMIT_BYTES // 1024 // 1024} MiB: a reader holds it open, or nothing checkpoints it"
            findings.append(Finding("space", "warning", what, sized(size), "journal doctor --fix"))
    # A rebuild of the views writes them once more, into the WAL.
    wanted = max(FREE_BYTES, sizes.get("views.db", 0) + MARGIN_BYTES)
    if free < wanted:
        evidence = f"{sized(free)} are free, a rebuild of the views may take {sized(wanted)}"
        findings.append(Finding("space", "warning", "the disk is nearly full", evidence, "journal size"))
    return Outcome(", ".join(f"{name} {sized(size)}" for name, size in sizes.items()) + f"; {sized(free)} free", tuple(findings))


def journal_mode(scene: Scene) -> Outcome:
    """Readers do not wait for writers (SQLite's WAL)."""
    modes = {name: connection.execute("PRAGMA journal_mode").fetchone()[0] for name, connection in (("journal.db", scene.log), ("views.db", scene.views))}
    findings = tuple(
        Finding("journal_mode", "warning", f"{name} is not in WAL mode: readers and the writer wait for each other", f"journal_mode is {mode}", None)
        for name, mode in modes.items() if mode != "wal"
    )  # fmt: skip
    return Outcome(", ".join(f"{name} {mode}" for name, mode in modes.items()), findings)


def settings(scene: Scene) -> Outcome:
    """`config.toml` parses, and this program knows every key in it."""
    from cli.wiring import roots_of
    from journal import hook_settings
    from journal.settings import KNOWN, load, read_file

    path = scene.home.config
    if not os.path.exists(path):
        return Outcome(f"{path} (there is none: defaults are in force)")
    unknown = sorted(set(read_file(path)) - KNOWN)
    loaded = load({**os.environ, "JOURNAL_HOME": scene.home.root})
    roots_of(loaded, [])
    findings = []
    if absent := [f"{host} = {root}" for host, root in loaded.roots if not os.path.isdir(root)]:
        findings.append(Finding("settings", "warning", "config.toml names folders of hosts that are not there", ", ".join(absent), "journal config"))
    if unknown:
        findings.append(Finding("settings", "warning", "config.toml has settings that nothing reads", ", ".join(unknown), "journal config"))
    if fault := hook_settings.load(path)[1]:
        findings.append(Finding("settings", "warning", "config.toml has settings of hooks that are not used", fault, "journal config"))
    return Outcome(f"every key of {path}", tuple(findings))


def inbox(scene: Scene) -> Outcome:
    """Old days of the inbox have gone into the log."""
    from journal.inbox import sealed

    names = os.listdir(scene.home.inbox)
    old = sealed(scene.home, scene.moment.strftime("%Y-%m-%d"))
    findings: tuple[Finding, ...] = ()
    if old:
        what = f"{counted(len(old), 'inbox file')} of earlier days not taken in: nothing was ingested since, or a line is unfinished"
        findings = (Finding("inbox", "warning", what, ", ".join(os.path.basename(path) for path in old[:SHOWN]), "journal ingest"),)
    return Outcome(f"{counted(len(names), 'file')} in {scene.home.inbox}", findings)


def backups(scene: Scene) -> Outcome:
    """What exists nowhere else has a copy."""
    first = scene.log.execute("SELECT min(first_seen_at) FROM sources").fetchone()[0]
    folder = scene.home.backups
    copies = [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
    newest = max((os.path.getmtime(path) for path in copies), default=None)
    looked_at = f"{counted(len(copies), 'copy', 'copies')} in {folder}" + (f", the newest of {day(newest)}" if newest is not None else "")
    is_young = first is None or scene.moment - datetime.fromisoformat(first) < timedelta(days=BACKUP_DAYS)
    if is_young or (newest is not None and age_days(scene, newest) < BACKUP_DAYS):
        return Outcome(looked_at)
    what = f"the log is older than {BACKUP_DAYS} days and no backup in its folder is younger; a copy kept elsewhere is not seen here"
    command = f"journal backup {shlex.quote(folder)}" if os.path.isdir(folder) else "journal backup --help"
    return Outcome(looked_at, (Finding("backups", "info", what, looked_at, command),))
