"""What stands on disk beside what the log has of it, by stat only: nothing is opened and nothing is written."""

import os
import sqlite3
from typing import NamedTuple

from cli.wiring import Roots
from journal.log import SourceRow

COMPRESSED = ".zst"


class Transcript(NamedTuple):
    """A file that the hosts' adapters want, or that the log knows as there."""

    host: str
    path: str
    size: int
    modified: float
    """Seconds since 1970."""
    is_behind: bool
    """It is new, or its size or time is not what it was when it was last read."""
    waiting_bytes: int
    """What the log has not; the whole file where it did not just grow."""
    read_at: str | None
    """When the log last took something from it; None where it never did."""


class Survey(NamedTuple):
    """All files found, and what was looked for in vain."""

    files: list[Transcript]
    roots: list[tuple[str, str, bool]]
    """Host, home folder, and whether it could be read."""
    absent: list[SourceRow]
    """Sources that the log takes for live, without a file."""
    faults: list[str]
    """What the operating system said of folders and files that could not be looked at."""


def survey(log: sqlite3.Connection | None, roots: Roots) -> Survey:
    """Compare the files below *roots*, and those that the log knows elsewhere, with the sources of the log."""
    from ingest.catalog import adapters
    from ingest.discovery import discover
    from journal.log import sources
    from journal.tombstones import HIDDEN, forgotten

    faults: list[str] = []
    found, readable = discover(roots, adapters(), faults)
    known = {(row.host, row.path): row for row in sources(log)} if log else {}
    if log and (gone := forgotten(log)):
        # A path that tells what was forgotten stands in the log under a keyed name.
        for item in found:
            if row := known.pop((item.host, gone.keys.hidden(item.key)), None):
                known[item.host, item.key] = row
        known = {source: row for source, row in known.items() if not row.path.startswith(HIDDEN) or source[1] != row.path}
    changed = dict(log.execute("SELECT source_id, changed_at FROM sources").fetchall()) if log else {}
    paths = {(item.host, item.key): item.path for item in found}
    absent = []
    for source, row in known.items():
        if source in paths or row.state not in ("live", "compressed"):
            continue
        there = next((name for name in (row.path, row.path + COMPRESSED) if os.path.lexists(name)), None)
        if there:
            paths[source] = there
        elif row.host != "journal":  # sealed days of the inbox are deleted by us
            absent.append(row)
    files = []
    for source, path in sorted(paths.items()):
        try:
            stat = os.stat(path)
        except OSError as error:
            faults.append(f"{path}: {error.strerror}")
            continue
        files.append(_transcript(source[0], path, stat, known.get(source), changed))
    could = {(host, root) for host, root in readable}
    return Survey(files, [(host, root, (host, os.path.realpath(root)) in could) for host, root in roots], absent, faults)


def _transcript(host: str, path: str, stat: os.stat_result, row: SourceRow | None, changed: dict[int, str]) -> Transcript:
    if row is None or row.size is None:
        is_behind, waiting = stat.st_size > 0, stat.st_size
    else:
        is_behind = (stat.st_size, stat.st_mtime_ns) != (row.size, row.mtime_ns) or row.state == "gone"
        waiting = 0 if not is_behind or stat.st_size == row.size else stat.st_size - row.size if stat.st_size > row.size else stat.st_size
    return Transcript(host, path, stat.st_size, stat.st_mtime, is_behind, waiting, changed.get(row.source_id) if row else None)
