"""A git repository with a calculator, and handoffs of its work."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from archive import Archive

S = "aaaaaaaa-0000-4000-8000-000000000001"
CALC = """import os


def add(a, b):
    total = a + b
    return total


def sub(a, b):
    rest = a - b
    return rest
"""
NOTES = """# The lock of the ledger

## Purpose
Make the calculator exact for numbers of any size.

## Findings
- Addition keeps its whole sum in one variable: `calc.py:4-6`.
- Subtraction is the only place that can go below zero.
  - Evidence: calc.py:9-11 — nothing checks the sign
- The helper lives in `other.py:1-2` and is used by nobody yet.

## Open questions
- Does anybody call sub with negative numbers at all?

## Next moves
1. Cover `calc.py` with tests of negative numbers.
"""


class Repository:
    """A git repository in a folder of its own, and the archive."""

    def __init__(self, archive: Archive, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.archive = archive
        self.folder = folder
        self.patch = patch
        folder.mkdir()
        self.enter(folder)
        self.git("init", "-q", "-b", "main", ".")
        self.write("calc.py", CALC)
        self.write("other.py", "def helper(value):\n    return value * 1000\n")
        self.commit("one")

    def enter(self, folder: Path) -> None:
        """Work in *folder* from now on."""
        self.patch.chdir(folder)

    def git(self, *words: str) -> str:
        """Run git here."""
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", *names, *words], check=True, capture_output=True, text=True).stdout.strip()

    def write(self, name: str, text: str) -> None:
        """Write a file, bytes as they are."""
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())

    def commit(self, message: str, *words: str) -> None:
        """Commit all that is there."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, *words)

    def save(self, notes: str = NOTES, *words: str) -> dict[str, Any]:
        """Save notes that lie outside the repository."""
        path = self.archive.folder / "notes.md"
        path.write_text(notes)
        return self.archive.json("handoff", "save", "--notes", str(path), *words)

    def load(self, *words: str) -> dict[str, Any]:
        """Load the newest handoff, or what *words* say."""
        return self.archive.json("handoff", "load", *words)


def statuses(loaded: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """Return each anchor's status and new place."""
    return {one["locator"]: (one["status"], one["now"]) for one in loaded["anchors"]}
