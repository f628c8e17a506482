"""Domain events: what a record of any host says happened, in past tense and without host words.

They are never stored. A host's decoder derives them from the record each time it is read, so that a better decoder
repairs the past. Token figures never overlap: `input_tokens` is the uncached part of the input, `cache_read_tokens` and
`cache_write_tokens` stand beside it, `output_tokens` holds all output and `reasoning_tokens` is a part of it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from journal.own_events import (
    HandoffBundleSaved,
    HandoffContinued,
    HandoffLoaded,
    HandoffSaved,
    HandoffsRemoved,
    HookFired,
    HookMeasured,
    LearningJudged,
    LearningStored,
    SnapshotRequested,
)


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The host said that a session (or one run of it) began."""

    kind: str | None = None
    """`interactive`, `headless` or `subagent`."""
    client_version: str | None = None
    model: str | None = None
    project_hash: str | None = None
    """sha256 in hex of the project root, where the host gives nothing better (Gemini)."""
    head_commit: str | None = None
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A session, or one run of it, came to a clean end."""

    reason: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The host said that a turn came to its end; a run without a terminal ends with it, another one waits for the next prompt."""

    reason: str
    """`complete`, `interrupted` or `error`."""


@dataclass(frozen=True, slots=True)
class TurnContinued:
    """A hook refused the end of a turn; the host puts *text* to the model as if it were a prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class SessionLinked:
    """Two sessions belong together."""

    kind: str
    """`resume`, `fork`, `subagent` or `clear`."""
    child_session_id: str
    parent_session_id: str
    evidence: str
    fork_point: str | None = None


@dataclass(frozen=True, slots=True)
class SessionAnnotated:
    """The host, an agent or the user said something about a session: a title or a note, or what it was about."""

    title: str | None = None
    note: str | None = None
    summary: str | None = None
    topics: tuple[str, ...] = ()
    category: str | None = None
    is_ours: bool = False
    """Whether it was said through the journal, which goes before what the host says."""


@dataclass(frozen=True, slots=True)
class PromptSubmitted:
    """A human gave the agent a prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class MessageProduced:
    """Text that is no human prompt entered the conversation."""

    role: str
    """`assistant`, `user` or `system`."""
    kind: str
    """`answer`, `reasoning`, `summary`, `injected` or `notice`."""
    text: str
    response_id: str | None = None
    model: str | None = None
    parent_record_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool."""

    tool_call_id: str
    name: str
    input_text: str
    """The call's input as compact JSON, or the free text of it."""


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A tool call ended."""

    tool_call_id: str
    is_error: bool
    output_text: str
    exit_code: int | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FileChanged:
    """A tool changed a file."""

    path: str
    """As recorded: absolute, or relative to the session's working directory."""
    operation: str
    """`add`, `edit`, `delete`, `move` or `write`."""
    lines_added: int | None = None
    lines_removed: int | None = None
    tool_call_id: str | None = None
    moved_to: str | None = None
    evidence: str = "tool"
    """`tool` (the record has the path or diff) or `shell` (read off a command line)."""
    diff: str | None = None
    """The changed lines as a unified diff without file headers, where the record shows them."""


@dataclass(frozen=True, slots=True)
class UsageReported:
    """One model response used tokens; repeated reports of a response are folded by the largest figure."""

    response_id: str
    model: str | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    basis: str = "response"
    """`response`, `shutdown_total` (a session's totals at its end) or `message_estimate`."""
    cache_write_1h_tokens: int = 0
    """The part of `cache_write_tokens` that was written to live for an hour instead of the usual minutes; it costs more."""
    window_tokens: int | None = None
    """Tokens that fit into a request, where the record says so."""


@dataclass(frozen=True, slots=True)
class UsageTotalReported:
    """The host reported the running total of a session, and perhaps the last response's part of it."""

    model: str | None
    total: tuple[int, int, int, int, int]
    """Uncached input, output, cache read, cache write, reasoning: since the session (or its lineage) began."""
    last: tuple[int, int, int, int, int] | None
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """The host replaced the model's context by a summary."""

    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None


@dataclass(frozen=True, slots=True)
class HistoryReplaced:
    """The host replaced its list of messages; what followed the last one that is still named left its history."""

    record_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryRewound:
    """The host dropped a message and all that came after it."""

    record_id: str | None
    """None where the host wrote its file anew without them: what the file no longer tells is dropped."""


@dataclass(frozen=True, slots=True)
class ProjectObserved:
    """What git and the file system said about a working directory at one moment."""

    path: str
    real_path: str | None = None
    root: str | None = None
    """The main work tree of the repository; None outside git."""
    root_commit: str | None = None
    remote: str | None = None
    copied_from: str | None = None
    """The repository without a remote that stood on disk beside this copy of it."""


@dataclass(frozen=True, slots=True)
class RecordUnrecognised:
    """A record is of a kind that the decoder does not know."""

    kind: str


@dataclass(frozen=True, slots=True)
class RecordDamaged:
    """A line did not read as exactly one JSON object."""

    damage: str
    skipped_bytes: int = 0
    """Bytes of the line that are in no record that was read of it."""


DomainEvent = (
    SessionStarted
    | SessionEnded
    | TurnEnded
    | TurnContinued
    | SessionLinked
    | SessionAnnotated
    | PromptSubmitted
    | MessageProduced
    | ToolCalled
    | ToolReturned
    | FileChanged
    | UsageReported
    | UsageTotalReported
    | ContextCompacted
    | HistoryReplaced
    | HistoryRewound
    | ProjectObserved
    | HookFired
    | HookMeasured
    | HandoffSaved
    | HandoffBundleSaved
    | LearningStored
    | LearningJudged
    | HandoffContinued
    | HandoffsRemoved
    | HandoffLoaded
    | SnapshotRequested
    | RecordUnrecognised
    | RecordDamaged
)


class SourceFacts(NamedTuple):
    """What a decoder may know of the source that a record stands in."""

    host: str
    path: str
    native_id: str
    """The session's id as the adapter read it from the path or the first line; the empty string for side files."""
    shape: str = "lines"
    """`lines`, or `document` for a whole file that is one event."""


LIKELY = "~"
"""Before the id of a record that a root only names as the one before it: it may be gone from the file."""


class Occurrence(NamedTuple):
    """What one record says happened: its domain events under one record id, at one time."""

    events: tuple[DomainEvent, ...]
    occurred_at: str | None = None
    """UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`; None is carried forward from the record before."""
    record_id: str | None = None
    """The host's own id of the record, unique in its session; None makes the projections use a hash of the bytes."""
    session_id: str | None = None
    """Only where the record belongs to another session than the source's own (sub-agents in the same file)."""
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    parent_record_id: str | None = None
    """The record that this one follows; empty at a root (or `LIKELY` and what it names), None where the host names none."""
    response_id: str | None = None
    """The answer of a model that the record is a part of, beside *parent_record_id*."""


JsonObject = dict[str, Any]
