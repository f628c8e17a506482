"""One line on a terminal that says how far long work has come: share, bytes a second, and how long it may still take (docs/adr/0013)."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

Progress = Callable[[int, int], None]

FIRST_S = 0.5
"""Work that is over sooner shows nothing."""
EVERY_S = 0.1
GUESS_FROM_S = 2.0
"""How long a rate is measured before anything is said about the time left."""
CLEAR = "\r\x1b[K"


class Seen(NamedTuple):
    """How far one stretch of work has come."""

    label: str
    share: float
    """Of what was left when it was first looked at, 0 to 1."""
    bytes: int
    seconds: float
    items: int | None = None
    """How many are done, where it is not bytes that are counted."""


def line(seen: Seen) -> str:
    """Return what to show; the time left only once a rate is known, from the whole stretch, so that it does not jump."""
    parts = [seen.label, f"{seen.share:4.0%}", f"{seen.bytes / 1e6:.1f} MB" if seen.items is None else str(seen.items)]
    if seen.seconds > 0:
        parts.append(f"{seen.bytes / 1e6 / seen.seconds:.1f} MB/s" if seen.items is None else f"{seen.items / seen.seconds:.0f} a second")
    if seen.share >= 1:
        parts.append("finishing")
    elif seen.seconds >= GUESS_FROM_S and seen.share > 0.01:
        left = round(seen.seconds / seen.share * (1 - seen.share))
        parts.append(f"about {left // 60}:{left % 60:02d} left" if left < 6000 else f"about {left / 3600:.0f} h left")
    return "  ".join(parts)


class Meter:
    """Shows the last thing told, at most ten times a second; where there is nothing to *write* to, nobody need tell."""

    def __init__(self, write: Callable[[str], object] | None, now: Callable[[], float] = time.monotonic) -> None:
        self.write = write
        self.now = now
        self.begun = now()
        self.shown_at = self.begun + FIRST_S - EVERY_S
        self.is_shown = False

    def by_bytes(self, label: str) -> Progress | None:
        """Return what to tell bytes done and bytes in all."""
        begun = self.now()

        def told(done: int, total: int) -> None:
            self._show(lambda seconds: Seen(label, done / total if total else 1.0, done, seconds), begun)

        return told if self.write else None

    def by_share(self, label: str) -> Callable[[float, int], None] | None:
        """Return what to tell the share that is done, 0 to 1, and the bytes that came of it so far."""
        begun = self.now()

        def told(share: float, size: int) -> None:
            self._show(lambda seconds: Seen(label, share, size, seconds), begun)

        return told if self.write else None

    def by_items(self, label: str) -> Progress | None:
        """Return what to tell how many are done, of how many."""
        begun = self.now()

        def told(done: int, total: int) -> None:
            self._show(lambda seconds: Seen(label, done / total if total else 1.0, 0, seconds, done), begun)

        return told if self.write else None

    def by_position(self, label: str, last: int) -> Progress | None:
        """Return what to tell a position of the log, up to *last*, and the bytes read since it was last told."""
        begun, first, size = self.now(), -1, 0

        def told(position: int, read: int) -> None:
            nonlocal first, size
            first, size = (position if first < 0 else first), size + read
            share = (position - first) / (last - first) if last > first else 1.0
            self._show(lambda seconds: Seen(label, share, size, seconds), begun)

        return told if self.write else None

    def clear(self) -> None:
        """Take the line away."""
        if self.write and self.is_shown:
            self.write(CLEAR)

    def _show(self, seen: Callable[[float], Seen], begun: float) -> None:
        moment = self.now()
        if self.write and moment - self.shown_at >= EVERY_S:
            self.shown_at, self.is_shown = moment, True
            self.write(CLEAR + line(seen(moment - begun))[: shutil.get_terminal_size().columns - 1])


@contextmanager
def meter() -> Iterator[Meter]:
    """Give a meter that shows on standard error where that is a terminal that can take a line back, else nowhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield Meter(None)
        return

    def write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    shown = Meter(write)
    try:
        yield shown
    finally:
        shown.clear()
