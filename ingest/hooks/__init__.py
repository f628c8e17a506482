"""What hosts tell a hook, in one shape, and what the end of their transcripts says about the context.

The hook path imports this at every prompt of a user: no typing, no json, no re.
"""

import os
from importlib import import_module

from ingest.facts import HOSTS, Facts

GEMINI_EVENTS = ("BeforeAgent", "AfterAgent", "PreCompress", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool", "BeforeToolSelection")


class Payload:
    """A hook's stdin, whichever key style it came in; every field may be missing."""

    __slots__ = (
        "agent_id", "cwd", "event", "last_message", "model", "prompt", "raw", "reason", "session_id", "source", "stop_hook_active",
        "transcript_path", "trigger",
    )  # fmt: skip

    def __init__(self, raw: dict[str, object]) -> None:
        self.raw = raw
        self.session_id = _name(raw, "session_id", "sessionId")
        self.transcript_path = _name(raw, "transcript_path", "transcriptPath")
        self.cwd = _name(raw, "cwd")
        self.event = _text(raw, "hook_event_name", "hookEventName")
        self.source = _text(raw, "source")
        self.trigger = _text(raw, "trigger")
        self.reason = _text(raw, "reason", "stopReason")
        self.prompt = _text(raw, "prompt", "initialPrompt")
        self.model = _name(raw, "model")
        self.agent_id = _text(raw, "agent_id", "agentId")
        self.last_message = _text(raw, "last_assistant_message")
        self.stop_hook_active = raw.get("stop_hook_active") is True


class Measure:
    """How full the context was at one record: the host's own figures, or a compaction after which they say nothing."""

    __slots__ = ("is_compaction", "is_estimated", "model", "used", "window")

    def __init__(
        self, used: int | None, *, window: int | None = None, model: str | None = None, is_estimated: bool = False, is_compaction: bool = False
    ) -> None:
        self.used = used
        """Tokens of the newest request and its answer; None right after a compaction."""
        self.window = window
        """Tokens that fit, where the host tells it."""
        self.model = model
        self.is_estimated = is_estimated
        self.is_compaction = is_compaction


def facts_of(host: str) -> Facts:
    """Return what is known of a host's hooks."""
    facts: Facts = import_module(f"ingest.facts.{host}").FACTS
    return facts


def detect(raw: dict[str, object]) -> str:
    """Return the host that a payload comes from, where the command does not name it."""
    path = _text(raw, "transcript_path", "transcriptPath") or ""
    if _text(raw, "hook_event_name") in GEMINI_EVENTS or "/.gemini/tmp/" in path:
        return "gemini"
    if "sessionId" in raw or "/.copilot/" in path:
        return "copilot"
    if "turn_id" in raw or "/.codex/sessions/" in path:
        return "codex"
    return "claude"


def is_host(name: str) -> bool:
    """Tell whether a host of this name is known."""
    return name in HOSTS


def number(value: object) -> int:
    """Return a count of tokens; 0 for what is none."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


def _name(raw: dict[str, object], *names: str) -> str | None:
    """Return a path or an id that system and views can be asked for; one with NUL or half a character names nothing."""
    path = _text(raw, *names)
    try:
        return path if path is None or b"\0" not in os.fsencode(path) else None
    except UnicodeEncodeError:
        return None


def _text(raw: dict[str, object], *names: str) -> str | None:
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value:
            return value
    return None
