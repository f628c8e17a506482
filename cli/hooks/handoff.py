"""The handoff file of a repository as a hook meets it: where it is to be written, which one there is, and what changed in it."""

import os

from cli.hooks.call import Call
from ingest import tailend
from ingest.checkout import Checkout
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


def existing(place: Checkout | None) -> str | None:
    """Return the handoff file that there is, ours or another tool's."""
    if place is None:
        return None
    for name in (HANDOFF, *OTHER_HANDOFFS):
        path = os.path.join(place.root, name)
        if tailend.size_of(path) and _is_inside(path, place.root):
            return path
    return None


def _is_inside(path: str, root: str) -> bool:
    """Tell whether a path leads to a place in the work tree: a link out of it would bring another project's text, or a key, into this one."""
    return os.path.realpath(path).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)


def record(call: Call) -> list[int] | None:
    """Write down the handoff file where it changed since this session or the views last saw it; return its version."""
    path = existing(call.place)
    if path is None or call.place is None:
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    version = [status.st_mtime_ns // 1000, status.st_size]
    known = next((line["handoff"] for line in reversed(call.lines) if line.get("handoff")), None)
    if known == version or call.views.has_handoff(path, *version):
        return version
    try:
        line = line_of(call.place, path, status, _is_dirty(call))
    except OSError:
        return None  # it may not be read, or is gone by now; the rest of the hook is worth more
    call.append(line, kind=".handoff")
    return version


def line_of(place: Checkout, path: str, status: os.stat_result, is_dirty: bool | None) -> dict[str, object]:
    """Return the line of the inbox for a handoff file, as it stands with this *status*."""
    with open(path, "rb") as file:
        text = file.read(LONGEST_HANDOFF_BYTES).decode("utf-8", "replace")
    return {
        "type": "journal.handoff", "text": text, "path": path, "root": place.repository, "branch": place.branch, "head": place.head,
        "is_dirty": is_dirty, "mtime_us": status.st_mtime_ns // 1000, "size": status.st_size,
    }  # fmt: skip
