"""Small segments are merged without changing a byte, a hash or a position."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from journal import merging
from journal.database import open_log
from journal.log import Line, Writer
from journal.reader import read_events, read_source
from journal.verify import check_chain


def _writer(path: str) -> Writer:
    return Writer(open_log(path, writable=True), lambda: "2026-11-30T10:00:00.000000Z")


def _append(writer: Writer, source: int, offset: int, *lines: bytes) -> int:
    with writer.transaction():
        writer.append_lines(source, 0, offset, b"".join(lines), [Line(len(line), "x", None, None) for line in lines])
    return offset + sum(map(len, lines))


def _world(folder: Any, lines: list[bytes]) -> tuple[Writer, int]:
    writer = _writer(str(folder / "journal.db"))
    with writer.transaction():
        source = writer.register("claude", "s", "/s.jsonl", "lines")
    offset = 0
    for line in lines:
        offset = _append(writer, source, offset, line)
    return writer, source


def test_a_merge_leaves_one_segment_with_all_bytes(tmp_path: Any) -> None:
    """Seventy appended lines of one kind need a twentieth of the space, and read, chain and positions stay."""
    lines = [b'{"uuid":"%04d","text":"the same words again and again and again and again"}\n' % number for number in range(70)]
    writer, source = _world(tmp_path, lines)
    before = read_events(writer.connection, 0, 1000)
    size = writer.connection.execute("SELECT sum(length(data)) FROM segments").fetchone()[0]
    assert merging.is_due(writer.connection, source, 0)
    assert merging.merge_source(writer, source, 0) == 69
    assert not merging.is_due(writer.connection, source, 0)
    assert writer.connection.execute("SELECT codec, count(*) FROM segments GROUP BY codec ORDER BY codec").fetchall() == [("within", 69), ("zstd", 1)]
    assert writer.connection.execute("SELECT sum(length(data)) FROM segments WHERE codec = 'zstd'").fetchone()[0] * 5 < size
    assert read_events(writer.connection, 0, 1000) == before
    assert b"".join(read_source(writer.connection, source, 0)) == b"".join(lines)
    assert check_chain(writer.connection) == (True, None)
    assert merging.merge_source(writer, source, 0) == 0


@given(sizes=st.lists(st.lists(st.sampled_from([10, 700, 60_000, 140_000, 300_000]), min_size=1, max_size=4), max_size=6))
def test_merges_between_appends_keep_every_line(sizes: list[list[int]]) -> None:
    """Whatever the sizes and however often it is merged in between, every line reads back and the chain holds."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        writer, source = _world(Path(folder), [])
        offset, expected = 0, []
        for number, group in enumerate(sizes):
            for size in group:
                line = bytes([97 + (number + size) % 26]) * (size - 1) + b"\n"
                expected.append(line)
                offset = _append(writer, source, offset, line)
            merging.merge_source(writer, source, 0)
        assert [event.line for event in read_events(writer.connection, 0, 1000)] == expected
        assert b"".join(read_source(writer.connection, source, 0)) == b"".join(expected)
        assert check_chain(writer.connection) == (True, None)
        writer.connection.close()
