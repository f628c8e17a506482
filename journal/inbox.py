"""The inbox: what hooks and commands of the journal itself have to say, one appended line each, without any lock.

A write is one `write` of newline + line + newline to a file opened for appending, so that writers at the same time do not
mix and a torn line of a crashed one costs only itself.
"""

import os

from journal import jsontext
from journal.home import Home

LONGEST_LINE_BYTES = 256 * 1024
CUT_TO = 4000
KEPT_OF_TOP = 200
VERSION = 1
LONGEST_ID = 200
SIGNS = dict.fromkeys(map(ord, "-_.:"))
"""What a session id may hold beside letters and digits."""
Record = dict[str, object]


def is_safe_id(session_id: str) -> bool:
    """Tell whether a session id can be part of a file's name."""
    return 0 < len(session_id) <= LONGEST_ID and session_id.isascii() and session_id.translate(SIGNS).isalnum()


def file_of(home: Home, session_id: str | None, day: str, *, kind: str = "") -> str:
    """Return the inbox file of a session and UTC *day* (YYYY-MM-DD); *kind* keeps lines of another size apart."""
    name = session_id.replace(":", "_") if session_id and is_safe_id(session_id) else "journal"
    return os.path.join(home.inbox, f"{day}_{name}{kind}.jsonl")


def append(home: Home, session_id: str | None, day: str, record: Record, *, kind: str = "") -> str:
    """Append *record* to its inbox file and return the file's path.

    A record above 256 KiB has its long strings cut, and says so under `cut`.
    Raises: OSError: the line could not be written whole.
    """
    path = file_of(home, session_id, day, kind=kind)
    line = _encode({"v": VERSION, **record})
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.write(descriptor, line) != len(line):
            raise OSError(f"{path}: the line was not written whole")
    finally:
        os.close(descriptor)
    return path


def sealed(home: Home, today: str) -> list[str]:
    """Return the inbox files that no writer can still have open: those of days before the day before *today* (YYYY-MM-DD).

    A hook that began before midnight may write for some seconds after it.
    """
    from datetime import date, timedelta  # noqa: PLC0415  hooks append and never seal

    last = (date.fromisoformat(today) - timedelta(days=1)).isoformat()
    return sorted(os.path.join(home.inbox, name) for name in os.listdir(home.inbox) if name.endswith(".jsonl") and name[:10] < last)


def _encode(record: Record) -> bytes:
    """Return the line; where it is too long, strings are cut ever shorter, and at last only the short top fields stay."""
    line = _dump(record)
    longest = CUT_TO
    while len(line) > LONGEST_LINE_BYTES and longest:
        line = _dump({**_cut_record(record, longest), "cut": True})
        longest //= 4
    if len(line) > LONGEST_LINE_BYTES:
        top = {key: value for key, value in record.items() if not isinstance(value, dict | list)}
        line = _dump({**_cut_record(top, KEPT_OF_TOP), "cut": True})
    return line


def _dump(record: Record) -> bytes:
    return b"\n" + jsontext.dumps(record).encode() + b"\n"


def _cut_record(record: Record, longest: int) -> Record:
    return {key: _cut(item, longest) for key, item in record.items()}


def _cut(value: object, longest: int) -> object:
    """Return *value* with every string in it at most *longest* characters."""
    if isinstance(value, str):
        return value[:longest]
    if isinstance(value, dict):
        return {key: _cut(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, longest) for item in value]
    return value
