"""An invented archive of transcripts and a journal over it, for tests that go through the command line."""

import contextlib
import io
import json
import os
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cli.main import main

CWD = "/home/dev/proj"
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}


def line(record: Any) -> bytes:
    """Return *record* as one line of JSON."""
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def uuid(number: int) -> str:
    """Return a recognisable uuid."""
    return f"00000000-0000-4000-8000-{number:012d}"


def moment(number: int) -> str:
    """Return a time *number* seconds after a fixed one."""
    return (datetime(2026, 11, 30, 10) + timedelta(seconds=number)).isoformat() + ".000Z"  # noqa: DTZ001  the Z says it


def claude(number: int, session: str, text: str, **fields: Any) -> dict[str, Any]:
    """Return a human prompt as Claude Code writes it; *number* orders ids and times."""
    return {
        "parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": text},
        "uuid": uuid(number), "timestamp": moment(number), "cwd": CWD,
        "sessionId": session, "version": "2.1.332", "gitBranch": "main", "userType": "external", "entrypoint": "cli",
    } | fields


def answer(number: int, session: str, text: str, message_id: str, usage: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Return an answer as Claude Code writes it."""
    message = {"id": message_id, "type": "message", "role": "assistant", "model": fields.pop("model", "claude-opus-5-5"),
               "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage or USAGE}
    return claude(number, session, "", type="assistant", message=message, requestId=f"req_{message_id}") | fields


def codex(session: str, records: list[tuple[str, dict[str, Any]]], meta: dict[str, Any] | None = None) -> bytes:
    """Return a rollout of the older grammar: session_meta and *records*, without ordinals."""
    head = {"id": session, "timestamp": "2026-11-30T10:00:00.000Z", "cwd": CWD, "originator": "codex_cli_rs",
            "cli_version": "0.125.0", "source": "cli", **(meta or {})}
    rows = [("session_meta", head), ("turn_context", {"cwd": CWD, "model": "gpt-5.5"}), *records]
    return b"".join(line({"timestamp": f"2026-11-30T10:00:{index:02d}.000Z", "type": kind, "payload": payload})
                    for index, (kind, payload) in enumerate(rows))


def token_count(total: tuple[int, int, int, int], last: tuple[int, int, int, int] | None) -> tuple[str, dict[str, Any]]:
    """Return a token_count record; the figures are input, cached input, output, reasoning."""
    def figures(row: tuple[int, int, int, int]) -> dict[str, int]:
        return {"input_tokens": row[0], "cached_input_tokens": row[1], "output_tokens": row[2],
                "reasoning_output_tokens": row[3], "total_tokens": row[0] + row[2]}
    info = {"total_token_usage": figures(total), "last_token_usage": figures(last) if last else None,
            "model_context_window": 258400}
    return "event_msg", {"type": "token_count", "info": info}


class Archive:
    """Host homes and a JOURNAL_HOME below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "journal-home"

    def claude_path(self, session: str, project: str = "-home-dev-proj") -> Path:
        """Return the transcript path of a Claude session."""
        return self.folder / ".claude/projects" / project / f"{session}.jsonl"

    def codex_path(self, session: str, day: str = "2026/11/30") -> Path:
        """Return the rollout path of a Codex thread."""
        return self.folder / ".codex/sessions" / day / f"rollout-2026-11-30T10-00-00-{session}.jsonl"

    def write(self, path: Path, *parts: Any, append: bool = False) -> Path:
        """Write records (as lines) and bytes (as they are) to *path*."""
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(part if isinstance(part, bytes) else line(part) for part in parts)
        with path.open("ab" if append else "wb") as file:
            file.write(data)
        return path

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run one command in this process; return exit status, stdout, stderr."""
        os.environ["JOURNAL_HOME"] = str(self.home)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(list(words))
            except SystemExit as end:
                status = int(end.code or 0)
        return int(status or 0), out.getvalue(), err.getvalue()

    def json(self, *words: str) -> dict[str, Any]:
        """Run one command with --json; return its answer."""
        status, out, err = self.run(*words, "--json")
        assert status == 0, err
        answer: dict[str, Any] = json.loads(out)
        assert answer["schema_version"] == 1
        return answer

    def ingest(self) -> dict[str, Any]:
        """Ingest all hosts of this archive."""
        roots = [word for host in ("claude", "codex", "gemini", "copilot") if (self.folder / f".{host}").exists()
                 for word in ("--root", f"{host}={self.folder / f'.{host}'}")]
        return self.json("ingest", *roots)

    def sessions(self) -> dict[str, dict[str, Any]]:
        """Return all sessions by id."""
        return {row["session_id"]: row for row in self.json("sessions", "--all")["sessions"]}

    def hits(self, query: str) -> list[dict[str, Any]]:
        """Return what a search over everything finds."""
        found: list[dict[str, Any]] = self.json("search", query, "--all")["hits"]
        return found

    def digests(self) -> dict[str, str]:
        """Return the digest of every view."""
        return {name: view["digest"] for name, view in self.json("replay")["views"].items()}

    def rows(self, database: str, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query against one database of the home."""
        with contextlib.closing(sqlite3.connect(self.home / database)) as connection:
            return connection.execute(sql).fetchall()
