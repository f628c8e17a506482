"""Case J4: memory stays bounded whatever a file's size. `python tests/bench/large.py 1000` is the same with 1 GB."""

import json
import os
import subprocess
import sys
from pathlib import Path

from archive import Archive

ROOT = Path(__file__).parents[2]
SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
LARGEST_RSS_MB = 200


def test_j4_memory_is_bounded_whatever_the_size_of_a_file(archive: Archive) -> None:
    """A file of 250 MB is ingested, and then appended to, with at most 200 MB of memory; every line is in the log and the list works."""
    done = subprocess.run([sys.executable, str(ROOT / "tests/bench/large.py"), "250", "--folder", str(archive.folder)], capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert max(figures["first_rss_mb"], figures["append_rss_mb"]) <= LARGEST_RSS_MB
    archive.home = archive.folder / "home"
    assert archive.rows("journal.db", "SELECT count(*), sum(length_bytes) FROM events WHERE type = 'claude.user'") == [(figures["lines"], figures["bytes"])]
    assert [row["session_id"] for row in archive.json("sessions", "--all")["sessions"]] == [SESSION]
    assert len(archive.hits("appendedword")) == 1
    archive.claude_path(SESSION, "-home-dev-big").unlink()
