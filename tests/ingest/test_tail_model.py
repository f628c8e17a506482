"""The tailer against a list model of what each generation of one source must hold."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import zstandard
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tail_world import World

from ingest import tail
from journal import reader, verify

WORD = st.text(alphabet="aé한\u2028\U0001f600", min_size=1, max_size=6)


def is_object(line: bytes) -> bool:
    """Tell whether an unterminated line is a whole object; a torn prefix before one makes it none."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class Tailing(RuleBasedStateMachine):
    """One file that is written, cut, replaced, moved, compressed and deleted, and the generations it must have."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(Path(tempfile.mkdtemp()))
        self.place = self.world.root / "live/s.jsonl"
        for name in ("live", "archived"):
            (self.world.root / name).mkdir()
        self.content: bytes | None = None
        """What the file holds, uncompressed; None where there is none."""
        self.is_compressed = False
        self.number = 0
        self.generations: list[bytes] = []

    def teardown(self) -> None:
        shutil.rmtree(self.world.folder)

    def record(self, word: str) -> bytes:
        """Return a line that was never there before."""
        self.number += 1
        return f'{{"n":{self.number},"t":"{word}"}}\n'.encode()

    @property
    def path(self) -> Path:
        """Return the file's present name."""
        return self.place.with_name("s.jsonl.zst") if self.is_compressed else self.place

    def put(self, content: bytes) -> None:
        """Make the file hold *content*, in place."""
        self.content = content
        self.path.write_bytes(zstandard.compress(content) if self.is_compressed else content)

    @rule(words=st.lists(WORD, min_size=1, max_size=4), cut=st.integers(0, 12))
    def append(self, words: list[str], cut: int) -> None:
        """Lines are appended; the last one may miss its end."""
        added = b"".join(map(self.record, words))
        self.put((self.content or b"") + added[: len(added) - min(cut, len(added) - 1)])

    @rule(keep=st.integers(0, 40))
    def truncate(self, keep: int) -> None:
        """The file is cut anywhere."""
        if self.content is not None:
            self.put(self.content[:keep])

    @rule(word=WORD)
    def replace(self, word: str) -> None:
        """Another file is moved over this one."""
        self.content = self.record(word) * 2
        other = self.world.file("other.tmp", zstandard.compress(self.content) if self.is_compressed else self.content)
        other.rename(self.path)

    @precondition(lambda self: self.content)
    @rule(at=st.integers(0, 60))
    def change_one_byte(self, at: int) -> None:
        """One byte of text changes; size and mtime stay."""
        assert self.content
        stat, place = (self.path.stat(), self.content.find(b"n", at))
        if place >= 0:
            self.put(self.content[:place] + b"m" + self.content[place + 1 :])
            os.utime(self.path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    @precondition(lambda self: self.content is not None)
    @rule()
    def move(self) -> None:
        """The file moves to the other folder or back, and a pass sees it there."""
        # Moved with other bytes than were read, or changed before a pass sees the move, it is another source: not modelled.
        if self.generations and self.generations[-1] and (self.content or b"").startswith(self.generations[-1]):
            before = self.path
            self.place = self.world.root / ("archived" if self.place.parent.name == "live" else "live") / "s.jsonl"
            before.rename(self.path)
            self.ingest()

    @precondition(lambda self: self.content is not None)
    @rule()
    def compress_or_back(self) -> None:
        """The plain file becomes a `.zst`, or a `.zst` the plain file."""
        self.path.unlink()
        self.is_compressed = not self.is_compressed
        self.put(self.content or b"")

    @precondition(lambda self: self.content is not None)
    @rule()
    def delete(self) -> None:
        """The host deletes the file."""
        self.path.unlink()
        self.content = None

    @rule()
    def ingest(self) -> None:
        """One pass: the model says what the log must hold then; a second pass adds nothing."""
        self.world.ingest()
        if self.content is not None:
            if not self.generations:
                self.generations.append(b"")
            if not self.content.startswith(self.generations[-1]):
                self.generations.append(b"")
            consumed = len(self.generations[-1])
            rest = self.content[consumed:]
            whole = rest.rfind(b"\n") + 1
            self.generations[-1] += rest if is_object(rest[whole:]) else rest[:whole]
        assert self.world.ingest().events == 0

    @rule(moment=st.integers(1, 5), is_after=st.booleans())
    def crash(self, moment: int, is_after: bool) -> None:
        """A pass dies before or after a step or a commit; the next one finds the log whole and goes on."""
        self.world.crash(moment, is_after=is_after)
        self.ingest()

    @invariant()
    def the_log_is_the_model(self) -> None:
        """There is one source, and each generation holds exactly the bytes of the model."""
        if not os.path.exists(self.world.home.journal_db):
            return
        rows = self.world.sources()
        assert len(rows) == bool(self.generations)
        for row in rows:
            assert row.generation == len(self.generations) - 1
            assert [self.world.generation(row.source_id, number) for number in range(row.generation + 1)] == self.generations
        assert sum(map(len, self.world.lines())) == sum(map(len, self.generations))


Tailing.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestTailing = Tailing.TestCase


class TestTailingInPieces(Tailing.TestCase):
    """The same with lines that are read in pieces because nothing above 12 bytes is held."""

    settings = Tailing.TestCase.settings

    def setUp(self) -> None:
        """Make the limit small in what reads files and log."""
        super().setUp()
        for module in (tail, reader, verify):
            self.addCleanup(setattr, module, "LONGEST_WHOLE", module.LONGEST_WHOLE)
            module.LONGEST_WHOLE = 12


def test_a_pass_that_dies_before_its_commit_leaves_nothing_and_after_it_everything(world: World) -> None:
    """A new file takes three steps (registered, read, its state) and they share one commit: whoever dies before it leaves an empty log."""
    world.file("s.jsonl", b'{"n":1}\n')
    assert (world.crash(1, is_after=False), world.lines()) == (9, [])
    found = [world.crash(number, is_after=False) for number in range(1, 6)]
    assert (found, world.lines()) == ([9, 9, 9, 9, 0], [b'{"n":1}\n'])
