"""One hook call with all that its role needs, and how it writes down what it is about to say."""

import os
from importlib import import_module

from cli.hooks.history import STATE, History
from cli.hooks.views import Views
from ingest import checkout, hooks
from ingest.facts import Facts
from ingest.hooks import Payload
from journal import inbox
from journal.home import Home
from journal.hook_settings import HookSettings
from journal.moments import written


class Call:
    """One hook call with all that its role needs."""

    __slots__ = ("adapter", "at", "can_write", "compacts_at", "facts", "history", "home", "host", "lines", "now", "payload", "place", "role", "session_id",
                 "settings", "views")  # fmt: skip

    def __init__(self, role: str, host: str, payload: Payload, home: Home, now: float) -> None:
        self.role = role
        self.host = host
        self.facts: Facts = hooks.facts_of(host)
        self.adapter = import_module(f"ingest.hooks.{host}")
        self.payload = payload
        self.home = home
        self.now = now
        self.at = written(now)
        self.session_id = payload.session_id if payload.session_id and inbox.is_safe_id(payload.session_id) else ""
        self.settings = HookSettings()
        self.place = checkout.find(payload.cwd)
        self.can_write = False
        self.compacts_at: int | None = None
        """Tokens at which the host last compacted this model's context by itself, where that was seen."""
        self.views = Views("")
        self.history = History(self.views, home, self.session_id)
        self.lines: list[dict[str, object]] = []
        """The history of this session's hooks, oldest first."""

    def open_views(self) -> None:
        """Open the views, which the history is read from as well."""
        self.views = self.history.views = Views(self.home.views_db)

    def look(self) -> None:
        """Read what hooks of this session have written by now."""
        self.lines = self.history.lines(self.now)

    def append(self, record: dict[str, object], *, kind: str = "") -> None:
        """Append a line about this session to the inbox."""
        if self.can_write:
            inbox.append(self.home, self.session_id, self.at[:10], {**record, "at": self.at, "session_id": self.session_id}, kind=kind)

    def announce(self, kind: str, **told: object) -> str:
        """Write down that we are about to speak, read this session's history again, and return what marks our line in it."""
        nonce = os.urandom(8).hex()
        self.append({"type": "journal.hook_answered", "role": self.role, "kind": kind, "nonce": nonce, **told}, kind=STATE)
        self.look()
        return nonce

    def is_first(self, kind: str, **told: object) -> bool:
        """Announce, and tell whether no other hook announced the same before: of hooks at the same time one may speak."""
        if not self.can_write:
            return False  # what cannot be written down would be said at every turn
        nonce = self.announce(kind, **told)
        first = next((line for line in self.lines if line.get("kind") == kind and all(line.get(name) == value for name, value in told.items())), None)
        return first is not None and first.get("nonce") == nonce
