"""The lock that decides which process writes: held by the operating system, so that a crash frees it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from journal.errors import LogBusy
from journal.home import Home

POLL_S = 0.05


@contextmanager
def writer_lock(home: Home, wait_s: float) -> Iterator[None]:
    """Hold the writer's lock of *home*.

    Raises: LogBusy: another process held it for all of *wait_s* seconds.
    """
    descriptor = os.open(home.lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not _taken(descriptor):
            if time.monotonic() >= deadline:
                raise LogBusy("another process is ingesting", hint="wait for it, or try again in a moment")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
