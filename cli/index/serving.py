"""The other end of cli/index/warm.py: threads of `journal watch` that answer searches and prompts with model and index loaded."""

import contextlib
import json
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any

from cli.index import warm
from cli.index.learned_vectors import LearnedVectors
from cli.index.slices import Slices
from journal.errors import JournalError
from journal.home import Home
from journal.settings import Settings

PATIENCE_S = 2.0
"""So long a client may take to say what it wants."""
MOST_CLIENTS = 8
"""So many are answered at once; who comes above that is let go unanswered, and does without."""


class Serving:
    """Answers clients until it is told to stop; one that says nothing keeps nobody waiting."""

    def __init__(self, settings: Settings, slices: Slices, stop: threading.Event) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.slices = slices
        self.stop = stop
        self.search: Any = None
        self.searching = threading.Lock()
        self.clients = threading.BoundedSemaphore(MOST_CLIENTS)
        self.learned = LearnedVectors(settings, slices, stop)
        self.line: socket.socket | None = None
        self.thread = threading.Thread(target=self._run, name="search", daemon=True)

    def start(self) -> None:
        """Begin to listen, unless another watcher does or the file system has no sockets."""
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with warm.Address(self.home) as where:
                self._clear(where)
                line.bind(where)
            os.chmod(warm.path_of(self.home), 0o600)
            line.listen(MOST_CLIENTS)
        except OSError:
            line.close()
            return
        line.settimeout(0.5)
        self.line = line
        self.thread.start()
        self.learned.start()

    def join(self) -> None:
        """Take the socket away; the caller has set the event."""
        if self.line is not None:
            self.thread.join(5)
            self.learned.join()
            self.line.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(warm.path_of(self.home))

    def _clear(self, where: str) -> None:
        """Delete the socket of a watcher that was killed.

        Raises: OSError: one that listens has it.
        """
        path = warm.path_of(self.home)
        if not os.path.lexists(path):
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(PATIENCE_S)
            try:
                line.connect(where)
            except ConnectionRefusedError:
                os.unlink(path)
                return
        raise FileExistsError(path)

    def _run(self) -> None:
        assert self.line is not None  # noqa: S101  started only then
        while not self.stop.is_set():
            with contextlib.suppress(OSError):  # no client within half a second, or one that has gone
                client, _ = self.line.accept()
                if self.clients.acquire(blocking=False):
                    threading.Thread(target=self._serve, args=(client,), name="client", daemon=True).start()
                else:
                    client.close()

    def _serve(self, client: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError), client:
                answer = self._answered(client)
                client.settimeout(PATIENCE_S)
                client.sendall(json.dumps(answer).encode() + b"\n")
        finally:
            self.clients.release()

    def _answered(self, client: socket.socket) -> dict[str, Any]:
        """Return the answer to a request; what goes wrong is one too."""
        try:
            request = json.loads(warm.received(client, warm.LONGEST_REQUEST, time.monotonic() + PATIENCE_S))
            return ANSWERS[request["ask"]](self, request)
        except (JournalError, sqlite3.DatabaseError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            return {"error": f"{type(error).__name__}: {error}"}

    def taken(self) -> Any:
        """Take the search out, loaded again where the index has changed; who was answered by it puts it back.

        Raises: IndexUnusable: there is none.
        """
        from cli.index import semantic

        kept, self.search = self.search, None
        return kept if kept is not None and kept.is_current() else semantic.Search(self.settings, self.slices.opened())


def _searched(serving: Serving, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a `journal search`, one at a time."""
    from cli.index import searching
    from journal.database import open_readonly
    from projections.search_filters import Filters

    if request["index"] != list(serving.settings.index_settings):
        return {"error": "other settings are in force here"}
    with serving.searching:
        search = serving.taken()
        with contextlib.closing(open_readonly(serving.home.views_db)) as views:
            told = searching.answer(serving.home, views, search, request["query"], Filters(**request["filters"]), mode=request["mode"], limit=request["limit"])
        serving.search = search  # only now: one that broke off, in whatever way, is not used again
        return told._asdict()


def _recalled(serving: Serving, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a prompt's hook."""
    return serving.learned.judged(request["prompt"], request["root"], request["by_words"])


ANSWERS: dict[str, Callable[[Serving, dict[str, Any]], dict[str, Any]]] = {"search": _searched, "recall": _recalled}
"""What can be asked for; each takes the request and gives an answer that JSON can hold."""
