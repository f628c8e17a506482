"""How to run Gemini CLI."""

from __future__ import annotations

import json
from typing import Any

from bench import Bench
from mock_gemini import MockGemini


class Gemini(Bench):
    host = "gemini"
    server = MockGemini
    transcripts_glob = ".gemini/tmp/*/chats/**/*.json*"

    def client_env(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": self.mock.url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_UPDATE_NOTIFIER": "1"}

    def argv(self, *args: str) -> list[str]:
        node = ["node"] if self.options.cli.endswith(".js") else []
        return [*node, self.options.cli, "-m", "gemini-2.5-pro", *args]

    def configure(self, **general: Any) -> None:
        self.change_settings(security={"auth": {"selectedType": "gemini-api-key"}},
                             privacy={"usageStatisticsEnabled": False}, ui={"hideTips": True, "hideBanner": True},
                             general={"enableAutoUpdate": False, "enableAutoUpdateNotification": False, **general})

    def change_settings(self, **parts: Any) -> None:
        path = self.home / ".gemini" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        settings = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**settings, **parts}, indent=2))


    def ask(self, prompt: str, *args: str, env: dict[str, str] | None = None, kill: bool = False) -> None:
        self.run("-p", prompt, *args, env=env, kill=kill)
        # the client may delete a transcript at its next start
        self.keep("after-kill" if kill else f"after-run-{self.runs}")

    def edit(self, new: str) -> tuple[str, dict[str, Any]]:
        """Return a call that changes the greeting."""
        return "replace", {"file_path": "app.py", "instruction": "Change the greeting", "old_string": 'return "Hello " + name',
                           "new_string": f'return "{new} " + name'}  # fmt: skip

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        """Return a call that runs a command."""
        return "run_shell_command", {"command": command, "description": "Run a command"}

    def new(self, prompt: str, *, kill: bool = False) -> None:
        """Start a session with a prompt."""
        self.ask(prompt, "--yolo", kill=kill)

    def compact(self) -> None:
        """Use most of the window and say more, so that the client compresses by itself before it asks the model."""
        self.mock.script({"text": "That was much.", "usage": {"input": 900_000}})
        self.again("Read everything")
        for number in range(3):
            self.mock.script({"calls": [self.shell(f"seq {number}00 {number}50")]}, {"text": f"Answer {number}."})
            self.again(f"Go on, {number}")

    def again(self, prompt: str) -> None:
        """Give the last session another prompt."""
        self.ask(prompt, "--yolo", "--resume", "latest")
