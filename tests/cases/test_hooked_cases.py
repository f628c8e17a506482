"""What hooks say of sessions whose transcript says something else, or nothing more."""

from typing import Any

from archive import Archive, claude

from journal import inbox
from journal.home import open_home

S = "5b0e6f1c-0000-4000-8000-000000000001"
T = "5b0e6f1c-0000-4000-8000-000000000002"


def _hooked(archive: Archive, session: str, role: str, at: str, path: str) -> None:
    record: dict[str, Any] = {"type": "journal.hook", "role": role, "host": "claude", "at": at, "session_id": session,
                              "payload": {"session_id": session, "cwd": "/home/dev/proj"}, "transcript": {"path": path, "size": 1}}  # fmt: skip
    inbox.append(open_home(str(archive.home)), session, "2026-11-30", record)


def test_d5_an_id_of_hooks_that_name_anothers_transcript_is_an_alias(archive: Archive) -> None:
    """The resume told one id and later hooks another: one session, found under both; whichever was read first."""
    path = archive.claude_path(S)
    _hooked(archive, T, "prompt", "2026-11-30T10:00:02.000000Z", str(path))
    archive.ingest()
    assert {row: found["kind"] for row, found in archive.sessions().items()} == {T: "empty"}
    archive.write(path, claude(1, S, "x"))
    archive.ingest()
    assert list(archive.sessions()) == [S]
    assert archive.json("context", T)["session_id"] == S
    assert archive.json("replay", "--verify")["verified"] is True


def test_a19_a_transcript_that_stopped_growing_is_told(archive: Archive) -> None:
    """Hooks go on where the file does not: the session stays alive by its hooks, and its records are marked as stale."""
    path = archive.write(archive.claude_path(S), claude(1, S, "x"))
    _hooked(archive, S, "prompt", "2026-11-30T10:00:30.000000Z", str(path))
    archive.ingest()
    assert archive.sessions()[S]["transcript_stale"] is False
    _hooked(archive, S, "stop", "2999-01-01T10:00:00.000000Z", str(path))
    archive.ingest()
    assert (archive.sessions()[S]["transcript_stale"], archive.sessions()[S]["state"]) == (True, "open")


def test_a_revealed_search_cuts_from_the_log(archive: Archive) -> None:
    """The views hold no secret; --reveal shows the host's own words."""
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    archive.write(archive.claude_path(S), claude(1, S, f"the needle is {secret} here"))
    archive.ingest()
    assert [hit["snippet"] for hit in archive.hits("needle")] == ["the needle is [redacted:github-token] here"]
    assert [hit["snippet"] for hit in archive.json("search", "needle", "--all", "--reveal")["hits"]] == [f"the needle is {secret} here"]
    _, out, _ = archive.run("search", "needle", "--all", "--reveal")
    assert secret in out
