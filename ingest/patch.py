"""Patches in the two forms that hosts record: unified diffs and the `*** Begin Patch` envelope of apply_patch."""

import re

from journal.domain import FileChanged

FILE_HEADER = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
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
