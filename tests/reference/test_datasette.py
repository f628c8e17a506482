"""`journal datasette`: a real server on a free port of this machine, asked as a browser would."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cli.browser import PLOTS, metadata
from cli.extras import command
from cli.main import main

if find_spec("datasette") is None:  # not imported here: it changes how SQLite tells of errors in functions, for the whole process
    pytest.skip("Datasette is not installed", allow_module_level=True)
SECRET = "sk_live_" + "Ab3dEf6hIj9lMn2pQr5tUv8x"
TOKENS: dict[str, str] = {}
"""The tokens of the servers that ran, by address."""
HEARS_INTERRUPTS = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from cli.main import main; sys.exit(main(sys.argv[1:]))"


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run the command until the block ends; gives its address, for which `fetch` has the token."""
    command = [sys.executable, "-c", HEARS_INTERRUPTS, "datasette", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address, _, token = json.loads(process.stdout.readline())["url"].partition("?token=")
            TOKENS[address] = token
            yield address, process
        finally:
            process.kill()


def fetch(address: str, **headers: str) -> str:
    """Return a page."""
    token = next(token for known, token in TOKENS.items() if address.startswith(known))
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"} | headers), timeout=30) as answer:
        text: str = answer.read().decode()
        return text


def rows(address: str) -> list[dict[str, Any]]:
    """Return the rows of a page."""
    found: list[dict[str, Any]] = json.loads(fetch(address + "&_shape=array" if "?" in address else address + "?_shape=array"))
    return found


def test_tables_columns_queries_and_full_text_are_served(home: Path) -> None:
    """Meanings stand beside the columns, every example query answers, a search finds; Ctrl-C ends it without an error."""
    with serving() as (address, process):
        page = fetch(f"{address}views/sessions")
        assert "the host&#39;s own id; a Claude sub-agent is" in page
        assert "tokens by day (UTC), host and model" in fetch(f"{address}views")
        for name in metadata()["databases"]["views"]["queries"]:
            if name != "record-types":
                assert isinstance(rows(f"{address}views/{name}.json"), list), name
        assert len(rows(f"{address}views/messages.json?_search=calc")) == 6
        assert rows(f"{address}views.json?sql=select+local_time('2026-11-30T23:30:00Z','Asia/Tokyo')+as+t") == [{"t": "2026-12-01T08:30:00+09:00"}]
        assert {row["host"] for row in rows(f"{address}views/usage-daily.json")} == {"claude", "codex", "gemini", "copilot"}
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in err) == (0, False)


def test_what_is_served_has_no_secrets(home: Path) -> None:
    """The exit stands in front of every text that Datasette reads."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        views.execute("UPDATE sessions SET title = ?", (f"the key is {SECRET}",))
        views.commit()
    with serving() as (address, _):
        assert SECRET not in fetch(f"{address}views/sessions") + fetch(f"{address}views/sessions.json") + fetch(f"{address}views/sessions.csv")
        assert {row["title"] for row in rows(f"{address}views/sessions.json")} == {"the key is [redacted:stripe-access-key]"}


def test_it_sees_what_is_written_meanwhile(home: Path) -> None:
    """A writer with a WAL is not in its way, nor it in the writer's."""
    with serving() as (address, _):
        assert len(rows(f"{address}views/session_notes.json")) == 0
        assert main(["note", "seen at once", "--session", "latest"]) == 0
        assert main(["ingest"]) == 0
        assert [row["text"] for row in rows(f"{address}views/session_notes.json")] == ["seen at once"]
        assert main(["replay"]) == 0
        assert len(rows(f"{address}views/sessions.json")) == 12


def test_only_this_machine_is_answered(home: Path) -> None:
    """A name that a web page lets resolve to this machine gets nothing, nor is anything written or downloaded."""
    with serving() as (address, _):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            fetch(address, Host="evil.example")
        assert "journal" in fetch(address, Host=f"localhost:{address.split(':')[2].strip('/')}")
        with pytest.raises(urllib.error.HTTPError, match="403"):
            fetch(f"{address}views.db")
        with pytest.raises(urllib.error.HTTPError, match="400"):
            fetch(f"{address}views.json?sql=delete+from+sessions")


def test_h3_only_who_has_the_address_is_answered(home: Path) -> None:
    """Another user of the machine, who knows the port alone, gets nothing; the address lets in and leaves a cookie that scripts cannot read."""
    with serving() as (address, _):
        for headers in ({"Authorization": ""}, {"Authorization": "Bearer x"}, {"Authorization": "", "Cookie": f"journal-{address.split(':')[2].strip('/')}=x"}):
            for path in ("", "views/sessions.json", "?token=x", "-/static/app.css"):
                with pytest.raises(urllib.error.HTTPError, match="403"):
                    fetch(address + path, **headers)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar := CookieJar()))
        with browser.open(f"{address}views/sessions.json?_shape=array&token={TOKENS[address]}", timeout=30) as answer:
            assert (answer.url, len(json.loads(answer.read()))) == (f"{address}views/sessions.json?_shape=array", 12)
        assert [(cookie.has_nonstandard_attr("HttpOnly"), cookie.get_nonstandard_attr("SameSite")) for cookie in jar] == [(True, "Strict")]
        with browser.open(f"{address}views", timeout=30) as answer:
            assert answer.status == 200


def test_a_medium_that_cannot_be_written_is_served(home: Path) -> None:
    """Without a WAL and without the right to make one."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        views.execute("PRAGMA journal_mode = DELETE")
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (home / "journal").chmod(0o500)
    try:
        with serving() as (address, _):
            assert len(rows(f"{address}views/sessions.json")) == 12
    finally:
        (home / "journal").chmod(0o700)


def test_a_port_that_is_taken_is_exit_2(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With another to try."""
    with serving() as (address, _):
        assert main(["datasette", "--port", address.split(":")[2].strip("/")]) == 2
    assert "journal datasette --port 0" in capsys.readouterr().err


def test_without_views_the_next_command_is_told(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 4."""
    monkeypatch.setenv("JOURNAL_HOME", str(home / "none"))
    assert main(["datasette"]) == 4
    assert "journal ingest" in capsys.readouterr().err


def test_without_datasette_the_extra_is_named(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, with what to install."""
    monkeypatch.setitem(sys.modules, "datasette", None)
    assert main(["datasette"]) == 2
    assert f"run: {command('analyst')}" in capsys.readouterr().err


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_draws_columns_that_its_query_has(name: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands on its axes and colours is a column of the rows."""
    plot = PLOTS[name]
    assert main(["sql", "--example", name, "--csv"]) == 0
    heads = capsys.readouterr().out.splitlines()[0].split(",")
    assert [column for column in (plot.x, plot.y, plot.color) if column and column not in heads] == []


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_a_chart_is_drawn_in_a_real_browser(home: Path, tmp_path: Path) -> None:
    """The link of a query opens its chart, with no other machine asked."""
    with serving() as (address, _):
        link = metadata()["databases"]["views"]["queries"]["usage-daily"]["description_html"].split('"')[1].replace("&amp;", "&")
        link = link.replace("?", f"?token={TOKENS[address]}&")
        browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000",
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--dump-dom", address.rstrip("/") + link]  # fmt: skip
        page = subprocess.run(browser, capture_output=True, text=True, timeout=60, check=False).stdout
    assert '<canvas width="' in page
    assert 'class="marks"' in page
