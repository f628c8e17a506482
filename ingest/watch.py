"""Waiting for changes below the roots: notifications where the file system gives them, else polling, and a sweep now and then.

watchdog's opened and closed events are filtered out: with them its inotify reader feeds itself from some thousands of
folders on. Notifications only wake the sweep, which judges by stat values; a lost one costs time, never a record.
"""

import os
import threading
from collections.abc import Callable, Sequence

from watchdog.events import (
    DirCreatedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

WANTED: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, DirCreatedEvent, DirMovedEvent,
]  # fmt: skip
GATHER_S = 0.1
"""How long changes are gathered before a sweep, so that a burst costs one."""
SWEEP_S = 30.0
POLL_S = 0.8
SLICE_S = 0.5


class Wake(FileSystemEventHandler):
    """Wakes the sweep."""

    def __init__(self, changed: threading.Event) -> None:
        self.changed = changed

    def on_any_event(self, event: FileSystemEvent) -> None:  # noqa: ARG002  any event means the same
        """Take note that something changed."""
        self.changed.set()


def watch(roots: Sequence[str], sweep: Callable[[], bool], stop: threading.Event, say: Callable[[str], None], *, sweep_s: float = SWEEP_S) -> None:
    """Call *sweep* at once, after every change below *roots*, and every 30 seconds, until *stop* is set.

    *sweep* tells whether it found anything new. A root that appears later is watched from the next sweep on. Where
    notifications fail, or a sweep finds what none told of (some file systems give none), *say* is told once and the
    roots are polled.
    """
    changed = threading.Event()
    watched: set[str] = set()
    started = Observer()
    started.start()
    observer: BaseObserver | None = started
    is_first = True
    try:
        while not stop.is_set():
            if observer is not None and not _schedule(observer, roots, watched, changed, say):
                _end(observer)
                observer = None
            was_told = changed.is_set() or is_first
            changed.clear()
            found, is_first = sweep(), False
            if observer is not None and found and not was_told and not changed.wait(GATHER_S) and not stop.is_set():
                say(f"the file system tells of no changes: polling every {POLL_S} s instead")
                _end(observer)
                observer = None
            _wait(changed, stop, sweep_s if observer is not None else POLL_S)
    finally:
        if observer is not None:
            _end(observer)


def _schedule(observer: BaseObserver, roots: Sequence[str], watched: set[str], changed: threading.Event, say: Callable[[str], None]) -> bool:
    """Watch the roots that exist by now; tell whether notifications work."""
    for root in roots:
        if root in watched or not os.path.isdir(root):
            continue
        try:
            observer.schedule(Wake(changed), root, recursive=True, event_filter=WANTED)
        except OSError as error:
            say(f"no change notifications ({error.strerror or error}): polling every {POLL_S} s instead")
            return False
        watched.add(root)
    return True


def _wait(changed: threading.Event, stop: threading.Event, seconds: float) -> None:
    """Wait for a change, or for *seconds*; a stop, which a signal handler sets, is seen within half a second."""
    left = seconds
    while left > 0 and not stop.is_set():
        if changed.wait(min(SLICE_S, left)):
            stop.wait(GATHER_S)
            return
        left -= SLICE_S


def _end(observer: BaseObserver) -> None:
    observer.stop()
    observer.join(timeout=5)
