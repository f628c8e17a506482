"""What the hooks of one session wrote down so far: from the views, and from the inbox of two days.

A hook looks up to three times, since others of the same moment may have written meanwhile; a later look reads only what is new.
"""

import os

from cli.hooks.views import Views
from journal import inbox, jsontext
from journal.home import Home
from journal.moments import DAY_S, written

STATE = ".state"
LONGEST_STATE_BYTES = 256 * 1024
OLDER = "SELECT line FROM hook_history WHERE session_id = ? AND coalesce(occurred_at, '') < ? ORDER BY occurred_at, record_id"
AFTER_ALL_TIMES = "~"
MINUTE_CHARS = 16
Line = dict[str, object]


class History:
    """The lines that hooks of a session wrote, oldest first."""

    __slots__ = ("ends", "found", "home", "is_begun", "session_id", "views")

    def __init__(self, views: Views, home: Home, session_id: str) -> None:
        self.views = views
        self.home = home
        self.session_id = session_id
        self.found: list[Line] = []
        self.ends: dict[str, int] = {}
        """Inbox files, and how much of each was read."""
        self.is_begun = False

    def lines(self, now: float) -> list[Line]:
        """Return all lines there are by now, by day; those of one day as they were written.

        Of two hooks at once the later may have begun first, and both must see one order.
        """
        fresh = [text for day in (now - DAY_S, now) for text in self._more(inbox.file_of(self.home, self.session_id, written(day)[:10], kind=STATE))]
        if not self.is_begun:
            self.is_begun = True
            fresh = self._older(fresh) + fresh
        if fresh:
            self.found = sorted([*self.found, *_parsed(fresh)], key=lambda line: str(line.get("at"))[:10])
        return self.found

    def _older(self, there: list[str]) -> list[str]:
        """Return the lines of the views that came before those of the inbox, which an ingest writes into the views as well."""
        first = next(iter(_parsed(there[:1])), {}).get("at")
        until = first[:MINUTE_CHARS] + AFTER_ALL_TIMES if isinstance(first, str) else AFTER_ALL_TIMES
        known = set(there)
        return [text for (text,) in self.views.rows(OLDER, self.session_id, until) if isinstance(text, str) and text not in known]

    def _more(self, path: str) -> list[str]:
        """Return the whole lines of an inbox file behind what was read of it; of a long file those near its end."""
        try:
            with open(path, "rb", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                start = max(self.ends.get(path, 0), size - LONGEST_STATE_BYTES)
                file.seek(start)
                data = file.read(size - start) or b""
        except OSError:
            return []
        end = data.rfind(b"\n") + 1
        skipped = start > self.ends.get(path, 0)
        self.ends[path] = start + end
        lines = data[:end].decode("utf-8", "replace").split("\n")
        return [line for line in lines[skipped:] if line]


def _parsed(texts: list[str]) -> list[Line]:
    """Return the objects that lines hold; one that is torn or no JSON says nothing."""
    try:
        together = jsontext.loads(f"[{','.join(texts)}]")
    except (ValueError, RecursionError):
        together = None
    if isinstance(together, list) and len(together) == len(texts):
        return [value for value in together if isinstance(value, dict)]
    return [value for value in map(_value, texts) if isinstance(value, dict)]


def _value(text: str) -> object:
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        return None
