"""Anchors against the checkout: what a locator resolves to when a handoff is saved, and what is there when it is loaded."""

import os
import stat
import subprocess
from typing import NamedTuple

from ingest.observation import TIMEOUT_S
from journal.ranges import Shape, hash_of, lines_of, shape_of

LARGEST_FILE_BYTES = 8 * 1024 * 1024
NO_PLAIN_FILE = "no plain file of at most 8 MiB"
"""The reason for what is there and is no evidence."""
MOST_HELD_BYTES = 32 * 1024 * 1024
"""Of files whose lines are held at a time; lines take some times as much."""
OWN = (".git", ".journal", ".context-handoffs", ".bookmark")
"""Folders that are never evidence: git's and the storage of handoff tools."""


class Resolved(NamedTuple):
    """What a locator names in the checkout; with a reason where it names nothing."""

    kind: str
    """`file`, `folder`, `range` or `symbol`."""
    path: str
    start: int | None
    end: int | None
    shape: Shape | None
    reason: str | None


class Files:
    """Files below one folder, each read once, as long as those that are held are not too much for the memory."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.read: dict[str, list[str] | None] = {}
        self.sizes: dict[str, int] = {}
        """Bytes of each file whose lines are held, the one that was asked for first coming first."""

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a file, or None where there is no plain file of at most 8 MiB that lies inside."""
        if path not in self.read:
            data = self.data(path)
            self.read[path] = None if data is None else lines_of(data)
            self.sizes[path] = len(data or b"")
            while len(self.sizes) > 1 and sum(self.sizes.values()) > MOST_HELD_BYTES:
                oldest = next(iter(self.sizes))
                del self.sizes[oldest], self.read[oldest]
        return self.read[path]

    def is_folder(self, path: str) -> bool:
        """Tell whether *path* is a folder inside."""
        return self.place(path) is not None and os.path.isdir(os.path.join(self.root, path))

    def place(self, path: str) -> str | None:
        """Return *path* relative to the root, or None where it leads out of it."""
        full = os.path.normpath(os.path.join(self.root, path))
        real = os.path.realpath(full)
        if (full != self.root and not full.startswith(self.root + os.sep)) or (real != self.root and not real.startswith(self.root + os.sep)):
            return None
        return os.path.relpath(full, self.root)

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None where there is no plain file of at most 8 MiB that lies inside."""
        if self.place(path) is None:
            return None
        try:
            descriptor = os.open(os.path.join(self.root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:
                told = os.fstat(descriptor)
                if not stat.S_ISREG(told.st_mode) or told.st_size > LARGEST_FILE_BYTES:
                    return None
                return file.read()
        except OSError:
            return None


def resolve(files: Files, here: str, path: str, start: int | None, end: int | None, symbol: str | None) -> Resolved:
    """Return what *path* (relative to the root, or else to *here*) and its lines name now."""
    relative, why = _found(files, here, path)
    if relative is None:
        return Resolved("file", path, start, end, None, why)
    if files.is_folder(relative):
        return Resolved("folder", relative, None, None, None, "a folder has no lines" if start or symbol else None)
    lines = files.lines(relative)
    if lines is None:
        return Resolved("file", relative, start, end, None, NO_PLAIN_FILE)
    if symbol:
        at = symbol_line(lines, symbol)
        if at is None:
            return Resolved("symbol", relative, None, None, None, f"the file has no {symbol}")
        return Resolved("symbol", relative, at, at, shape_of(lines, at, at), None)
    if start is None or end is None:
        return Resolved("file", relative, None, None, Shape(hash_of(lines), "", (), (), ""), None)
    reason = None
    if start < 1:
        reason = "lines are counted from 1"
    elif end < start:
        reason = f"the range is reversed: {start}-{end}"
    elif end > len(lines):
        reason = f"the file has {len(lines)} line{'' if len(lines) == 1 else 's'}"
    elif not "".join(lines[start - 1 : end]).strip():
        reason = "the range is empty"
    return Resolved("range", relative, start, end, None if reason else shape_of(lines, start, end), reason)


def symbol_line(lines: list[str], symbol: str) -> int | None:
    """Return the line, from 1, that defines the last part of *symbol*, or else the first that has it as a word."""
    import re  # noqa: PLC0415  only symbols need it

    name = re.escape(re.split(r"[.:]+", symbol)[-1])
    defined = re.compile(rf"\b(?:def|class|function|func|fn|struct|interface|type|enum|trait|const|let|var|module|namespace)\s+{name}\b")
    word = re.compile(rf"(?<!\w){name}(?!\w)")
    for pattern in (defined, word):
        for number, line in enumerate(lines, 1):
            if pattern.search(line):
                return number
    return None


def _found(files: Files, here: str, path: str) -> tuple[str | None, str]:
    """Return the path relative to the root, or the reason why there is none."""
    expanded = os.path.expanduser(path)
    inside = False
    for base in (files.root, here):
        relative = files.place(os.path.join(base, expanded))
        if relative is None:
            continue
        inside = True
        if relative.split(os.sep, 1)[0] in OWN:
            return None, "the storage of git and of handoffs is no evidence"
        if os.path.exists(os.path.join(files.root, relative)):
            return relative, ""
    return None, "there is no such file" if inside else "it lies outside the project"


class Git:
    """Git processes on one checkout, counted."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.calls = 0
        self.known: list[tuple[str, str]] | None = None

    def run(self, *words: str, given: bytes = b"") -> bytes | None:
        """Return what one git process prints, or None where it fails."""
        self.calls += 1
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            done = subprocess.run(["git", "-C", self.root, *words], capture_output=True, input=given, timeout=TIMEOUT_S * 3, check=False,  # noqa: S603,S607  fixed words; git is found on PATH as the user has it
                                  env={**inherited, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"})  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def commits(self, names: list[str]) -> set[str]:
        """Return which of *names* are commits that git has; one process for all."""
        if not names:
            return set()
        given = "".join(f"{name}^{{commit}}\n" for name in names).encode()
        said = (self.run("cat-file", "--batch-check=%(objecttype)", given=given) or b"").decode().splitlines()
        return {name for name, kind in zip(names, said, strict=False) if kind == "commit"}

    def contents(self, commit: str, paths: list[str]) -> dict[str, bytes]:
        """Return the content of files as they were in *commit*; one process for all."""
        asked = [path for path in paths if "\n" not in path]
        if not asked or not (commit.isascii() and commit.isalnum()):
            return {}
        said = self.run("cat-file", "--batch", given="".join(f"{commit}:{path}\n" for path in asked).encode("utf-8", "surrogateescape")) or b""
        found, at = {}, 0
        for path in asked:
            head, _, _ = said[at:].partition(b"\n")
            at += len(head) + 1
            size = head.rpartition(b" ")[2]
            if b" blob " in head and size.isdigit():
                found[path] = said[at : at + int(size)]
                at += int(size) + 1
        return found

    def status(self) -> list[tuple[str, str]] | None:
        """Return (two letters of git, file) for what differs from HEAD, files relative to the root, untracked ones too; asked once."""
        if self.known is None:
            said = self.run("status", "--porcelain", "-z", "--untracked-files=normal")
            if said is None:
                return None
            fields = os.fsdecode(said).split("\0")
            found, at = [], 0
            while at < len(fields):
                if len(fields[at]) > 3:
                    found.append((fields[at][:2], fields[at][3:]))
                    at += 1 if fields[at][0] in "RC" else 0
                at += 1
            self.known = found
        return self.known

    def dirty(self) -> list[str] | None:
        """Return the files that differ from HEAD, relative to the root, untracked ones too."""
        found = self.status()
        return None if found is None else [path for _, path in found]

    def untracked(self) -> list[str]:
        """Return the files that git neither has nor ignores, relative to the root."""
        said = self.run("ls-files", "-z", "--others", "--exclude-standard")
        return [path for path in os.fsdecode(said or b"").split("\0") if path]

    def distance(self, base: str) -> tuple[int, int] | None:
        """Return how many commits *base* has that HEAD has not, and the other way; None where git knows it no more."""
        said = self.run("rev-list", "--left-right", "--count", f"{base}...HEAD")
        left, _, right = (said or b"").decode().strip().partition("\t")
        return (int(left), int(right)) if right else None

    def changes(self, base: str) -> "Changes | None":
        """Return what differs between the commit *base* and the files now; None where git knows it no more."""
        said = self.run("diff", "--name-status", "-z", "-M", base)
        if said is None:
            return None
        fields = os.fsdecode(said).split("\0")
        renamed: dict[str, str] = {}
        changed: list[str] = []
        deleted: list[str] = []
        at = 0
        while at + 1 < len(fields):
            sign = fields[at][:1]
            if sign in ("R", "C") and at + 2 < len(fields):
                if sign == "R":
                    renamed[fields[at + 1]] = fields[at + 2]
                changed.append(fields[at + 2])
                at += 3
                continue
            (deleted if sign == "D" else changed).append(fields[at + 1])
            at += 2
        return Changes(renamed, changed, deleted)


class Changes(NamedTuple):
    """What git says changed."""

    renamed: dict[str, str]
    changed: list[str]
    deleted: list[str]
