"""Forgetting that is broken off, hindered or raced: the log stays whole, and the next command completes it."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from archive import Archive, answer, claude
from forget_world import places

from cli import cleaning
from journal import reader
from journal.database import connect
from journal.segments import pack
from journal.tombstones import forgotten
from journal.verify import check_chain

S = "aaaaaaaa-0000-4000-8000-000000000001"
WORD = "Zinnober-5527"


def fill(archive: Archive, count: int = 60) -> None:
    """Write and ingest two sessions; every fifth prompt has the word."""
    for number in (1, 2):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(
            claude(n + 1000 * number, session, f"prompt {n}" + (f" {WORD}" if n % 5 == 0 else "")) if n % 2 == 0
            else answer(n + 1000 * number, session, "x" * 600, f"m{number}-{n}") for n in range(count)))
    archive.ingest()


def test_kill_at_random_moments(archive: Archive) -> None:
    """Killed again and again, the chain holds each time; once the log is scrubbed, the next ingest completes it; a second forget finds nothing."""
    fill(archive, 400)
    archive.json("note", f"about {WORD}", "--session", S)
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home)}
    rng, scrubbed = random.Random(5), 0
    for _ in range(14):
        process = subprocess.Popen([sys.executable, "-m", "journal", "forget", "--match", WORD, "--yes", "--json"],
                                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.1, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert archive.json("verify")["chain_ok"] is True
        if archive.rows("journal.db", "SELECT count(*) FROM tombstones") != [(0,)]:
            scrubbed += 1
            archive.ingest()
            assert places(archive.home, WORD) == []
    told = archive.json("forget", "--match", WORD, "--yes")
    assert (told["events"] == 0, places(archive.home, WORD)) == (scrubbed > 0, [])
    assert archive.rows("journal.db", "SELECT count(*) FROM tombstones") == [(81,)]
    assert archive.json("replay", "--verify")["verified"] is True


def test_a_reader_of_the_old_state_hinders_and_is_told(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody reads the old views forget ends with 3 and says so; when they are gone the next ingest completes it."""
    monkeypatch.setattr(cleaning, "READERS_WAIT_S", 0.3)
    fill(archive)
    with contextlib.closing(sqlite3.connect(archive.home / "views.db", isolation_level=None)) as old:
        old.execute("BEGIN")
        old.execute("SELECT count(*) FROM messages").fetchone()
        status, _, error = archive.run("forget", "--match", WORD, "--yes")
        assert (status, "keeps an old state" in error, "journal ingest" in error) == (3, True, True)
        status, _, error = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
        assert (status, "tried again" in error) == (0, True)
    archive.ingest()
    assert places(archive.home, WORD) == []
    assert archive.rows("journal.db", "SELECT count(*) FROM log_meta WHERE key = 'forget_unfinished'") == [(0,)]


def test_a_line_that_a_hook_appends_meanwhile_stays(archive: Archive) -> None:
    """Blanking a line of the inbox leaves what was appended behind it, and later lines are read from where they stand."""
    fill(archive)
    archive.json("note", f"{WORD} here", "--session", S)
    archive.json("note", "before", "--session", S)
    archive.ingest()
    archive.json("forget", "--match", WORD, "--yes")
    archive.json("note", "behind", "--session", S)
    archive.ingest()
    assert sorted(archive.rows("views.db", "SELECT text FROM session_notes")) == [("before",), ("behind",)]
    assert archive.rows("journal.db", "SELECT max(generation) FROM sources WHERE host = 'journal'") == [(0,)]


def test_a_scrubbed_line_cannot_be_filled_again(archive: Archive) -> None:
    """Bytes that are put where a line was scrubbed, or a changed neighbour, break the chain at that event."""
    fill(archive)
    archive.json("forget", "--match", WORD, "--yes")
    with contextlib.closing(connect(str(archive.home / "journal.db"))) as log:
        first = log.execute("SELECT min(global_position) FROM tombstones").fetchone()[0]
        segment, length = log.execute("SELECT segment_id, length_bytes FROM events WHERE global_position = ?", (first,)).fetchone()
        data = reader.SegmentCache(log).get(segment)[1]
        for position, changed in ((first, b"y" * (length - 1) + data[length - 1 :]), (first + 1, data.replace(b"xxx", b"xyx", 1))):
            log.execute("UPDATE segments SET data = ? WHERE segment_id = ?", (pack(changed), segment))
            assert check_chain(log) == (False, position)
        log.execute("UPDATE segments SET data = ? WHERE segment_id = ?", (pack(data), segment))
        log.execute("UPDATE kept_hashes SET content_hash = zeroblob(32) WHERE global_position = ?", (first + 2,))
        assert check_chain(log) == (False, first + 2)


def test_salt_goes_with_the_bytes(archive: Archive) -> None:
    """The segments that were scrubbed have other salts than before, the others the same."""
    fill(archive)
    archive.write(archive.claude_path("aaaaaaaa-0000-4000-8000-000000000003"), claude(9000, S, "no such word"))
    archive.ingest()
    before = dict(archive.rows("journal.db", "SELECT segment_id, seed FROM segments"))
    archive.json("forget", "--match", WORD, "--yes")
    after = dict(archive.rows("journal.db", "SELECT segment_id, seed FROM segments"))
    touched = {row[0] for row in archive.rows("journal.db", "SELECT DISTINCT segment_id FROM tombstones JOIN events USING (global_position)")}
    assert {key for key, seed in before.items() if after[key] != seed} == touched
    assert len(touched) < len(before)


def test_keys_are_of_this_log_alone(archive: Archive) -> None:
    """Two logs that forget the same have no key in common."""
    fill(archive)
    archive.json("forget", "--match", WORD, "--yes")
    first = archive.rows("journal.db", "SELECT key FROM forgotten")
    archive.home = archive.folder / "second"
    archive.ingest()
    archive.json("forget", "--match", WORD, "--yes")
    assert set(first) & set(archive.rows("journal.db", "SELECT key FROM forgotten")) == set()


def test_a_log_that_forgot_nothing_pays_nothing(archive: Archive) -> None:
    """Without a forget no line is judged: there is no set of keys at all."""
    fill(archive)
    with contextlib.closing(connect(str(archive.home / "journal.db"))) as log:
        assert forgotten(log) is None


def test_forget_twice_in_one_segment(archive: Archive) -> None:
    """A second forget in the same segment keeps the first one's hashes; the chain holds, both texts are gone."""
    fill(archive)
    archive.json("forget", "--match", WORD, "--yes")
    kept = archive.rows("journal.db", "SELECT global_position, content_hash FROM kept_hashes ORDER BY 1")
    archive.json("forget", "--match", "prompt 14", "--yes")
    assert archive.rows("journal.db", "SELECT global_position, content_hash FROM kept_hashes ORDER BY 1")[: len(kept)] == kept
    assert (archive.json("verify")["chain_ok"], places(archive.home, "prompt 14")) == (True, [])


def test_ingest_tells_what_it_refused(archive: Archive) -> None:
    """The answer of ingest counts lines that came again and were not let in."""
    fill(archive)
    archive.json("forget", "--match", WORD, "--yes")
    record = claude(5000, S, f"{WORD} again")
    archive.write(archive.claude_path(S), record, append=True)
    assert archive.ingest()["refused"] == 1
    assert json.loads(archive.run("status", "--json")[1])["forgotten"] == 13
