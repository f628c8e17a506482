"""The SQL functions that `journal sql` adds to SQLite's own."""

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any, NamedTuple

from cli.outlet import clean, cleaned
from journal.errors import JournalError, SettingInvalid
from journal.reader import SegmentCache, read_event, source_facts
from journal.salvage import salvage
from projections.redacted import redacted


class Function(NamedTuple):
    """One documented SQL function."""

    call: str
    meaning: str
    example: str


FUNCTIONS = (
    Function(
        "record(global_position)",
        "The host's record at a position of the log, as JSON text for `->>`: a list where one line holds several,"
        " NULL where it holds none or the log has no such position. It reads the log, so that what leaves is cleaned of secrets again.",
        "SELECT record(global_position) ->> '$.type' AS type, count(*) AS records FROM events WHERE type LIKE 'claude.%' GROUP BY 1",
    ),
    Function(
        "local_time(time [, zone])",
        "A time of the journal (UTC) in this machine's zone or in the one named, such as `Europe/Berlin`:"
        " `YYYY-MM-DDTHH:MM:SS` and the offset; NULL where *time* is none.",
        "SELECT substr(local_time(occurred_at, 'Asia/Tokyo'), 1, 10) AS day, count(*) AS prompts FROM messages WHERE kind = 'prompt' GROUP BY 1",
    ),
)


class Faults:
    """What a function raised: SQLite passes on only that it failed."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None

    def kept(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function*, with what it raises kept."""

        def guarded(*values: Any) -> Any:
            try:
                return function(*values)
            except (JournalError, KeyboardInterrupt) as error:
                self.raised = error
                raise

        return guarded


def register(connection: sqlite3.Connection, log: sqlite3.Connection, *, reveal: bool = False) -> Faults:
    """Give *connection* the functions, which read *log*, and return where their faults are kept."""
    faults = Faults()
    connection.create_function("record", 1, faults.kept(_record_of(log) if reveal else _cleaned(_record_of(log))), deterministic=True)
    for count in (1, 2):
        connection.create_function("local_time", count, faults.kept(local_time), deterministic=True)
    return faults


def _record_of(log: sqlite3.Connection) -> Callable[[Any], str | None]:
    """Return the function that reads a record of the log."""
    cache = SegmentCache(log)
    documents = {source_id for source_id, facts in source_facts(log).items() if facts.shape == "document"}

    def record(position: Any) -> str | None:
        stored = read_event(cache, position) if isinstance(position, int) else None
        if stored is None:
            return None
        values, damage = salvage(stored.line)
        if stored.source_id in documents and not values:
            return _json({"text": stored.line.decode(errors="replace")})
        if len(values) == 1 and damage is None:
            return stored.line.decode(errors="replace").strip()
        return _json(values[0] if len(values) == 1 else list(values)) if values else None

    return record


def _cleaned(record: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """Return *record* without secrets: here, since a query can take a value from under its name, or cut it in two."""

    def safe(position: Any) -> str | None:
        text = record(position)
        if text is None or (left := clean(text)) == text:
            return text
        value = cleaned(redacted(json.loads(text)))
        left = clean(text := _json(value))
        return left if _is_json(left) else text

    return safe


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def local_time(time: Any, zone: Any = None) -> str | None:
    """Return *time* in *zone*, else in this machine's.

    Raises: SettingInvalid: there is no such zone.
    """
    if not isinstance(time, str):
        return None
    try:
        moment = datetime.fromisoformat(time)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return moment.astimezone(None if zone is None else _zone(str(zone))).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None


@lru_cache
def _zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingInvalid(f"{name} is no time zone that this machine knows", hint="name one such as Europe/Berlin") from error
