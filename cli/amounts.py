"""How many and how much, in words for people; `--json` has the figures themselves."""

UNITS = ("kB", "MB", "GB", "TB")


def counted(number: int, what: str, several: str | None = None) -> str:
    """Return a number with its word, which takes an s, or is *several*, where there are several."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def sized(number: int) -> str:
    """Return an amount of bytes in at most three digits and its decimal unit."""
    if number < 1000:
        return f"{number} B"
    amount = float(number)
    for unit in UNITS:
        amount /= 1000
        if amount < 999.5 or unit == UNITS[-1]:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:,.0f} {unit}"
    raise AssertionError(number)
