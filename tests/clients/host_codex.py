"""How to run Codex CLI."""

from __future__ import annotations

import re
from typing import Any

from bench import Bench
from mock_openai import MockOpenAI

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
    transcripts_glob = ".codex/sessions/**/*.jsonl"
    model = "gpt-5.5"

    def client_env(self) -> dict[str, str]:
        return {"MOCK_API_KEY": "fake"}

    def configure(self) -> None:
        path = self.home / ".codex" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(CONFIG.format(model=self.model, url=self.mock.url, project=self.project))


    def ask(self, *args: str, trust: bool = True, kill: bool = False) -> str:
        """One `codex exec` run; returns the thread id."""
        out = self.run("exec", "--json", "--skip-git-repo-check", *([TRUST] if trust else []), *args, kill=kill)
        found = re.search(r'"thread_id":"([^"]+)"', out)
        return found.group(1) if found else ""

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
