"""A text is found however JSON escapes it, and a forgotten one is known again by its words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journal.phrases import Text, anchor_of, runs, words
from journal.tombstones import Forgotten, Keys

TEXTS = ["plain words", 'quo"ted \\ and/slashed', "geheimé Wörter", "秘密の合言葉", "two\nlines\tand", "C:\\new\\table", "rose 🌹 thorn", "a-b_c.d", "…!!…"]


def nested(text: str, level: int, *, ascii_only: bool) -> bytes:
    """Return a record that holds *text* in JSON inside of JSON."""
    told = f"before ({text}) behind"
    for _ in range(level):
        told = json.dumps({"x": told}, ensure_ascii=ascii_only)
    return told.encode()


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_found_at_every_level(text: str, level: int, ascii_only: bool) -> None:
    """Plain, escaped up to three times, with and without escapes by number, also where `/` is escaped."""
    data = nested(text, level, ascii_only=ascii_only)
    assert Text(text).is_in(data)
    assert level == 0 or Text(text).is_in(data.replace(b"/", b"\\/"))
    assert not Text(text).is_in(data.replace(text[:1].encode(), b"_").replace(json.dumps(text[:1])[1:-1].encode(), b"_"))


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("text", TEXTS)
def test_a_forgotten_text_is_known_again(text: str, level: int, ascii_only: bool) -> None:
    """Its words are found in another record, as whole words; the same letters inside longer words are other words."""
    known = Forgotten(Keys(b"k" * 32))
    for phrase in Text(text).phrases:
        known.add(known.keys.phrase(phrase), "phrase", known.keys.shape(phrase))
    assert known.has_phrase(nested(text, level, ascii_only=ascii_only))
    assert not known.has_phrase(nested("other words", level, ascii_only=ascii_only))
    if text[0].isascii() and text[0].isalpha():
        assert not known.has_phrase(nested(f"x{text}", level, ascii_only=ascii_only))


@given(text=st.text(alphabet='ab1_ -"\\/\n\té秘🌹', min_size=1, max_size=12), level=st.integers(0, 3), ascii_only=st.booleans())
def test_the_fast_look_never_misses(text: str, level: int, ascii_only: bool) -> None:
    """Wherever a phrase's words stand one after the other, its anchor is among the runs of letters and digits."""
    data = nested(text, level, ascii_only=ascii_only)
    told, found = words(data.decode()), runs(data)
    for start in range(len(told)):
        for end in range(start + 1, min(start + 5, len(told)) + 1):
            anchor = anchor_of(" ".join(told[start:end]))
            assert anchor is None or anchor.encode() in found
