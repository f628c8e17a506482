"""Drawing the rows of `usage` into a file, by matplotlib (extra `analyst`), which is imported for this alone."""

import io
import os
from collections.abc import Sequence
from typing import Any

from cli.outlet import cleaned
from journal.errors import SettingInvalid
from projections.usage_report import TIMES

FORMATS = (".svg", ".png")
STACK = ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens")
MOST_KEYS = 120
INCHES = (11.0, 5.5)


def check(path: str) -> None:
    """Refuse what cannot be drawn before any work is done.

    Raises: SettingInvalid: another ending, a file that exists, or no matplotlib.
    """
    if os.path.splitext(path)[1].lower() not in FORMATS:
        raise SettingInvalid(f"--plot {path}: neither .svg nor .png", hint="journal usage --plot usage.svg")
    if os.path.lexists(path):
        raise SettingInvalid(f"--plot {path}: the file exists", hint="name a new file")
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        from cli.extras import command

        raise SettingInvalid("--plot needs matplotlib, which is not installed", hint="run: " + command("analyst"))


def draw(path: str, by: str, rows: Sequence[dict[str, Any]]) -> None:
    """Draw a stacked bar of the tokens by kind for each key into a new file, private to its user."""
    import matplotlib
    from matplotlib.figure import Figure

    keys = list(dict.fromkeys(row["key"] for row in rows))
    if by not in TIMES:
        keys.sort(key=lambda key: -sum(row["total_tokens"] for row in rows if row["key"] == key))
    keys = keys[-MOST_KEYS:] if by in TIMES else keys[:MOST_KEYS]
    figure = Figure(figsize=INCHES, layout="constrained")
    axes = figure.add_subplot()
    base = [0] * len(keys)
    places = range(len(keys))
    for kind in STACK:
        heights = [sum(row[kind] for row in rows if row["key"] == key) for key in keys]
        axes.bar(places, heights, bottom=base, label=kind.removesuffix("_tokens").replace("_", " "))
        base = [low + height for low, height in zip(base, heights, strict=True)]
    axes.set_ylabel("tokens")
    axes.set_title(f"tokens by {by}")
    axes.set_xticks(places, [_label(key) for key in cleaned(keys)], rotation=45, ha="right")
    axes.legend()
    drawn = io.BytesIO()
    ending = os.path.splitext(path)[1].lower()
    # Equal rows give equal bytes: no date, and ids that do not come from chance.
    with matplotlib.rc_context({"svg.hashsalt": "journal", "svg.fonttype": "none"}):
        figure.savefig(drawn, format=ending[1:], metadata={"Date": None} if ending == ".svg" else None)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(drawn.getvalue())


def _label(key: str) -> str:
    """Return a key that is neither long nor read as a formula, which `$` would begin."""
    short = key if len(key) <= 28 else "…" + key[-27:]
    return short.replace("$", r"\$")
