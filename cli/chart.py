"""Charts of characters for the terminal, without colours: bars and a line of sparks (docs/adr/0012)."""

import shutil
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from projections.usage_report import TIMES

EIGHTHS = " ▏▎▍▌▋▊▉█"
SPARKS = "▁▂▃▄▅▆▇█"
SHADES = "·░▒▓█"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MOST_BARS = 40
LONGEST_LABEL = 36


def chart(by: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return bars of the total tokens of the 40 newest or largest keys, and for days a line of sparks."""
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["key"]] = totals.get(row["key"], 0) + row["total_tokens"]
    pairs = sorted(totals.items()) if by in TIMES else sorted(totals.items(), key=lambda pair: -pair[1])
    shown = pairs[-MOST_BARS:] if by in TIMES else pairs[:MOST_BARS]
    lines = bars(shown, shutil.get_terminal_size().columns)
    if by == "day" and len(totals) > 1:
        days = _every_day(totals)[-max(1, shutil.get_terminal_size().columns - len("2026-11-30 ") * 2) :]
        lines += ["", f"{days[0][0]} {sparks([value for _, value in days])} {days[-1][0]}"]
    return lines


def bars(pairs: Sequence[tuple[str, int]], width: int) -> list[str]:
    """Return a line for each pair: label, bar, figure; the largest bar fills the *width* (columns)."""
    labels = [label if len(label) <= LONGEST_LABEL else "…" + label[1 - LONGEST_LABEL :] for label, _ in pairs]
    figures = [short(value) for _, value in pairs]
    left = max(map(len, labels), default=0)
    room = max(8, width - left - max(map(len, figures), default=0) - 3)
    most = max((value for _, value in pairs), default=0) or 1
    return [f"{label:<{left}} {bar(value / most, room)} {figure}" for label, figure, (_, value) in zip(labels, figures, pairs, strict=True)]


def bar(share: float, room: int) -> str:
    """Return a bar of a *share* of *room* columns, in eighths of a column; something is never nothing."""
    eighths = max(round(share * room * 8), 1 if share else 0)
    return EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def sparks(values: Sequence[int]) -> str:
    """Return one character for each value, from the lowest for nothing to the highest for the largest."""
    most = max(values, default=0) or 1
    return "".join(SPARKS[round(value / most * (len(SPARKS) - 1))] for value in values)


def short(value: int) -> str:
    """Return a figure in at most five characters: 999, 1.2K, 34M."""
    size = float(value)
    for unit in ("", "K", "M", "G"):
        if size < 999.5:
            return f"{size:.0f}{unit}" if size >= 10 or not unit else f"{size:.1f}{unit}"
        size /= 1000
    return f"{size:.0f}T"


def _every_day(totals: dict[str, int]) -> list[tuple[str, int]]:
    """Return the days from the first to the last, also those without a token; at most the last 120."""
    days = sorted(date.fromisoformat(day) for day in totals if len(day) == 10)
    if not days:
        return []
    first = max(days[0], days[-1] - timedelta(days=119))
    return [(str(day), totals.get(str(day), 0)) for day in (first + timedelta(days=n) for n in range((days[-1] - first).days + 1))]


def heat_map(grid: Sequence[Sequence[int]]) -> list[str]:
    """Return a line for each weekday with a shade for each hour, and its sum."""
    most = max(map(max, grid)) or 1
    lines = ["     " + "".join(f"{hour:<6d}" for hour in range(0, 24, 3)).rstrip()]
    for name, counts in zip(WEEKDAYS, grid, strict=True):
        shades = "".join(SHADES[min(len(SHADES) - 1, -(-count * (len(SHADES) - 1) // most))] * 2 for count in counts)
        lines.append(f"{name}  {shades}  {short(sum(counts))}")
    return lines
