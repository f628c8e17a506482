"""What the scenarios expect, and the marks that they look for."""

from __future__ import annotations

RESTORED = "<journal-restored-context"
RECALLED = "<recalled-learnings"
QUOTED = "<journal-quoted"


class Failed(Exception):
    """A scenario did not show what it should."""


def expect(truth: object, what: str) -> None:
    """Fail the scenario with *what* unless *truth*."""
    if not truth:
        raise Failed(what)


def between(text: str, mark: str) -> str:
    """Return what stands between an opening *mark* and its end, which must be there once each; Gemini escapes the signs."""
    text = text.replace("&lt;", "<").replace("&gt;", ">")
    closing = f"</{mark[1:]}>"
    expect(text.count(mark) == 1 and text.count(closing) == 1, f"not one {mark}…{closing} but {text.count(mark)} and {text.count(closing)} in: {text[:300]!r}")
    expect(text.index(mark) < text.index(closing), f"{closing} stands before {mark}")
    return text[text.index(mark) : text.index(closing)]
