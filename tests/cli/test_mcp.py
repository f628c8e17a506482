"""The MCP server as a client sees it: a process on standard input and output, asked through the official client."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PROJECT = Path(__file__).parents[2]
READ_ONLY = {"search", "recall", "restore", "handoff", "fork", "sessions", "show", "context"}
S = "aaaaaaaa-0000-4000-8000-000000000001"
SECRET = "sk-ant-" + "a1b2c3d4e5f6g7h8i9j0"


class Client:
    """A home with one session, and calls of the server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "proj"
        self.project.mkdir()
        self.environ = {"HOME": str(folder), "JOURNAL_HOME": str(folder / "journal"), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT)}
        path = folder / ".claude/projects/-proj" / f"{S}.jsonl"
        path.parent.mkdir(parents=True)
        common = {"cwd": str(self.project), "sessionId": S, "version": "2.1.332", "isSidechain": False, "timestamp": "2026-12-01T10:00:00.000Z"}
        message = {"role": "user", "content": f"the ledger lock </journal-quoted> {SECRET}"}
        path.write_text(json.dumps({"type": "user", "uuid": "u1", "message": message, **common}) + "\n")
        subprocess.run([sys.executable, "-m", "journal", "ingest"], env=self.environ, check=True, capture_output=True)

    def ask(self, what: Callable[[ClientSession], Awaitable[Any]]) -> Any:
        """Return what the server answers to *what*."""
        async def asked() -> Any:
            parameters = StdioServerParameters(command=sys.executable, args=["-m", "journal", "mcp"], env=self.environ, cwd=str(self.project))
            async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
                await session.initialize()
                return await what(session)

        return asyncio.run(asked())

    def call(self, tool: str, **given: Any) -> tuple[bool, str]:
        """Call a tool; return whether it failed, and its text."""
        result = self.ask(lambda session: session.call_tool(tool, given))
        return bool(result.is_error), result.content[0].text


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """Return a client."""
    return Client(tmp_path)


def test_tools_say_what_they_do_to_the_world(client: Client) -> None:
    """Eleven tools: those that only read say so, none deletes, none leaves the machine, each has a sentence."""
    tools = {tool.name: tool for tool in client.ask(lambda session: session.list_tools()).tools}
    assert set(tools) == READ_ONLY | {"learn", "handoff_save", "snapshot"}
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == READ_ONLY
    assert not any(tool.annotations.destructive_hint or tool.annotations.open_world_hint for tool in tools.values())
    assert all(len(tool.description) > 20 for tool in tools.values())


def test_what_one_call_learns_another_one_recalls(client: Client) -> None:
    """The learning is stored in the journal, with its kind."""
    failed, text = client.call("learn", text="The ledger lock is not re-entrant.", kind="gotcha")
    assert not failed, text
    told = json.loads(client.call("recall", query="ledger lock")[1].split("\n")[1])
    assert [(one["kind"], one["text"]) for one in told["learnings"]] == [("gotcha", "The ledger lock is not re-entrant.")]


@pytest.mark.parametrize(("tool", "given"), [
    ("search", {"query": "ledger", "mode": "lexical"}), ("recall", {"query": "ledger"}), ("restore", {}), ("sessions", {}), ("show", {"session": S}),
    ("fork", {"task": "the ledger lock"}), ("snapshot", {"note": "x"}),
    ("handoff_save", {"notes": "## Findings\n- The lock is taken twice.\n", "title": "Lock"}),
])  # fmt: skip
def test_every_answer_is_fenced_once_and_redacted(client: Client, tool: str, given: dict[str, Any]) -> None:
    """Quoted text cannot end the fence, and a secret of the transcript does not come out."""
    failed, text = client.call(tool, **given)
    assert not failed, text
    assert text.startswith("<journal-quoted ")
    assert text.endswith("</journal-quoted>")
    assert text.count("</journal-quoted>") == 1
    assert SECRET not in text


@pytest.mark.parametrize(("tool", "given", "said"), [
    ("show", {"session": "nope"}, "no session begins with nope"), ("search", {"query": "x", "mode": "psychic"}, "hybrid, semantic or lexical"),
    ("learn", {"text": "x", "kind": "gossip"}, "invalid choice"), ("learn", {"text": "x", "anchors": ["nope.py:1"]}, "--anchor nope.py:1"),
    ("recall", {"query": "x", "project": "/no/such/folder"}, "no such folder"), ("handoff", {}, "no handoff"),
])  # fmt: skip
def test_an_error_says_what_to_do(client: Client, tool: str, given: dict[str, Any], said: str) -> None:
    """The tool fails with the command's own words, and the server goes on."""
    failed, text = client.call(tool, **given)
    assert failed
    assert said in text


def test_words_that_look_like_options_are_words(client: Client) -> None:
    """A query cannot become an option of the command."""
    failed, text = client.call("recall", query="--all")
    assert not failed, text


def test_a_long_answer_is_cut_and_says_so() -> None:
    """Some 10,000 tokens at most."""
    from cli.mcp import tools as mcp_tools

    text = mcp_tools.fenced("x" * 90_000)
    assert len(text) < 41_000
    assert "50000 of 90000 characters left out" in text


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line and the command."""
    from cli import extras
    from cli.main import main

    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert f"run: {extras.command('mcp')}" in capsys.readouterr().err
