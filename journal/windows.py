"""Context windows of models that the journal knows by name, in tokens; what is not here is unknown, never guessed.

Sources: the vendors' model pages as of 2026-11. Gemini's figure is the constant of Gemini CLI 0.61.0.
"""

import os

from journal import jsontext
from journal.home import user_home

TYPE_CHECKING = False  # hooks import this, and `collections.abc` is for the reader only
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_CATALOG_BYTES = 8 * 1024 * 1024
LONG = "[1m]"
"""The ending by which Claude Code names a model with its window of a million tokens."""
WINDOWS = {
    "claude-opus-5": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "claude-fable-5": 1_000_000,
    "claude-mythos-5": 1_000_000,
    "claude-mythos-preview": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-6": 1_000_000,
    "claude-sonnet-4-6": 1_000_000,
    "claude-haiku-4-5": 200_000,
    "claude-opus-4-5": 200_000,
    "claude-sonnet-4-5": 200_000,
    "claude-opus-4-1": 200_000,
    "claude-opus-4-0": 200_000,
    "claude-sonnet-4-0": 200_000,
    "claude-opus-4-20250514": 200_000,
    "claude-sonnet-4-20250514": 200_000,
    "claude-3-7-sonnet": 200_000,
    "claude-3-5-sonnet": 200_000,
    "claude-3-5-haiku": 200_000,
    "claude-3-opus": 200_000,
    "gemini-2.5-pro": 1_048_576,
    "gemini-2.5-flash": 1_048_576,
    "gemini-3": 1_048_576,
    "gemma-4": 256_000,
}
"""By the beginning of a model's id that ends at a `-`, `.` or its end; the longest one counts."""


def window_of(model: str | None) -> int | None:
    """Return the window of *model*, or None where it is not known."""
    if not model:
        return None
    if model.endswith(LONG):
        return 1_000_000
    known = _found.get(model)
    if known is None:
        known = _found[model] = _longest(model)
    return known or None


def catalog_path(environ: "Mapping[str, str]") -> str:
    """Return where the fetched catalog lies: below XDG_CACHE_HOME, else ~/.cache."""
    base = environ.get("XDG_CACHE_HOME") or os.path.join(user_home(environ), ".cache")
    return os.path.join(base, "journal", "models.json")


def refreshed(model: str | None, path: str) -> int | None:
    """Return the window that the fetched catalog at *path* gives for exactly this *model*, or None.

    Only the model's own row is parsed: hooks ask.
    """
    if not model or not os.path.exists(path):
        return None
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_CATALOG_BYTES)
        begin = data.find(f"{jsontext.dumps(model)}: [".encode("ascii"))
        row = jsontext.loads(data[data.index(b"[", begin) : data.index(b"]", begin) + 1].decode("ascii")) if begin >= 0 else None
    except (OSError, ValueError):
        return None
    tokens = row[5] if isinstance(row, list) and len(row) > 5 else None
    return tokens if type(tokens) is int and tokens > 0 else None


_found: dict[str, int] = {}
"""What was looked up already; 0 is unknown."""


def _longest(model: str) -> int:
    best = ""
    for name in WINDOWS:
        if model.startswith(name) and model[len(name) : len(name) + 1] in ("", "-", ".") and len(name) > len(best):
            best = name
    return WINDOWS[best] if best else 0
