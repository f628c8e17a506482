"""Which learnings are near to a prompt in meaning: their vectors, kept ready by a thread of `journal watch` for the hooks that ask it.

The vectors lie in `cache.db` beside those of the index, so that no learning is embedded twice.
"""

import contextlib
import os
import sqlite3
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.index import embedding, vectors
from cli.index.slices import NICE, Slices
from cli.wiring import LOCK_WAIT_S, now
from journal import hook_settings
from journal.database import open_readonly
from journal.errors import IndexUnusable, JournalError
from journal.home import Home
from journal.lock import indexer_lock
from journal.settings import Settings
from projections import chunks, likeness
from projections.learned import HERE, LIVE

if TYPE_CHECKING:
    from cli.index.embedding import Embedder, Vectors

TICK_S = 1.0
BATCH = 8
"""Learnings embedded at a stretch: a prompt that asks meanwhile waits no longer than that."""
PROMPT_CHARS = 320
"""So much of a prompt is compared; a longer one begins with what it is about, and embedding it all takes as long as a hook has."""
NEAR = 0.5
APART = 0.15
"""A learning is near to a prompt from this cosine on, and if no other learning of the project comes within this distance: see tests/bench/recall.py."""
ALIKE = 0.8
"""Learnings so near to each other say the same thing and are no rivals."""
UNLIKE = 0.3
"""What shares words with a prompt and has a smaller cosine is about something else."""
EVERY = """SELECT l.learning_id, l.text FROM learnings AS l WHERE NOT EXISTS (SELECT 1 FROM learnings AS n WHERE n.replaces = l.learning_id)
AND NOT EXISTS (SELECT 1 FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired') ORDER BY l.learning_id"""
HOLDING = f"SELECT l.learning_id FROM learnings AS l WHERE {HERE} AND {LIVE}"


class Ready(NamedTuple):
    """The learnings that can be compared."""

    names: dict[str, int]
    """Learning to its row."""
    matrix: "Vectors"


