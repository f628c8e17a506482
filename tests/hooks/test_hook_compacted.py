"""Hosts that start no session after a compaction: the next prompt brings the session's own words back, once."""

import json
from pathlib import Path
from typing import Any

import pytest
from world import S, World

AT = "2026-12-01T10:00:{:02d}.000Z"
WISH = "Never touch README.md please."


def write(path: Path, *records: dict[str, Any]) -> None:
    """Append lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


class Gemini:
    """A session of Gemini CLI."""

    host = "gemini"

    def __init__(self, world: World) -> None:
        self.world, self.path = world, world.folder / f".gemini/tmp/proj/chats/session-2026-12-01T10-00-{S[:8]}.jsonl"
        write(world.folder / ".gemini/projects.json", {"projects": {str(world.project): "proj"}})
        write(self.path, {"sessionId": S, "projectHash": "proj", "startTime": AT.format(0), "lastUpdated": AT.format(0), "directories": [str(world.project)]})

    def said(self, number: int, prompt: str) -> None:
        """Append a turn."""
        write(self.path, {"id": f"u{number}", "timestamp": AT.format(number), "type": "user", "content": [{"text": prompt}]},
              {"id": f"g{number}", "timestamp": AT.format(number), "type": "gemini", "content": "Done.", "model": "gemini-2.5-pro",
               "tokens": {"input": 100, "output": 5, "cached": 0, "thoughts": 0, "tool": 0, "total": 105}})  # fmt: skip

    def compacted(self, name: str, number: int) -> None:
        """Append a compression, or the list that a resume makes of it again."""
        summary = {"id": name, "timestamp": AT.format(9), "type": "user", "content": [{"text": "<state_snapshot>all is well</state_snapshot>"}]}
        context = {"id": "c0", "timestamp": AT.format(0), "type": "user", "content": [{"text": "<session_context>here</session_context>"}]}
        write(self.path, {"$set": {"messages": [context, summary], "lastUpdated": AT.format(number)}})

    def prompt(self) -> str:
        """Call the hook of a prompt and return what reaches the model."""
        return self.world.hook("prompt", {"session_id": S, "transcript_path": str(self.path), "cwd": str(self.world.project),
                                          "hook_event_name": "BeforeAgent", "prompt": "go on"}, host="gemini").context  # fmt: skip


class Copilot:
    """A session of Copilot CLI."""

    host = "copilot"

    def __init__(self, world: World) -> None:
        self.world, self.path = world, world.folder / f".copilot/session-state/{S}/events.jsonl"
        self.event("session.start", 0, {"sessionId": S, "version": 1, "startTime": AT.format(0), "context": {"cwd": str(world.project)}})

    def event(self, kind: str, number: int, data: dict[str, Any], name: str = "") -> None:
        """Append an event."""
        write(self.path, {"type": kind, "id": name or f"{kind}-{number}", "timestamp": AT.format(number), "parentId": None, "data": data})

    def said(self, number: int, prompt: str) -> None:
        """Append a turn."""
        self.event("user.message", number, {"content": prompt})
        self.event("assistant.message", number, {"content": "Done.", "messageId": f"m{number}"})

    def compacted(self, name: str, number: int) -> None:
        """Append a compaction."""
        self.event("session.compaction_complete", number, {"success": True, "preCompactionTokens": 9000, "postCompactionTokens": 900}, name)

    def prompt(self) -> str:
        """Call the hook of a prompt and return what reaches the model."""
        return self.world.hook("prompt", {"sessionId": S, "cwd": str(self.world.project), "timestamp": 1, "prompt": "go on"}, host="copilot").context


@pytest.fixture(params=[Gemini, Copilot], ids=["gemini", "copilot"])
def session(request: pytest.FixtureRequest, world: World) -> Any:
    """Return a session with a turn in it, read into the journal."""
    made = request.param(world)
    made.said(1, WISH)
    assert world.journal("ingest").status == 0
    world.still()
    return made


def test_the_prompt_after_a_compaction_brings_back_the_sessions_own_words_once(session: Any) -> None:
    """Not before it, at the first prompt behind it, at none after that, and again after the next one."""
    told = [session.prompt()]
    session.compacted("one", 10)
    told += [session.prompt(), session.prompt()]
    session.said(11, "More work.")
    told += [session.prompt()]
    session.compacted("two", 12)
    told += [session.prompt()]
    assert [WISH in text and "<journal-restored-context" in text for text in told] == [False, True, False, False, True]


def test_a_home_that_restores_nothing_tells_nothing(session: Any) -> None:
    """`restore = false` holds for compactions too."""
    (session.world.home / "config.toml").write_text("[hooks]\nrestore = false\n")
    session.compacted("one", 10)
    assert session.prompt() == ""


def test_a_compression_that_a_resume_lists_again_is_the_same(world: World) -> None:
    """Gemini CLI 0.61.0 writes the list with the summary anew at every resume: one compaction, told once."""
    session = Gemini(world)
    session.said(1, WISH)
    session.compacted("one", 10)
    world.journal("ingest")
    world.still()
    assert WISH in session.prompt()
    session.compacted("one", 20)
    assert session.prompt() == ""
    world.journal("ingest")
    assert json.loads(world.journal("sql", "SELECT session_id, occurred_at FROM compactions", "--json").stdout) == [
        {"session_id": S, "occurred_at": "2026-12-01T10:00:09.000000Z"}]  # fmt: skip
