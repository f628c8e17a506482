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
    with _held(home.lock, wait_s, "another process is ingesting"):
        yield


@contextmanager
def indexer_lock(home: Home, wait_s: float) -> Iterator[None]:
    """Hold the lock of the one process that embeds.

    Raises: LogBusy: another process held it for all of *wait_s* seconds.
    """
    with _held(home.indexer, wait_s, "another process is indexing"):
        yield


@contextmanager
def _held(path: str, wait_s: float, busy: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not _taken(descriptor):
            if time.monotonic() >= deadline:
                raise LogBusy(busy, hint="wait for it, or try again in a moment")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def watcher_lock(home: Home) -> Iterator[None]:
    """Show, for as long as the block runs, that something watches for changes; several may."""
    descriptor = os.open(home.watcher, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def is_writing(home: Home) -> bool:
    """Tell whether a process holds the writer's lock."""
    return _is_held(home.lock, fcntl.LOCK_SH)


def is_watching(home: Home) -> bool:
    """Tell whether a process watches for changes."""
    return _is_held(home.watcher, fcntl.LOCK_EX)


def _is_held(path: str, kind: int) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # never made, or on a medium where nobody can write
        return False
    try:
        return not _taken(descriptor, kind)
    finally:
        os.close(descriptor)


def _taken(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
