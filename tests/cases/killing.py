"""Run as a script: ingests into one home after another, each forked from a warm process and killed with SIGKILL.

Usage: killing.py FOLDER PART PARTS; FOLDER holds `.claude`. Writes the homes `killed-PART-N`, each killed twice and then
ingested once more, and prints how many running ingests were killed. The moments of all parts lie evenly over the time that
an undisturbed run takes here, each moved at random inside its share; the seed is fixed.
"""

import os
import random
import shutil
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

from cli.main import main as journal
from ingest.catalog import adapters

HOMES = 5
KILLS = 2
EARLIER = 0.7
WARM = ("cli.writing", "ingest.ingester", "ingest.observation", "ingest.repository", "ingest.sealing", "journal.inbox", "journal.lock",
        "projections.runner")  # fmt: skip


def ingest(folder: Path, home: str) -> int:
    """Start one ingest in a forked process and return its id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.environ["JOURNAL_HOME"] = str(folder / home)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            status = journal(["ingest", "--root", f"claude={folder / '.claude'}"])
        finally:
            os._exit(status)
    return child


def ended(child: int) -> int:
    """Wait for a process; return its exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def warm() -> None:
    """Import what an ingest imports, so that the killed ones start within milliseconds."""
    for name in WARM:
        import_module(name)
    adapters()


def killed(folder: Path, home: str, moment: float) -> bool:
    """Start an ingest and kill it after *moment* seconds; tell whether it was still running."""
    child = ingest(folder, home)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    return ended(child) == -signal.SIGKILL


def main(folder: Path, part: int, parts: int) -> int:
    """Kill the ingests of one part; return how many were running, which is all."""
    warm()
    begun = time.monotonic()
    assert ended(ingest(folder, f"measured-{part}")) == 0
    duration = time.monotonic() - begun
    rng = random.Random(part)
    hits = 0
    for number in range(HOMES):
        home, left = f"killed-{part}-{number}", duration
        for kill in range(KILLS):
            share = (number * KILLS + kill) * parts + part
            moment = left * (share + rng.random()) / (HOMES * KILLS * parts)
            while not killed(folder, home, moment):
                # It was faster than the measured one: another home, and an earlier moment.
                shutil.rmtree(folder / home)
                moment *= EARLIER
            hits += 1
            left -= moment
        assert ended(ingest(folder, home)) == 0
    return hits


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
