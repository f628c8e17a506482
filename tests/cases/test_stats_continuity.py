"""`stats` tells what was brought back to sessions: restores, loads, alerts, tokens told and spared, day by day."""

from archive import CWD, Archive, claude
from handoff_world import Repository

from journal import inbox
from journal.home import open_home

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def answered(archive: Archive, at: str, **fields: object) -> None:
    """Write down what a hook answered."""
    inbox.append(open_home(str(archive.home)), S, at[:10], {"type": "journal.hook_answered", "at": at, "session_id": S, "role": "prompt", **fields})


def test_what_hooks_told_is_counted_by_day(archive: Archive) -> None:
    """Restores and alerts of two days in the zone's own days, with their tokens; a span leaves the others out."""
    answered(archive, "2026-11-30T20:00:00.000000Z", kind="restore", tokens=400)
    answered(archive, "2026-11-30T23:30:00.000000Z", kind="restore", tokens=300)
    answered(archive, "2026-12-01T10:00:00.000000Z", kind="alert", threshold=0.75)
    answered(archive, "2026-12-01T10:01:00.000000Z", kind="ask", threshold=0.75)
    archive.json("ingest")
    found = archive.json("stats", "--timezone", "Europe/Berlin")
    zeros = {"restores": 0, "loads": 0, "alerts": 0, "requests": 0, "injected_tokens": 0, "spared_tokens": 0}
    assert found["continuity"] == zeros | {"restores": 2, "alerts": 1, "requests": 1, "injected_tokens": 700}
    assert found["continuity_by_day"] == [
        zeros | {"day": "2026-11-30", "restores": 1, "injected_tokens": 400},
        zeros | {"day": "2026-12-01", "restores": 1, "alerts": 1, "requests": 1, "injected_tokens": 300},
    ]  # fmt: skip
    assert archive.json("stats", "--since", "2026-12-01", "--timezone", "Europe/Berlin")["continuity"]["injected_tokens"] == 300
    assert "all days" in archive.run("stats")[1]


def test_loads_count_what_they_cost_and_what_they_spared(repo: Repository) -> None:
    """The files of the evidence less what was told instead, never below nothing."""
    repo.write("calc.py", "".join(f"x{number} = {number}  # a line of some length to be read again\n" for number in range(400)))
    repo.save()
    tokens = repo.load()["tokens"]
    repo.archive.json("ingest")
    found = repo.archive.json("stats")["continuity"]
    assert (found["loads"], found["injected_tokens"], found["spared_tokens"]) == (1, tokens["resume"], tokens["sources"] - tokens["resume"])
    assert found["spared_tokens"] > 1000
    for session, cwd in ((S, CWD), (T, str(repo.folder))):
        repo.archive.write(repo.archive.claude_path(session), claude(1, session, "hi", cwd=cwd))
    repo.archive.ingest()
    assert repo.archive.json("stats", "--project", str(repo.folder))["continuity"]["loads"] == 1
    assert repo.archive.json("stats", "--project", CWD)["continuity"]["loads"] == 0
