"""How much space everything takes: by file, by table, by host and by kind of record."""

import contextlib
import os
import sqlite3
from typing import Any

from journal.home import Home

TOP_TYPES = 30


def bytes_of(home: Home) -> dict[str, int]:
    """Return the sizes of the databases with what waits in their WAL, and of the folders."""
    found: dict[str, int] = {}
    for name in sorted(os.listdir(home.root)):
        path = os.path.join(home.root, name)
        if os.path.isdir(path):
            found[name + "/"] = sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(path) for file in files)
        elif os.path.isfile(path):
            found[name] = os.path.getsize(path)
    return found


def measured(home: Home) -> dict[str, Any]:
    """Return the sizes of files, tables, hosts and record types; `read` is before, `kept` after compression."""
    from journal.database import open_log, open_readonly

    tables, is_estimated = [], False
    with contextlib.closing(open_log(home.journal_db, writable=False)) as log:
        found, is_estimated = _tables(log)
        tables += [{"database": "journal.db", "table": name, "bytes": size} for name, size in found]
        hosts = [dict(zip(("host", "sources", "events", "read_bytes", "kept_bytes"), row, strict=True)) for row in log.execute(
            "SELECT host, count(DISTINCT source_id), sum(events), sum(read), sum(kept) FROM (SELECT s.host, s.source_id,"
            " (SELECT count(*) FROM events AS e WHERE e.source_id = s.source_id) AS events,"
            " (SELECT coalesce(sum(length_bytes), 0) FROM events AS e WHERE e.source_id = s.source_id) AS read,"
            " (SELECT coalesce(sum(length(data)), 0) FROM segments AS g WHERE g.source_id = s.source_id) AS kept"
            " FROM sources AS s) GROUP BY host ORDER BY host")]  # fmt: skip
        shared = log.execute("SELECT coalesce(sum(length(data)), 0) FROM parts").fetchone()[0]
        types = [dict(zip(("type", "events", "read_bytes"), row, strict=True)) for row in log.execute(
            "SELECT type, count(*), sum(length_bytes) FROM events GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT ?", (TOP_TYPES,))]  # fmt: skip
    if os.path.exists(home.views_db):
        with contextlib.closing(open_readonly(home.views_db)) as views:
            found, estimated = _tables(views)
            is_estimated |= estimated
            tables += [{"database": "views.db", "table": name, "bytes": size} for name, size in found]
    return {"files": bytes_of(home), "tables": tables, "hosts": hosts, "shared_parts_bytes": shared, "types": types, "is_estimated": is_estimated}


def _tables(database: sqlite3.Connection) -> tuple[list[tuple[str, int]], bool]:
    """Return the tables and indexes of a database by size, and whether the sizes are estimates."""
    try:
        return database.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE ORDER BY pgsize DESC, name").fetchall(), False
    except sqlite3.OperationalError:
        return estimates(database), True


def estimates(database: sqlite3.Connection) -> list[tuple[str, int]]:
    """Return for every table the lengths of its values together, for a SQLite that was built without `dbstat`."""
    found = []
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'").fetchall():
        columns = [f'coalesce(length(CAST("{row[1]}" AS BLOB)), 0)' for row in database.execute(f'PRAGMA table_info("{name}")')]
        found.append((name, database.execute(f'SELECT coalesce(sum({" + ".join(columns)}), 0) FROM "{name}"').fetchone()[0]))
    return sorted(found, key=lambda row: (-row[1], row[0]))
