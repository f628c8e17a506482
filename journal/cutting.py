"""Texts made shorter, with a sign where they were cut. The hook path imports this."""


def cut(text: str, longest: int) -> str:
    """Return a text of at most *longest* characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def on_one_line(text: str, longest: int) -> str:
    """Return a text with single spaces for all its white space, of at most *longest* characters."""
    return cut(" ".join(text.split()), longest)
