"""The tailer against a list model: whatever happens to a file, each line that was ever whole is in the log once, in order."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ingest import claude
from ingest.ingester import ingest
from journal.database import open_log
from journal.home import open_home
from journal.log import sources
from journal.reader import read_events, read_source
from journal.verify import check_chain

S = "aaaaaaaa-0000-4000-8000-000000000001"
WORDS = st.text(alphabet="aé한\u2028\U0001f600", min_size=1, max_size=6)


class Crash(RuntimeError):
    """Stands for a process that died between two appends."""


class Tailing(RuleBasedStateMachine):
    """A file, what was done to it, and what the log must therefore hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "root/projects/p" / f"{S}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.home = open_home(str(self.folder / "home"))
        self.number = 0
        self.seen: set[int] = set()
        """Numbers of the records that were whole in the file at some pass."""

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def record(self, word: str) -> bytes:
        """Return the next line."""
        self.number += 1
        return json.dumps({"type": "user", "uuid": self.number, "text": word}, ensure_ascii=False).encode() + b"\n"

    def content(self) -> bytes:
        """Return what the file holds."""
        return self.path.read_bytes() if self.path.exists() else b""

    @rule(words=st.lists(WORDS, min_size=1, max_size=4))
    def append(self, words: list[str]) -> None:
        """Whole lines are appended."""
        with self.path.open("ab") as file:
            file.write(b"".join(map(self.record, words)))

    @rule(word=WORDS, data=st.data())
    def append_a_part_then_the_rest(self, word: str, data: st.DataObject) -> None:
        """A line is caught half-written, perhaps inside a character, by a pass in between."""
        line = self.record(word)
        cut = data.draw(st.integers(1, len(line) - 1))
        with self.path.open("ab") as file:
            file.write(line[:cut])
        self.ingest()
        with self.path.open("ab") as file:
            file.write(line[cut:])

    @rule(keep=st.integers(0, 3))
    def truncate_to_lines(self, keep: int) -> None:
        """The file is cut back to its first lines, in place."""
        if self.path.exists():
            self.path.write_bytes(b"".join(self.content().splitlines(keepends=True)[:keep]))

    @rule(word=WORDS)
    def replace(self, word: str) -> None:
        """Another file is moved over this one."""
        other = self.path.with_suffix(".new")
        other.write_bytes(self.record(word) + self.record(word))
        other.rename(self.path)

    @rule()
    def rewrite_with_equal_size(self) -> None:
        """Bytes are overwritten and the mtime is set back."""
        if not self.content():
            return
        stat = self.path.stat()
        with self.path.open("r+b") as file:
            file.write(self.content().replace(b'"type":', b'"typf":').replace(b'"type": ', b'"typf": '))
        os.utime(self.path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    @rule()
    def delete(self) -> None:
        """The host deletes the file."""
        self.path.unlink(missing_ok=True)

    @rule()
    def ingest(self) -> None:
        """One pass."""
        log = open_log(self.home.journal_db, writable=True)
        ingest(log, [("claude", str(self.folder / "root"))], {"claude": claude.ADAPTER}, lambda: "2026-01-01T00:00:00.000000Z")
        log.close()
        for line in self.content().split(b"\n"):
            try:
                self.seen.add(json.loads(line)["uuid"])
            except ValueError:
                continue

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        """Every generation reads back in order without a gap, and every record that was whole at a pass is there."""
        if not os.path.exists(self.home.journal_db):
            return
        log = open_log(self.home.journal_db, writable=False)
        events = read_events(log, 0, 100_000)
        ends: dict[int, int] = {}
        found = set()
        for event in events:
            assert event.offset_bytes == ends.get(event.generation, 0)
            ends[event.generation] = event.offset_bytes + event.length_bytes
            try:
                found.add(json.loads(event.line)["uuid"])
            except ValueError:
                continue
        assert self.seen <= found
        for source in sources(log):
            for generation in range(source.generation + 1):
                lines = b"".join(event.line for event in events if event.generation == generation)
                assert b"".join(read_source(log, source.source_id, generation)) == lines
        assert check_chain(log).ok
        log.close()


Tailing.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestTailing = Tailing.TestCase
