"""Watch a tree of many folders while it changes, and print as JSON what was seen, how soon, and at what cost.

Usage: python tests/bench/watching.py FOLDERS [--folder FOLDER]
Each folder holds one transcript. After the first pass the watch idles; then a fifth of the transcripts grow by a line and
a fiftieth as many folders appear, all in one burst; then one transcript grows. Ends with an error when an event is lost.
CPU seconds come from /proc and are null where there is none.
"""

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

QUIET_S = 2.0
LONGEST_S = 600.0


def line(folder: int, number: int) -> bytes:
    """Return the prompt *number* of the transcript in *folder*."""
    record = {"type": "user", "uuid": f"{folder:08d}-0000-4000-8000-{number:012d}", "sessionId": session(folder), "cwd": "/home/dev/many",
              "timestamp": "2026-11-30T10:00:00.000Z", "message": {"role": "user", "content": f"prompt {folder} {number}"}}
    return json.dumps(record).encode() + b"\n"


def session(folder: int) -> str:
    """Return the session whose transcript lies in *folder*."""
    return f"{folder:08d}-aaaa-4000-8000-000000000001"


def path_in(root: Path, folder: int) -> Path:
    """Return the transcript of *folder*."""
    return root / ".claude/projects" / f"-p{folder}" / f"{session(folder)}.jsonl"


def create(root: Path, folder: int) -> None:
    """Make a folder with a transcript of one line."""
    path = path_in(root, folder)
    path.parent.mkdir(parents=True)
    path.write_bytes(line(folder, 0))


def prompts(home: Path) -> int:
    """Return how many prompts the views hold."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'views.db'}?mode=ro", uri=True)) as views:
            return int(views.execute("SELECT count(*) FROM messages").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def seconds_until(home: Path, wanted: int) -> float:
    """Return how long it takes until the views hold exactly *wanted* prompts.

    Raises: RuntimeError: they do not within ten minutes.
    """
    begun = time.monotonic()
    while (found := prompts(home)) != wanted:
        if time.monotonic() - begun > LONGEST_S:
            raise RuntimeError(f"{found} prompts of {wanted}")
        time.sleep(0.05)
    return round(time.monotonic() - begun, 2)


def cpu_s(process: "subprocess.Popen[bytes]") -> float | None:
    """Return the CPU seconds that *process* has used."""
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle(process: "subprocess.Popen[bytes]") -> None:
    """Wait until *process* rests, for ten minutes at most."""
    begun = time.monotonic()
    while time.monotonic() - begun < LONGEST_S:
        before = cpu_s(process)
        time.sleep(QUIET_S)
        if cpu_s(process) == before:
            return


def measure(root: Path, folders: int, idle_s: float) -> dict[str, Any]:
    """Make the tree, watch it, change it; return the figures."""
    home = root / "home"
    for folder in range(folders):
        create(root, folder)
    found: dict[str, Any] = {"folders": folders}
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("[index]\nslice_s = 0\n")  # what watching costs; embedding is measured elsewhere
    process = subprocess.Popen([sys.executable, "-m", "journal", "watch", "--root", f"claude={root / '.claude'}"],
                               env={**os.environ, "JOURNAL_HOME": str(home)}, stderr=subprocess.DEVNULL)
    try:
        found["first_s"] = seconds_until(home, folders)
        settle(process)
        before = cpu_s(process)
        time.sleep(idle_s)
        after = cpu_s(process)
        found["idle_cpu_share"] = None if before is None or after is None else round((after - before) / idle_s, 4)
        grown, added = folders // 5, max(1, folders // 50)
        for folder in range(grown):
            with path_in(root, folder * 5).open("ab") as file:
                file.write(line(folder * 5, 1))
        for folder in range(folders, folders + added):
            create(root, folder)
        found["burst_events"] = grown + added
        found["burst_s"] = seconds_until(home, folders + grown + added)
        with path_in(root, folders - 1).open("ab") as file:
            file.write(line(folders - 1, 2))
        found["one_s"] = seconds_until(home, folders + grown + added + 1)
        found["cpu_s"] = cpu_s(process)
    finally:
        process.send_signal(signal.SIGTERM)
        found["exit"] = process.wait(timeout=60)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="watch many folders")
    parser.add_argument("folders", type=int)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--idle", type=float, default=35.0, metavar="SECONDS", help="how long to watch it rest: 35 holds one of its regular sweeps")
    asked = parser.parse_args()
    root = asked.folder or Path(tempfile.mkdtemp(prefix="journal-watch-"))
    print(json.dumps(measure(root, asked.folders, asked.idle)))
    if asked.folder is None:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
