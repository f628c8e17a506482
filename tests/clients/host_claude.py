"""How to run Claude Code."""

from __future__ import annotations

import json
import re
from typing import Any

from bench import Bench
from mock_anthropic import MockAnthropic

KEY = "fake-key-for-the-mock-server"


def texts_of(content: Any) -> list[str]:
    """Return the texts of a message or of a tool's answer."""
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


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


    def distrust(self) -> None:
        """Forget that the dialogue about the folder was answered."""
        path = self.home / ".claude.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "projects": {}}))

    def shown(self) -> list[str] | None:
        """The client keeps it in the transcript."""
        records = [json.loads(line) for path in self.transcripts() for line in path.read_text().splitlines()]
        return [record["attachment"]["content"] for record in records if record.get("attachment", {}).get("type") == "hook_system_message"]

    def last_id(self) -> str:
        return self.transcripts()[-1].stem

    def at_start(self, body: dict[str, Any], prompt: str) -> str:
        """A message of the role system behind the prompt, under the event's name."""
        return self._told(body, prompt, "SessionStart")

    def at_prompt(self, body: dict[str, Any], prompt: str) -> str:
        """The same place, under the other event's name."""
        return self._told(body, prompt, "UserPromptSubmit")

    def _told(self, body: dict[str, Any], prompt: str, event: str) -> str:
        talk = [(message["role"], text) for message in body["messages"] for text in texts_of(message["content"])]
        place = max(number for number, said in enumerate(talk) if said == ("user", prompt))
        behind = "\n".join(text for role, text in talk[place:] if role == "system")
        parts = re.split(r"(\w+) hook additional context: ", behind)
        return "".join(text for name, text in zip(parts[1::2], parts[2::2], strict=True) if name == event)

    def results(self, body: dict[str, Any]) -> list[str]:
        """Return what the tools answered."""
        blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
        return ["\n".join(texts_of(block["content"])) for block in blocks if block["type"] == "tool_result"]

    def tool(self, name: str) -> str:
        """Return the name that the client gives to a tool of our server."""
        return f"mcp__journal__{name}"

    def before_tools(self) -> list[dict[str, Any]]:
        """Return the turns before a tool can be called: none, the client waits for its servers."""
        return []

    def offered(self, body: dict[str, Any]) -> set[str]:
        """Return the tools of our server that the model is told of."""
        told = [text for message in body["messages"] if message["role"] == "system" for text in texts_of(message["content"])]
        return set(re.findall(r"\bmcp__journal__(\w+)", "\n".join([*told, *(tool["name"] for tool in body["tools"])])))

    def command_steps(self, name: str) -> list[dict[str, Any]]:
        """Return the turns before the command's words stand in the conversation: none, the client puts them there."""
        return []

    def by_name(self, name: str, words: str) -> None:
        """Enter a slash command; what it may run stands in its own head."""
        self.run("-p", f"/{name} {words}", "--output-format", "json")

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
                       "--allowedTools", "Bash,Read,Edit,Write,Agent,mcp__journal", *args, kill=kill)
        try:
            return str(json.loads(out)["session_id"])
        except (ValueError, KeyError, TypeError):
            return ""
