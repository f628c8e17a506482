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


def _encode(record: dict[str, Any]) -> bytes:
    line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    if len(line) > LONGEST_LINE_BYTES:
        cut = {key: value[:CUT_TO] if isinstance(value, str) else value for key, value in record.items()}
        line = json.dumps({**cut, "cut": True}, ensure_ascii=True, separators=(",", ":")).encode()
    return b"\n" + line + b"\n"
