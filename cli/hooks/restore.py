"""What a session start brings back: the views' rows, the checkout of now, and one git process at most."""

import os

from cli.hooks import unread
from cli.hooks.call import Call
from cli.hooks.handoff import HANDOFF, LONGEST_HANDOFF_BYTES, OTHER_HANDOFFS, existing
from ingest import checkout, history
from ingest.checkout import Checkout
from journal.moments import written
from projections import identity, restore, restore_bundles, restore_rows
from projections.restore import Handoff, Limits, Present, Restored

MOST_GONE = 20


def restored(call: Call, *, own: bool) -> Restored:
    """Return what to tell the new session of the ones before it in this project."""
    root = call.place.repository if call.place else os.path.realpath(call.payload.cwd or "/")
    branch = call.place.branch if call.place else None
    rows, moved_from = _rows(call, root, branch, own=own), ""
    if rows and call.place and not (rows.handoff or rows.bundle or rows.cards):
        moved_from = _moved_from(call, call.place)
        rows = _rows(call, moved_from, branch, own=own) if moved_from else rows
    moved_from = moved_from or (rows.moved_from if rows else "")
    handoff, borrowed = restore_bundles.newest(_handoff(call, rows), rows.bundle if rows else None, branch), ""
    if handoff is None:
        handoff, borrowed = pointed(root)
    cards = unread.cards(call, root, rows.cards if rows else [])
    since = handoff.head if handoff and not borrowed else rows.head if rows else None
    at = handoff.saved_at if handoff and not borrowed else cards[0].last_at if cards else None
    commits, files = history.changes(call.place, since, at) if at and call.place else (None, ())
    present = Present(
        call.now, root, branch=branch, head=call.place.head if call.place else None, commits=commits, changed_files=files,
        others_running=rows.running if rows else (), borrowed=borrowed, moved_from=moved_from,
    )  # fmt: skip
    limits = Limits(
        call.settings.restore_tokens, call.facts.inject_cap, call.settings.stale_after_h * 3600, call.settings.withhold_after_h * 3600,
        call.settings.card,
    )
    if not call.settings.recall or call.views.connection is None:
        return restore.compose(handoff, cards, present, limits)
    from cli.hooks import learnings

    return learnings.composed(handoff, cards, present, limits, call.views.connection, call.settings.recall_tokens)


def _moved_from(call: Call, place: Checkout) -> str:
    """Return where the repository lay that was moved here, before any ingest saw it here: gone there, with the same first commit and remote.

    One more git process, where a repository that was worked in is gone and nothing is known of this one.
    """
    if call.views.connection is None:
        return ""
    try:
        known = restore_rows.repositories(call.views.connection)
    except _errors():
        return ""
    remote = checkout.remote_of(place)
    gone = [(commit, root) for commit, address, root in known if address == remote and not os.path.exists(os.path.join(root, ".git"))]
    here = history.known_commits(place, [commit for commit, _ in gone[:MOST_GONE]])
    return next((root for commit, root in gone if commit in here), "")


def _rows(call: Call, root: str, branch: str | None, *, own: bool) -> restore_rows.Rows | None:
    if call.views.connection is None:
        return None
    try:
        since = written(call.now - restore.RUNNING_FOR_S)
        return restore_rows.read(call.views.connection, root, branch, session_id=call.session_id, own=own, running_since=since)
    except _errors():
        return None


def _errors() -> tuple[type[Exception], ...]:
    import _sqlite3

    return (_sqlite3.Error, ValueError)


def _handoff(call: Call, rows: restore_rows.Rows | None) -> Handoff | None:
    """Return the newest handoff: the file as it stands, redacted now, unless the views hold this very version."""
    path = existing(call.place)
    if path is None or call.place is None:
        return rows.handoff if rows else None
    try:
        status = os.stat(path)
    except OSError:
        return rows.handoff if rows else None
    if rows and rows.handoff and rows.handoff_version == (path, status.st_mtime_ns // 1000, status.st_size):
        return rows.handoff
    if rows and rows.handoff and rows.handoff.saved_at > written(status.st_mtime) and rows.handoff.branch == call.place.branch:
        return rows.handoff
    try:
        return _read(path, status.st_mtime)
    except OSError:  # it may not be read
        return rows.handoff if rows else None


def _read(path: str, mtime: float) -> Handoff:
    """Return the handoff in a file, redacted, with the branch and the commit that its identity block names."""
    from journal.redaction import redact  # its regular expressions are worth a bare interpreter's start

    with open(path, "rb") as file:
        text = redact(file.read(LONGEST_HANDOFF_BYTES).decode("utf-8", "replace"))
    fields = identity.split(text)[0]
    head = fields.get("head", "")
    is_commit = 7 <= len(head) <= 64 and not head.strip("0123456789abcdef")
    return Handoff(text, written(mtime), None, fields.get("branch"), head if is_commit else None)


def pointed(root: str) -> tuple[Handoff | None, str]:
    """Return the handoff that a pointer in the home folder names, and what is to be said of it first.

    A pointer is followed in the home folder and in the project that it names; nothing is ever written there.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    for name in (HANDOFF, *OTHER_HANDOFFS):
        pointer = os.path.join(home, name)
        try:
            fields = identity.split(_read(pointer, 0).text)[0] if os.path.isfile(pointer) else {}
            path = os.path.expanduser(identity.target(fields) or "")
            project = os.path.realpath(os.path.expanduser(fields.get("points_to_project", "")) or "/")
            if root not in (home, project) or not os.path.isabs(path) or not os.path.isfile(path):
                continue
            handoff = _read(path, os.stat(path).st_mtime)
        except OSError:
            continue
        return handoff, "" if root == project else f"this handoff is of another project, {project}; the pointer {pointer} names it."
    return None, ""
