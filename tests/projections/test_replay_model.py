"""Replay equals incremental: real hosts' records in any order of their sources, in batches of any size, stopped and broken anywhere."""

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from archive import answer, claude, codex, line, token_count
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.catalog import adapters
from journal.database import open_log
from journal.home import open_home
from journal.log import Line, Writer
from projections import checkpoint, replay, runner
from projections.digest import digests
from projections.search import register_functions

NOW = "2026-12-01T00:00:00.000000Z"
P = "aaaaaaaa-0000-4000-8000-000000000001"
F = "00000000-0000-4000-8000-00000000000f"
C = "cccccccc-0000-4000-8000-000000000003"
D = "bbbbbbbb-0000-4000-8000-000000000004"
G = "dddddddd-0000-4000-8000-000000000005"
E = "eeeeeeee-0000-4000-8000-000000000006"
ADAPTERS = adapters()
DECODE = {host: adapter.decode for host, adapter in ADAPTERS.items()}
VERSIONS = {host: adapter.decoder_version for host, adapter in ADAPTERS.items()}


class Source(NamedTuple):
    """A file with its lines in order."""

    host: str
    session: str
    path: str
    lines: list[bytes]


def _edit(number: int, session: str) -> dict[str, Any]:
    """Return an answer that writes a file."""
    return answer(number, session, "", f"m{number}", message={"id": f"m{number}", "role": "assistant", "model": "claude-opus-5-5", "content": [
        {"type": "tool_use", "id": f"t{number}", "name": "Write", "input": {"file_path": "/home/dev/proj/src/a.py", "content": "x\n"}}],
        "usage": {"input_tokens": 5, "output_tokens": 9}})  # fmt: skip


def _gemini(number: int, kind: str, text: str, **fields: object) -> dict[str, object]:
    return {"id": f"g{number}", "timestamp": f"2026-11-30T10:00:{number:02d}.000Z", "type": kind, "content": text, **fields}


def _rewound() -> list[bytes]:
    tokens = {"input": 10, "output": 2, "cached": 0, "thoughts": 0, "tool": 0, "total": 12}
    head = {"sessionId": G, "projectHash": "0" * 64, "startTime": "2026-11-30T10:00:00.000Z", "kind": "main"}
    return [line(record) for record in (
        head, _gemini(1, "user", "one"), _gemini(2, "gemini", "half", model="g", tokens=tokens),
        _gemini(2, "gemini", "whole", model="g", tokens=tokens | {"output": 9}), _gemini(3, "user", "dropped"), {"$rewindTo": "g3"},
        _gemini(4, "user", "instead"))]  # fmt: skip


def _copilot() -> list[bytes]:
    told = [("session.start", {"sessionId": E, "context": {"cwd": "/home/dev/proj"}}), ("user.message", {"content": "ask"}),
            *(("assistant.message", {"messageId": f"c{n}", "content": f"said {n}", "model": "gpt-5", "outputTokens": 50}) for n in (1, 2))]  # fmt: skip
    return [line({"type": kind, "id": f"{n}" * 36, "timestamp": f"2026-11-30T10:00:{n:02d}.000Z", "data": data}) for n, (kind, data) in enumerate(told)]


