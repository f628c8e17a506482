"""What an ingest that a hook started does: it reads, stays for half a minute and reads what the next hooks bring.

A hook starts one at most every 30 seconds, so that this one answers for all hooks of that time: a session that begins ten
seconds after another has ended knows of it.
"""

import os
import resource
import time

from cli.wiring import Roots, bring_up_to_date
from journal.errors import LogBusy, LogFull
from journal.home import Home
from journal.settings import Settings

CPU_S = 20
STAY_S = 28.0
LOOK_EVERY_S = 0.4
AGAIN_AFTER_S = 2.0
"""Hosts write the last lines of a turn up to this long after their hook."""


def restrain() -> None:
    """Give this process low priority and a limit of CPU time."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def stay(settings: Settings, roots: Roots) -> None:
    """Read now, again whenever a line came into the inbox, and once more a little after each of them, until the time is over.

    Raises: LogBusy, LogFull: the first time already.
    """
    inbox = Home(settings.home).inbox
    # The inbox is looked at before it is read: what comes in meanwhile may have come too late for this time.
    seen = _newest(inbox)
    bring_up_to_date(settings, roots)
    again_at, end = time.monotonic() + AGAIN_AFTER_S, time.monotonic() + STAY_S
    while (moment := time.monotonic()) < end:
        newest = _newest(inbox)
        if newest != seen or moment >= again_at:
            again_at = moment + AGAIN_AFTER_S if newest != seen else end
            try:
                bring_up_to_date(settings, roots)
            except (LogBusy, LogFull):
                return
            seen = newest
        time.sleep(LOOK_EVERY_S)


def _newest(folder: str) -> tuple[int, int]:
    """Return how many files the inbox has, and when the last one was written to."""
    try:
        with os.scandir(folder) as entries:
            times = [entry.stat().st_mtime_ns for entry in entries]
    except OSError:
        return 0, 0
    return len(times), max(times, default=0)
