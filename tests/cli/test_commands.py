"""The commands as a user runs them: whole processes, a throw-away home, the recorded sessions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
CLAUDE = PROJECT / "tests/fixtures/claude/turns"
TRANSCRIPT = CLAUDE / "projects/-home-dev-proj/03d02093-6e0e-48bc-931c-fd2392ed2b6a.jsonl"
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def journal(tmp_path: Path) -> Run:
    """Return a function that runs the command line in a home of its own."""
    environ = {"HOME": str(tmp_path), "JOURNAL_HOME": str(tmp_path / "journal"), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT)}

    def run(*words: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([sys.executable, "-m", "journal", *words], env=environ, cwd=tmp_path, capture_output=True, timeout=60, check=False)

    return run


@pytest.fixture
def filled(journal: Run) -> Run:
    """Return the same after one ingest of two recorded Claude sessions."""
    assert journal("ingest", "--root", f"claude={CLAUDE}").returncode == 0
    return journal


def test_ingest_reports_what_it_read(journal: Run) -> None:
    """The keys of the contract stand in the answer; the recording has 127 records in two sessions."""
    answer = json.loads(journal("ingest", "--root", f"claude={CLAUDE}", "--json").stdout)
    assert {key: answer[key] for key in ("schema_version", "sources", "bytes", "events", "damaged", "unknown", "sessions")} == {
        "schema_version": 1, "sources": 2, "bytes": 119103, "events": 127, "damaged": 0, "unknown": 0, "sessions": 2}  # fmt: skip
    assert answer["seconds"] >= 0


def test_second_ingest_brings_nothing(filled: Run) -> None:
    """Nothing changed, so no event of a transcript is added (the inbox may hold one observation of the project)."""
    filled("ingest", "--root", f"claude={CLAUDE}")
    assert json.loads(filled("ingest", "--root", f"claude={CLAUDE}", "--json").stdout)["events"] == 0


def test_sessions_have_the_keys_of_the_contract(filled: Run) -> None:
    """Every key that scripts rely on stands in each session."""
    answer = json.loads(filled("sessions", "--all", "--json").stdout)
    keys = ("session_id host project title branch started_at last_at turns messages tool_calls models input_tokens output_tokens cache_read_tokens"
            " cache_write_tokens parent_session_id link kind state").split()  # fmt: skip
    assert [set(keys) - set(session) for session in answer["sessions"]] == [set(), set()]


def test_replay_verifies(filled: Run) -> None:
    """A rebuild beside the live views gives the same digests."""
    done = filled("replay", "--verify", "--json")
    assert (done.returncode, json.loads(done.stdout)["verified"]) == (0, True)


def test_plain_replay_names_views_and_does_not_claim_to_have_verified(filled: Run) -> None:
    """Without --verify `verified` is null; every view has its rows and its digest."""
    answer = json.loads(filled("replay", "--json").stdout)
    assert answer["verified"] is None
    assert answer["views"]["sessions"]["rows"] == 2


def test_verify_finds_nothing_missing(filled: Run) -> None:
    """Chain and bytes agree."""
    answer = json.loads(filled("verify", "--json").stdout)
    assert (answer["missing_bytes"], answer["chain_ok"]) == (0, True)


def test_export_gives_the_file_back(filled: Run) -> None:
    """The raw export of a session, found by a prefix of its id, is the transcript byte for byte."""
    assert filled("export", "03d02093", "--format", "raw").stdout == TRANSCRIPT.read_bytes()


def test_ambiguous_prefix_lists_candidates(filled: Run) -> None:
    """Both sessions begin with 0: exit 4, and the envelope names them."""
    done = filled("export", "0", "--json")
    assert done.returncode == 4
    assert json.loads(done.stderr)["candidates"] == ["013aefe6-d54f-448f-9d79-ed4f588b0f43", "03d02093-6e0e-48bc-931c-fd2392ed2b6a"]


def test_search_finds_a_file_name(filled: Run) -> None:
    """A path is found by the full text, with a global position to look it up."""
    hits = json.loads(filled("search", "calc.py", "--all", "--json").stdout)["hits"]
    assert hits
    assert all(isinstance(hit["global_position"], int) for hit in hits)


def test_note_reaches_the_log_with_the_next_ingest(filled: Run) -> None:
    """A note is one line of the inbox, and an event after the next ingest."""
    assert filled("note", "remember this", "--session", "03d02093").returncode == 0
    filled("ingest", "--root", f"claude={CLAUDE}")
    assert json.loads(filled("replay", "--verify", "--json").stdout)["views"]["session_notes"]["rows"] == 1


@pytest.mark.parametrize(
    ("words", "status"),
    [(("sessions",), 4), (("ingest", "--root", "nope=/tmp"), 2), (("ingest", "--root", "claude=/no/such/folder"), 2), (("nonsense",), 2)],
)
def test_errors_have_documented_exit_codes(journal: Run, words: tuple[str, ...], status: int) -> None:
    """Bad words and an empty home end with a message, a status and nothing on stdout."""
    done = journal(*words)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr
    assert b"Traceback" not in done.stderr


def test_as_of_without_a_file_is_a_bad_argument(filled: Run) -> None:
    """--as-of needs --into: exit 2, as for every bad argument."""
    assert filled("replay", "--as-of", "50").returncode == 2
