"""`journal export`: sessions as Markdown, as a page, as JSON, or as the original bytes."""

import argparse
import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, BinaryIO

from cli.amounts import counted
from cli.outlet import clean, cleaned
from cli.progress import Meter, meter
from cli.projects import project_asked
from cli.render import SCHEMA_VERSION, print_json, say
from cli.showing import items_of
from cli.wiring import IN_PROJECT, read_views, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings
from projections.transcript import Called, Item, Said, Wanted

WANTED = {
    "md": Wanted(whole=True, copies=True),
    "html": Wanted(whole=True, copies=True, images=True),
    "json": Wanted(whole=True, copies=True, images=True),
}
WRITERS = {"md": "cli.transcripts.markdown", "html": "cli.transcripts.webpage", "json": "cli.transcripts.structure"}
ENDINGS = {"raw": ".jsonl"}
Open = Callable[[str | None], BinaryIO]


def export(settings: Settings, asked: argparse.Namespace) -> int:
    """Write sessions in a format of their own; secrets leave only with --reveal, or in the original bytes."""
    from journal.database import open_log
    from journal.log import sources

    if asked.format == "parquet":
        from cli.parquet import parquet

        return parquet(settings, asked)
    if asked.out or not (asked.session or asked.project):
        raise SettingInvalid("--out is for --format parquet" if asked.out else "which session?", hint="journal export latest --output FILE")
    views = read_views(settings)
    sessions = list(dict.fromkeys([*(session_by_prefix(views, word) for word in asked.session), *_of_project(views, asked)]))
    if asked.redact and asked.format == "raw":
        raise SettingInvalid("--redact: raw is the transcript byte for byte", hint="journal export SESSION --format md")
    if asked.json and not asked.output:
        raise SettingInvalid("export --json needs --output: standard output is the transcript itself", hint="journal export SESSION --output FILE --json")
    log = open_log(Home(settings.home).journal_db, writable=False)
    targets = _targets(sessions, asked)
    if asked.output:
        transcripts = [name for row in sources(log) for name in (row.path, row.path + ".zst")]
        for path in targets:
            _refuse_own(str(path), settings.home, transcripts)
    written = []
    with meter() as shown:
        for session_id, path in zip(sessions, targets, strict=True):
            pieces = _raw(log, session_id) if asked.format == "raw" else _rendered(settings, views, session_id, asked, shown if path else None)
            with _target(path) as target:
                written.append({"session_id": session_id, "path": path, "format": asked.format, "bytes": sum(map(target.write, pieces))})
    contents = _table_of_contents(views, written, asked) if asked.project else None
    for one in written if asked.output else ():
        form = "the transcript as it was" if asked.format == "raw" else asked.format
        say(f"{one['path']}: session {one['session_id']}, {form}, {one['bytes']:,} bytes")
    if asked.format == "raw" or asked.reveal:
        say("unredacted: secrets that the transcript holds stand in the export")
    if contents:
        say(f"{contents}: all of them, with links")
    if asked.json:
        print_json({"exports": written, "contents": contents, **(written[0] if len(written) == 1 else {})})
    return 0


def _of_project(views: sqlite3.Connection, asked: argparse.Namespace) -> list[str]:
    """Return the sessions of the project that is asked for, the newest first; sub-agents stand inside theirs.

    Raises: NotFound, Ambiguous; SettingInvalid: they have no folder to go into.
    """
    if not asked.project:
        return []
    if not (asked.output and (os.path.isdir(asked.output) or asked.output.endswith("/"))):
        raise SettingInvalid("--project needs a folder", hint="journal export --project . --format html --output FOLDER/")
    named = {"project": project_asked(views, asked.project)}
    found = views.execute(f"SELECT session_id FROM sessions WHERE {IN_PROJECT} AND kind <> 'subagent' ORDER BY last_at DESC NULLS LAST, session_id", named)
    return [row[0] for row in found]


