"""Measures `show` and `export` on one long session: CPU, peak memory and bytes of each, as whole processes.

Run: python tests/bench/long_session.py [MEGABYTES] [FOLDER]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
WORDS = "the lock waits for a writer that holds the log open while views catch up with what was read from disk before".split()
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("show", SESSION, "--depth", "brief"), ("show", SESSION), ("show", SESSION, "--depth", "full"), ("show", SESSION, "--around", "500"),
    ("export", SESSION, "--format", "md"), ("export", SESSION, "--format", "html"), ("export", SESSION, "--format", "json"),
    ("export", SESSION, "--format", "raw"), ("secrets", SESSION),
)  # fmt: skip


def write(path: Path, megabytes: int) -> None:
    """Write a session of about so many megabytes: in each round a prompt, an answer, a command of 1 to 60 kB of output and an edit."""
    chance = random.Random(7)

    def prose(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            for record in _round(number, chance, prose):
                at = f"2026-11-{1 + number // 86400 % 28:02d}T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
                common = {"uuid": f"{number:08x}-0000-4000-8000-000000000000", "timestamp": at, "cwd": "/home/dev/proj", "sessionId": SESSION,
                          "version": "2.1.332", "entrypoint": "cli", "isSidechain": False}  # fmt: skip
                file.write(json.dumps({**common, **record}) + "\n")
                number += 1


def _round(number: int, chance: random.Random, prose: Any) -> list[dict[str, Any]]:
    usage = {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 0}
    output = "\n".join(prose(14) for _ in range(chance.randint(12, 700)))
    old, new = prose(12), prose(12)
    patch = [{"oldStart": 5, "oldLines": 1, "newStart": 5, "newLines": 1, "lines": [f"-{old}", f"+{new}"]}]

    def said(kind: str, content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        message = {"role": kind, "content": content} | ({"id": f"msg_{number}", "model": "claude-opus-5-5", "usage": usage} if kind == "assistant" else {})
        return {"type": kind, "message": message, **more}

    def call(name: str, given: dict[str, Any]) -> dict[str, Any]:
        return said("assistant", [{"type": "tool_use", "id": f"toolu_{name}_{number}", "name": name, "input": given}])

    def result(name: str, text: str, details: dict[str, Any]) -> dict[str, Any]:
        return said("user", [{"type": "tool_result", "tool_use_id": f"toolu_{name}_{number}", "content": text}], toolUseResult=details)

    return [
        said("user", [{"type": "text", "text": prose(40)}]), said("assistant", [{"type": "text", "text": prose(120)}]),
        call("Bash", {"command": prose(8)}), result("Bash", output, {"stdout": output}),
        call("Edit", {"file_path": "/home/dev/proj/a.py", "old_string": old, "new_string": new}),
        result("Edit", "updated", {"filePath": "/home/dev/proj/a.py", "structuredPatch": patch}),
    ]  # fmt: skip


_LAUNCHER = """import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss // 1024]))"""


def measured(words: tuple[str, ...], environ: dict[str, str]) -> tuple[float, int, int]:
    """Return CPU seconds, peak resident MB and bytes written of one command.

    A small process starts it: the peak of a process counts what its parent held when it was forked.
    """
    with tempfile.NamedTemporaryFile() as out:
        command = [sys.executable, "-I", "-c", _LAUNCHER, out.name, sys.executable, "-m", "journal", *words]
        status, seconds, peak = json.loads(subprocess.run(command, env=environ, stdout=subprocess.PIPE, check=True).stdout)
        assert status == 0, words
        return seconds, peak, os.fstat(out.fileno()).st_size


def prepared(folder: str, megabytes: int) -> dict[str, str]:
    """Write the session below *folder* and return the environment to read it in."""
    write(Path(folder) / ".claude/projects/-home-dev-proj" / f"{SESSION}.jsonl", megabytes)
    return {**os.environ, "HOME": folder, "JOURNAL_HOME": f"{folder}/journal", "PYTHONPATH": str(PROJECT)}


def main() -> None:
    """Write the session, ingest it, and print a line for each command."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        environ = prepared(folder, megabytes)
        for words in (("ingest", "--root", f"claude={folder}/.claude"), *COMMANDS):
            seconds, peak, size = measured(words, environ)
            name = " ".join(words).replace(SESSION, "SESSION").replace(folder, "")
            print(f"{name:45} {seconds:7.1f} CPU-s {peak:5} MB peak {size / 1e6:8.1f} MB written", flush=True)


if __name__ == "__main__":
    main()
