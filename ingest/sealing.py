"""Deleting sealed inbox files, once every byte of them is proved to be in the log."""

import os
import sqlite3
from collections.abc import Iterable

from ingest.tail import same_bytes, stat_of
from journal.log import offset_of, sources
from journal.tombstones import as_in_file


def delete_proved(connection: sqlite3.Connection, paths: Iterable[str]) -> list[str]:
    """Delete those of the sealed inbox files *paths* whose bytes the log holds in full, and return them.

    A file with an unfinished last line, or with a byte that the log has not, stays.
    """
    known = {row.path: row for row in sources(connection) if row.host == "journal"}
    deleted = []
    for path in paths:
        row = known.get(os.path.realpath(path))
        offset = offset_of(connection, row.source_id) if row else None
        if row is None or offset is None or offset.offset_bytes != stat_of(path).size:
            continue
        with open(path, "rb") as file:
            proved = same_bytes(file, as_in_file(connection, row.source_id, row.generation, file)) and file.read(1) == b""
        if proved:
            os.unlink(path)
            deleted.append(path)
    return deleted
