"""Which line of an output says what went wrong. Imports nothing: hooks use it, and the views by which they look an error up."""

NAMES = ("error", "exception")
"""Count where no letter follows: `ValueError: x`, `error[E0308]`, and not `errors`."""
SIGNS = ("***", "undefined", "no such", "not found", "denied")
FAILURES = ("fail", "cannot", "unable", "abort", "fatal")


def error_line(output: str | None) -> str:
    """Return the line of an output that says most: the last one that names an error, else the last one that says failure, else the last one."""
    lines = [line.strip() for line in (output or "").splitlines() if line.strip()]
    return named(lines) or (lines[-1] if lines else "")


def named(lines: list[str]) -> str:
    """Return the last line that names an error or, where none does, that says failure; the empty text where none does either."""
    last = ""
    for line in reversed(lines):
        low = line.lower()
        if any(sign in low for sign in SIGNS) or any(_ends_word(low, name) for name in NAMES):
            return line
        if not last and any(word in low for word in FAILURES):
            last = line
    return last


def _ends_word(low: str, name: str) -> bool:
    """Tell whether *name* stands somewhere with no letter, digit or underscore behind it."""
    place = low.find(name)
    while place >= 0:
        end = place + len(name)
        if end == len(low) or not (low[end].isalnum() or low[end] == "_"):
            return True
        place = low.find(name, end)
    return False
