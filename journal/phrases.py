"""A text as it may stand in transcripts: every way that JSON escapes it, and its words, by which it is known again.

Pure. A record is found by the text itself, escaped or not, up to three levels of JSON in JSON. A later copy, whose
escapes, quotes and white space may differ, is recognised by its words, since only their keyed hash is kept.
"""

import json
import re
from collections.abc import Iterator

LEVELS = 3
MOST_PHRASES = 1000
"""So many longer phrases (the text inside longer words) are kept of one text at most."""
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002ffff"
"""Scripts without spaces between words: each character is a word."""
TOKEN = rf"([{UNSPACED}]|[^\W{UNSPACED}]+|[^\w\s\"\\])"
WORD = rf"\\+[bfnrt]?|{TOKEN}"
"""A word or a sign; what JSON escapes, quotes and white space stand between words.

Compiled where it is first used: that takes 5 ms, and few processes look for phrases.
"""
RUN = re.compile(r"[A-Za-z0-9_]+")
ONLY_RUNS = bytes(code if chr(code).isascii() and (chr(code).isalnum() or code == ord("_")) else ord(" ") for code in range(256))
ESCAPED_SPACE = (b"\\n", b"\\t", b"\\r", b"\\b", b"\\f")
UNICODE_ESCAPE = re.compile(r"(\\+)u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})|(\\+)u([0-9a-fA-F]{4})")


class Text:
    """A text that is looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        forms = _forms(text)
        self.forms = tuple(form.encode(errors="replace") for form in forms)
        """The bytes by which the text shows in a file."""
        self._plain = forms
        self.phrases = {" ".join(found) for found in (re.findall(TOKEN, text), words(json.dumps(text)[1:-1])) if found}

    def is_in(self, data: bytes) -> bool:
        """Tell whether the text stands in *data*, plain or escaped in any way that JSON knows."""
        if any(form in data for form in self.forms):
            return True
        if b"\\u" not in data and b"\\/" not in data:
            return False
        told = unescaped(data.decode(errors="replace")).replace("\\/", "/")
        return any(form in told for form in self._plain)

    def phrases_in(self, data: bytes) -> Iterator[str]:
        """Yield the whole words around every place of *data* where the text stands."""
        told = " ".join(words(data.decode(errors="replace")))
        for phrase in self.phrases:
            start = told.find(phrase)
            while start >= 0:
                end = told.find(" ", start + len(phrase))
                yield told[told.rfind(" ", 0, start) + 1 : end if end >= 0 else len(told)]
                start = told.find(phrase, start + 1)


def words(text: str) -> list[str]:
    """Return the words of *text*; escapes of JSON stand between words, whatever their level."""
    return [word for word in re.findall(WORD, unescaped(text) if "\\u" in text else text) if word]


def anchor_of(phrase: str) -> str | None:
    """Return the longest run of ASCII letters, digits and underscores in a phrase, by which it is looked for first."""
    return max(RUN.findall(phrase), key=len, default=None)


def runs(data: bytes) -> set[bytes]:
    """Return the runs of ASCII letters, digits and underscores in *data*, some ten times as fast as its words.

    Wherever `words` finds a phrase, its anchor is among them.
    """
    if b"\\" in data:
        if b"\\u" in data:
            data = unescaped(data.decode(errors="replace")).encode(errors="replace")
        for escape in ESCAPED_SPACE:
            data = data.replace(escape, b" ")
    return set(data.translate(ONLY_RUNS).split())


def unescaped(text: str) -> str:
    """Return *text* with the escapes by number replaced by what they stand for, in JSON's short form."""
    return UNICODE_ESCAPE.sub(_character, text)


def _character(found: "re.Match[str]") -> str:
    _, high, low, _, single = found.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    code = int(single, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else json.dumps(chr(code), ensure_ascii=False)[1:-1]


def _forms(text: str) -> tuple[str, ...]:
    """Return *text* plain, and as JSON writes it at each level, with and without escapes by number."""
    forms = latest = {text: None}
    for _ in range(LEVELS):
        latest = {json.dumps(form, ensure_ascii=ascii_only)[1:-1]: None for form in latest for ascii_only in (False, True)}
        forms = {**forms, **latest}
    return tuple(forms)
