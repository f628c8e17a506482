"""Measure whole processes on a generated tree and print a table: CPU seconds, MB per CPU second, peak RSS, sizes.

Usage: python tests/bench/measure.py [MEGABYTES] [--folder FOLDER]
CPU seconds are user plus system of the finished child process, as the operating system counts them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from bytecode import compiled
from generate import generate

HOSTS = {"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "copilot": ".copilot"}


class Figure(NamedTuple):
    """What one process cost."""

    name: str
    cpu_s: float
    rss_mb: float


def run(name: str, home: Path, *words: str, may_find: bool = False) -> Figure:
    """Run one `journal` command to its end and return its cost.

    Raises: RuntimeError when the command fails; exit 1 is none where it *may_find* something.
    """
    environment = {**os.environ, "JOURNAL_HOME": str(home), "HOME": str(home)}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, "-m", "journal", *words], stdout=output, stderr=output, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode and not (may_find and process.returncode == 1):
            output.seek(0)
            raise RuntimeError(f"{words}: exit {process.returncode}: {output.read().decode()[-2000:]}")
    return Figure(name, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> None:
    """Generate, run and print."""
    parser = argparse.ArgumentParser(description="measure journal on a generated tree")
    parser.add_argument("megabytes", type=float, nargs="?", default=20)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    compiled()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="journal-bench-"))
    tree, home = folder / "tree", folder / "home"
    shutil.rmtree(folder, ignore_errors=True)
    megabytes = sum(generate(tree, asked.megabytes).values()) / 1e6
    roots = [word for host, name in HOSTS.items() for word in ("--root", f"{host}={tree / name}")]
    figures = [run("first ingest", home, "ingest", *roots), run("no-change catch-up", home, "ingest", *roots)]
    victim = max((tree / ".claude").rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    lines = victim.read_bytes().splitlines(keepends=True)[-40:]
    with victim.open("ab") as file:
        file.writelines(line.replace(b'"uuid":"', b'"uuid":"a') for line in lines)
    figures += [
        run("40 appended lines", home, "ingest", *roots),
        run("replay of all views", home, "replay"),
        run("session list", home, "sessions", "--all", "--json"),
        run("usage report", home, "usage", "--json"),
        run("rare-token search", home, "search", "zzz_absent checksum", "--all", "--json"),
        run("show latest", home, "show", "latest", "--json"),
        run("stats", home, "stats", "--json"),
        run("status", home, "status", "--json"),
        run("doctor", home, "doctor", "--json", may_find=True),
        run("doctor --deep", home, "doctor", "--deep", "--json", may_find=True),
    ]
    print(f"{megabytes:.0f} MB of transcripts\n\n| work | CPU-s | MB/CPU-s | peak RSS MB |\n| --- | ---: | ---: | ---: |")
    for figure in figures:
        rate = f"{megabytes / figure.cpu_s:.1f}" if figure.name in {"first ingest", "replay of all views"} else ""
        print(f"| {figure.name} | {figure.cpu_s:.2f} | {rate} | {figure.rss_mb:.0f} |")
    sizes = {name: (home / name).stat().st_size / 1e6 / megabytes for name in ("journal.db", "views.db")}
    print("\n" + ", ".join(f"{name} {share:.2f} x transcripts" for name, share in sizes.items()))
    print(json.dumps({figure.name: round(figure.cpu_s, 3) for figure in figures}), file=sys.stderr)
    if asked.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
