"""The command that proves the log: against its hash chain, and every source that is still there against its bytes."""

import argparse
import os
import sqlite3
from typing import Any

from cli.amounts import counted
from cli.progress import Meter, meter
from cli.render import print_json, print_table, say
from journal.home import Home
from journal.log import SourceRow
from journal.settings import Settings

SUMMED = ("disk_bytes", "log_bytes", "pending", "missing", "events", "damaged")


def verify(settings: Settings, asked: argparse.Namespace) -> int:
    """Prove the log against its hash chain, and every source against the log; exit 1 when something is missing."""
    from journal.database import open_log
    from journal.reader import head
    from journal.verify import check_chain

    log = open_log(Home(settings.home).journal_db, writable=False)
    with meter() as shown:
        chain = check_chain(log, progress=shown.by_position("chain", head(log).position))
        found = _compare_all(log, shown)
    missing = sum(item["missing"] for item in found)
    for item in found:
        if "error" in item:
            say(f"warning: {item['path']}: {item['error']}, not compared")
    if asked.json:
        print_json({"sources": found, "missing_bytes": missing, "chain_ok": chain.ok})
    else:
        told = [item for item in found if item["state"] != "live" or item["pending"] or item["missing"] or item["damaged"] or "error" in item]
        print_table(("sources", "on disk", "in log", "pending", "missing", "events", "damaged"),
                    [(len(found), *(sum(item[name] or 0 for item in found) for name in SUMMED))])  # fmt: skip
        if told:
            print_table(("state", "on disk", "in log", "pending", "missing", "events", "damaged", "path"),
                        [(s["state"], s["disk_bytes"], s["log_bytes"], s["pending"], s["missing"], s["events"], s["damaged"], s["path"])
                         for s in told])  # fmt: skip
        say("the chain is whole" if chain.ok else f"the chain is broken at position {chain.first_bad_position}")
        if missing:
            say(f"on disk and not in the log: {counted(missing, 'byte')}; run: journal ingest")
    return 0 if chain.ok and not missing and not any("error" in item for item in found) else 1


def _compare_all(log: sqlite3.Connection, shown: Meter) -> list[dict[str, Any]]:
    from journal.log import sources

    rows = sources(log)
    total, done = log.execute("SELECT coalesce(sum(offset_bytes), 0) FROM offsets").fetchone()[0], 0
    progress = shown.by_bytes("comparing")
    found = []
    for row in rows:
        found.append(_compare(log, row))
        done += found[-1]["log_bytes"]
        if progress is not None:
            progress(done, total)
    return found


def _compare(log: sqlite3.Connection, row: SourceRow) -> dict[str, Any]:
    """Return what the log has of one source, and what its file has."""
    import zstandard

    from ingest.tail import open_source, stat_of
    from journal.log import offset_of
    from journal.verify import compare_source

    offset = offset_of(log, row.source_id)
    events, damaged = log.execute(
        "SELECT count(*), count(damage) FROM events WHERE source_id = ? AND generation = ?", (row.source_id, row.generation)
    ).fetchone()
    item: dict[str, Any] = {"path": row.path, "host": row.host, "state": row.state, "log_bytes": offset.offset_bytes if offset else 0,
                            "events": events, "lines": events, "damaged": damaged, "disk_bytes": None, "pending": 0, "missing": 0}  # fmt: skip
    path = row.path if os.path.exists(row.path) else row.path + ".zst"
    try:
        if not os.path.lexists(path):
            return item
        stat_of(path)  # opening a named pipe would wait for ever
        with open_source(path) as stream:
            report = compare_source(log, row, stream)
    except (OSError, zstandard.ZstdError) as error:
        item["error"] = getattr(error, "strerror", None) or str(error)
        return item
    item["disk_bytes"] = report.file_bytes
    if report.first_difference is not None:
        item["missing"] = report.file_bytes - report.first_difference
    else:
        item["pending"] = max(0, report.file_bytes - report.log_bytes)
    return item
