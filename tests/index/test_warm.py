"""A search through a running `journal watch`: the same answer with nothing heavy loaded, and done without where it is not to be had."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, claude
from bags import S1, S2, Bags, updated
from test_index_cases import filled, needs_weights, settings
from test_slices import until

from cli.index import warm
from cli.index.serving import Serving
from cli.index.slices import Slices
from journal.home import Home

ROOT = Path(__file__).parents[2]


def request(archive: Archive, query: str, **other: Any) -> dict[str, Any]:
    """Return a request as `journal search` makes it."""
    return {"ask": "search", "query": query, "filters": {}, "mode": "semantic", "limit": 3, "index": list(settings(archive).index_settings), **other}


@pytest.fixture
def serving(archive: Archive):
    """Return a server over three sessions, with an embedder of the tests."""
    filled(archive)
    bags = Bags()
    updated(archive, bags)
    stop = threading.Event()
    slices = Slices(settings(archive), stop, print)
    slices.embedder = bags
    started = Serving(settings(archive), slices, stop)
    started.start()
    yield started
    stop.set()
    started.join()


def test_an_answer_comes_from_the_loaded_index_and_is_fresh(archive: Archive, serving: Serving) -> None:
    """What was indexed after the server began is found by the next question."""
    home = Home(str(archive.home))
    answered = warm.ask(home, request(archive, "Why does the build hang?"), 5)
    assert answered is not None
    assert (answered["hits"][0]["session_id"], answered["coverage"], answered["why"]) == (S1, 1.0, "")
    archive.write(archive.claude_path(S2), claude(70, S2, "a question about zebras"), append=True)
    archive.ingest()
    updated(archive, serving.slices.embedder)
    again = warm.ask(home, request(archive, "question about zebras"), 5)
    assert again is not None
    assert again["hits"][0]["session_id"] == S2


def test_what_was_forgotten_is_out_of_a_running_server_too(archive: Archive, serving: Serving) -> None:
    """A forget takes the index away; the server lets go of the one it had, and serves the next one."""
    home = Home(str(archive.home))
    assert warm.ask(home, request(archive, "Why does the build hang?"), 5)
    archive.json("forget", S1, "--yes")
    assert warm.ask(home, request(archive, "Why does the build hang?"), 5) is None
    assert serving.search is None
    updated(archive, serving.slices.embedder)
    answered = warm.ask(home, request(archive, "Why does the build hang?"), 5)
    assert answered is not None
    assert S1 not in {hit["session_id"] for hit in answered["hits"]}


def test_the_socket_is_the_users_alone_and_goes_with_the_server(archive: Archive, serving: Serving) -> None:
    """Mode 0600; gone after the end; a path too long for a socket's address is no hindrance on Linux."""
    path = archive.home / warm.FILE
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    serving.stop.set()
    serving.join()
    assert not path.exists()
    assert warm.ask(Home(str(archive.home)), request(archive, "x"), 1) is None


@pytest.mark.parametrize("sent", [b"", b"no json\n", b"[]\n", b"{}\n", b'{"ask": "nothing", "index": []}\n', b"x" * 70_000, b'{"half": '])
def test_a_client_that_says_nonsense_hinders_nobody(archive: Archive, serving: Serving, sent: bytes) -> None:
    """The next one is answered."""
    home = Home(str(archive.home))
    with warm.Address(home) as where, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(where)
        try:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
        except BrokenPipeError:
            pass
    assert warm.ask(home, request(archive, "Why does the build hang?"), 5)


@pytest.mark.parametrize("other", [{"index": ["another", "auto", 2, 10.0]}, {"ask": "everything"}, {"filters": {"colour": "red"}}, {"limit": "many"}])
def test_what_cannot_be_answered_is_done_without(archive: Archive, serving: Serving, other: dict[str, Any]) -> None:
    """Other settings, another question, a wrong filter: None, and the client looks for itself."""
    assert warm.ask(Home(str(archive.home)), request(archive, "x", **other), 5) is None


def test_the_socket_of_a_killed_watcher_is_taken_over_and_that_of_a_running_one_is_not(archive: Archive, serving: Serving) -> None:
    """A second watcher leaves the socket alone; one after a kill -9 takes it."""
    second = Serving(settings(archive), serving.slices, serving.stop)
    second.start()
    assert second.line is None
    serving.stop.set()
    serving.thread.join(5)
    assert serving.line is not None
    serving.line.close()  # what a kill leaves: the file, and nobody behind it
    third = Serving(settings(archive), serving.slices, threading.Event())
    third.start()
    assert third.line is not None
    assert warm.ask(Home(str(archive.home)), request(archive, "Why does the build hang?"), 5)
    third.stop.set()
    third.join()


@needs_weights
def test_a_search_beside_a_watch_gives_the_same_answer_without_loading_a_model(archive: Archive) -> None:
    """The whole of it: `journal watch` and `journal search` as processes."""
    filled(archive)
    archive.json("index", "update")
    words = ["search", "compilation is stuck", "--all", "--json"]
    cold = archive.json(*words[:-1])
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "JOURNAL_HOME": str(archive.home)}
    watch = subprocess.Popen([sys.executable, "-m", "journal", "watch"], env=environ, stderr=subprocess.DEVNULL)
    try:
        assert until((archive.home / warm.FILE).exists)
        script = f"import sys\nfrom cli.main import main\nmain({words!r})\nprint([n for n in ('numpy', 'faiss', 'onnxruntime') if n in sys.modules])"
        done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True, timeout=60)
    finally:
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(timeout=20) == 0
    said, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert json.loads(said) == cold
    assert cold["hits"][0]["session_id"] == S1
    assert not (archive.home / warm.FILE).exists()


def test_clients_that_say_nothing_hold_up_neither_the_tailing_nor_the_next_question(archive: Archive) -> None:
    """Twenty open connections: a new record is read all the same, and once they are given up a question is answered."""
    filled(archive)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "JOURNAL_HOME": str(archive.home)}
    watch = subprocess.Popen([sys.executable, "-m", "journal", "watch"], env=environ, stderr=subprocess.DEVNULL)
    home = Home(str(archive.home))
    idle: list[socket.socket] = []
    try:
        assert until((archive.home / warm.FILE).exists)
        for _ in range(20):
            idle.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            with warm.Address(home) as where:
                idle[-1].connect(where)
        archive.write(archive.claude_path(S2), claude(70, S2, "a question about zebras"), append=True)
        assert until(lambda: bool(archive.rows("views.db", "SELECT 1 FROM messages WHERE text = 'a question about zebras'")))
        request_ = {"ask": "recall", "prompt": "x", "root": "/", "by_words": []}
        with warm.Address(home) as where:
            assert until(lambda: b"error" in asked(where, json.dumps(request_)))
    finally:
        for one in idle:
            one.close()
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(timeout=30) == 0


def asked(where: str, text: str) -> bytes:
    """Return what the socket answers to a line, nothing where it hangs up."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(5)
        line.connect(where)
        try:
            line.sendall(text.encode() + b"\n")
            return warm.received(line, 65536, time.monotonic() + 5)
        except (OSError, ValueError):
            return b""
