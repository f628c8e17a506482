"""What a hook reads of the views, through SQLite's C module, and the start of an ingest."""

import _sqlite3
import os
import sys

from cli.hooks.edge import CHILD
from ingest.hooks import Measure
from journal.home import Home, sqlite_uri

BUSY_S = 0.2
INGEST_EVERY_S = 30
COMPACT_POINT = "SELECT tokens FROM compact_points WHERE host = ? AND model = ? ORDER BY occurred_at DESC, tokens LIMIT 1"


class Views:
    """The views, as far as they can be read now; without them every answer is that nothing is known."""

    __slots__ = ("connection",)

    def __init__(self, path: str) -> None:
        self.connection: _sqlite3.Connection | None = None
        if path and os.path.isfile(path):
            try:
                self.connection = _sqlite3.connect(f"{sqlite_uri(path)}?mode=ro", timeout=BUSY_S, uri=True)
            except _sqlite3.Error:
                self.connection = None

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            self.connection.close()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Return the rows of a query; none where the views are missing, locked, damaged or of another version."""
        if self.connection is None:
            return []
        try:
            return self.connection.execute(query, values).fetchall()
        except _sqlite3.Error:
            return []

    def measure_of(self, session_id: str) -> Measure | None:
        """Return how full the context of a session was when it was last read."""
        for used, window, model in self.rows("SELECT used_tokens, window_tokens, model FROM context_state WHERE session_id = ?", session_id):
            return Measure(
                used if isinstance(used, int) else None, window=window if isinstance(window, int) else None,
                model=model if isinstance(model, str) else None, is_compaction=used is None,
            )  # fmt: skip
        return None

    def model_of(self, session_id: str) -> str | None:
        """Return the model that a session last used."""
        measure = self.measure_of(session_id)
        return measure.model if measure else None

    def compact_point(self, host: str, model: str | None) -> int | None:
        """Return the tokens at which a host last compacted a model's context by itself."""
        rows = self.rows(COMPACT_POINT, host, model) if model else []
        return rows[0][0] if rows and isinstance(rows[0][0], int) else None

    def has_handoff(self, path: str, mtime_us: int, size: int) -> bool:
        """Tell whether this version of a handoff file is in the log."""
        return bool(self.rows("SELECT 1 FROM handoffs WHERE path = ? AND mtime_us = ? AND size = ? LIMIT 1", path, mtime_us, size))


def start_ingest(home: Home, now: float) -> None:
    """Start one detached ingest, at most every 30 seconds and not beside another writer; nothing else outlives a hook."""
    stamp = os.path.join(home.root, "ingest.stamp")
    try:
        if now - os.stat(stamp).st_mtime < INGEST_EVERY_S:
            return
    except OSError:
        pass
    if _is_locked(home.lock) or not _is_first(stamp, now):
        return
    null = os.open(os.devnull, os.O_RDWR)
    words = [sys.executable, "-I", "-m", "journal", "ingest", "--detached"]
    actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
    os.posix_spawn(sys.executable, words, {**os.environ, CHILD: "1", "JOURNAL_HOME": home.root}, file_actions=actions, setpgroup=0)
    os.close(null)


def _is_first(stamp: str, now: float) -> bool:
    """Tell whether this hook, of several at once, is the one that starts it, and set the stamp."""
    import fcntl

    try:
        os.close(os.open(stamp, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        descriptor = os.open(stamp, os.O_WRONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if now - os.fstat(descriptor).st_mtime < INGEST_EVERY_S:
                return False
            os.utime(descriptor, (now, now))
        except OSError:
            return False  # another hook is setting it
        finally:
            os.close(descriptor)
    return True


def _is_locked(path: str) -> bool:
    """Tell whether a writer is at work."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
