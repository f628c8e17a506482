"""Commands that add to the log, and the settings: ingest, note, config."""

import argparse
import os

from cli.amounts import counted, sized
from cli.render import print_json, print_table, say
from cli.wiring import IN_PROJECT, bring_up_to_date, current_project, now, read_views, roots_of, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings


def ingest(settings: Settings, asked: argparse.Namespace) -> int:
    """Read what is new in the transcripts into the log, and catch the views up."""
    from cli.progress import meter

    roots = roots_of(settings, asked.root)
    if asked.detached:
        from cli import lingering

        lingering.restrain()
        lingering.stay(settings, roots)
        return 0
    with meter() as shown:
        done = bring_up_to_date(settings, roots, shown)
    report = done.report
    for warning in report.warnings:
        say(f"warning: {warning}")
    answer = {"sources": report.sources, "bytes": report.bytes, "events": report.events, "damaged": report.damaged, "refused": report.refused,
              "unknown": done.unknown, "sessions": done.sessions, "seconds": round(report.seconds, 3), "warnings": report.warnings}  # fmt: skip
    if report.refused:
        say(f"{counted(report.refused, 'record')} came again after being forgotten, and were not let in")
    if asked.json:
        print_json(answer)
    else:
        if not report.sources:
            say("no transcripts were found; looked in " + ", ".join(path for _, path in roots))
        print_table(("sources", "read", "new events", "damaged", "unknown", "sessions"),
                    [(report.sources, sized(report.bytes), f"{report.events:,}", report.damaged, done.unknown, done.sessions)])  # fmt: skip
    return 0


def note(settings: Settings, asked: argparse.Namespace) -> int:
    """Note a text on the session whose tool this is, else on the newest of this project, or on the one given."""
    from cli import running
    from journal import inbox

    own = None if asked.session else running.session(settings)
    views = read_views(settings)
    if asked.session:
        session_id = session_by_prefix(views, asked.session)
    elif own:
        session_id = own
    else:
        row = views.execute(
            f"SELECT session_id FROM sessions WHERE {IN_PROJECT} AND kind = 'interactive' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
            {"project": current_project(views)},
        ).fetchone()
        if row is None:
            raise NotFound("this folder's project has no session", hint="name one: journal note TEXT --session latest")
        session_id = row[0]
    moment = now()
    inbox.append(open_home(settings.home), session_id, moment[:10], {"type": "journal.note", "at": moment, "session_id": session_id, "text": asked.text})
    if asked.json:
        print_json({"session_id": session_id, "at": moment})
    else:
        say(f"noted on {session_id}; the views have it after the next: journal ingest")
    return 0


def config(settings: Settings, asked: argparse.Namespace) -> int:
    """Show the settings in force and where they come from."""
    from journal import hook_settings

    file = Home(settings.home).config
    chosen, wrong = hook_settings.load(file)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    given = hook_settings.given_in(file)
    names = hook_settings.HookSettings.__slots__
    hooks = [{"setting": f"hooks.{name}", "value": getattr(chosen, name), "from": file if name in given else "default"} for name in names]
    roots = roots_of(settings, [])
    if asked.json:
        print_json({"home": settings.home, "roots": [list(pair) for pair in roots], "hooks": [
            {**row, "value": list(row["value"]) if isinstance(row["value"], tuple) else row["value"]} for row in hooks]})  # fmt: skip
    else:
        where = "environment" if os.environ.get("JOURNAL_HOME") else "default"
        print_table(("setting", "value", "from"), [("home", settings.home, where), *((f"root {host}", path, "") for host, path in roots),
                                                   *((row["setting"], _shown(row["value"]), row["from"]) for row in hooks)])  # fmt: skip
    return 0


def _shown(value: object) -> str:
    """Return a setting's value as config.toml has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return "not set" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
