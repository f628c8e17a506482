"""The command that keeps log and views fresh until it is told to stop."""

import argparse
import os
import signal
import threading

from cli.amounts import counted
from cli.render import say
from cli.wiring import bring_up_to_date, roots_of
from journal.errors import LogBusy, LogFull
from journal.home import open_home
from journal.lock import watcher_lock
from journal.settings import Settings


def watch(settings: Settings, asked: argparse.Namespace) -> int:
    """Ingest whenever a transcript changes, until SIGTERM or Ctrl-C."""
    from cli.index.serving import Serving
    from cli.index.slices import Slices
    from ingest.watch import watch as wait_for_changes

    roots = roots_of(settings, asked.root)
    home = open_home(settings.home)
    stop, told = threading.Event(), set[str]()
    slices = Slices(settings, stop, say)
    serving = Serving(settings, slices, stop)

    def sweep() -> bool:
        try:
            done = bring_up_to_date(settings, roots)
        except LogBusy:
            return False
        except LogFull as error:
            # Space comes back without a watcher being started again; the sweep every 30 seconds finds it.
            if str(error) not in told:
                told.add(str(error))
                say(f"warning: {error}; tried again in a moment")
            return False
        for warning in done.report.warnings:
            if warning not in told:
                told.add(warning)
                say(f"warning: {warning}")
        if done.report.events:
            slices.news()
        return done.report.events > 0

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    say(f"watching {counted(len(roots), 'root')}; stop with Ctrl-C")
    with watcher_lock(home):
        slices.start()
        serving.start()
        wait_for_changes([os.path.realpath(path) for _, path in roots] + [home.inbox], sweep, stop, say)
        slices.join()
        serving.join()
    return 0
