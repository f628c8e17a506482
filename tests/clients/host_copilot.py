"""How to run GitHub Copilot CLI (own provider, offline mode: no account involved)."""

from __future__ import annotations

import re
from typing import Any

from bench import Bench
from mock_openai import MockOpenAI, text_of


class Copilot(Bench):
    host = "copilot"
    server = MockOpenAI
    transcripts_glob = ".copilot/session-state/*/events.jsonl"
    model = "claude-sonnet-4.6"

    trusts_folder = False

    def client_env(self) -> dict[str, str]:
        return {"COPILOT_PROVIDER_BASE_URL": self.mock.url + "/v1", "COPILOT_PROVIDER_API_KEY": "fake",
                "COPILOT_MODEL": self.model, "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
                "XDG_CACHE_HOME": str(self.options.cache), **({"COPILOT_ALLOW_ALL": "true"} if self.trusts_folder else {})}


    def enter_folder(self) -> None:
        self.trusts_folder = True

    def leave_folder(self) -> bool:
        self.trusts_folder = False
        return True

    def ask(self, prompt: str, *args: str, kill: bool = False, **env: str) -> None:
        self.run("-p", prompt, "--allow-all-tools", *args, env=self.env(**env), kill=kill)

    def last_id(self) -> str:
        return self.transcripts()[-1].parent.name

    def at_start(self, body: dict[str, Any], prompt: str) -> str:
        """A user message of its own at the head of the conversation."""
        head = next(message for message in body["messages"] if message["role"] == "user")
        return "" if prompt in text_of(head) else text_of(head)

    def at_prompt(self, body: dict[str, Any], prompt: str) -> str:
        """A reminder behind the prompt, in its message."""
        asked = [text_of(message) for message in body["messages"] if message["role"] == "user" and prompt in text_of(message)][-1]
        found = re.findall(r"<system_reminder>\n(.*?)\n</system_reminder>", asked.split(prompt, 1)[1], re.DOTALL)
        return "\n".join(found)

    def results(self, body: dict[str, Any]) -> list[str]:
        """Return what the tools answered."""
        return [text_of(message) for message in body["messages"] if message["role"] == "tool"]

    def tool(self, name: str) -> str:
        """Return the name that the client gives to a tool of our server."""
        return f"journal-{name}"

    def before_tools(self) -> list[dict[str, Any]]:
        """Return the turns before a tool can be called: none, the client waits for its servers."""
        return []

    def offered(self, body: dict[str, Any]) -> set[str]:
        """Return the tools of our server that the model is told of."""
        names = [tool["function"]["name"] for tool in body["tools"]]
        return {name.removeprefix("journal-") for name in names if name.startswith("journal-")}

    def command_steps(self, name: str) -> list[dict[str, Any]]:
        """Return the turns before the skill's words stand in the conversation: the model asks for them."""
        return [{"calls": [("skill", {"skill": name})]}]

    def by_name(self, name: str, words: str) -> None:
        """Name a skill; its command names the interpreter, which lies outside the folder."""
        self.ask(f"Use the skill {name} for {words}", "--allow-all-paths")

    def edit(self, new: str) -> tuple[str, dict[str, Any]]:
        """Return a call that changes the greeting."""
        return "edit", {"path": self.path("app.py"), "old_str": 'return "Hello " + name', "new_str": f'return "{new} " + name'}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        """Return a call that runs a command."""
        return "bash", {"command": command, "description": "Run a command"}

    def new(self, prompt: str, *, kill: bool = False) -> None:
        """Start a session with a prompt."""
        self.ask(prompt, kill=kill)

    def compact(self) -> None:
        """Work against a small limit of the prompt until the client compacts by itself."""
        self.mock.script(*({"text": f"Step {n}.", "usage": {"input": 12_000 + n * 2_500, "output": 50}, "calls": [self.shell(f"seq {n}000 {n}900")]}
                           for n in range(1, 9)), {"text": "All steps done."})  # fmt: skip
        self.ask("Work until the context is full", "--continue", COPILOT_PROVIDER_MAX_PROMPT_TOKENS="30000", COPILOT_PROVIDER_MAX_OUTPUT_TOKENS="4000")

    def again(self, prompt: str) -> None:
        """Give the last session another prompt."""
        self.ask(prompt, "--continue")
