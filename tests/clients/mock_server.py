"""The common part of the mock model servers: a script of model turns over HTTP.

A model turn is a dict:
    text     answer text
    thought  a reasoning part that comes first (where the API has one)
    calls    [(tool name, args dict, or a str for a free-form tool), ...]
    usage    {"input": n, "cached": n, "output": n}; input includes cached;
             what is not given is derived from the size of the request
    stall    seconds to hang in the middle of the answer (for kill tests)
    status   an HTTP error status instead of an answer
    when     take this turn only for a request with that text in a user message
             (to tell a subagent's requests from its parent's)

Requests of the agent loop take the next turn; side requests (titles, routing,
summaries) get a fixed answer, so the script stays in step with the loop.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SUMMARY = """<overview>MOCK SUMMARY of the work so far</overview>
<history>1. The user asked for work</history>
<work_done>Some steps</work_done>
<technical_details>None</technical_details>
<important_files>app.py</important_files>
<next_steps>Go on</next_steps>
<checkpoint_title>Mock checkpoint title</checkpoint_title>"""


def halves(text: str) -> list[str]:
    """A text in two chunks, as a stream would bring it."""
    half = (len(text) + 1) // 2
    return [part for part in (text[:half], text[half:]) if part]


def fill_schema(schema: Json) -> Any:
    """A minimal value for a response schema, so that side requests succeed."""
    kind = str(schema.get("type", "object")).lower()
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {k: fill_schema(v) for k, v in schema.get("properties", {}).items()}
    return {"array": [], "boolean": False, "number": 1, "integer": 1}.get(kind, "mock")


class MockServer:
    """Keeps the script and every request; a subclass speaks one API in `answer`."""

    def __init__(self, scenario: str = "", dump: Path | None = None) -> None:
        self.steps: list[Json] = []
        self.requests: list[Json] = []
        self.count = 0
        self.stalling = threading.Event()
        self.scenario, self.dump = scenario, dump
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                outer.answer(self, self.path.split("?")[0], body, size)

            def do_GET(self) -> None:
                outer.reply(self, {"object": "list", "data": [], "models": []})

            do_HEAD = do_GET  # noqa: N815  the name that http.server looks for

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def script(self, *steps: Json) -> None:
        """Replace what is left of the script."""
        with self._lock:
            self.steps = [dict(step) for step in steps]
            self.stalling.clear()

    def answer(self, req: BaseHTTPRequestHandler, path: str, body: Json, size: int) -> None:
        raise NotImplementedError

    # -- for subclasses -----------------------------------------------------

    def take(self, path: str, body: Json, main: bool, texts: Iterable[str]) -> Json:
        """The model turn for this request; also keeps and dumps the request."""
        with self._lock:
            step: Json = {"text": SUMMARY}
            if main:
                said = list(texts)
                hits = [s for s in self.steps if s.get("when") and any(s["when"] in t for t in said)]
                plain = [s for s in self.steps if not s.get("when")]
                step = (hits or plain or [{"text": "Done."}])[0]
                self.steps = [s for s in self.steps if s is not step]
            record = {"scenario": self.scenario, "time": time.time(), "path": path,
                      "main": main, "step": step, "body": body}
            self.requests.append(record)
            if self.dump:
                with self.dump.open("a") as out:
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")
        return step

    def number(self) -> int:
        """A fresh number for ids."""
        with self._lock:
            self.count += 1
            return self.count

    @staticmethod
    def usage(step: Json, size: int) -> tuple[int, int, int]:
        """(input including cached, cached, output) tokens."""
        given = step.get("usage", {})
        total = given.get("input", max(8, size // 4))
        return total, given.get("cached", total // 2), given.get("output", 42)

    @staticmethod
    def reply(req: BaseHTTPRequestHandler, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        req.send_response(status)
        req.send_header("content-type", "application/json")
        req.send_header("content-length", str(len(data)))
        req.end_headers()
        if req.command != "HEAD":
            req.wfile.write(data)

    def stream(self, req: BaseHTTPRequestHandler, events: Iterable[Json], step: Json,
               named: bool = True, done: bool = False) -> None:
        """Server-sent events; an event with the key `_stall` marks where to hang."""
        req.send_response(200)
        req.send_header("content-type", "text/event-stream")
        req.send_header("connection", "close")
        req.end_headers()
        req.close_connection = True
        try:
            for data in self._paced(events, step):
                name = f"event: {data['type']}\n" if named else ""
                req.wfile.write(f"{name}data: {json.dumps(data)}\n\n".encode())
                req.wfile.flush()
            if done:
                req.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # the client was killed

    def _paced(self, events: Iterable[Json], step: Json) -> Iterator[Json]:
        for data in events:
            pause = data.pop("_stall", False)
            yield data
            if pause and step.get("stall"):
                self.stalling.set()
                time.sleep(step["stall"])
