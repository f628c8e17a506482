"""Recordings of the four real clients: every record is known, and sessions equal tables made by hand."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from archive import Archive

FIXTURES = Path(__file__).parent.parent / "fixtures"
SCENARIOS = sorted(f"{path.parent.name}/{path.name}" for path in FIXTURES.glob("*/*") if path.is_dir())


def ingest(archive: Archive, scenario: str, state: str = "") -> dict[str, Any]:
    """Ingest one recording (or the state of it at a step) as the home of its host."""
    host = scenario.partition("/")[0]
    home = archive.folder / f".{host}"
    shutil.rmtree(home, ignore_errors=True)
    source = FIXTURES / scenario
    shutil.copytree(source / "states" / state if state else source, home, ignore=shutil.ignore_patterns("states"))
    return archive.json("ingest", "--root", f"{host}={home}")


def table(archive: Archive, *columns: str) -> dict[str, tuple[Any, ...]]:
    """Return the columns asked for of each session, by the first eight characters of its id and its sub-agent mark."""
    return {session[:8] + ("+" if ":" in session else ""): tuple(row[column] for column in columns) for session, row in archive.sessions().items()}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_record_is_known_and_whole(archive: Archive, scenario: str) -> None:
    """A recording ingests without unknown and damaged records, verifies, and replays to the same views."""
    report = ingest(archive, scenario)
    assert (report["unknown"], report["damaged"], report["warnings"]) == (0, 0, [])
    verified = archive.json("verify")
    assert (verified["missing_bytes"], verified["chain_ok"]) == (0, True)
    assert archive.json("replay", "--verify")["verified"] is True


def test_copilot_fork_and_rewind(archive: Archive) -> None:
    """Copilot: the fork owns only what it added after its rewind; the parent keeps its six requests."""
    ingest(archive, "copilot/interactive")
    assert table(archive, "title", "turns", "input_tokens", "cache_read_tokens", "output_tokens", "link") == {
        "2b746364": ("hello there", 4, 44213, 44208, 252, None),
        "c17cca9b": ("a new beginning", 1, 7291, 7291, 42, None),
        "d2b70ce3": ("branch-two", 1, 7444, 7444, 42, "fork"),
    }


def test_copilot_sub_agent(archive: Archive) -> None:
    """Copilot: a sub-agent in the same file is a child session with its own two requests."""
    ingest(archive, "copilot/subagent")
    assert table(archive, "kind", "turns", "input_tokens", "cache_read_tokens", "output_tokens") == {
        "7caeaca1": ("headless", 1, 12252, 12251, 84),
        "7caeaca1+": ("subagent", 0, 3960, 3958, 84),
    }


def test_copilot_rewind_keeps_what_it_removed(archive: Archive) -> None:
    """Copilot: prompts that a rewind took out of the file are still found, and each is there once."""
    for state in ("1-A", "2-B", "3-rewound", "4-C", "5-exit"):
        ingest(archive, "copilot/rewind", state)
    prompts = [row[0] for row in archive.rows("views.db", "SELECT text FROM messages WHERE kind = 'prompt' ORDER BY occurred_at")]
    assert len(prompts) == len(set(prompts)) == 3
    assert archive.rows("journal.db", "SELECT max(generation) FROM sources WHERE host = 'copilot'") == [(1,)]


def test_copilot_tools(archive: Archive) -> None:
    """Copilot: files changed by its tools, with lines, relative to the project."""
    ingest(archive, "copilot/tools")
    changes = archive.rows("views.db", "SELECT operation, path, lines_added, lines_removed FROM file_changes ORDER BY path")
    assert changes == [("edit", "app.py", 1, 1), ("add", "notes.txt", 2, 0)]


def test_gemini_sub_agent(archive: Archive) -> None:
    """Gemini: a child in a folder named after its parent is linked and keeps its own tokens."""
    ingest(archive, "gemini/subagent")
    assert table(archive, "kind", "input_tokens", "cache_read_tokens", "output_tokens", "project") == {
        "0f45463d": ("interactive", 12332, 12332, 84, "/home/dev/demo-app"),
        "30d7dbbe": ("subagent", 3335, 3334, 91, "/home/dev/demo-app"),
    }


def test_gemini_lost_session_is_kept(archive: Archive) -> None:
    """Gemini: a session whose files the client deleted is still there, marked gone, with its prompts."""
    for state in ("after-run-1", "after-run-2", "after-run-3"):
        ingest(archive, "gemini/lost", state)
    assert sorted(table(archive, "turns").items()) == [("de050b77", (2,)), ("fa074acd", (1,))]
    states = dict(archive.rows("journal.db", "SELECT path LIKE '%de050b77%', state FROM sources WHERE path LIKE '%chats%' GROUP BY path"))
    assert states == {1: "gone", 0: "live"}


def test_gemini_legacy_document_and_its_copies_are_one_session(archive: Archive) -> None:
    """Gemini: a document in the hash folder, its copy and the patch log that goes on are one session."""
    ingest(archive, "gemini/legacy")
    assert table(archive, "turns", "messages", "input_tokens", "output_tokens") == {"99999999": (2, 4, 6140, 44)}


def test_codex_turns_and_fork(archive: Archive) -> None:
    """Codex: a fork without copies is linked to its parent and counts its own response only."""
    ingest(archive, "codex/turns")
    rows = archive.sessions()
    assert len(rows) == 2
    assert sorted((row["link"], row["parent_session_id"] in rows) for row in rows.values() if row["link"]) == [("fork", True)]


def test_claude_turns_and_fork(archive: Archive) -> None:
    """Claude Code: what a fork copied belongs to the parent."""
    ingest(archive, "claude/turns")
    rows = archive.sessions()
    assert {session[:8]: row["link"] for session, row in rows.items()} == {"03d02093": None, "013aefe6": "fork"}
    assert rows["013aefe6-d54f-448f-9d79-ed4f588b0f43"]["turns"] == 1
    assert rows["03d02093-6e0e-48bc-931c-fd2392ed2b6a"]["turns"] == 3


def test_claude_clear_is_linked(archive: Archive) -> None:
    """Claude Code: a session begun by /clear is linked to the one before by the id of its process."""
    ingest(archive, "claude/interactive")
    assert archive.rows("views.db", "SELECT substr(child_session_id, 1, 8), substr(parent_session_id, 1, 8), kind FROM session_links") == [
        ("8c5a1350", "ffb628b5", "clear")
    ]


@pytest.mark.parametrize("host", ["claude", "codex", "copilot", "gemini"])
def test_d17_what_hooks_put_into_the_context_is_not_indexed_again(archive: Archive, host: str) -> None:
    """The hosts write down what a hook added, each in its own way: it stands in the transcript, and is no message, no title and no hit."""
    recording = FIXTURES / host / "inject"
    told = b"".join(path.read_bytes() for path in recording.rglob("*.jsonl"))
    assert b"INJECT" in told
    archive.json("ingest", "--root", f"{host}={recording}")
    assert archive.rows("views.db", "SELECT count(*) > 0, sum(text GLOB '*INJECT*') FROM messages") == [(1, 0)]
    assert archive.rows("views.db", "SELECT count(*) FROM sessions WHERE title GLOB '*INJECT*'") == [(0,)]
    assert [archive.hits(word) for word in ("INJECTED", "INJECT")] == [[], []]
