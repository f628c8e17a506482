"""What the recordings of the real clients say, written down by hand from the files themselves.

One module per host, one table per recording, and one per state of it where the client later changed or deleted files.
Sessions are named by the beginning of their id (`SHORT` characters of it), a sub-agent inside its parent's by both parts.
"""

from collections.abc import Sequence
from typing import NamedTuple

SHORT = {"claude": 8, "codex": 13, "gemini": 8, "copilot": 8}
Tokens = tuple[int, int, int, int, int]
"""Uncached input, output, cache read, cache write, reasoning (a part of output)."""
NONE: Tokens = (0, 0, 0, 0, 0)


class Session(NamedTuple):
    """A row of `sessions`."""

    session: str
    title: str | None
    kind: str
    turns: int
    messages: int
    """Human prompts and answers that were not undone."""
    tool_calls: int
    models: list[str]
    tokens: Tokens
    end_reason: str | None
    parent: str | None = None
    is_turn_open: bool = False
    """Whether the last turn has no end: what makes a session without one killed and not ended."""


class Link(NamedTuple):
    """A row of `session_links`."""

    child: str
    parent: str
    kind: str
    evidence: str
    fork_point: str | None


class Usage(NamedTuple):
    """The counted rows of `usage` of one session and model."""

    session: str
    model: str
    own: int
    """Responses that this session paid for."""
    copied: int
    """Responses that its file repeats and another session paid for."""
    tokens: Tokens


class Change(NamedTuple):
    """A row of `file_changes`."""

    session: str
    operation: str
    path: str
    added: int | None
    removed: int | None
    evidence: str = "tool"
    is_copy: bool = False


class Call(NamedTuple):
    """A row of `tool_calls`."""

    session: str
    name: str
    is_error: bool | None = False
    """None where the call never returned."""
    exit_code: int | None = None
    is_copy: bool = False


class Compaction(NamedTuple):
    """A row of `compactions`."""

    session: str
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None
    is_copy: bool = False


class Table(NamedTuple):
    """What the views hold after a recording, or after states of it one by one."""

    sessions: Sequence[Session]
    links: Sequence[Link] = ()
    usage: Sequence[Usage] = ()
    changes: Sequence[Change] = ()
    calls: Sequence[Call] = ()
    """In the order of the file, session by session."""
    compactions: Sequence[Compaction] = ()
    states: Sequence[str] = ("",)
    """The states that are ingested one after the other; the empty one is what the client left at the end."""
