"""Indexing beside `journal watch`: a thread of low priority that embeds in slices once nothing new has come for a moment."""

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable

from cli.index import building, embedding
from cli.wiring import LOCK_WAIT_S
from journal.errors import JournalError, LogBusy
from journal.home import Home
from journal.settings import Settings

QUIET_S = 5.0
"""So long after the last news a slice begins: whoever works has the machine first."""
NICE = 10


class Slices:
    """Says when there is something to index and does it, slice by slice."""

    def __init__(self, settings: Settings, stop: threading.Event, say: Callable[[str], None]) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.stop = stop
        self.say = say
        self.news_at = time.monotonic()
        self.embedder: embedding.Embedder | None = None
        self.told: set[str] = set()
        self.opening = threading.Lock()
        self.thread = threading.Thread(target=self._run, name="index", daemon=True)

    def start(self) -> None:
        """Begin, unless the setting leaves the index to the command."""
        if self.settings.index_settings.slice_s > 0:
            self.thread.start()

    def news(self) -> None:
        """Be told that something came in."""
        self.news_at = time.monotonic()

    def complain(self, what: str) -> None:
        """Say something once."""
        if what not in self.told:
            self.told.add(what)
            self.say(what)

    def join(self) -> None:
        """Wait for the batch that is being embedded; the caller has set *stop*."""
        if self.thread.is_alive():
            self.thread.join(10)

    def _run(self) -> None:
        if sys.platform == "linux":  # elsewhere a thread has no priority of its own
            # A watch that was started with less priority keeps it: to give more is refused to all but root.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
        left = True
        while not self.stop.wait(1.0):
            if time.monotonic() - self.news_at < QUIET_S:
                left = True
            elif left:
                left = self.slice()

    def slice(self, wait_s: float = LOCK_WAIT_S) -> bool:
        """Do one slice; tells whether more is to be done."""
        if self.embedder is None:
            from cli.index.commands import state_of

            state = state_of(self.settings)
            if state.state in ("no model", "ready"):
                return False
        ends = time.monotonic() + self.settings.index_settings.slice_s
        try:
            done = building.update(self.home, self.opened, is_over=lambda: self.stop.is_set() or time.monotonic() >= ends, wait_s=wait_s)
        except LogBusy:
            return True
        except (JournalError, OSError, sqlite3.DatabaseError) as error:
            self.complain(f"search by meaning stays behind: {error}")
            return False
        return bool(done.left or done.waiting)

    def opened(self) -> embedding.Embedder:
        """Return the model, loaded once.

        Raises: IndexUnusable.
        """
        with self.opening:
            if self.embedder is None:
                self.embedder = embedding.open_embedder(self.settings)
            return self.embedder
