"""Commands that write: ingest, replay, note, config."""

import argparse

from cli.render import print_json, print_table, say
from cli.wiring import LOCK_WAIT_S, bring_up_to_date, current_project, decoders, now, open_views, read_views, roots_of, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.home import open_home
from journal.settings import Settings


def ingest(settings: Settings, asked: argparse.Namespace) -> int:
    """Read what is new in the transcripts into the log, and catch the views up."""
    done = bring_up_to_date(settings, roots_of(settings, asked.root))
    report = done.report
    for warning in report.warnings:
        say(f"warning: {warning}")
    answer = {"sources": report.sources, "bytes": report.bytes, "events": report.events, "damaged": report.damaged,
              "unknown": done.unknown, "sessions": done.sessions, "seconds": round(report.seconds, 3), "warnings": report.warnings}  # fmt: skip
    if asked.json:
        print_json(answer)
    else:
        print_table(("sources", "bytes", "new events", "damaged", "unknown", "sessions"),
                    [(report.sources, report.bytes, report.events, report.damaged, done.unknown, done.sessions)])  # fmt: skip
    return 0


def replay(settings: Settings, asked: argparse.Namespace) -> int:
    """Rebuild the views from the log; with --verify compare a rebuild with the live views; with --into as of a point."""
    from journal.database import open_log
    from journal.lock import writer_lock
    from projections import digest
    from projections import replay as rebuilding
    from projections.runner import catch_up

    home = open_home(settings.home)
    log = open_log(home.journal_db, writable=False)
    verified: bool | None = None
    if asked.as_of is not None:
        point = {"position": int(asked.as_of)} if asked.as_of.isdigit() else {"time": asked.as_of}
        if not asked.into:
            raise SettingInvalid("--as-of needs --into FILE", hint="journal replay --as-of 100 --into old.db")
        views = rebuilding.build_at(log, asked.into, *decoders(), **point)
    else:
        with writer_lock(home, LOCK_WAIT_S):
            views = open_views(home)
            if asked.verify:
                catch_up(log, views, *decoders())
                different = rebuilding.verify(log, views, *decoders())
                verified = not different
                for view in different:
                    say(f"{view.view}: the live view differs from its rebuild; run: journal replay")
            else:
                rebuilding.rebuild(log, views, *decoders(), names=tuple(asked.view))
    digests = digest.digests(views)
    counted = {name: {"rows": views.execute(f"SELECT count(*) FROM {name}").fetchone()[0], "digest": value} for name, value in digests.items()}
    position = views.execute("SELECT position FROM checkpoints WHERE name = 'views'").fetchone()[0]
    if asked.json:
        print_json({"views": counted, "events": position, "verified": verified})
    else:
        print_table(("view", "rows", "digest"), [(name, view["rows"], view["digest"][:16]) for name, view in counted.items()])
    return 0 if verified in (None, True) else 1


def note(settings: Settings, asked: argparse.Namespace) -> int:
    """Note a text on the newest session of this project, or on the one given."""
    from journal import inbox

    views = read_views(settings)
    if asked.session:
        session_id = session_by_prefix(views, asked.session)
    else:
        row = views.execute("SELECT session_id FROM sessions WHERE (?1 IS NULL OR project = ?1) AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
                            (current_project(views),)).fetchone()  # fmt: skip
        if row is None:
            raise NotFound("there is no session to note this on", hint="run: journal ingest")
        session_id = row[0]
    moment = now()
    inbox.append(open_home(settings.home), session_id, moment[:10], {"type": "journal.note", "at": moment, "session_id": session_id, "text": asked.text})
    if asked.json:
        print_json({"session_id": session_id, "at": moment})
    else:
        say(f"noted on {session_id}")
    return 0


def config(settings: Settings, asked: argparse.Namespace) -> int:
    """Show the settings in force and where they come from."""
    answer = {"home": settings.home, "roots": [list(pair) for pair in roots_of(settings, [])]}
    if asked.json:
        print_json(answer)
    else:
        print_table(("setting", "value"), [("home", settings.home), *((f"root {host}", path) for host, path in roots_of(settings, []))])
    return 0
