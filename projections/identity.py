"""The identity block of a handoff: an HTML comment of `key: value` lines at its top, as the tool Bookmark writes it. Pure.

It says where a handoff was written, so that one that was copied or committed elsewhere is not taken for this project's own.
Hooks import this: nothing heavy.
"""

NAMES = ("JOURNAL_IDENTITY", "BOOKMARK_IDENTITY")
"""Ours is written; both are read."""
KEYS = ("scope", "project", "repo_path", "repo_name", "branch", "head", "base", "written", "written_by")
"""The keys with a meaning, in the order in which they are written; any other key is kept."""
LONGEST_BLOCK = 4096
POINTER = "POINTER_ONLY"


def split(text: str) -> tuple[dict[str, str], str]:
    """Return the fields of the block at the top of *text*, and the text without the block; no block gives no fields."""
    beginning = text.lstrip("\ufeff \t\r\n")
    name = next((name for name in NAMES if beginning.startswith("<!--") and beginning[4:].lstrip().startswith(name)), None)
    end = beginning.find("-->", 0, LONGEST_BLOCK)
    if name is None or end < 0:
        return {}, text
    inside = beginning[4:end].lstrip()[len(name) :]
    fields = {}
    for line in inside.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() and value.strip():
            fields[key.strip()] = value.strip()
    return fields, beginning[end + 3 :].lstrip("\r\n")


def block(fields: dict[str, str]) -> str:
    """Return the block that holds *fields*: known keys first and in order, then the others as they came."""
    ordered = [key for key in KEYS if key in fields] + [key for key in fields if key not in KEYS]
    lines = [f"{key}: {' '.join(fields[key].replace('-->', '').split())}" for key in ordered]
    return "\n".join([f"<!-- {NAMES[0]}", *lines, "-->"])


def mismatch(fields: dict[str, str], project: str) -> str | None:
    """Return what does not fit where the block names another folder than *project*, or None."""
    named = fields.get("repo_path", "")
    if not named.startswith("/") or _contains(named, project) or _contains(project, named):
        return None
    return f"identity mismatch: the handoff says that it was written for {named}, this is {project}."


def target(fields: dict[str, str]) -> str | None:
    """Return the file that a pointer in the home folder names, or None where the fields are those of no pointer."""
    if fields.get("scope") != "home" or fields.get("project") != POINTER:
        return None
    return fields.get("points_to_canonical")


def _contains(folder: str, path: str) -> bool:
    """Tell by path components whether *path* is *folder* or below it."""
    return (path.rstrip("/") + "/").startswith(folder.rstrip("/") + "/")
