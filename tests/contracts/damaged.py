"""Odd values, and real records with odd values in them: what a decoder may be given."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from recorded import Recorded, shapes

ODD_TEXTS = ["", " ", "\x00", "\ud800", "\ud83d x \udc00", "2026-13-40T99:99:99.999Z", "-1", "9" * 400, "{", "<a>", "a" * 5000]
ODD_NUMBERS = [0, -1, 2**53 + 1, 2**63, -(2**63) - 1, 10**400, 1e308, -0.0, 0.5]
odd_text = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=20))
odd_number = st.one_of(st.sampled_from(ODD_NUMBERS), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
odd_value = st.recursive(
    st.one_of(st.none(), st.booleans(), odd_number, odd_text),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(odd_text, inner, max_size=4)), max_leaves=8,
)  # fmt: skip


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside *value*."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value[:20]) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _places(item, (*path, key))


@st.composite
def mutated(draw: st.DrawFn, host: str) -> Recorded:
    """Draw a real record of a host with keys removed and values replaced, anywhere in it."""
    facts, record = draw(st.sampled_from(shapes(host)))
    record = copy.deepcopy(record)
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(record))
        if not places:
            break
        *above, last = draw(st.sampled_from(places))
        holder: Any = record
        for key in above:
            holder = holder[key]
        if draw(st.booleans()):
            holder[last] = draw(odd_value)
        else:
            del holder[last]
    return Recorded(facts, record)
