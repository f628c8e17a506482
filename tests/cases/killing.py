"""Run as a script: ingests into one home after another, each forked from a warm process and killed with SIGKILL.

Usage: killing.py FOLDER PART PARTS; FOLDER holds `.claude`. Writes the homes `killed-PART-N`, each killed twice and then
ingested once more, and prints how many kills hit a running ingest. The moments of all parts lie evenly over the time that
an undisturbed run takes here, each moved at random inside its share; the seed is fixed.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

HOMES = 5
KILLS = 2


def ingest(folder: Path, home: str) -> int:
    """Start one ingest in a forked process and return its id."""
    from cli.main import main

    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.environ["JOURNAL_HOME"] = str(folder / home)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            status = main(["ingest", "--root", f"claude={folder / '.claude'}"])
        finally:
            os._exit(status)
    return child


def ended(child: int) -> int:
    """Wait for a process; return its exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def warm() -> None:
    """Import what an ingest imports, so that the killed ones start within milliseconds."""
    import cli.writing  # noqa: F401
    import ingest.ingester
    import ingest.observation
    import ingest.repository
    import ingest.sealing
    import journal.inbox
    import journal.lock  # noqa: F401
    import projections.runner  # noqa: F401
    from ingest.catalog import adapters

    adapters()


def main(folder: Path, part: int, parts: int) -> int:
    """Kill the ingests of one part; return how many were running."""
    warm()
    begun = time.monotonic()
    assert ended(ingest(folder, f"measured-{part}")) == 0
    duration = time.monotonic() - begun
    rng = random.Random(part)
    hits = 0
    for number in range(HOMES):
        home = f"killed-{part}-{number}"
        for kill in range(KILLS):
            share = (number * KILLS + kill) * parts + part
            child = ingest(folder, home)
            time.sleep(duration * (share + rng.random()) / (HOMES * KILLS * parts))
            os.kill(child, signal.SIGKILL)
            hits += ended(child) == -signal.SIGKILL
        assert ended(ingest(folder, home)) == 0
    return hits


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
