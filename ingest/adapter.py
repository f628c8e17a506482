"""What a host adapter is: where its files lie, what they are called, and how a record of it is decoded."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from journal.domain import JsonObject, Occurrence, SourceFacts


class Candidate(NamedTuple):
    """A file that an adapter wants in the log."""

    path: str
    shape: str
    """`lines` (append-only JSONL) or `document` (a whole file, each version is an event)."""
    native_id: str | None
    """The session id where the path tells it; None where `Adapter.native_id` must read the first line."""


class Adapter(NamedTuple):
    """One host."""

    host: str
    decoder_version: int
    default_roots: Callable[[dict[str, str]], list[str]]
    """From the environment (`HOME` and the host's own variables) to the host's home folders."""
    discover: Callable[[str], Iterator[Candidate]]
    """All files of interest below one root, in a fixed order, loop-safe; raises OSError only for the root itself."""
    classify: Callable[[str, str], Candidate | None]
    """(root, path) to a candidate, without reading the folder: what `watch` needs."""
    native_id: Callable[[str, Any], str]
    """(path, first JSON value of the file or None) to the session's id."""
    hint: Callable[[JsonObject], tuple[str, str | None]]
    """A record to its event type (`claude.assistant`) and its time as recorded; for people who query the log."""
    decode: Callable[[SourceFacts, JsonObject], list[Occurrence]]
    """A record to what it says; pure. Never raises on odd shapes: an unknown kind gives `RecordUnrecognised`."""
