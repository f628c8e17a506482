"""How to run Claude Code."""

from __future__ import annotations

import json
from typing import Any

from bench import Bench
from mock_anthropic import MockAnthropic

KEY = "fake-key-for-the-mock-server"


class Claude(Bench):
    host = "claude"
    server = MockAnthropic
    transcripts_glob = ".claude/projects/**/*.jsonl"

    def client_env(self) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": self.mock.url, "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_TMPDIR": str(self.tmp),
                "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def configure(self) -> None:
        """Answer the first-run questions of the interactive client."""
        (self.home / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True, "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True}}}))


    def edit(self, new: str) -> tuple[str, dict[str, Any]]:
        """Return a call that changes the greeting."""
        return "Edit", {"file_path": self.path("app.py"), "old_string": '"Hello "', "new_string": f'"{new} "'}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        """Return a call that runs a command."""
        return "Bash", {"command": command, "description": "Run a command"}

    def new(self, prompt: str, *, kill: bool = False) -> None:
        """Start a session with a prompt."""
        self.session = self.ask(prompt, kill=kill) or getattr(self, "session", "")

    def again(self, prompt: str) -> None:
        """Give the last session another prompt."""
        self.ask(prompt, "--continue")

    def compact(self) -> None:
        """Have the context of the last session summed up."""
        self.ask("/compact keep the decisions", "--continue")

    def ask(self, prompt: str, *args: str, kill: bool = False) -> str:
        """One `claude -p` run; returns the session id."""
        out = self.run("-p", prompt, "--output-format", "json", "--permission-mode", "acceptEdits",
                       "--allowedTools", "Bash,Read,Edit,Write,Agent", *args, kill=kill)
        try:
            return str(json.loads(out)["session_id"])
        except (ValueError, KeyError, TypeError):
            return ""
