"""Handoff files that changed while no hook looked: an ingest writes them down as a hook would have.

A hook may be missing, cut off or killed; the agent's handoff is in the log all the same, once a transcript of its project is read.
"""

import os
import sqlite3

from cli.hooks.handoff import existing, line_of
from cli.wiring import now
from ingest import checkout, history
from journal import inbox
from journal.home import Home
from journal.moments import DAY_S, seconds_of, written

GIT_S = 1.0
MOST_FOLDERS = 20
"""Folders of one project that are looked at, those of the sessions that were active last."""
PROJECTS = "SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY project HAVING max(last_at) >= ?"
FOLDERS = """SELECT f.cwd, s.session_id FROM sessions AS s JOIN session_folders AS f USING (session_id)
WHERE s.project = ? AND s.last_at >= ? AND s.kind NOT IN ('subagent', 'empty') ORDER BY s.last_at DESC, s.session_id LIMIT ?"""
KNOWN = "SELECT 1 FROM handoffs WHERE path = ? AND mtime_us = ? AND size = ? LIMIT 1"


def write_down(home: Home, views: sqlite3.Connection) -> int:
    """Put the changed handoff files of all projects that were worked in since yesterday into the inbox; return how many."""
    moment = now()
    since = written((seconds_of(moment) or 0.0) - DAY_S)
    found = 0
    seen: set[str] = set()
    for (project,) in views.execute(PROJECTS, (since,)).fetchall():
        for cwd, session_id in views.execute(FOLDERS, (project, since, MOST_FOLDERS)).fetchall():
            place = checkout.find(cwd)
            if place is None or place.root in seen:
                continue
            seen.add(place.root)
            path = existing(place)
            if path is None:
                continue
            try:
                status = os.stat(path)
                if views.execute(KNOWN, (path, status.st_mtime_ns // 1000, status.st_size)).fetchone() is not None:
                    continue
                line = line_of(place, path, status, history.is_dirty(place, GIT_S))
            except OSError:
                continue  # it may not be read, or is gone by now: no reason to stop an ingest
            inbox.append(home, session_id, moment[:10], {"at": moment, "session_id": session_id, **line}, kind=".handoff")
            found += 1
    return found
