"""Lines too long to be held: their long strings are cut in any pieces, and what is left is the same JSON."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journal import shortening
from journal.shortening import shortened

TEXT = st.text(alphabet=st.sampled_from('ab \\"\n\u0000é한😀…/'), max_size=60)
VALUE = st.recursive(TEXT | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortening, "HEAD_BYTES", 16)
    monkeypatch.setattr(shortening, "TAIL_BYTES", 8)


def pieces(data: bytes, length: int) -> list[bytes]:
    """Return *data* in pieces of *length* bytes."""
    return [data[at : at + length] for at in range(0, len(data), length)]


def same(value: Any, cut: Any) -> bool:
    """Tell whether two values differ only in strings of which the middle was left out."""
    if isinstance(value, dict):
        return isinstance(cut, dict) and len(cut) <= len(value) and all(any(same(key, name) for key in value) for name in cut)
    if isinstance(value, list):
        return isinstance(cut, list) and len(value) == len(cut) and all(map(same, value, cut))
    if isinstance(value, str) and value != cut:
        head, sign, rest = cut.partition("[… ")
        number, _, tail = rest.partition(" bytes …]")
        return bool(sign) and int(number) > 0 and value.startswith(head) and value.endswith(tail)
    return bool(value == cut)


@settings(max_examples=150, deadline=None)
@given(value=VALUE, length=st.integers(1, 40), ascii=st.booleans())
def test_any_pieces_give_the_same_valid_json(value: Any, length: int, ascii: bool) -> None:
    """However a line comes in pieces, what is kept is one line, valid for a strict reader, and differs in cut strings only."""
    data = json.dumps(value, ensure_ascii=ascii).encode()
    kept = shortened(pieces(data, length))
    assert kept == shortened([data])
    assert kept is not None and same(value, orjson.loads(kept))


def test_a_long_string_keeps_its_beginning_and_its_end() -> None:
    """What is left out is told in bytes."""
    assert shortened([json.dumps({"a": "begin of it " + "x" * 1000 + " the end", "b": 1}).encode()]) == (
        '{"a": "begin of it xxxx[… 1001 bytes …]end", "b": 1}'.encode())  # fmt: skip


def test_no_escape_pair_or_character_is_cut_in_two() -> None:
    """A cut that falls into an escape, a surrogate pair or a character leaves it out whole."""
    for before in range(10, 17):
        for text in ("\\n" * 40, "\\ud83d\\ude00" * 20, "한" * 40, "\\u00e9" * 30):
            kept = shortened([b'{"a":"' + b"x" * before + text.encode() + b'"}'])
            assert kept is not None and set(orjson.loads(kept)["a"].partition("[…")[0]) <= set("x\n😀한é")


def test_what_stays_too_long_is_no_record() -> None:
    """Many small values are kept up to a limit; above it there is nothing to decode, and little in memory."""
    data = json.dumps(list(range(1000))).encode()
    assert shortened(pieces(data, 100), longest=len(data)) == data
    assert shortened(pieces(data, 100), longest=len(data) - 1) is None


def test_a_torn_string_is_kept_as_far_as_it_goes() -> None:
    """A line that ends inside a long string stays torn, and short."""
    assert shortened([b'{"a":"' + b"x" * 5000]) == b'{"a":"xxxxxxxxxxxxxxxx' + "[… 4981 bytes …]xxx".encode()