def _table_of_contents(views: sqlite3.Connection, written: list[dict[str, Any]], asked: argparse.Namespace) -> str | None:
    """Write `index.md` or `index.html` beside the sessions, and return its path; the other formats have none."""
    from cli.transcripts import contents

    if asked.format not in contents.AS:
        return None
    rows = []
    for one in written:
        cursor = views.execute("SELECT title, last_at, host, turns, project FROM sessions WHERE session_id = ?", (one["session_id"],))
        rows.append((os.path.basename(one["path"]), dict(zip([column[0] for column in cursor.description], cleaned(list(cursor.fetchone())), strict=True))))
    path = os.path.join(asked.output, f"index.{asked.format}")
    heading = clean(f"{counted(len(rows), 'session')} of {project_asked(views, asked.project)}")
    with _target(path) as target:
        target.write(contents.AS[asked.format](heading, contents.entries(rows)).encode("utf-8", "replace"))
    return path


def _targets(sessions: list[str], asked: argparse.Namespace) -> list[str | None]:
    """Return the file of each session: in a folder by its id, else the one that was named.

    Raises: SettingInvalid: several sessions do not fit one file.
    """
    folder = asked.output if asked.output and (os.path.isdir(asked.output) or asked.output.endswith("/")) else None
    if folder is None:
        if len(sessions) > 1:
            raise SettingInvalid("several sessions need a folder", hint="journal export SESSION SESSION --output FOLDER/")
        return [asked.output]
    os.makedirs(folder, mode=0o700, exist_ok=True)
    ending = ENDINGS.get(asked.format, f".{asked.format}")
    return [os.path.join(folder, session_id.replace(":", "_").replace("/", "_") + ending) for session_id in sessions]


def _rendered(settings: Settings, views: sqlite3.Connection, session_id: str, asked: argparse.Namespace, shown: Meter | None) -> Iterator[bytes]:
    writer: Any = import_module(WRITERS[asked.format])
    items: Iterable[Item] = items_of(settings, views, session_id, WANTED[asked.format]._replace(reveal=asked.reveal))
    progress = shown and shown.by_share("exporting")
    course = _Course(items, views, session_id) if progress else None
    pieces = writer.pieces(course or items, *((SCHEMA_VERSION,) if asked.format == "json" else ()))
    for piece in pieces:
        written = piece.encode("utf-8", "replace")
        if progress and course:
            progress(course.share, course.add(len(written)))
        yield written


class _Course:
    """The items of a session, with the share of its texts and tool calls that have come by, and the bytes that were made of them."""

    def __init__(self, items: Iterable[Item], views: sqlite3.Connection, session_id: str) -> None:
        self.items = items
        self.total = views.execute("SELECT (SELECT count(*) FROM messages WHERE session_id = ?1) + (SELECT count(*) FROM tool_calls WHERE session_id = ?1)",
                                   (session_id,)).fetchone()[0]  # fmt: skip
        self.done = 0
        self.bytes = 0

    def __iter__(self) -> Iterator[Item]:
        for item in self.items:
            self.done += item.level == 0 and isinstance(item, Said | Called)
            yield item

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0

    def add(self, size: int) -> int:
        """Count *size* bytes more, and return all of them."""
        self.bytes += size
        return self.bytes


def _raw(log: sqlite3.Connection, session_id: str) -> Iterator[bytes]:
    """Return the original bytes, also when the host has deleted them.

    Raises: NotFound: the session has no file of its own.
    """
    from journal.log import sources
    from journal.reader import read_source

    own = [row for row in sources(log) if row.native_id == session_id]
    found = [row for row in own if row.shape == "lines"] or own
    if not found:
        raise NotFound(f"session {session_id} has no file of its own", hint=f"journal export {session_id} --format md")
    return (piece for row in found for piece in read_source(log, row.source_id, row.generation))


def _refuse_own(path: str, home: str, transcripts: list[str]) -> None:
    """Refuse to write over a transcript, whose newest lines may be nowhere else, or into the journal's own folder.

    Raises: SettingInvalid.
    """
    real, hint = os.path.realpath(path), "name another file"
    if os.path.commonpath([real, os.path.realpath(home)]) == os.path.realpath(home):
        raise SettingInvalid(f"--output {path}: lies in the journal's own folder", hint=hint)
    if os.path.exists(real) and any(os.path.exists(name) and os.path.samefile(real, name) for name in transcripts):
        raise SettingInvalid(f"--output {path}: is a transcript that the journal reads", hint=hint)


def _target(path: str | None) -> BinaryIO:
    """Open the file to export to, private to its user, or standard output."""
    if path is None:
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "wb")