def _sources() -> list[Source]:
    """Return a parent, an undeclared fork of it, its sub-agent, a rollout with its fork, a rewound session, an estimated one and the inbox."""
    shared = [claude(1, P, "parent prompt"), answer(2, P, "parent answer", "m1"), _edit(3, P)]
    written = {"type": "create", "filePath": "/home/dev/proj/src/a.py", "content": "x\n", "structuredPatch": []}
    result = claude(4, P, "", toolUseResult=written, message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t3", "content": "done"}]})
    boundary = claude(6, P, "", type="system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9000})
    parent = [*shared, result, answer(5, P, "later", "m5"), boundary, claude(7, P, "elsewhere", cwd="/home/dev/other")]
    fork = [*(record | {"sessionId": F} for record in shared), claude(20, F, "fork prompt"), answer(21, F, "fork answer", "m21")]
    side = [claude(30, P, "do it", isSidechain=True, agentId="x"), answer(31, P, "done", "m31", isSidechain=True, agentId="x")]
    total = token_count((100, 10, 20, 5), (100, 10, 20, 5))
    rollout = codex(C, [("event_msg", {"type": "user_message", "message": "hey"}), total, token_count((300, 10, 40, 5), (200, 0, 20, 0))])
    forked = codex(D, [total, token_count((150, 10, 20, 5), (50, 0, 0, 0))], {"forked_from_id": C})
    inbox = [json.dumps({"v": 1, "at": NOW, **record}).encode() + b"\n" for record in (
        {"type": "journal.project_observed", "path": "/home/dev/proj", "real_path": "/home/dev/proj", "root": "/home/dev/proj", "root_commit": "1" * 40},
        {"type": "journal.note", "session_id": P, "text": "noted"},
        {"type": "journal.project_observed", "path": "/home/dev/other", "real_path": "/home/dev/other", "root": "/home/dev/other", "root_commit": "1" * 40},
    )]  # fmt: skip
    return [
        Source("claude", P, f"/h/.claude/projects/p/{P}.jsonl", [*map(line, parent[:5]), b'{"torn": \n', *map(line, parent[5:]), line(parent[0])]),
        Source("claude", F, f"/h/.claude/projects/p/{F}.jsonl", [line(record) for record in fork]),
        Source("claude", f"{P}:x", f"/h/.claude/projects/p/{P}/subagents/agent-x.jsonl", [line(record) for record in side]),
        Source("codex", C, f"/h/.codex/sessions/rollout-{C}.jsonl", rollout.splitlines(keepends=True)),
        Source("codex", D, f"/h/.codex/sessions/rollout-{D}.jsonl", forked.splitlines(keepends=True)),
        Source("gemini", G, "/h/.gemini/tmp/p/chats/session-x.jsonl", _rewound()),
        Source("copilot", E, f"/h/.copilot/session-state/{E}/events.jsonl", _copilot()),
        Source("journal", "", "/h/journal/inbox/2026-12-01_journal.jsonl", inbox),
    ]


SOURCES = _sources()
ORDER = [number for number, source in enumerate(SOURCES) for _ in source.lines]


class World:
    """A log that is filled line by line, and its views."""

    def __init__(self, folder: Path) -> None:
        self.log = open_log(open_home(str(folder / "home")).journal_db, writable=True)
        self.writer = Writer(self.log, lambda: NOW)
        self.path = str(folder / "views.db")
        self.views = self.open()
        self.known: dict[int, tuple[int, int, int]] = {}
        """Source to its id in the log, the lines written and their bytes."""

    def open(self) -> sqlite3.Connection:
        """Open the views, as every process does anew."""
        views = checkpoint.connect(self.path)
        register_functions(views)
        return views

    def close(self) -> None:
        """Close both files."""
        self.views.close()
        self.log.close()

    def write(self, number: int) -> None:
        """Append the next line of a source."""
        source = SOURCES[number]
        with self.writer.transaction():
            if number not in self.known:
                self.known[number] = (self.writer.register(source.host, source.session, source.path, "lines"), 0, 0)
            source_id, written, offset = self.known[number]
            data = source.lines[written]
            self.writer.append_lines(source_id, 0, offset, data, [Line(len(data), "any", None, None)])
            self.known[number] = (source_id, written + 1, offset + len(data))

    def catch_up(self, *, until: int | None = None) -> None:
        """Bring the views up to date."""
        runner.catch_up(self.log, self.views, DECODE, VERSIONS, until=until)

    def break_off(self, after: int) -> None:
        """Catch up until SQLite is interrupted after *after* of its steps, and open the views again as after a crash."""
        left = after

        def interrupted() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        self.views.set_progress_handler(interrupted, 50)
        try:
            self.catch_up()
        except sqlite3.OperationalError as error:
            assert "interrupted" in str(error)
        self.views.close()
        self.views = self.open()


def _whole() -> dict[str, str]:
    """Return the digests of views that were built at once from sources read one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        with closing(world):
            for number in ORDER:
                world.write(number)
            world.catch_up()
            return digests(world.views)


STEP = st.tuples(st.sampled_from(["catch up", "part", "break"]), st.integers(0, 300))


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """Return what every run must end in."""
    return _whole()


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(ORDER), steps=st.dictionaries(st.integers(0, len(ORDER)), STEP, max_size=8), batch=st.sampled_from([4, 8, 12, 1000]))
def test_replay_equals_incremental(expected: dict[str, str], order: list[int], steps: dict[int, tuple[str, int]], batch: int) -> None:
    """Live in any interleaving, in parts, in small batches and after crashes, every view has the digest of one import; so has a replay of it."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "BATCH", batch)
        patch.setattr(runner, "SMALLEST_BATCH", 1)
        patch.setattr(runner, "SETTLE_AT_ONCE", batch)
        world = World(Path(folder))
        with closing(world):
            for written, number in enumerate(order):
                world.write(number)
                kind, size = steps.get(written, ("", 0))
                if kind == "catch up":
                    world.catch_up()
                elif kind == "part":
                    world.catch_up(until=size)
                elif kind == "break":
                    world.break_off(size)
            world.catch_up()
            assert digests(world.views) == expected
            assert replay.verify(world.log, world.views, DECODE, VERSIONS) == []
