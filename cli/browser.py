"""`journal datasette`: the views in a browser, by Datasette (extra `analyst`), on this machine only (docs/adr/0032)."""

import argparse
import contextlib
import os
import secrets
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from html import escape
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from cli.examples import EXAMPLES, Example
from cli.functions import local_time
from cli.outlet import clean
from cli.render import print_json, print_table, say
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings

LOOPBACK = "127.0.0.1"
ENTRY = "token"
"""The name under which an address has what lets in."""
SERVER = {"allow_download": False, "default_page_size": 50, "sql_time_limit_ms": 10_000, "suggest_facets": False}
FULL_TEXT = {"messages": ("messages_fts", "message_rowid"), "tool_calls": ("tool_calls_fts", "tool_call_rowid")}
"""Table to its full-text index and the column that the index refers to."""
App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Plot(NamedTuple):
    """How datasette-vega draws the rows of an example query."""

    mark: str
    x: str
    x_type: str
    y: str
    color: str = ""


PLOTS = {
    "usage-daily": Plot("bar", "day_utc", "ordinal", "output_tokens", "host"),
    "usage-by-model": Plot("bar", "model", "ordinal", "output"),
    "tools": Plot("bar", "name", "ordinal", "calls"),
    "files": Plot("bar", "path", "ordinal", "changes"),
    "longest-sessions": Plot("bar", "title", "ordinal", "turns", "host"),
    "context-growth": Plot("line", "occurred_at", "temporal", "used_tokens", "session_id"),
}


def datasette(settings: Settings, asked: argparse.Namespace) -> int:
    """Serve the views on a port of this machine until Ctrl-C."""
    path = Home(settings.home).views_db
    if find_spec("datasette") is None or find_spec("uvicorn") is None:
        from cli.extras import command

        raise SettingInvalid("Datasette is not installed", hint="run: " + command("analyst"))
    if not os.path.exists(path):
        raise NotFound("there are no views yet", hint="run: journal ingest")
    with contextlib.closing(_listen(asked.port)) as listener:
        port = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        address = f"http://{LOOPBACK}:{port}/?{ENTRY}={token}"
        if asked.json:
            print_json({"url": address}, reveal=True)
        else:
            print_table((address,), (), reveal=True)
        sys.stdout.flush()
        say("Ctrl-C ends it; only who has this address can read, and only on this machine")
        if asked.open:
            import webbrowser

            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            _serve(path, listener, port, token)
    return 0


def _listen(port: int) -> socket.socket:
    """Return a socket that listens on *port* of the loopback address.

    Raises: SettingInvalid: the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()  # at once: the port is ours, and who comes before the server is ready waits
    except OSError as error:
        listener.close()
        raise SettingInvalid(f"--port {port}: {error.strerror}", hint="take another, or a free one: journal datasette --port 0") from error
    return listener


def _serve(path: str, listener: socket.socket, port: int, token: str) -> None:
    import uvicorn
    from datasette import hookimpl
    from datasette.app import Datasette
    from datasette.plugins import pm

    from journal.database import is_at_rest

    hooks = ModuleType("journal")
    hooks.prepare_connection = hookimpl(prepare_connection)  # type: ignore[attr-defined]  # Datasette looks for it by name
    pm.register(hooks)
    resting = is_at_rest(path)
    served = Datasette([] if resting else [path], immutables=[path] if resting else [], metadata=metadata(), settings=SERVER)
    app = guarded(served.app(), port, token)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])


def prepare_connection(conn: sqlite3.Connection) -> None:
    """Let nothing leave with a secret in it, and know the times of zones; Datasette calls this hook for each connection."""
    conn.text_factory = lambda data: clean(data.decode(errors="replace"))
    for count in (1, 2):
        conn.create_function("local_time", count, local_time, deterministic=True)


def guarded(app: App, port: int, token: str) -> App:
    """Return *app* for requests that name this machine and have the token: other users of the machine get nothing, nor does a page elsewhere.

    The token comes in the address, and from then on in a cookie, or as a bearer in a header.
    """
    names = {f"{name}:{port}".encode() for name in (LOOPBACK, "localhost")}
    cookie = f"journal-{port}={token}"
    passes = {(b"cookie", cookie.encode()), (b"authorization", f"Bearer {token}".encode())}

    async def refuse(send: Any, why: bytes) -> None:
        await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": why + b"\n"})

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if headers.get(b"host") not in names:
            await refuse(send, b"only from this machine, by its own name")
        elif any(name == ENTRY and secrets.compare_digest(value.encode(), token.encode()) for name, value in query):
            left = urlencode([(name, value) for name, value in query if name != ENTRY])
            location = scope.get("raw_path", b"/") + (b"?" + left.encode() if left else b"")
            await send({"type": "http.response.start", "status": 303, "headers": [
                (b"location", location), (b"set-cookie", f"{cookie}; Path=/; HttpOnly; SameSite=Strict".encode()), (b"referrer-policy", b"no-referrer")]})
            await send({"type": "http.response.body", "body": b""})
        elif any(secrets.compare_digest(given.strip(), right) for name, right in passes for given in headers.get(name, b"").split(b";")):
            await app(scope, receive, send)
        else:
            await refuse(send, b"open the address that `journal datasette` printed")

    return answer


def metadata() -> dict[str, Any]:
    """Return what Datasette shows beside the data: meanings of views and columns, full-text indexes, example queries."""
    from journal.columns import LOG
    from projections.columns import INTERNAL, VIEWS

    tables: dict[str, dict[str, Any]] = {}
    for table in VIEWS.values():
        tables[table.name] = {
            "description": table.meaning,
            "columns": {column.name: f"{column.meaning} ({column.unit})" for column in table.columns},
            "hidden": table.name in INTERNAL or table.name.endswith("_fts"),
        }
    for name, (index, column) in FULL_TEXT.items():
        tables[name] |= {"fts_table": index, "fts_pk": column}
    queries = {example.name: _query(example) for example in EXAMPLES if example.table not in LOG}
    return {"title": "journal", "description": "What AI coding agents did. The views are read-only.",
            "databases": {"views": {"tables": tables, "queries": queries}}}  # fmt: skip


def _query(example: Example) -> dict[str, str]:
    found = {"sql": example.sql, "title": example.meaning}
    plot = PLOTS.get(example.name)
    if plot is not None:
        drawn = {"g.mark": plot.mark, "g.x_column": plot.x, "g.x_type": plot.x_type, "g.y_column": plot.y, "g.y_type": "quantitative",
                 "g.color_column": plot.color}  # fmt: skip
        found["description_html"] = f'<a href="/views/{example.name}?_hide_sql=1#{escape(urlencode(drawn))}">as a chart</a>'
    return found
