"""How far a pass over the files has come, in bytes; what waits is judged by stat values, before anything is opened."""

import os
from collections.abc import Callable, Sequence

from journal.log import SourceRow

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""


class Course:
    """Adds up what is done, file by file; without anybody to tell it does nothing."""

    def __init__(self, progress: Progress | None, waiting: Sequence[int]) -> None:
        self.progress = progress
        self.waiting = waiting
        self.total = sum(waiting)
        self.index = 0
        self.before = 0
        self.within(0)

    def within(self, done: int) -> None:
        """Tell how many bytes of the file at hand are done; a rewritten or compressed one may hold more than waited."""
        if self.progress is not None and self.index < len(self.waiting):
            self.progress(self.before + min(done, self.waiting[self.index]), self.total)

    def next(self) -> None:
        """Go on to the next file; what was not read of this one waits no more."""
        if self.progress is not None:
            self.before += self.waiting[self.index]
            self.progress(self.before, self.total)
            self.index += 1


def waiting_bytes(path: str, row: SourceRow | None) -> int:
    """Return what the file at *path* holds beyond what was read of it; 0 where it is unchanged or cannot be looked at."""
    try:
        stat = os.stat(path)
    except OSError:
        return 0
    if row is None or row.size is None or stat.st_size < row.size:
        return stat.st_size
    return stat.st_size - row.size
