"""Rows of a query on standard output as table, CSV or JSON: in batches, so that memory stays bounded however many come."""

import csv
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from cli.layout import cut, fitted, line_of, lines, natural, stacked
from cli.outlet import cleaned
from cli.render import CONTROL, ESCAPED, terminal_width

BATCH_ROWS = 256
BATCH_CHARACTERS = 1024 * 1024
WIDEST_CELL = 100
"""A table cuts longer cells, and says so with an ellipsis; CSV and JSON never do."""

Row = tuple[Any, ...]
Batches = Iterator[list[Row]]


def batches(rows: Iterator[Row], *, reveal: bool) -> Batches:
    """Yield *rows* in lists of bounded size, without secrets unless told to *reveal* them."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(batch) == BATCH_ROWS or size > BATCH_CHARACTERS:
            yield batch if reveal else cleaned(batch)
            batch, size = [], 0
    if batch:
        yield batch if reveal else cleaned(batch)


def write_table(heads: Sequence[str], found: Batches) -> None:
    """Write aligned columns, on a terminal no wider than it is; the first batch decides their widths."""
    first = next(found, [])
    shown = [[_cut(value) for value in row] for row in [heads, *first]]
    width = terminal_width()
    widths = natural(shown) if width is None else fitted(shown, width)
    rest = ([_cut(value) for value in row] for batch in found for row in batch)
    if widths is None:
        for number, row in enumerate(chain(shown[1:], rest)):
            _write(["", *stacked(shown[0], [row], width or 0)][number == 0 :])
        return
    _write(lines(shown, width=width))
    for row in rest:
        _write([line_of([cell if width is None else cut(cell, wide) for cell, wide in zip(row, widths, strict=True)], widths)])


def _write(text: Sequence[str]) -> None:
    sys.stdout.write("".join(line + "\n" for line in text))


def write_csv(heads: Sequence[str], found: Batches) -> None:
    """Write CSV with a line of heads: NULL is empty, bytes are hex; a terminal gets no control characters."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(heads)
    for batch in found:
        writer.writerows([[_plain(value) for value in row] for row in batch])


def write_json(heads: Sequence[str], found: Batches) -> None:
    """Write a list of objects, one a line: bytes are hex, infinities the text `Infinity`."""
    names = distinct(heads)
    before = "["
    for batch in found:
        for row in batch:
            record = {name: _finite(value) for name, value in zip(names, row, strict=True)}
            sys.stdout.write(before + "\n" + json.dumps(record, ensure_ascii=False).translate(ESCAPED))
            before = ","
    sys.stdout.write("[]\n" if before == "[" else "\n]\n")


WRITERS: dict[str, Callable[[Sequence[str], Batches], None]] = {"table": write_table, "csv": write_csv, "json": write_json}


def distinct(heads: Sequence[str]) -> list[str]:
    """Return the column names with a number behind each that stood before: no value of a row may hide another."""
    names: list[str] = []
    for head in heads:
        name, number = head, 1
        while name in names:
            number += 1
            name = f"{head}_{number}"
        names.append(name)
    return names


def _cut(value: object) -> str:
    text = "" if value is None else (value.hex() if isinstance(value, bytes) else str(value))
    text = text[: WIDEST_CELL + 1].translate(CONTROL)
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return value.translate(CONTROL) if isinstance(value, str) and sys.stdout.isatty() else value


def _finite(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
