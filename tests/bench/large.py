"""Ingest one file of any size in a process of its own and print what it cost, as JSON.

Usage: python tests/bench/large.py MEGABYTES [--folder FOLDER]
The file is a Claude session of tool results of 20 KB; every hundredth record is a prompt. It is written first, so that
its bytes are not in the memory of the process that is measured. Peak RSS is that of the ingest alone.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import run

SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
RESULT = "".join(f"{number:05d} some output of a tool, as long as such lines are\n" for number in range(340))


def records(megabytes: float) -> Iterator[bytes]:
    """Yield the lines of a session until it has the size."""
    size = number = 0
    while size < megabytes * 1_000_000:
        record = {"type": "user", "uuid": f"00000000-0000-4000-8000-{number:012d}", "sessionId": SESSION, "cwd": "/home/dev/big",
                  "timestamp": f"2026-11-30T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z"}
        content = f"prompt {number}" if number % 100 == 0 else [{"type": "tool_result", "tool_use_id": f"t{number}", "content": RESULT}]
        line = json.dumps({**record, "message": {"role": "user", "content": content}}).encode() + b"\n"
        size += len(line)
        number += 1
        yield line


def main() -> None:
    """Write the file, ingest it, append one line, ingest again, and print."""
    parser = argparse.ArgumentParser(description="ingest one large file")
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="journal-large-"))
    path = folder / ".claude/projects/-home-dev-big" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("wb", buffering=1 << 20) as file:
        lines = sum(1 for line in records(asked.megabytes) if file.write(line))
    words = ("ingest", "--root", f"claude={folder / '.claude'}")
    first = run("first", folder / "home", *words)
    with path.open("ab") as file:
        file.write(next(records(1)).replace(b'"prompt 0"', b'"appendedword"').replace(b"000000000000", b"999999999999"))
    again = run("append", folder / "home", *words)
    print(json.dumps({"bytes": path.stat().st_size, "lines": lines + 1, "first_cpu_s": round(first.cpu_s, 2), "first_rss_mb": round(first.rss_mb),
                      "append_cpu_s": round(again.cpu_s, 2), "append_rss_mb": round(again.rss_mb)}))
    if asked.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
