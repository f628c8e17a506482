"""`restore` as of a snapshot or a time, and `post-compact`: what a session knew at a moment that has passed."""

import json
from typing import Any

import pytest
from archive import Archive, answer, claude

S = "5b0e6f1c-0000-4000-8000-00000000000a"
T = "5b0e6f1c-0000-4000-8000-00000000000b"
SUMMARY = "This session is being continued. We decided to keep the lock because two writers raced."


def _at(second: int) -> dict[str, Any]:
    return {"timestamp": f"2026-11-30T10:00:{second:02d}.000Z"}


def _session() -> list[dict[str, Any]]:
    """Return a session that decides, measures, is compacted, and decides otherwise."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "sessionId": S, "compactMetadata": {"trigger": "auto", "preTokens": 190000}}
    return [
        claude(1, S, "Please never touch the lock file by hand.") | _at(1),
        answer(2, S, "We decided to keep the lock because two writers raced. The timeout is 250 ms in net.py.", "m1") | _at(2),
        boundary | _at(30),
        claude(3, S, SUMMARY, isCompactSummary=True, isVisibleInTranscriptOnly=True) | _at(31),
        claude(4, S, "go on") | _at(40),
        answer(5, S, "We decided to drop the lock instead of repairing it.", "m2") | _at(50),
    ]


@pytest.fixture
def compacted(archive: Archive) -> Archive:
    """Return an archive with that session, ingested."""
    archive.write(archive.claude_path(S), *_session())
    archive.ingest()
    return archive


def _restored(archive: Archive, *words: str) -> dict[str, Any]:
    status, out, _ = archive.run(*words, "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_as_of_a_time_nothing_later_is_told(compacted: Archive) -> None:
    """The first decision is told as of then, the second one is not; of a time before the session nothing is."""
    told = _restored(compacted, "restore", "--session", S, "--as-of", "2026-11-30T10:00:20Z")["text"]
    assert "keep the lock because two writers raced" in told
    assert "drop the lock" not in told
    assert "drop the lock" in _restored(compacted, "restore", "--session", S, "--as-of", "2026-11-30T10:00:59Z")["text"]
    assert _restored(compacted, "restore", "--session", S, "--as-of", "2026-11-29")["text"] == ""


def test_as_of_takes_times_only(compacted: Archive) -> None:
    """A word that is no time is refused with an example."""
    status, _, err = compacted.run("restore", "--as-of", "yesterday-ish")
    assert status == 2
    assert "--as-of yesterday-ish is no time" in err


def test_a_snapshot_restores_its_session_as_of_its_moment(compacted: Archive) -> None:
    """By its id: what was decided before it, not what came after; however old it is, it is shown."""
    moment = "2026-11-30T10:00:20.000000Z"
    line = {"type": "journal.snapshot", "at": moment, "session_id": S, "note": "before"}
    compacted.write(compacted.home / "inbox" / f"2026-11-30.{S}.jsonl", line)
    compacted.ingest()
    (snapshot_id,) = compacted.rows("views.db", f"SELECT snapshot_id FROM snapshots WHERE reason = 'manual' AND at = '{moment}'")[0]
    found = _restored(compacted, "restore", "--snapshot", snapshot_id)
    assert "keep the lock because two writers raced" in found["text"]
    assert "drop the lock" not in found["text"]
    assert (found["withheld"], [part["from"] for part in found["parts"]]) == (None, [S])
    assert compacted.run("restore", "--snapshot", "SNAP_none")[0] == 4


@pytest.mark.parametrize("words", [("--snapshot", "latest"), ("--session", S)])
def test_what_comes_from_another_project_says_so(compacted: Archive, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """`latest` is the newest of all projects, and an id fits everywhere."""
    monkeypatch.chdir("/")
    assert "Caution: this is of another project, /home/dev/proj; here is /." in _restored(compacted, "restore", *words)["text"]


def test_post_compact_gives_back_what_the_summary_left_out(compacted: Archive) -> None:
    """Figure and wish of before come back; the decision stands in the summary, and what came later is in the context."""
    found = _restored(compacted, "post-compact", S)
    assert "The timeout is 250 ms in net.py." in found["text"]
    assert "Please never touch the lock file by hand." in found["text"]
    assert "- We decided to keep the lock because two writers raced.\n" not in found["text"]
    assert "drop the lock" not in found["text"]
    assert (found["compacted_at"][:19], found["pre_tokens"], found["in_summary"]) == ("2026-11-30T10:00:30", 190000, 1)


def test_post_compact_keeps_its_budget(compacted: Archive) -> None:
    """At most so many tokens, and what was left out is counted."""
    found = _restored(compacted, "post-compact", S, "--budget", "90")
    assert found["tokens"] <= 90
    assert "lines left out" in found["text"]


def test_post_compact_of_a_session_without_a_compaction_is_said(archive: Archive) -> None:
    """The message names the command that helps."""
    archive.write(archive.claude_path(T), claude(1, T, "hello"), answer(2, T, "hi", "m1"))
    archive.ingest()
    status, out, err = archive.run("post-compact", T)
    assert (status, out) == (0, "")
    assert f"session {T} was never compacted; try: journal restore --session {T}" in err
    assert _restored(archive, "post-compact", T)["compacted_at"] is None


def test_for_another_host_a_restore_stays_below_what_that_host_takes(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything of ten sessions is more than Codex takes: with `--for` whole lines within 9,000 characters, and how many were left out."""
    for session in range(10):
        name = f"5b0e6f1c-0000-4000-8000-0000000001{session:02d}"
        because = "two writers raced " * 9
        said = [answer(1000 * session + n, name, f"We decided to keep lock {session}-{n} because {because}.", f"m{session}-{n}") for n in range(2, 8)]
        asked = [claude(1000 * session + 100 + n, name, f"Please never touch file {session}-{n} {'by hand ' * 20}") for n in range(6)]
        records = [record | {"cwd": str(archive.folder)} for record in (claude(1000 * session + 1, name, "go"), *said, *asked)]
        archive.write(archive.claude_path(name), *records)
    archive.ingest()
    monkeypatch.chdir(archive.folder)
    whole, told = (_restored(archive, "restore", "--all", *words)["text"] for words in ((), ("--for", "codex")))
    assert (len(whole) > 9000, "left out" in whole, len(told) <= 9000) == (True, False, True)
    assert told.splitlines()[-1] == "</journal-restored-context>"
    assert "lines left out" in told.splitlines()[-2]
    assert told.splitlines()[:-2] == whole.splitlines()[: len(told.splitlines()) - 2]
