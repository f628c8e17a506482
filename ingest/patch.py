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


def parts(unified_diff: str) -> dict[str, str]:
    """Return the part of each file of a git diff of several, by its absolute path."""
    found: dict[str, str] = {}
    for part in GIT_HEADER.split(unified_diff)[1:]:
        names = {sign: path for sign, path in FILE_LINES.findall(part.partition("\n@@")[0]) if path != "/dev/null"}
        if path := names.get("+++ b") or names.get("--- a"):
            found[path] = part
    return found


def per_file(unified_diff: str) -> dict[str, tuple[int, int]]:
    """Return the lines added and removed of each file of a git diff of several, by its absolute path."""
    return {path: count(part) for path, part in parts(unified_diff).items()}


def without_headers(unified_diff: object) -> str | None:
    """Return the hunks of a unified diff of one file, without what stands before them; None where there are none."""
    if not isinstance(unified_diff, str):
        return None
    start = 0 if unified_diff.startswith("@@") else unified_diff.find("\n@@") + 1
    return unified_diff[start:].removesuffix("\n") if unified_diff.startswith("@@", start) else None


def hunk_header(old_start: object, old_lines: object, new_start: object, new_lines: object) -> str:
    """Return a hunk's header; figures that a record lacks are left out."""
    known = all(isinstance(figure, int) for figure in (old_start, old_lines, new_start, new_lines))
    return f"@@ -{old_start},{old_lines} +{new_start},{new_lines} @@" if known else "@@"


def created(content: str) -> str:
    """Return the diff of a file that did not stand before."""
    return "+" + content.removesuffix("\n").replace("\n", "\n+") if content else ""


def deleted(content: str) -> str:
    """Return the diff of a file that stands no more."""
    return "-" + content.removesuffix("\n").replace("\n", "\n-") if content else ""


def changes(patch_text: str, tool_call_id: str | None = None) -> list[FileChanged]:
    """Return the files that an apply_patch text changes, with the lines it adds and removes."""
    found: list[FileChanged] = []
    path, operation, moved_to, added, removed = "", "", None, 0, 0
    shown: list[str] = []

    def close() -> None:
        if path:
            known = operation != "delete"
            found.append(FileChanged(path, "move" if moved_to else operation, added if known else None,
                                     removed if known else None, tool_call_id, moved_to, diff="\n".join(shown) or None))  # fmt: skip

    for line in patch_text.splitlines():
        header = FILE_HEADER.match(line)
        if header:
            close()
            path, operation, moved_to, added, removed = header[2].strip(), OPERATIONS[header[1]], None, 0, 0
            shown = []
        elif move := MOVE_HEADER.match(line):
            moved_to = move[1].strip()
        elif line.startswith("+"):
            added += 1
            shown.append(line)
        elif line.startswith("-"):
            removed += 1
            shown.append(line)
        elif line.startswith((" ", "@@")):
            shown.append(line)
    close()
    return found
