"""A host invented for the tailer's tests: `*.jsonl` are lines, `*.json` documents, and the first record may tell the id."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.adapter import Adapter, Candidate
from ingest.ingester import IngestReport, ingest
from journal.database import open_log
from journal.domain import JsonObject
from journal.home import open_home
from journal.log import SourceRow, sources
from journal.reader import read_events, read_source
from journal.verify import check_chain

NOW = "2026-01-01T00:00:00.000000Z"


def classify(root: str, path: str) -> Candidate | None:
    """Return what *path* is: names that begin with `x-` tell no id."""
    name = os.path.basename(path).removesuffix(".zst")
    shape = {".jsonl": "lines", ".json": "document"}.get(os.path.splitext(name)[1])
    return Candidate(path, shape, None if name.startswith("x-") else name.split(".")[0]) if shape else None


def discover(root: str) -> Iterator[Candidate]:
    """Yield all files below *root*."""
    os.scandir(root).close()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            found = classify(root, os.path.join(folder, name))
            if found:
                yield found


def native_id(path: str, first: Any) -> str:
    """Return the id in the record, else the file's name."""
    return str(first["sid"]) if isinstance(first, dict) and "sid" in first else os.path.basename(path)


def hint(record: JsonObject) -> tuple[str, str | None]:
    """Return a fixed type."""
    return "fake.record", None


ADAPTER = Adapter("fake", 1, lambda environ: [], discover, classify, native_id, hint, lambda source, record: [])


class World:
    """A folder of the invented host, and a log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir()
        self.home = open_home(str(folder / "home"))

    def file(self, name: str, data: bytes) -> Path:
        """Write a file below the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def ingest(self, *roots: Path) -> IngestReport:
        """Make one pass."""
        log = open_log(self.home.journal_db, writable=True)
        try:
            return ingest(log, [("fake", str(root)) for root in roots or (self.root,)], {"fake": ADAPTER}, lambda: NOW)
        finally:
            log.close()

    def crash(self, moment: int, *, is_after: bool) -> int:
        """Let a process make a pass and die before its step or commit number *moment*, or right after it.

        Returns: its exit status, 0 where it came to its end before that.
        """
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        try:
            left, is_due = [moment], [False]

            def watch(statement: str) -> None:
                if is_due[0]:
                    os._exit(9)
                if statement in ("RELEASE step", "COMMIT"):
                    left[0] -= 1
                    if left[0] == 0:
                        is_due[0] = is_after
                        if not is_after:
                            os._exit(9)

            log = open_log(self.home.journal_db, writable=True)
            log.set_trace_callback(watch)
            ingest(log, [("fake", str(self.root))], {"fake": ADAPTER}, lambda: NOW)
        finally:
            os._exit(0)

    def sources(self) -> list[SourceRow]:
        """Return all sources."""
        log = open_log(self.home.journal_db, writable=False)
        try:
            return sources(log)
        finally:
            log.close()

    def state(self) -> list[tuple[str, int, str]]:
        """Return name, generation and state of all sources."""
        return [(os.path.basename(row.path), row.generation, row.state) for row in self.sources()]

    def lines(self) -> list[bytes]:
        """Return the bytes of all events in log order, and prove the chain."""
        log = open_log(self.home.journal_db, writable=False)
        try:
            assert check_chain(log).ok
            return [event.line for event in read_events(log, 0, 1_000_000)]
        finally:
            log.close()

    def generation(self, source_id: int, number: int) -> bytes:
        """Return the bytes of one generation."""
        log = open_log(self.home.journal_db, writable=False)
        try:
            return b"".join(read_source(log, source_id, number))
        finally:
            log.close()
