"""Blanking in the inbox what the log has forgotten; a line keeps its place, so that writers who append go on."""

import os

from ingest.tail import fingerprint
from journal.log import Writer, offset_of, sources
from journal.tombstones import blank, forgotten, marks_of


def scrub_inbox(writer: Writer, folder: str) -> int:
    """Blank the forgotten lines in the files of the inbox *folder* and return how many there were.

    The hashes of what was consumed are made again, so that the change is no rewrite of the file.
    """
    known = forgotten(writer.connection)
    if known is None:
        return 0
    rows = {row.path: row for row in sources(writer.connection) if row.host == "journal"}
    blanked = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.realpath(os.path.join(folder, name))
        row = rows.get(path) or rows.get(known.keys.hidden(path))
        offset = offset_of(writer.connection, row.source_id) if row else None
        if row is None or offset is None or not os.path.isfile(path):
            continue
        marks = marks_of(writer.connection, row.source_id, offset.generation)
        if not marks:
            continue
        with open(path, "r+b", buffering=0) as file:
            for mark in marks:
                shown = os.pread(file.fileno(), mark.length, mark.offset)
                if known.keys.line(shown) == mark.line_key:
                    os.pwrite(file.fileno(), blank(shown), mark.offset)
                    blanked += 1
            os.fsync(file.fileno())
            hashes = fingerprint(file, offset.generation, offset.offset_bytes)
        if hashes is not None and hashes != offset:
            with writer.transaction():
                writer.save_offset(row.source_id, hashes)
    return blanked


