"""The command `timeline`: who changed a file, when, with which tool and for which prompt; or what was said about a topic."""

import argparse
import os

from cli.render import print_json, print_table, say
from cli.usage import asked_span
from cli.wiring import current_project, read_views
from journal import zones
from journal.errors import SettingInvalid
from journal.settings import Settings
from projections.file_history import Change, changes, names_of

LONGEST_PROMPT = 60


def timeline(settings: Settings, asked: argparse.Namespace) -> int:
    """List the changes of a file, or what was said about a topic, oldest first."""
    when = asked_span(asked)
    views = read_views(settings)
    if asked.file is None and not asked.about:
        raise SettingInvalid("name a file or a topic", hint="journal timeline src/app.py, or: journal timeline ledger lock")
    # A name that is no UTF-8 has lone surrogates, which SQLite refuses.
    given = (" ".join(asked.about) if asked.file is None else asked.file).encode(errors="replace").decode()
    here = [os.path.normpath(os.path.join(os.getcwd(), given)), os.path.realpath(given)]
    names = names_of(views, dict.fromkeys(here), given, current_project(views))
    if asked.file is None and not names:
        from cli.memory.past import topic

        return topic(settings, asked)
    found = [change for name in names for change in changes(views, name, when.span)]
    if asked.json:
        print_json({"file": given, "paths": names, "timezone": when.zone.name, "changes": [change._asdict() for change in found]})
        return 0
    if not found:
        say(f"no session is known to have changed {given}" + ("" if names else "; give more or less of its path"))
        return 0
    print_table(("when", "session", "host", "tool", "what", "lines", "path", "prompt"), [_cells(change, when.zone, len(names) > 1) for change in found])
    return 0


def _cells(change: Change, zone: zones.Zone, several: bool) -> tuple[object, ...]:
    what = change.operation + (f" to {change.moved_to}" if change.moved_to else "") + (", failed" if change.failed else "")
    lines = "" if change.lines_added is None and change.lines_removed is None else f"+{change.lines_added or 0} -{change.lines_removed or 0}"
    prompt = " ".join((change.prompt or "").split())
    return (zones.local(change.occurred_at, zone) if change.occurred_at else "?", change.session_id, change.host,
            f"{change.tool or '?'}{'' if change.evidence == 'tool' else ' (shell)'}", what, lines, change.absolute_path if several else change.path,
            prompt if len(prompt) <= LONGEST_PROMPT else prompt[: LONGEST_PROMPT - 1] + "…")  # fmt: skip