class LearnedVectors:
    """Keeps the vectors of all learnings that hold, and says which are near to a prompt."""

    def __init__(self, settings: Settings, slices: Slices, stop: threading.Event) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.slices = slices
        self.stop = stop
        self.ready: Ready | None = None
        self.hashes: dict[str, int] = {}
        self.model: str | None = None
        self.thread = threading.Thread(target=self._run, name="learnings", daemon=True)

    def start(self) -> None:
        """Begin to look for learnings, unless hooks tell none; the model is loaded with the first one."""
        if hook_settings.load(self.home.config)[0].recall:
            self.thread.start()

    def join(self) -> None:
        """Wait for the batch that is being embedded; the caller has set *stop*."""
        if self.thread.is_alive():
            self.thread.join(10)

    def _run(self) -> None:
        if sys.platform == "linux":  # as the slices, which embed as well
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
        seen: tuple[object, ...] = ()
        while not self.stop.wait(TICK_S):
            now_there = self._looked()
            if now_there == seen or not now_there:
                continue
            try:
                # Opened anew each time: a reader that stays keeps the writer from putting its WAL away, which every hook would have to read.
                with contextlib.closing(open_readonly(self.home.views_db)) as views:
                    self.refresh(views)
                seen = now_there
            except (JournalError, sqlite3.DatabaseError, OSError) as error:
                self.slices.complain(f"prompts are answered by words only: {error}")

    def _looked(self) -> tuple[object, ...]:
        """Return how views and WAL stand on disk; nothing where there are no views."""
        found: list[object] = []
        for path in (self.home.views_db, f"{self.home.views_db}-wal"):
            with contextlib.suppress(OSError):
                status = os.stat(path)
                found += [path, status.st_ino, status.st_size, status.st_mtime_ns]
        return tuple(found)

    def refresh(self, views: sqlite3.Connection) -> None:
        """Take in what was learned, and let go of what holds no more.

        Raises: LogBusy, IndexUnusable, OSError, sqlite3.DatabaseError.
        """
        texts = dict(views.execute(EVERY).fetchall())
        hashes = {name: chunks.hash_of(text) for name, text in texts.items()}
        if hashes == self.hashes and self.ready is not None:
            return
        if not texts or not self._is_measured():
            self.ready, self.hashes = None, {}
            return
        model = self.slices.opened()
        self.ready = self._made(model, hashes, texts)
        self.hashes = hashes if self.ready is not None else {}

    def _is_measured(self) -> bool:
        """Tell whether the model in force is there and its cosines are known; looked at once."""
        if self.model is None:
            machine = embedding.look(self.home, self.settings.index_settings)
            self.model = embedding.chosen(self.settings.index_settings, machine)[0] or ""
        return self.model in embedding.MEASURED

    def _made(self, model: "Embedder", hashes: dict[str, int], texts: dict[str, str]) -> Ready | None:
        """Return the vectors of the learnings, embedding those that are new; None where it was told to stop."""
        import numpy

        of = {hashes[name]: texts[name] for name in texts}
        with contextlib.closing(vectors.connect(self.home)) as cache:
            entry = vectors.entered(cache, vectors.aside(model.model_id), model.dimensions)
            known = vectors.get(cache, entry, list(of))
            new = [text_hash for text_hash in of if text_hash not in known]
            for start in range(0, len(new), BATCH):
                if self.stop.is_set():
                    return None
                some = new[start : start + BATCH]
                with indexer_lock(self.home, LOCK_WAIT_S):  # a forget that goes on has it
                    made = model.documents([of[text_hash] for text_hash in some])
                    vectors.add(cache, entry, some, made)
                known |= dict(zip(some, made, strict=True))
            vectors.keep_aside(cache, entry, list(of))
        return Ready({name: row for row, name in enumerate(texts)}, numpy.stack([known[hashes[name]] for name in texts]))

    def judged(self, prompt: str, root: str, by_words: list[str]) -> dict[str, Any]:
        """Return the learnings of the project that are near to a prompt, nearest first, and those found by words that are about something else.

        Raises: IndexUnusable: nothing can be compared (yet).
        """
        ready, model = self.ready, self.slices.embedder
        if ready is None or model is None:
            raise IndexUnusable("no learnings are ready to be compared")
        if any(likeness.is_unspaced(letter) for letter in prompt):
            raise IndexUnusable("the model knows no such script")
        (vector,) = model.queries([prompt[:PROMPT_CHARS]])
        cosines = ready.matrix @ vector
        with contextlib.closing(open_readonly(self.home.views_db)) as views:
            holding = [row[0] for row in views.execute(HOLDING, {"root": root, "now": now()}) if row[0] in ready.names]
        return {"near": near(ready, cosines, holding), "unlike": unlike(ready, cosines, by_words)}


def unlike(ready: Ready, cosines: "Vectors", names: list[str]) -> list[str]:
    """Return those of some learnings that are about something else than the prompt, as far as they can be compared."""
    return [name for name in names if name in ready.names and float(cosines[ready.names[name]]) < UNLIKE]


def near(ready: Ready, cosines: "Vectors", holding: list[str]) -> list[str]:
    """Return the learnings, of those that hold, that are near to the prompt and have no rival; the nearest first."""
    ordered = sorted(((float(cosines[ready.names[name]]), name) for name in holding), key=lambda pair: (-pair[0], pair[1]))
    if not ordered or ordered[0][0] < NEAR:
        return []
    best, first = ordered[0]
    alike = ready.matrix @ ready.matrix[ready.names[first]]
    rival = next((cosine for cosine, name in ordered[1:] if float(alike[ready.names[name]]) < ALIKE), 0.0)
    if best - rival < APART:
        return []
    return [name for cosine, name in ordered if cosine >= NEAR and cosine > rival]
