"""Case J4: memory stays bounded whatever a file's size. `python tests/bench/large.py 1000` is the same with 1 GB."""

import json
import os
import subprocess
import sys
from pathlib import Path

from archive import Archive

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

import long_session

SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
LARGEST_RSS_MB = 200
READING_RSS_MB = 55
"""What reading takes whatever the session's length: 25 to 40 MB (docs/reference/performance.md), and room for other versions of Python."""


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


def test_show_and_export_take_no_more_memory_for_a_long_session(archive: Archive) -> None:
    """A session of 40 MB is shown in full and exported in every format with at most 55 MB, less than its text and a bare Python; 500 MB take the same."""
    environ = long_session.prepared(str(archive.folder), 40)
    long_session.measured(("ingest", "--root", f"claude={archive.folder / '.claude'}"), environ)
    for words in long_session.COMMANDS:
        if words[0] in ("show", "export"):
            _, peak_mb, written = long_session.measured(words, environ)
            assert written > 0 and peak_mb <= READING_RSS_MB, words
