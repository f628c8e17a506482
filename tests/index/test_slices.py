"""Indexing beside `journal watch`: once it is quiet, in slices, without standing in anybody's way; and weights that are fetched."""

import hashlib
import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from archive import Archive, answer, claude
from bags import S1, S2, Bags
from test_index_cases import filled, needs_weights, settings

from cli.index import commands, embedding, onnx, slices
from cli.index.slices import Slices
from journal.home import Home
from journal.lock import indexer_lock

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from test_catalog import body, server


def until(true: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait until something is true."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if true():
            return True
        time.sleep(0.05)
    return False


@needs_weights
def test_a_watch_indexes_once_it_is_quiet_and_again_after_news(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is embedded while records come in; afterwards everything is, and what comes later as well; the stop ends it."""
    filled(archive)
    monkeypatch.setattr(slices, "QUIET_S", 2.0)
    stop, said = threading.Event(), list[str]()
    beside = Slices(settings(archive), stop, said.append)
    beside.start()
    assert not (archive.home / "index").exists()
    assert until(lambda: commands.state_of(settings(archive)).state == "ready")
    archive.write(archive.claude_path(S2), claude(70, S2, "a question about zebras"), append=True)
    archive.ingest()
    beside.news()
    assert until(lambda: commands.state_of(settings(archive)).vectors == 7)
    stop.set()
    beside.join()
    assert (said, beside.thread.is_alive()) == ([], False)
    assert archive.json("search", "animals with stripes", "--all", "--limit", "1")["hits"][0]["session_id"] == S2


def test_a_slice_waits_for_another_indexer_and_ends_with_its_time(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the lock is held it tries again later; a slice of no length cuts and embeds nothing more than it must."""
    filled(archive)
    (archive.home / "config.toml").write_text("[index]\nslice_s = 0.0001\n")
    beside = Slices(settings(archive), threading.Event(), print)
    beside.embedder = Bags()
    monkeypatch.setattr("cli.index.building.LOCK_WAIT_S", 0.1)
    with indexer_lock(Home(str(archive.home)), 1):
        assert beside.slice(wait_s=0.1) is True
    assert beside.embedder.given == []
    assert beside.slice() is True
    assert len(beside.embedder.given) == 0


def test_without_a_slice_setting_or_a_model_a_watch_indexes_nothing(archive: Archive) -> None:
    """`slice_s = 0` leaves it to the command; without weights nothing is cut, and nothing said."""
    filled(archive)
    (archive.home / "config.toml").write_text("[index]\nslice_s = 0\n")
    beside = Slices(settings(archive), threading.Event(), print)
    beside.start()
    assert not beside.thread.is_alive()
    (archive.home / "config.toml").write_text('[index]\nmodel = "minilm-onnx"\n')
    said = list[str]()
    assert Slices(settings(archive), threading.Event(), said.append).slice() is False
    assert archive.rows("views.db", "SELECT count(*) FROM chunks") == [(0,)]
    assert said == []


def test_fetched_weights_are_kept_only_if_they_are_the_known_ones(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other bytes: exit 7 and no file. The known ones: private, in one rename, and the next look finds them."""
    filled(archive)
    path = Path(embedding.fetched_path(Home(str(archive.home))))
    with server(body(b"not the weights")) as url:
        status, _, err = archive.run("index", "model", "fetch", "--url", url)
    assert (status, "not the file that is known by its hash" in err, path.exists()) == (7, True, False)
    content = b"x" * 5000
    monkeypatch.setitem(onnx.WEIGHTS, embedding.MINILM_ONNX, onnx.Weights(hashlib.sha256(content).hexdigest(), 384))
    with server(body(content)) as url:
        assert archive.json("index", "model", "fetch", "--url", url)["bytes"] == 5000
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (content, 0o600)
    assert os.listdir(path.parent) == ["model.onnx"]


def test_the_words_of_the_index_are_an_argument_error_where_they_make_no_sense(archive: Archive) -> None:
    """`index model` without fetch, and fetch without model."""
    archive.write(archive.claude_path(S1), claude(1, S1, "x"), answer(2, S1, "y", "m"))
    archive.ingest()
    assert [archive.run("index", *words)[0] for words in (["model"], ["status", "fetch"], ["update", "fetch"])] == [2, 2, 2]
