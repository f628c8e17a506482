"""A small log and a tiny host for the tests of the runner: a record names the events that it stands for."""

import json
from typing import Any

from journal.database import open_log
from journal.domain import HistoryReplaced, HistoryRewound, JsonObject, MessageProduced, Occurrence, PromptSubmitted, RecordUnrecognised, SourceFacts
from journal.home import open_home
from journal.log import Line, Writer
from projections import checkpoint
from projections.runner import CaughtUp, catch_up

NOW = "2026-01-01T00:00:00.000000Z"
VERSIONS = {"toy": 1}


def decode_toy(facts: SourceFacts, record: JsonObject) -> list[Occurrence]:
    """Decode the toy host."""
    event: Any
    match record.get("kind"):
        case "prompt":
            event = PromptSubmitted(record["text"])
        case "answer":
            event = MessageProduced("assistant", "answer", record["text"])
        case "rewind":
            event = HistoryRewound(record["to"])
        case "replace":
            event = HistoryReplaced(tuple(record["ids"]))
        case kind:
            event = RecordUnrecognised(str(kind))
    return [Occurrence((event,), record.get("at"), record.get("id"), record.get("session"), record.get("cwd"))]


DECODE = {"toy": decode_toy}


class World:
    """A log and its views in one folder."""

    def __init__(self, folder: Any) -> None:
        self.home = open_home(str(folder / "home"))
        self.log = open_log(self.home.journal_db, writable=True)
        self.writer = Writer(self.log, lambda: NOW)
        self.views = checkpoint.connect(str(folder / "views.db"))
        self.sources: dict[str, int] = {}
        self.ends: dict[tuple[int, int], int] = {}

    def write(self, session: str, *records: Any, path: str | None = None, generation: int = 0) -> int:
        """Append records (dicts, or raw bytes as they are) to a session's source."""
        with self.writer.transaction():
            path = path or f"/{session}.jsonl"
            if path not in self.sources:
                self.sources[path] = self.writer.register("toy", session, path, "lines")
            source = self.sources[path]
            lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
            data = b"".join(line + b"\n" for line in lines)
            offset = self.ends.get((source, generation), 0)
            self.writer.append_lines(
                source, generation, offset, data, [Line(len(line) + 1, "toy", None, None) for line in lines]
            )
            self.ends[source, generation] = offset + len(data)
        return source

    def catch_up(self, **options: Any) -> CaughtUp:
        """Bring the views up to date."""
        return catch_up(self.log, self.views, DECODE, options.pop("versions", VERSIONS), **options)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the views."""
        return self.views.execute(query).fetchall()
