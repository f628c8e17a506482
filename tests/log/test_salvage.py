"""What can be read from a damaged line."""

import time

import pytest

from journal.salvage import salvage, skipped

CASES = [
    (b'{"a":1}\n', ({"a": 1},), None),
    (b'{"a":1}\r\n', ({"a": 1},), None),
    (b"\n", (), None),
    (b"\0\0\0\n", (), "nul"),
    (b'{"a":1}\0\0\n', ({"a": 1},), "nul"),
    (b'\0\0{"a":1}\n', ({"a": 1},), "nul"),
    (b'\xef\xbb\xbf{"a":1}\n', ({"a": 1},), "bom"),
    (b'{"a":"\xc3"}\n', ({"a": "\ufffd"},), "utf8"),
    (b'{"a":"\\ud800"}\n', ({"a": "\ufffd"},), "surrogate"),
    (b'{"\\udc00":[NaN]}\n', ({"\ufffd": [None]},), "nan"),
    (b'{"a":"\\ud83d\\ude00"}\n', ({"a": "\U0001f600"},), None),
    (b'{"a":NaN}\n', ({"a": None},), "nan"),
    (b'{"a":1}{"b":2}\n', ({"a": 1}, {"b": 2}), "glued"),
    (b'{"a":{"x":"cu{"b":2}\n', ({"b": 2},), "torn"),
    (b'{"a":"cut {"b":{"c":2}}\n', ({"b": {"c": 2}},), "torn"),
    (b'{"a":"cut\n', (), "unreadable"),
    (b"12\n", (), "scalar"),
    (b"[1]\n", (), "array"),
    (b"nonsense\n", (), "unreadable"),
    ('{"a":"\u2028\u2029\x85"}\n'.encode(), ({"a": "\u2028\u2029\x85"},), None),
    (b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}\n", (), "depth"),
]


@pytest.mark.parametrize(("line", "values", "damage"), CASES, ids=range(len(CASES)))
def test_salvage(line, values, damage):
    """Each kind of damage gives what is left and its name."""
    assert salvage(line) == (values, damage)


@pytest.mark.parametrize(("line", "count"), [
    (b"\0\0\0\n", 3), (b'{"a":1}' + b"\0" * 9000 + b"\n", 9000), (b'\0\0{"a":1}\r\n', 2), (b'\xef\xbb\xbf{"a":1}\n', 3), (b'{"a":"\xc3\xff"}\n', 2),
    (b'{"a":"cut \xc3\xa9{"b":{"c":2}}\n', 12), (b'{"a":"cut\n', 9), (b"[1]\r\n", 3), (b"12\n", 2), (b'{"a":1}{"b":2}\n', 0), (b'{"a":NaN}\n', 0),
])  # fmt: skip
def test_what_no_record_holds_is_counted(line, count):
    """NUL bytes, a BOM, bytes that are no text, a torn beginning, and all of what did not read."""
    assert skipped(line, salvage(line).damage) == count


@pytest.mark.parametrize("line", [
    b'{"a":"' + b"x" * 12_000_000, b'{"a":' * 2_000_000, b'{"a":"' + b'{ "' * 4_000_000, b'{"a":"cut' + b'{"b":[1],"c":{}},' * 700_000, b"{" * 12_000_000,
])  # fmt: skip
def test_a_damaged_long_line_takes_little_time(line):
    """A damaged line of 12 MB is done in seconds, whatever is in it."""
    start = time.process_time()
    salvage(line)
    assert time.process_time() - start < 5
