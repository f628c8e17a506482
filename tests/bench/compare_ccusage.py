"""Compare `journal usage` with ccusage, token by token, on the recordings and on a generated tree of Claude Code and Codex.

ccusage is fetched from npm into a folder of its own and run offline with a throw-away HOME. No part of the test suite: it
needs npm. What it printed last, and who is right where the two differ, stands in docs/reference/usage.md.

Usage: python tests/bench/compare_ccusage.py [--megabytes 20] [--tools FOLDER]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from generate import generate

PROJECT = Path(__file__).parents[2]
FIXTURES = PROJECT / "tests/fixtures"
VERSION = "20.0.24"
FIGURES = ("input", "output", "cache read", "cache write")
MOVED = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
Tokens = tuple[int, int, int, int]


def install(folder: Path) -> Path:
    """Install ccusage into *folder* and return its program."""
    program = folder / "node_modules/.bin/ccusage"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"ccusage@{VERSION}"], check=True, stdout=sys.stderr)
    return program


def theirs(program: Path, host: str, home: Path, scratch: Path) -> Tokens:
    """Return what ccusage counts in the *home* of a host; cached input is taken out of input by ccusage itself."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(scratch), MOVED[host]: str(home)}
    done = subprocess.run([str(program), host, "daily", "--json", "--offline", "--timezone", "UTC"], env=environ, capture_output=True, check=True)
    totals: dict[str, Any] = json.loads(done.stdout).get("totals") or {}
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    return tuple(totals.get(name, 0) for name in names)  # type: ignore[return-value]  # four names


def ours(host: str, home: Path, scratch: Path) -> Tokens:
    """Return what the journal counts there."""
    environ = {**os.environ, "HOME": str(scratch), "JOURNAL_HOME": str(scratch / "journal"), "PYTHONPATH": str(PROJECT)}
    shutil.rmtree(scratch / "journal", ignore_errors=True)
    for words in (["ingest", "--root", f"{host}={home}"], ["usage", "--timezone", "UTC", "--json"]):
        done = subprocess.run([sys.executable, "-m", "journal", *words], env=environ, capture_output=True, check=True)
    totals = json.loads(done.stdout)["totals"]
    return tuple(totals[f"{name.replace(' ', '_')}_tokens"] for name in FIGURES)  # type: ignore[return-value]  # four names


def as_older(home: Path, target: Path) -> Path:
    """Copy Claude recordings with what older clients wrote: a requestId on every answer, and cache writes without their ages."""
    shutil.copytree(home, target)
    for path in target.rglob("*.jsonl"):
        lines = []
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                lines.append(line)
                continue
            message = record.get("message")
            if isinstance(message, dict) and isinstance(message.get("usage"), dict):
                record["requestId"] = f"req_{message['id']}"
                message["usage"].pop("cache_creation", None)
            lines.append(json.dumps(record, separators=(",", ":")).encode())  # ccusage skips lines with spaces
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    return target


def main() -> None:
    """Print a table of every tree with the figures of both, and where they differ."""
    parser = argparse.ArgumentParser(description="compare journal usage with ccusage")
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--tools", type=Path, default=Path(tempfile.gettempdir()) / "journal-ccusage", help="folder that ccusage is installed into")
    asked = parser.parse_args()
    program = install(asked.tools)
    with tempfile.TemporaryDirectory(prefix="journal-ccusage-") as folder:
        scratch = Path(folder)
        generate(scratch / "tree", asked.megabytes)
        trees = [(host, f"generated, {asked.megabytes:g} MB", scratch / "tree" / f".{host}") for host in MOVED]
        trees += [(host, path.name, path) for host in MOVED for path in sorted((FIXTURES / host).iterdir()) if not (path / "states").exists()]
        trees += [("claude", f"{name}, as older clients wrote it", as_older(home, scratch / "older" / name))
                  for host, name, home in trees if host == "claude" and home.parent == FIXTURES / "claude"]
        print(f"ccusage {VERSION}\n\n| host | tree | {' | '.join(FIGURES)} | |\n| --- | --- | ---: | ---: | ---: | ---: | --- |")
        equal = 0
        for host, name, home in trees:
            mine, other = ours(host, home, scratch), theirs(program, host, home, scratch)
            equal += mine == other
            cells = [f"{a:,}" if a == b else f"{a:,} / {b:,}" for a, b in zip(mine, other, strict=True)]
            print(f"| {host} | {name} | {' | '.join(cells)} | {'equal' if mine == other else 'differs'} |")
        print(f"\n{equal} of {len(trees)} trees equal; journal / ccusage where they differ")


if __name__ == "__main__":
    main()
