"""The threshold and the stop in every host's own transcript and dialect."""

import json
from pathlib import Path
from typing import Any

import pytest
from world import S, World

AT = "2026-12-01T10:00:{:02d}.000Z"


def write(path: Path, *records: dict[str, Any]) -> None:
    """Append lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


class Host:
    """A session of one host: its transcript, and its hooks' payloads."""

    def __init__(self, name: str, world: World) -> None:
        self.name, self.world = name, world
        self.path = world.folder / {"codex": f".codex/sessions/2026/12/01/rollout-2026-12-01T10-00-00-{S}.jsonl",
                                    "gemini": f".gemini/tmp/proj/chats/session-2026-12-01T10-00-{S[:8]}.jsonl",
                                    "copilot": f".copilot/session-state/{S}/events.jsonl"}[name]  # fmt: skip

    def used(self, tokens: int) -> None:
        """Append what the host writes of a request that used so many tokens."""
        if self.name == "codex":
            last = {"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0, "total_tokens": tokens}
            info = {"total_token_usage": {**last, "total_tokens": 9 * tokens}, "last_token_usage": last, "model_context_window": 200_000}
            write(self.path, {"timestamp": AT.format(1), "type": "event_msg", "payload": {"type": "token_count", "info": info}})
        elif self.name == "gemini":
            figures = {"input": tokens, "output": 0, "cached": 0, "thoughts": 0, "tool": 0, "total": tokens}
            write(self.path, {"id": "g", "timestamp": AT.format(1), "type": "gemini", "content": "ok", "model": "gemini-2.5-pro", "tokens": figures})
        else:
            usage = {"inputTokens": tokens, "outputTokens": 0, "model": "claude-sonnet-4.6", "maxPromptTokens": 200_000}
            write(self.path, {"type": "session.usage_record", "id": "u", "timestamp": AT.format(1), "parentId": None, "data": {"usage": usage}})

    def call(self, role: str, **fields: Any) -> dict[str, Any]:
        """Call a hook as the host does; return its answer."""
        if self.name == "copilot":
            given = {"sessionId": S, "cwd": str(self.world.project), "timestamp": 1, **fields}
        else:
            given = {"session_id": S, "transcript_path": str(self.path), "cwd": str(self.world.project), **fields}
        said = self.world.hook(role, given, host=self.name)
        assert (said.status, said.stderr) == (0, "")
        return said.answer


WINDOW = {"codex": (200_000, "as the host reports it"), "gemini": (1_048_576, "from a built-in table"), "copilot": (200_000, "as the host reports it")}
WORDS = {"codex": "block", "gemini": "deny", "copilot": "block"}


@pytest.fixture(params=WINDOW)
def host(request: pytest.FixtureRequest, world: World) -> Host:
    """Return a session of each host."""
    return Host(request.param, world)


def test_each_host_is_told_of_a_crossing_once_where_its_model_reads_it(host: Host) -> None:
    """Below 75 % of its own window nothing; at 75 % user and agent are told in the host's dialect, and not again."""
    window, origin = WINDOW[host.name]
    host.used(int(window * 0.75) - 2)
    assert host.call("prompt", prompt="x") == {}
    host.used(int(window * 0.75) + 1)
    answer = host.call("prompt", prompt="x")
    told = answer if host.name == "copilot" else answer["hookSpecificOutput"]
    assert answer["systemMessage"].startswith("journal: the context is 75 % full")
    assert f"window {origin}." in answer["systemMessage"]
    assert f"{host.world.project}/.journal/handoff.md" in told["additionalContext"]
    assert host.call("prompt", prompt="x") == {}


def test_each_hosts_stop_asks_once_in_its_own_word(host: Host) -> None:
    """Codex and Copilot are blocked, Gemini is denied; the second stop and one with the loop flag are silent."""
    host.used(int(WINDOW[host.name][0] * 0.8))
    assert host.call("stop", stop_hook_active=True) == {}
    answer = host.call("stop")
    assert answer["decision"] == WORDS[host.name]
    assert f"{host.world.project}/.journal/handoff.md" in answer["reason"]
    assert host.call("stop") == {}


def test_a_copilot_that_tells_no_figures_is_estimated_and_says_so(world: World) -> None:
    """From the fourth turn without a figure on each prompt counts as 4,000 tokens; user, agent and `context` are told that it is an estimate."""
    host = Host("copilot", world)
    start = {"sessionId": S, "version": 1, "startTime": AT.format(0), "context": {"cwd": str(world.project)}}
    write(host.path, {"type": "session.start", "id": "s", "timestamp": AT.format(0), "parentId": None, "data": start})
    (world.home).mkdir(exist_ok=True)
    (world.home / "config.toml").write_text("[hooks]\ncontext_limit = 25000\n")
    said = [host.call("prompt", prompt="").get("systemMessage", "") for _ in range(6)]
    assert [bool(text) for text in said] == [False, False, False, False, True, False]
    assert said[4].startswith("journal: the context is 80 % full (estimated): 20k of 25k tokens, window your setting.")
    world.journal("ingest", "--root", f"copilot={world.folder}/.copilot")
    found = json.loads(world.journal("context", S, "--json").stdout)
    assert (found["used_tokens"], found["estimated"], found["window_tokens"]) == (24_000, True, 25_000)
    assert "24k tokens of 25k (96 %), window by setting, estimated" in world.journal("context", S).stdout
