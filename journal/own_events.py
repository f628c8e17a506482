"""Domain events of what the journal itself wrote down in its inbox: what hooks saw, handoffs, learnings, snapshots.

They are derived from a line each time it is read, like those of the hosts (journal/domain.py).
"""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class HookFired:
    """A host called a hook of the journal; the line holds what the hook saw at that moment."""

    role: str
    """`session-start`, `prompt`, `pre-compact`, `stop` or `session-end`."""
    host: str
    source: str | None = None
    """Why the session starts, the compaction begins or the session ends, in the host's word."""
    transcript_path: str | None = None
    transcript_bytes: int | None = None
    cwd: str | None = None
    root: str | None = None
    """The folder of the repository that the working directory lies in."""
    branch: str | None = None
    head: str | None = None
    last_message: str | None = None
    """The agent's last answer as the payload has it; the transcript may come later."""


@dataclass(frozen=True, slots=True)
class HookMeasured:
    """A hook measured the context or answered; the policy of later hooks folds these lines."""

    line: str
    """The line as compact JSON."""


@dataclass(frozen=True, slots=True)
class HandoffSaved:
    """An agent or a person wrote down what a later session needs to know."""

    text: str
    path: str | None
    root: str | None
    branch: str | None
    head: str | None
    is_dirty: bool | None
    mtime_us: int | None
    """When the file was written, in microseconds after 1970."""
    size: int | None


class HandoffStatement(NamedTuple):
    """One statement of a handoff bundle."""

    statement_id: str
    """Unique in the bundle, such as `F1`."""
    kind: str
    """`finding`, `recommendation`, `question`, `move`, `evidence`, `scope`, `entity`, `relation` or `section`."""
    text: str
    details: tuple[str, ...] = ()
    origin: str | None = None
    """Where it comes from: a line of the notes, or session and record of the log."""


class HandoffAnchor(NamedTuple):
    """One place that a statement of a bundle names, as it was when the bundle was saved."""

    statement_id: str
    locator: str
    """As written."""
    kind: str
    """`file`, `folder`, `range`, `symbol`, `commit`, `url` or `command`."""
    path: str
    """Relative to the top of the checkout; the commit, URL or command itself."""
    start: int | None = None
    end: int | None = None
    symbol: str | None = None
    reason: str | None = None
    """Why it was refused."""
    shape: str | None = None
    """JSON: hash of the content, of the first line, of the lines around it, and the beginning of the text."""


class HandoffFile(NamedTuple):
    """A file, or a part of one, of a bundle directory that was imported."""

    name: str
    number: int
    """The part, from 1."""
    text: str


class HandoffParts(NamedTuple):
    """Statements, anchors and files of a bundle; of a large bundle those that one line of the inbox holds."""

    statements: tuple[HandoffStatement, ...] = ()
    anchors: tuple[HandoffAnchor, ...] = ()
    files: tuple[HandoffFile, ...] = ()
    first_statement: int = 1
    """The number of the first statement in the bundle."""
    first_anchor: int = 1


@dataclass(frozen=True, slots=True)
class HandoffBundleSaved:
    """Findings, recommendations, questions and next moves were put down for a later session, each with its evidence."""

    handoff_id: str
    chain_id: str
    """The first handoff of those that replace each other."""
    replaces: str | None
    title: str
    purpose: str
    root: str | None
    """The folder that all work trees of the repository share; outside git the folder itself."""
    root_commit: str | None
    remote: str | None
    branch: str | None
    head: str | None
    dirty: tuple[str, ...]
    """Files with uncommitted changes, relative to the top of the checkout."""
    tags: tuple[str, ...]
    score: float
    rating: str
    """`strong`, `acceptable` or `weak`."""
    dimensions: str
    """JSON: name to value from 0 to 1."""
    warnings: tuple[str, ...]
    parts: HandoffParts
    merges: tuple[str, ...] = ()
    """The bundles that this one unites, beside `replaces`."""
    facts: str = "{}"
    """JSON: what was so at the time of saving and is compared at load, such as failing tests."""


@dataclass(frozen=True, slots=True)
class HandoffContinued:
    """A bundle is too large for one line: here is more of it."""

    handoff_id: str
    parts: HandoffParts


@dataclass(frozen=True, slots=True)
class HandoffsRemoved:
    """Handoffs left the lists, or came back; the log keeps them in any case."""

    handoff_ids: tuple[str, ...]
    verb: str
    """`delete`, `prune` or `undelete`."""


@dataclass(frozen=True, slots=True)
class HandoffLoaded:
    """A handoff was told to a session."""

    handoff_id: str
    tokens: int
    """What was told."""
    source_tokens: int
    """What reading the files again would cost that its evidence names."""


@dataclass(frozen=True, slots=True)
class LearningStored:
    """An agent or a person put down what later sessions should know."""

    learning_id: str
    kind: str
    """`solution`, `gotcha`, `pattern`, `decision` or `preference`."""
    scope: str
    """`project` or `global`."""
    text: str
    replaces: str | None
    """The learning that this one supersedes."""
    expires_at: str | None
    origin: str
    """`person` where it was given as words, `suggestion` where one of the journal's own was accepted."""
    root: str | None
    """The folder that all work trees of the repository share; outside git the folder itself."""
    branch: str | None
    head: str | None
    anchors: tuple[HandoffAnchor, ...]


@dataclass(frozen=True, slots=True)
class LearningJudged:
    """A learning was found to hold still, or to hold no more."""

    learning_id: str
    verdict: str
    """`confirmed` or `retired`."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SnapshotRequested:
    """A person or an agent asked for a snapshot of a session."""

    note: str | None = None
