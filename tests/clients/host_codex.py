"""How to run Codex CLI."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from typing import Any

from bench import Bench
from mock_openai import MockOpenAI, text_of

CONFIG = """model = "{model}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"

[projects."{project}"]
trust_level = "trusted"
"""
TRUST = "--dangerously-bypass-hook-trust"


class Codex(Bench):
    host = "codex"
    server = MockOpenAI
    without_trust = "skips them"
    passes_trust = True
    shown_texts: list[str]
    transcripts_glob = ".codex/sessions/**/*.jsonl"
    model = "gpt-5.5"

    def client_env(self) -> dict[str, str]:
        return {"MOCK_API_KEY": "fake"}

    def configure(self) -> None:
        self.shown_texts = []
        path = self.home / ".codex" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(CONFIG.format(model=self.model, url=self.mock.url, project=self.project))


    def ask(self, *args: str, kill: bool = False) -> str:
        """One `codex exec` run; returns the thread id."""
        out = self.run("exec", "--json", "--skip-git-repo-check", *([TRUST] if self.passes_trust else []), *args, kill=kill)
        found = re.search(r'"thread_id":"([^"]+)"', out)
        return found.group(1) if found else ""

    def distrust(self) -> None:
        """Leave out the option that runs every hook."""
        self.passes_trust = False

    def leave_folder(self) -> bool:
        path = self.home / ".codex" / "config.toml"
        path.write_text(path.read_text().replace('trust_level = "trusted"', 'trust_level = "untrusted"'))
        return True

    def trust(self) -> None:
        """Write down the hash that the client itself tells of each hook, as its dialogue does for `Trust all`."""
        answer = self._served("hooks/list", {"cwds": [str(self.project)]})[-1]
        hooks = [hook for place in answer["result"]["data"] for hook in place["hooks"]]
        states = [f'\n[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n' for hook in hooks]
        with (self.home / ".codex" / "config.toml").open("a") as file:
            file.writelines(states)

    def watched(self, prompt: str) -> None:
        """`codex exec` leaves out what hooks tell the user; the program behind the terminal and the editors tells it."""
        if not self.shown_texts:
            self.trust()
        thread = self.last_id()
        said = self._served("thread/resume", {"threadId": thread}, "turn/start", {"threadId": thread, "input": [{"type": "text", "text": prompt}]})
        runs = [one["params"]["run"] for one in said if one.get("method") == "hook/completed"]
        self.shown_texts += [f"{run['eventName']}: {entry['text']}" for run in runs for entry in [*run["entries"], {"text": "done"}]]

    def shown(self) -> list[str] | None:
        return self.shown_texts

    def _served(self, *calls: Any) -> list[dict[str, Any]]:
        """Call methods of `codex app-server` one after the other and return all that it said, up to the end of a turn that was started."""
        said: list[dict[str, Any]] = []
        with subprocess.Popen([self.options.cli, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              cwd=self.project, env=self.env()) as server:  # fmt: skip
            assert server.stdin
            assert server.stdout
            late = threading.Timer(60, server.kill)
            late.start()
            first = ("initialize", {"clientInfo": {"name": "tests", "version": "1"}})
            for number, (method, params) in enumerate([first, *zip(calls[::2], calls[1::2], strict=True)]):
                server.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                ends = {"method": "turn/completed"} if method == "turn/start" else {"id": number}
                for line in server.stdout:
                    said.append(json.loads(line))
                    if ends.items() <= said[-1].items():
                        break
            late.cancel()
            server.kill()
        return said

    def last_id(self) -> str:
        return self.transcripts()[-1].stem[-36:]

    def at_start(self, body: dict[str, Any], prompt: str) -> str:
        """A developer message of its own just before the prompt."""
        return self._developer(body, prompt, -1)

    def at_prompt(self, body: dict[str, Any], prompt: str) -> str:
        """A developer message of its own just behind the prompt."""
        return self._developer(body, prompt, 1)

    def _developer(self, body: dict[str, Any], prompt: str, step: int) -> str:
        place = max(number for number, item in enumerate(body["input"]) if item.get("role") == "user" and text_of(item) == prompt)
        beside = body["input"][place + step : place + step + 1]
        return text_of(beside[0]) if beside and beside[0].get("role") == "developer" else ""

    def results(self, body: dict[str, Any]) -> list[str]:
        """Return what the tools answered."""
        found = [item["output"] for item in body["input"] if item.get("type") in ("function_call_output", "custom_tool_call_output")]
        return [output if isinstance(output, str) else text_of({"content": output}) for output in found]

    def tool(self, name: str) -> str:
        """Return the name that the client gives to a tool of our server."""
        return f"mcp__journal.{name}"

    def before_tools(self) -> list[dict[str, Any]]:
        """The client starts a turn before its servers are up, and tells the model only of the servers until it searches for their tools."""
        return [{"calls": [self.shell("sleep 5")]}, {"calls": [("tool_search", {"query": "journal learn recall search sessions", "limit": 20})]}]

    def offered(self, body: dict[str, Any]) -> set[str]:
        """Return the tools of our server that the model is told of."""
        found = [tool for item in body["input"] if item.get("type") == "tool_search_output" for tool in item["tools"]]
        names = {tool["name"] for space in found if space["name"] == "mcp__journal" for tool in space["tools"]}
        told = any("- mcp__journal:" in text_of(item) for item in body["input"] if item.get("role") == "developer")
        return names or ({"mcp__journal"} if told else set())

    def command_steps(self, name: str) -> list[dict[str, Any]]:
        """Return the turns before the skill's words stand in the conversation: none, the client puts them there."""
        return []

    def by_name(self, name: str, words: str) -> None:
        """Name a skill."""
        self.ask(f"${name} {words}")

    def edit(self, new: str) -> tuple[str, str]:
        """Return a call that changes the greeting."""
        lines = f'-    return "Hello " + name\n+    return "{new} " + name\n'
        return "apply_patch", f"*** Begin Patch\n*** Update File: app.py\n@@\n{lines}*** End Patch\n"

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        """Return a call that runs a command."""
        return "exec_command", {"cmd": command}

    def new(self, prompt: str, *, kill: bool = False) -> None:
        """Start a thread with a prompt."""
        self.ask(prompt, kill=kill)

    def compact(self) -> None:
        """Use more than the window, so that the client compacts by itself in mid-turn."""
        self.mock.script({"text": "Step one.", "calls": [self.shell("echo one")], "usage": {"input": 2_000_000, "output": 90}}, {"text": "Job done."})
        self.again("Do a long job")

    def again(self, prompt: str) -> None:
        """Give the last thread another prompt."""
        self.ask("resume", "--last", prompt)
