"""Patches in the two forms that hosts record: unified diffs and the `*** Begin Patch` envelope of apply_patch."""

import re

from journal.domain import FileChanged

FILE_HEADER = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
GIT_HEADER = re.compile(r"^diff --git ", re.MULTILINE)
FILE_LINES = re.compile(r"^(--- a|\+\+\+ b)(/.+)$", re.MULTILINE)
MOVE_HEADER = re.compile(r"^\*\*\* Move to: (.+)$")
OPERATIONS = {"Add": "add", "Update": "edit", "Delete": "delete"}


def count(unified_diff: str) -> tuple[int, int]:
    """Return how many lines a unified diff adds and removes; its file headers do not count."""
    added = removed = 0
    for line in unified_diff.splitlines():
        if line.startswith("+"):
            added += not line.startswith("+++ ")
        elif line.startswith("-"):
            removed += not line.startswith("--- ")
    return added, removed


def per_file(unified_diff: str) -> dict[str, tuple[int, int]]:
    """Return the lines added and removed of each file of a git diff of several, by its absolute path."""
    found: dict[str, tuple[int, int]] = {}
    for part in GIT_HEADER.split(unified_diff)[1:]:
        names = {sign: path for sign, path in FILE_LINES.findall(part.partition("\n@@")[0]) if path != "/dev/null"}
        if path := names.get("+++ b") or names.get("--- a"):
            found[path] = count(part)
    return found


def changes(patch_text: str, tool_call_id: str | None = None) -> list[FileChanged]:
    """Return the files that an apply_patch text changes, with the lines it adds and removes."""
    found: list[FileChanged] = []
    path, operation, moved_to, added, removed = "", "", None, 0, 0

    def close() -> None:
        if path:
            known = operation != "delete"
            found.append(FileChanged(path, "move" if moved_to else operation, added if known else None,
                                     removed if known else None, tool_call_id, moved_to))  # fmt: skip

    for line in patch_text.splitlines():
        header = FILE_HEADER.match(line)
        if header:
            close()
            path, operation, moved_to, added, removed = header[2].strip(), OPERATIONS[header[1]], None, 0, 0
        elif move := MOVE_HEADER.match(line):
            moved_to = move[1].strip()
        elif line.startswith("+"):
            added += 1
        elif line.startswith("-"):
            removed += 1
    close()
    return found
