"""A home, a repository and a session to call hooks in, as a host calls them: a process with JSON on stdin."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
S = "11111111-0000-4000-8000-000000000001"
T = "22222222-0000-4000-8000-000000000002"
GIT = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


class Said(NamedTuple):
    """What a hook process left."""

    status: int
    stdout: str
    stderr: str

    @property
    def answer(self) -> dict[str, Any]:
        """The one JSON object on stdout; empty where nothing was said."""
        found: dict[str, Any] = json.loads(self.stdout) if self.stdout else {}
        return found

    @property
    def context(self) -> str:
        """What reaches the model."""
        return str(self.answer.get("additionalContext") or self.answer.get("hookSpecificOutput", {}).get("additionalContext") or "")


class World:
    """Everything below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "journal"
        self.project = folder / "proj"
        self.transcript = folder / ".claude/projects/-proj" / f"{S}.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.project.mkdir()
        (folder / "tmp").mkdir()
        self.environment = {"HOME": str(folder), "JOURNAL_HOME": str(self.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT),
                            "TMPDIR": str(folder / "tmp")}  # fmt: skip
        self.git("init", "-q", "-b", "main")
        self.commit("a.py", "one\n")

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return subprocess.run(["git", *GIT, *words], cwd=self.project, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, name: str, text: str) -> str:
        """Commit a file and return HEAD."""
        (self.project / name).write_text(text)
        self.git("add", name)
        self.git("commit", "-qm", f"write {name}")
        return self.git("rev-parse", "HEAD")

    def still(self) -> None:
        """Keep hooks from starting an ingest: one was started just now."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        stamp = self.home / "ingest.stamp"
        stamp.touch()
        os.utime(stamp, (time.time() + 3600, time.time() + 3600))

    def payload(self, **fields: Any) -> dict[str, Any]:
        """Return a payload as Claude Code sends it."""
        return {"session_id": S, "transcript_path": str(self.transcript), "cwd": str(self.project), **fields}

    def hook(self, role: str, payload: Any = None, *, host: str | None = "claude", words: tuple[str, ...] = (), **fields: Any) -> Said:
        """Call a hook; *payload* may be bytes."""
        given = self.payload(**fields) if payload is None else payload
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        command = [sys.executable, "-m", "journal", "hook", role, *(("--host", host) if host else ()), *words]
        done = subprocess.run(command, input=data, capture_output=True, env=self.environment, cwd=self.folder, timeout=60, check=False)
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def journal(self, *words: str) -> Said:
        """Run a command of the journal in the project."""
        done = subprocess.run([sys.executable, "-m", "journal", *words], capture_output=True, text=True, env=self.environment, cwd=self.project, check=False)
        return Said(done.returncode, done.stdout, done.stderr)

    def answered(self, used: int, text: str = "Done.", *, model: str = "claude-haiku-4-5-20251001", number: int = 1) -> None:
        """Append a prompt and an answer whose request used so many tokens of context."""
        stamp = f"2026-12-01T10:{number:02d}:00.000Z"
        common = {"cwd": str(self.project), "sessionId": S, "version": "2.1.332", "gitBranch": "main", "isSidechain": False}
        usage = {"input_tokens": 100, "cache_read_input_tokens": used - 200, "cache_creation_input_tokens": 0, "output_tokens": 100}
        records = [
            {"type": "user", "uuid": f"u{number}", "timestamp": stamp, "message": {"role": "user", "content": f"Prompt {number}"}, **common},
            {"type": "assistant", "uuid": f"a{number}", "timestamp": stamp, **common, "message": {
                "id": f"m{number}", "model": model, "role": "assistant", "content": [{"type": "text", "text": text}], "usage": usage}},
        ]  # fmt: skip
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def compacted(self, tokens: int = 190_000) -> None:
        """Append a compaction."""
        with self.transcript.open("a") as file:
            file.write(json.dumps({"type": "system", "subtype": "compact_boundary", "uuid": "c1", "timestamp": "2026-12-01T11:00:00.000Z",
                                   "sessionId": S, "compactMetadata": {"trigger": "auto", "preTokens": tokens}}) + "\n")  # fmt: skip

    def lines(self, kind: str = "") -> list[dict[str, Any]]:
        """Return the inbox lines of all sessions, of the files of one kind."""
        found: list[dict[str, Any]] = []
        for path in sorted((self.home / "inbox").glob("*.jsonl")):
            if kind and not path.name.endswith(f"{kind}.jsonl"):
                continue
            found += [json.loads(line) for line in path.read_text().splitlines() if line]
        return found
