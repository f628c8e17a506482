"""The inbox: what hooks and commands of the journal itself have to say, one appended line each, without any lock.

A write is one `write` of newline + line + newline to a file opened for appending, so that writers at the same time do not
mix and a torn line of a crashed one costs only itself.
"""

import json
import os
import re
from typing import Any

from journal.home import Home

LONGEST_LINE_BYTES = 256 * 1024
CUT_TO = 4000
KEPT_OF_TOP = 200
VERSION = 1
SAFE_ID = re.compile(r"^[A-Za-z0-9._:-]{1,200}$")


def append(home: Home, session_id: str | None, day: str, record: dict[str, Any]) -> str:
    """Append *record* to the inbox file of its session and UTC *day* (YYYY-MM-DD) and return the file's path.

    A record above 256 KiB has its long strings cut, and says so under `cut`.
    Raises: OSError: the line could not be written whole.
    """
    name = session_id.replace(":", "_") if session_id and SAFE_ID.match(session_id) else "journal"
    path = os.path.join(home.inbox, f"{day}_{name}.jsonl")
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


def _encode(record: dict[str, Any]) -> bytes:
    """Return the line; where it is too long, strings are cut ever shorter, and at last only the short top fields stay."""
    line = _dump(record)
    longest = CUT_TO
    while len(line) > LONGEST_LINE_BYTES and longest:
        line = _dump({**_cut(record, longest), "cut": True})
        longest //= 4
    if len(line) > LONGEST_LINE_BYTES:
        top = {key: value for key, value in record.items() if not isinstance(value, dict | list)}
        line = _dump({**_cut(top, KEPT_OF_TOP), "cut": True})
    return line


def _dump(record: dict[str, Any]) -> bytes:
    return b"\n" + json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def _cut(value: Any, longest: int) -> Any:
    """Return *value* with every string in it at most *longest* characters."""
    if isinstance(value, str):
        return value[:longest]
    if isinstance(value, dict):
        return {key: _cut(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, longest) for item in value]
    return value
