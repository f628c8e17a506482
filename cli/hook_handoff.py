"""The handoff file of a repository as a hook meets it: where it is to be written, which one there is, and what changed in it."""

import os

from cli.hook_call import Call
from ingest import tailend
from projections import identity

HANDOFF = ".journal/handoff.md"
OTHER_HANDOFFS = (".bookmark/bookmark.context.md",)
"""Handoff files of other tools that are read where ours is missing."""
DIRTY_S = (1.0, 0.4)
"""So long git is waited for; a session's end has 1.2 s for everything."""
LONGEST_HANDOFF_BYTES = 64 * 1024


def path_to_write(call: Call) -> str | None:
    """Return the path at which the agent is asked to write, its folder made and ignoring itself; None outside git."""
    if call.place is None or os.path.realpath(os.path.expanduser("~")) == call.place.root:
        return None
    folder = os.path.join(call.place.root, os.path.dirname(HANDOFF))
    if not _is_inside(folder, call.place.root):
        return None
    try:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.exists(ignore):
            with open(ignore, "w", encoding="ascii") as file:
                file.write("*\n")
    except OSError:
        return None
    return os.path.join(call.place.root, HANDOFF)


def _is_dirty(call: Call) -> bool | None:
    """Tell whether the work tree is dirty while a new handoff lies in it.

    At a session's start nobody knows how it was when the handoff was written, and the one git process of that hook is used for something else.
    """
    if call.place is None or call.role == "session-start":
        return None
    from ingest import history

    return history.is_dirty(call.place, DIRTY_S[call.role == "session-end"])


def identity_block(call: Call) -> str:
    """Return the block that says where a handoff of now is written."""
    place = call.place
    if place is None:
        return ""
    root = place.repository
    named = {"scope": "repo", "repo_path": root, "repo_name": os.path.basename(root), "branch": place.branch, "head": place.head,
             "written": call.at, "written_by": call.host}  # fmt: skip
    return identity.block({key: value for key, value in named.items() if value})


def existing(call: Call) -> str | None:
    """Return the handoff file that there is, ours or another tool's."""
    if call.place is None:
        return None
    for name in (HANDOFF, *OTHER_HANDOFFS):
        path = os.path.join(call.place.root, name)
        if tailend.size_of(path) and _is_inside(path, call.place.root):
            return path
    return None


def _is_inside(path: str, root: str) -> bool:
    """Tell whether a path leads to a place in the work tree: a link out of it would bring another project's text, or a key, into this one."""
    return os.path.realpath(path).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)


def record(call: Call) -> list[int] | None:
    """Write down the handoff file where it changed since this session or the views last saw it; return its version."""
    path = existing(call)
    if path is None or call.place is None:
        return None
    status = os.stat(path)
    version = [status.st_mtime_ns // 1000, status.st_size]
    known = next((line["handoff"] for line in reversed(call.lines) if line.get("handoff")), None)
    if known == version or call.views.has_handoff(path, *version):
        return version
    with open(path, "rb") as file:
        text = file.read(LONGEST_HANDOFF_BYTES).decode("utf-8", "replace")
    call.append({
        "type": "journal.handoff", "text": text, "path": path, "root": call.place.repository, "branch": call.place.branch, "head": call.place.head,
        "is_dirty": _is_dirty(call), "mtime_us": version[0], "size": version[1],
    }, kind=".handoff")  # fmt: skip
    return version
