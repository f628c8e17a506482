"""Tables laid out in columns, and made to fit a terminal that is narrower than they are.

What is cut first costs least: ids to the prefix that every command takes, heads into two lines, then the longest texts; figures and times never.
Where that is not enough, every row becomes a list of its own.
"""

import re
import unicodedata
from collections.abc import Sequence

GAP = 2
INDENT = 4
"""How far what belongs to a row and stands below it is set in."""
NARROWEST = 10
"""No text is cut below so many columns."""
SHORTEST_WORD = 20
"""Names of models and tools say nothing without their end."""
SHORT_ID = 13
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
UNCUT = re.compile(r"SNAP_\S*|[hl][0-9a-f]{10,12}|[\d\s.,:%?~≥+\-TZ]*")
"""Snapshots, handoffs, learnings, figures and times: a part of one is another one, or nothing."""

LEAST_ROOM = 30
"""Prose is not wrapped into less."""

Cells = Sequence[str]


def width_of(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def lines(table: Sequence[Cells], *, width: int | None = None, right_from: int | None = None, prose: bool = False) -> list[str]:
    """Return the lines of a table whose first row are the heads, in at most *width* columns if that is given.

    Columns from *right_from* on are set to the right; with *prose* the last column is wrapped under itself instead of being cut.
    """
    widths = natural(table)
    if width is not None and len(widths) == 1:
        return [line for row in table for line in _set_in(row[0], width)]
    if width is None or _total(widths) <= width:
        return [line_of(row, widths, right_from) for row in table]
    if prose:
        return _wrapped(table, widths, width)
    found = fitted(table, width)
    if found is None:
        return _folded(table, width) or stacked(table[0], table[1:], width)
    return [*_heads(table[0], found, right_from), *(line_of([cut(cell, wide) for cell, wide in zip(row, found, strict=True)], found, right_from)
                                                    for row in table[1:])]  # fmt: skip


def is_wider(heads: Cells, rows: Sequence[Cells], width: int | None) -> bool:
    """Tell whether a table of figures needs more than *width* columns, its heads broken into words and its ids short."""
    if width is None:
        return False
    table = [heads, *rows]
    return _total(natural(table)) > width and fitted(table, width) is None


def natural(table: Sequence[Cells]) -> list[int]:
    """Return the width of each column as it stands."""
    return [max(width_of(row[column]) for row in table) for column in range(len(table[0]))]


def fitted(table: Sequence[Cells], width: int) -> list[int] | None:
    """Return widths that fit into *width* columns together, or None where even the shortest cuts do not."""
    heads, body = table[0], table[1:]
    widths = [max([*(width_of(row[column]) for row in body), *(len(word) for word in heads[column].split()), 1]) for column in range(len(heads))]
    least = [_least([row[column] for row in body], wide, heads[column]) for column, wide in enumerate(widths)]
    for column in range(len(widths)):
        if any(UUID.match(row[column]) for row in body):
            widths[column] = max(least[column], min(widths[column], SHORT_ID))
    while _total(widths) > width:
        spare, column = max((wide - least[column], column) for column, wide in enumerate(widths))
        if spare <= 0:
            return None
        widths[column] -= min(spare, _total(widths) - width, max(1, spare // 4))
    return widths


def cut(cell: str, wide: int) -> str:
    """Return *cell* in at most *wide* columns: an id by its beginning, a path by its end, a text with an ellipsis."""
    if width_of(cell) <= wide:
        return cell
    if UUID.match(cell):
        return cell[:wide]
    is_path = cell.startswith(("/", "~/")) and " " not in cell
    kept = _first(cell[::-1] if is_path else cell, wide - 1)
    return "…" + kept[::-1] if is_path else kept + "…"


def wrapped(text: str, room: int) -> list[str]:
    """Return *text* in lines of at most *room* columns, broken between words, and inside those that are longer."""
    found = [""]
    for word in text.split():
        rest = word
        if found[-1] and width_of(found[-1]) + 1 + width_of(rest) <= room:
            found[-1] += " " + rest
            continue
        while rest:
            part = _first(rest, room) or rest[0]
            found, rest = ([*found, part] if found[-1] else [part]), rest[len(part) :]
    return found


def _first(text: str, room: int) -> str:
    """Return the beginning of *text* that takes at most *room* columns."""
    taken = 0
    for number, character in enumerate(text):
        taken += width_of(character)
        if taken > room:
            return text[:number]
    return text


def stacked(heads: Cells, rows: Sequence[Cells], width: int) -> list[str]:
    """Return each row as lines of head and value, with an empty line between two rows."""
    left = max(map(width_of, heads)) + GAP
    found: list[str] = []
    for row in rows:
        found += [""] if found else []
        found += [(head + " " * (left - width_of(head)) + cut(cell, max(width - left, 1))).rstrip() for head, cell in zip(heads, row, strict=True)]
    return found


def _folded(table: Sequence[Cells], width: int) -> list[str] | None:
    """Return each row as two lines, the second one set in; None where two are not enough."""
    widths = natural(table)
    for column in range(len(widths)):
        if any(UUID.match(row[column]) for row in table[1:]):
            widths[column] = max(width_of(table[0][column]), SHORT_ID)
    first = next(count for count in range(len(widths), 0, -1) if count == 1 or _total(widths[:count]) <= width)
    below = widths[first:]
    if _total(widths[:first]) > width or not below:
        return None
    below[-1] = max(min(below[-1], width - INDENT - _total([*below[:-1], 0])), 0)
    if below[-1] < min(widths[-1], NARROWEST):
        return None
    shown = [[cut(cell, wide) for cell, wide in zip(row, [*widths[:first], *below], strict=True)] for row in table]
    return [line for row in shown for line in (line_of(row[:first], widths[:first]), (" " * INDENT + line_of(row[first:], below)).rstrip())]


def _set_in(text: str, width: int) -> list[str]:
    """Return a text that stands alone, in lines that begin where it begins."""
    if width_of(text) <= width:
        return [text.rstrip()]
    before = " " * min(len(text) - len(text.lstrip()), width // 2)
    return [before + part for part in wrapped(text, width - len(before))]


def _least(cells: Sequence[str], wide: int, head: str) -> int:
    """Return how narrow a column may become."""
    words = max((len(word) for word in head.split()), default=1)
    if any(UUID.match(cell) for cell in cells):
        return max(words, min(wide, SHORT_ID))
    if all(UNCUT.fullmatch(cell) for cell in cells):
        return wide
    is_name = not any(" " in cell or cell.startswith(("/", "~/")) for cell in cells)
    return max(words, min(wide, SHORTEST_WORD if is_name else NARROWEST))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def line_of(row: Cells, widths: Sequence[int], right_from: int | None = None) -> str:
    """Return one line: the cells of *row*, each in its width."""
    shown = []
    for column, (cell, wide) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (wide - width_of(cell))
        shown.append(padding + cell if right_from is not None and column >= right_from else cell + padding)
    return (" " * GAP).join(shown).rstrip()


def _heads(heads: Cells, widths: Sequence[int], right_from: int | None) -> list[str]:
    """Return the line of heads, or several where a head has more words than fit beside each other."""
    parts = [wrapped(head, wide) for head, wide in zip(heads, widths, strict=True)]
    deep = max(map(len, parts))
    return [line_of([("" if row < deep - len(part) else part[row - deep + len(part)]) for part in parts], widths, right_from) for row in range(deep)]


def _wrapped(table: Sequence[Cells], widths: Sequence[int], width: int) -> list[str]:
    """Return the table with its last column wrapped under itself, or set in below its row where little room is left beside the others."""
    left = _total(widths[:-1]) + GAP
    if width - left >= LEAST_ROOM:
        parts = [wrapped(row[-1], width - left) for row in table]
        return [line for row, (first, *more) in zip(table, parts, strict=True)
                for line in (line_of([*row[:-1], first], [*widths[:-1], 0]), *(" " * left + part for part in more))]  # fmt: skip
    before = lines([row[:-1] for row in table], width=width) if len(widths) > 2 else [cut(row[0], width) for row in table]
    if len(before) != len(table):
        return [line for row in table[1:] for line in stacked(table[0], [row], width)]
    return [line for row, above in zip(table, before, strict=True)
            for line in (above, *(" " * INDENT + part for part in wrapped(row[-1], width - INDENT)))]  # fmt: skip
