"""What a repository says of itself and of its present work, for a handoff that nobody wrote notes for."""

import os
import re
from typing import NamedTuple

from ingest.anchoring import Files, Git
from ingest.checkout import Checkout

README = ("README.md", "README.rst", "README.txt", "README", "readme.md")
PURPOSE_CHARS = 300
STACK = {
    "pyproject.toml": "Python", "setup.py": "Python", "requirements.txt": "Python", "package.json": "Node.js", "tsconfig.json": "TypeScript",
    "Cargo.toml": "Rust", "go.mod": "Go", "pom.xml": "Java (Maven)", "build.gradle": "Java (Gradle)", "Gemfile": "Ruby", "composer.json": "PHP",
    "CMakeLists.txt": "C or C++ (CMake)", "Dockerfile": "Docker", "Makefile": "make",
}  # fmt: skip
TRUNKS = ("main", "master")
MOST_AHEAD = 200


class Facts(NamedTuple):
    """What stands in the files and in git; empty where nothing does."""

    purpose: str
    stack: tuple[str, ...]
    ahead: int | None
    """Commits of this branch that main or master has not; None on these themselves."""
    ahead_subjects: tuple[str, ...]
    last_subjects: tuple[str, ...]
    """Of the last five commits."""
    last_files: tuple[str, ...]
    staged: int
    modified: int
    untracked: int
    dirty: tuple[str, ...]
    todo_lines: int
    todo_files: int


def read(place: Checkout, git: Git) -> Facts:
    """Return the facts by at most four git processes: status, the last commits, those ahead of the trunk, and TODO marks."""
    status = git.status() or []
    subjects, files = _last(git) if place.head else ([], [])
    ahead = _ahead(place, git) if place.head else None
    marks = [int(line.rpartition(b":")[2]) for line in (git.run("grep", "-c", "-I", "-E", r"\b(TODO|FIXME)\b") or b"").splitlines()]
    stack = tuple(dict.fromkeys(f"{kind} ({name})" for name, kind in STACK.items() if os.path.exists(os.path.join(place.root, name))))
    return Facts(
        _purpose(place.root), stack, len(ahead) if ahead is not None else None, tuple((ahead or [])[:4]), tuple(subjects[:3]), tuple(files),
        sum(sign[0] not in " ?" for sign, _ in status), sum(sign[1] not in " ?" for sign, _ in status), sum(sign == "??" for sign, _ in status),
        tuple(path for _, path in status), sum(marks), len(marks),
    )  # fmt: skip


def _last(git: Git) -> tuple[list[str], list[str]]:
    said = os.fsdecode(git.run("-c", "core.quotePath=false", "-c", "log.showSignature=false", "log", "-n5", "--format=%x01%s", "--name-only") or b"")
    lines = said.splitlines()
    return [line[1:] for line in lines if line.startswith("\x01")], list(dict.fromkeys(line for line in lines if line and not line.startswith("\x01")))


def _ahead(place: Checkout, git: Git) -> list[str] | None:
    if place.branch in TRUNKS:
        return None
    for trunk in TRUNKS:
        said = git.run("-c", "log.showSignature=false", "log", f"-n{MOST_AHEAD}", "--format=%s", f"refs/heads/{trunk}..HEAD")
        if said is not None:
            return os.fsdecode(said).splitlines()
    return None


def _purpose(root: str) -> str:
    """Return the first lines of text of the README, at most three and 300 characters."""
    files = Files(root)
    lines = next((found for name in README if (found := files.lines(name)) is not None), [])
    told: list[str] = []
    for line in lines[:200]:
        text = re.sub(r"!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)|[*_`]{1,3}", r"\1", line).strip()
        if re.match(r"[#<|\[!>=-]|\.\. |```", text) or not text:
            if told:
                break
            continue
        told.append(text)
        if len(told) == 3:
            break
    said = " ".join(told)
    return said if len(said) <= PURPOSE_CHARS else said[: PURPOSE_CHARS - 1] + "…"
