"""How to run Gemini CLI."""

from __future__ import annotations

import json
from typing import Any

from bench import Bench
from mock_gemini import MockGemini


class Gemini(Bench):
    host = "gemini"
    server = MockGemini
    without_trust = "refuses"
    transcripts_glob = ".gemini/tmp/*/chats/**/*.json*"

    has_trust_variable = True

    def client_env(self) -> dict[str, str]:
        trust = {"GEMINI_CLI_TRUST_WORKSPACE": "true"} if self.has_trust_variable else {}
        return {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": self.mock.url, "NO_UPDATE_NOTIFIER": "1", **trust}

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

    def distrust(self) -> None:
        """Answer the dialogue about the folder with no."""
        self.has_trust_variable = False
        self._decide("DO_NOT_TRUST")

    def trust(self) -> None:
        """Answer it with yes."""
        self._decide("TRUST_FOLDER")

    def _decide(self, word: str) -> None:
        (self.home / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(self.project): word}))

    def shown(self) -> list[str] | None:
        """The client writes it to its standard error."""
        lines = [line for path in sorted((self.dir / "runs").glob("*.err")) for line in path.read_text().splitlines()]
        return [line for line in lines if line.startswith("Hook system message: ")]

    def last_id(self) -> str:
        """Return the session of the file that was written to last; its head names it."""
        with self.transcripts()[-1].open() as file:
            return str(json.loads(file.readline())["sessionId"])

    def at_start(self, body: dict[str, Any], prompt: str) -> str:
        """The head of the prompt's own part."""
        asked = [text for text in self._texts(body) if text.endswith(f"</hook_context>\n\n{prompt}")]
        return asked[-1].removesuffix(prompt) if asked else ""

    def at_prompt(self, body: dict[str, Any], prompt: str) -> str:
        """A part of its own behind the prompt's."""
        texts = self._texts(body)
        place = max(number for number, text in enumerate(texts) if text.endswith(prompt))
        behind = texts[place + 1 : place + 2]
        return behind[0] if behind and behind[0].startswith("<hook_context>") else ""

    @staticmethod
    def _texts(body: dict[str, Any]) -> list[str]:
        return [part["text"] for content in body["contents"] for part in content["parts"] if "text" in part]

    def results(self, body: dict[str, Any]) -> list[str]:
        """Return what the tools answered."""
        found = [part["functionResponse"]["response"] for content in body["contents"] for part in content["parts"] if "functionResponse" in part]
        return [str(response.get("output") or response.get("error") or response) for response in found]

    def tool(self, name: str) -> str:
        """Return the name that the client gives to a tool of our server."""
        return f"mcp_journal_{name}"

    def before_tools(self) -> list[dict[str, Any]]:
        """Return the turns before a tool can be called: none, the client waits for its servers."""
        return []

    def offered(self, body: dict[str, Any]) -> set[str]:
        """Return the tools of our server that the model is told of."""
        names = [tool["name"] for group in body["tools"] for tool in group["functionDeclarations"]]
        return {name.removeprefix("mcp_journal_") for name in names if name.startswith("mcp_journal_")}

    def command_steps(self, name: str) -> list[dict[str, Any]]:
        """Return the turns before the command's words stand in the conversation: none, the client puts them there."""
        return []

    def by_name(self, name: str, words: str) -> None:
        """Enter a slash command."""
        self.ask(f"/{name} {words}", "--yolo")

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
