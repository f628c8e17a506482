"""What the handoff commands put into the inbox: bundles, as many lines as they need, and what becomes of them."""

import contextlib
from collections.abc import Iterator
from typing import Any

from cli.render import say
from cli.wiring import bring_up_to_date, now
from journal.errors import LogBusy
from journal.home import open_home
from journal.settings import Settings

LARGEST_LINE_BYTES = 200_000
"""A line of the inbox holds 256 KiB; what is longer is cut there, so that it is spread before."""
LARGEST_TEXT_BYTES = 60_000
LISTS = ("statements", "anchors", "files")


def put(settings: Settings, session_id: str | None, record: dict[str, Any]) -> int:
    """Append a bundle and bring the views up to date; return how many lines it took.

    What does not fit into one line goes before it, so that a bundle that was broken off is none.
    """
    lines = list(_lines(record))
    append(settings, session_id, now()[:10], lines)
    return len(lines)


def append(settings: Settings, session_id: str | None, day: str, records: list[dict[str, object]]) -> None:
    """Append lines and bring the views up to date, unless another process is at it."""
    from journal import inbox

    home = open_home(settings.home)
    for one in records:
        inbox.append(home, session_id, day, one)
    try:
        bring_up_to_date(settings, [])
    except LogBusy:
        say("another process is ingesting; this is written down, and the views have it after the next: journal ingest")


def remark(settings: Settings, session_id: str | None, record: dict[str, object]) -> None:
    """Append a line that no answer depends on; a home that cannot be written is no error."""
    from journal import inbox

    moment = now()
    with contextlib.suppress(OSError):
        inbox.append(open_home(settings.home), session_id, moment[:10], {"at": moment, **record})


def _lines(record: dict[str, Any]) -> Iterator[dict[str, object]]:
    rows = [("statements", one) for whole in record.get("statements", ()) for one in pieces(whole)]
    rows += [(name, one) for name in LISTS[1:] for one in record.get(name, ())]
    head = {name: value for name, value in record.items() if name not in LISTS}
    firsts = {"statements": 1, "anchors": 1}
    left, room = rows, LARGEST_LINE_BYTES - _size(head)
    parts = []
    while True:
        part: dict[str, Any] = {name: [] for name in LISTS}
        start, size = dict(firsts), 0
        while left and (size == 0 or size + _size(left[0][1]) <= room):
            name, one = left[0]
            size += _size(one)
            part[name].append(one)
            left = left[1:]
            if name in firsts:
                firsts[name] += 1
        parts.append({"first_statement": start["statements"], "first_anchor": start["anchors"], **part})
        if not left:
            break
        room = LARGEST_LINE_BYTES
    for part in parts[1:]:
        yield {"type": "journal.handoff_more", "at": record["at"], "session_id": record["session_id"], "handoff_id": record["handoff_id"], **part}
    yield {**head, **parts[0]}


def pieces(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a statement; of one that is too long its beginning, and then sections with the rest."""
    if _size(statement) <= LARGEST_TEXT_BYTES:
        yield statement
        return
    texts = [part for text in (statement["text"], *statement["details"]) for part in _cut(text)]
    number, group = 0, []
    for at, text in enumerate(texts):
        group.append(text)
        if at + 1 == len(texts) or sum(map(_size, group)) + _size(texts[at + 1]) > LARGEST_TEXT_BYTES:
            first = group[0] if number == 0 else f"{statement['id']}, continued"
            name = statement["id"] if number == 0 else f"{statement['id']}.{number}"
            yield {**statement, "id": name, "kind": statement["kind"] if number == 0 else "section", "text": first,
                   "details": group[1:] if number == 0 else group}  # fmt: skip
            number, group = number + 1, []


def _cut(text: str) -> Iterator[str]:
    step = LARGEST_TEXT_BYTES // 6  # a character has at most four bytes, and six where JSON escapes it
    for at in range(0, len(text), step):
        yield text[at : at + step]
    if not text:
        yield ""


def _size(value: object) -> int:
    from journal.jsontext import dumps

    return len(dumps(value).encode("utf-8", "replace"))
