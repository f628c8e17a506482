"""`journal catalog`: fetching from a server of this machine, and what a bad answer must not do."""

import contextlib
import http.server
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cli.catalog
from cli.main import main

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]
GOOD = {vendor: {"models": {f"{vendor}-1": {"cost": {"input": 1, "output": 2}, "limit": {"context": 1000}}}} for vendor in ("anthropic", "openai", "google")}


@contextlib.contextmanager
def server(answer: Answer) -> Iterator[str]:
    """Run a server on loopback that answers by *answer*; yield its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                answer(self)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/api.json"
    finally:
        running.shutdown()
        running.server_close()


def body(content: bytes, status: int = 200) -> Answer:
    """Answer with *content*."""

    def answer(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    return answer


def drip(request: http.server.BaseHTTPRequestHandler) -> None:
    """Answer with a byte now and then, for longer than any deadline of a test."""
    request.send_response(200)
    request.end_headers()
    for _ in range(200):
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.05)


def flood(request: http.server.BaseHTTPRequestHandler) -> None:
    """Answer with 11 MiB."""
    request.send_response(200)
    request.end_headers()
    for _ in range(11):
        request.wfile.write(b" " * (1 << 20))


def away(request: http.server.BaseHTTPRequestHandler) -> None:
    """Lead to an address of another kind."""
    request.send_response(302)
    request.send_header("Location", "ftp://127.0.0.1/api.json")
    request.end_headers()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the fetched catalog will lie, in a throw-away home."""
    for name in ("HOME", "JOURNAL_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path / "journal/models.json"


def test_refresh_keeps_what_it_fetched(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is private, and its models stand in the list with their source."""
    with server(body(json.dumps(GOOD).encode())) as url:
        assert main(["catalog", "refresh", "--url", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == 3
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    assert os.listdir(cache.parent) == ["models.json"]
    assert main(["catalog", "--json"]) == 0
    listed = {model["model"]: model for model in json.loads(capsys.readouterr().out)["models"]}
    assert listed["openai-1"]["source"].startswith("refreshed 20")
    assert (listed["openai-1"]["input"], listed["openai-1"]["cache_read"], listed["openai-1"]["context_window"]) == (1, None, 1000)
    assert listed["claude-opus-5-5"]["source"].startswith("built-in 20")


@pytest.mark.parametrize(("answer", "says"), [
    (body(b"<html>"), "no catalog"), (body(b"[" * 200_000), "no catalog"), (body(b"{}"), "no model of"), (body(b"\xff\xfe"), "no catalog"),
    (body(b"gone", 404), "Not Found"), (flood, "more than 10 MiB"), (drip, "not done within 0.5 s"), (away, "127.0.0.1"),
    (lambda request: request.wfile.write(b"nonsense\r\n\r\n"), "nonsense"),
], ids=["html", "deep", "empty", "bytes", "404", "flood", "drip", "away", "nonsense"])  # fmt: skip
def test_a_bad_answer_keeps_the_old_one(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: Answer, says: str
) -> None:
    """Exit 5, an envelope that says what was wrong, and the file as it was; nobody waits beyond the deadline."""
    monkeypatch.setattr(cli.catalog, "DEADLINE_S", 0.5)
    cache.parent.mkdir()
    cache.write_text("old")
    with server(answer) as url:
        assert main(["catalog", "refresh", "--url", url, "--json"]) == 5
    assert says in json.loads(capsys.readouterr().err)["error"]
    assert (cache.read_text(), os.listdir(cache.parent)) == ("old", ["models.json"])


@pytest.mark.parametrize("url", ["http://example.com/api.json", "file:///etc/passwd", "ftp://127.0.0.1/x", "nothing"])
def test_only_encrypted_addresses_are_asked(cache: Path, capsys: pytest.CaptureFixture[str], url: str) -> None:
    """Exit 2 before any connection; plain http is for this machine alone."""
    assert main(["catalog", "refresh", "--url", url]) == 2
    assert "https://" in capsys.readouterr().err
    assert not cache.parent.exists()


def test_no_answer_is_no_crash(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A port that nobody listens on is an error with a hint, and the built-in table stays."""
    with server(body(b"")) as url:
        pass
    assert main(["catalog", "refresh", "--url", url]) == 5
    assert "what was known before stays in force" in capsys.readouterr().err


def test_the_list_for_people_shows_what_is_unknown(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A price that no one names is `?`."""
    assert main(["catalog"]) == 0
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("gpt-5.5 "))
    assert row[:6] == ["gpt-5.5", "5", "30", "0.5", "?", "?"]
