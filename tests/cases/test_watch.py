"""`journal watch`: a change is in the views within a second, SIGTERM is clean, idle costs nearly nothing."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from archive import Archive, claude

ROOT = Path(__file__).parents[2]
S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def prompts(home: Path) -> int:
    """Return how many prompts the views hold, 0 while there are none."""
    try:
        connection = sqlite3.connect(f"file:{home / 'views.db'}?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM messages WHERE kind = 'prompt'").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return 0


def seconds_until(home: Path, wanted: int) -> float:
    """Return how long it takes until the views hold *wanted* prompts; fails after 15 s."""
    begun = time.monotonic()
    while prompts(home) < wanted:
        assert time.monotonic() - begun < 15
        time.sleep(0.02)
    return time.monotonic() - begun


def test_many_folders_lose_no_event_and_cost_nothing_at_rest(archive: Archive) -> None:
    """A burst of 110 changes below 500 folders is in the views whole; at rest the watch takes next to no CPU. `tests/bench/watching.py 10000` is the same."""
    done = subprocess.run([sys.executable, str(ROOT / "tests/bench/watching.py"), "500", "--idle", "3", "--folder", str(archive.folder)],
                          capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["burst_events"], figures["exit"]) == (110, 0)
    assert figures["idle_cpu_share"] is None or figures["idle_cpu_share"] < 0.2


def test_a_change_is_seen_soon_and_sigterm_is_clean(archive: Archive) -> None:
    """An append and a new file in a new folder reach the views; SIGTERM ends with exit 0."""
    path = archive.write(archive.claude_path(S), claude(1, S, "one"))
    process = subprocess.Popen([sys.executable, "-m", "journal", "watch", "--root", f"claude={archive.folder / '.claude'}"],
                               env={**os.environ, "JOURNAL_HOME": str(archive.home)}, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        seconds_until(archive.home, 1)
        archive.write(path, claude(2, S, "two"), append=True)
        appended = seconds_until(archive.home, 2)
        archive.write(archive.claude_path(T, "-a-new-folder"), claude(3, T, "three"))
        created = seconds_until(archive.home, 3)
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=15)
    assert status == 0
    assert max(appended, created) < 5
