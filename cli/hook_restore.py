"""What a session start brings back: the views' rows, the checkout of now, and one git process at most."""

import os

from cli import hook_unread
from cli.hook_roles import Call
from ingest import history
from journal.moments import written
from projections import restore, restore_rows
from projections.restore import Handoff, Limits, Present, Restored


def restored(call: Call, *, own: bool) -> Restored:
    """Return what to tell the new session of the ones before it in this project."""
    root = call.place.repository if call.place else os.path.realpath(call.payload.cwd or "/")
    branch = call.place.branch if call.place else None
    rows = _rows(call, root, branch, own=own)
    handoff = _handoff(call, rows)
    cards = hook_unread.cards(call, root, rows.cards if rows else [])
    since = handoff.head if handoff else rows.head if rows else None
    at = handoff.saved_at if handoff else cards[0].last_at if cards else None
    commits, files = history.changes(call.place, since, at) if at and call.place else (None, ())
    present = Present(
        call.now, root, branch=branch, head=call.place.head if call.place else None, commits=commits, changed_files=files,
        others_running=rows.running if rows else (),
    )  # fmt: skip
    limits = Limits(
        call.settings.restore_tokens, call.facts.inject_cap, call.settings.stale_after_h * 3600, call.settings.withhold_after_h * 3600
    )
    return restore.compose(handoff, cards, present, limits)


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
    from cli.hook_roles import _existing_handoff

    path = _existing_handoff(call)
    if path is None or call.place is None:
        return rows.handoff if rows else None
    status = os.stat(path)
    if rows and rows.handoff and rows.handoff_version == (path, status.st_mtime_ns // 1000, status.st_size):
        return rows.handoff
    from journal.redaction import redact  # its regular expressions are worth a bare interpreter's start

    with open(path, "rb") as file:
        text = file.read(64 * 1024).decode("utf-8", "replace")
    saved_at = written(status.st_mtime)
    if rows and rows.handoff and rows.handoff.saved_at > saved_at and rows.handoff.branch == call.place.branch:
        return rows.handoff
    return Handoff(redact(text), saved_at, None, None, None)
