"""The log: appended bytes read back exactly, are never changed, and any change shows."""

import io
import os
import sqlite3

import pytest

from ingest.catalog import adapters
from ingest.ingester import ingest
from journal import inbox, verify
from journal.database import connect, open_log
from journal.errors import LogBusy, LogCorrupt, LogFull, LogTooNew, NotFound
from journal.home import Home, open_home
from journal.lock import writer_lock
from journal.log import Line, OffsetRow, Writer, offset_of, sources
from journal.reader import head, read_events, read_source

NOW = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def home(tmp_path) -> Home:
    return open_home(str(tmp_path / "home"))


@pytest.fixture
def writer(home):
    connection = open_log(home.journal_db, writable=True)
    yield Writer(connection, lambda: NOW)
    connection.close()


def append(writer: Writer, *lines: bytes, path: str = "/a.jsonl") -> int:
    with writer.transaction():
        source = writer.register("claude", "a", path, "lines")
        writer.append_lines(source, 0, 0, b"".join(lines), [Line(len(line), "claude.user", None, None) for line in lines])
    return source


def test_a_step_that_fails_in_a_group_takes_back_its_own_rows_only(writer):
    """The steps before and after it are in the log, and the chain holds."""
    with writer.group():
        append(writer, b"1\n")
        with pytest.raises(OSError, match="shrank"), writer.transaction():
            writer.append_lines(1, 0, 2, b"2\n", [Line(2, "claude.user", None, None)])
            raise OSError("shrank")
        append(writer, b"3\n", path="/b.jsonl")
    assert not writer.connection.in_transaction
    assert [event.line for event in read_events(writer.connection, 0, 10)] == [b"1\n", b"3\n"]
    assert verify.check_chain(writer.connection).ok


def test_what_a_group_finished_is_committed_when_the_block_fails(writer):
    """An error between two steps costs no step."""
    with pytest.raises(KeyboardInterrupt), writer.group():
        append(writer, b"1\n")
        raise KeyboardInterrupt
    with sqlite3.connect(writer.connection.execute("PRAGMA database_list").fetchone()[2]) as other:
        assert other.execute("SELECT count(*) FROM events").fetchone()[0] == 1


def test_a_group_that_finds_no_space_leaves_a_whole_chain_and_goes_on_later(writer):
    """What SQLite gave up is not in the log, and the next lines are chained to what is."""
    append(writer, b"1\n")
    pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
    writer.connection.execute(f"PRAGMA max_page_count = {pages + 6}")
    with pytest.raises(LogFull), writer.group():
        for number in range(200):
            append(writer, os.urandom(3000) + b"\n", path=f"/{number}.jsonl")
    writer.connection.execute("PRAGMA max_page_count = 1000000")
    with writer.group():
        append(writer, b"2\n", path="/after.jsonl")
    lines = [event.line for event in read_events(writer.connection, 0, 1000)]
    assert (lines[0], lines[-1]) == (b"1\n", b"2\n")
    assert verify.check_chain(writer.connection).ok


def test_a_pass_over_200_new_files_commits_nine_times_at_most(tmp_path):
    """Small files share transactions: each commit is a sync of the disk."""
    home, root = open_home(str(tmp_path / "home")), tmp_path / ".claude"
    for number in range(200):
        path = root / "projects" / f"-p{number}" / f"{number:08d}-aaaa-4000-8000-000000000001.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(f'{{"type":"user","uuid":"{number}","message":{{"role":"user","content":"hi"}}}}\n')
    log, commits = open_log(home.journal_db, writable=True), []
    log.set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None)
    report = ingest(log, [("claude", str(root))], adapters(), lambda: NOW)
    log.close()
    assert (report.sources, report.events) == (200, 200)
    assert 1 <= len(commits) <= 9


def test_lines_read_back_exactly(writer):
    """Lines of any bytes come back as they were, one event each."""
    source = append(writer, b'{"a":1}\n', b"\0\0\xff\n", b"\n", b"no newline")
    assert [event.line for event in read_events(writer.connection, 0, 10)] == [b'{"a":1}\n', b"\0\0\xff\n", b"\n", b"no newline"]
    assert [event.offset_bytes for event in read_events(writer.connection, 1, 2)] == [8, 12]
    assert b"".join(read_source(writer.connection, source, 0)) == b'{"a":1}\n\0\0\xff\n\nno newline'


@pytest.mark.parametrize("size", [262144, 262145, 8388608, 8388609, 20000000])
def test_long_lines_read_back_exactly(writer, size):
    """A line of any length comes back whole, also over several segments, and the next one too."""
    long = b"x" * (size - 1) + b"\n"
    source = append(writer, b"1\n", long, b"2\n")
    assert [event.line for event in read_events(writer.connection, 0, 10)] == [b"1\n", long, b"2\n"]
    assert b"".join(read_source(writer.connection, source, 0)) == b"1\n" + long + b"2\n"
    assert verify.check_chain(writer.connection) == (True, None)


@pytest.mark.parametrize("document", [
    b'{"messages":[{"id":1}, {"id":2},3 ],"x":1}', b'{"messages":[\n],"x":"\xc3\xa9"}', b"[1,2]", b"not json\xff", b"",
    b'{"n":{"messages":[9,9]},"messages":[1,[2],"]"]}', b'{"x":"messages","messages":["a","b"]}',
])  # fmt: skip
def test_documents_read_back_exactly(writer, document):
    """A document comes back byte by byte, whatever it is."""
    with writer.transaction():
        source = writer.register("gemini", "a", "/a.json", "document")
        writer.append_document(source, 0, document, "gemini.session", None, None)
    assert [event.line for event in read_events(writer.connection, 0, 10)] == [document]
    assert b"".join(read_source(writer.connection, source, 0)) == document


def test_equal_elements_cost_nothing(writer):
    """The second version of a document stores only its new elements and its frame."""
    with writer.transaction():
        source = writer.register("gemini", "a", "/a.json", "document")
        writer.append_document(source, 0, b'{"messages":["one","two"]}', "gemini.session", None, None)
    before = writer.connection.execute("SELECT count(*) FROM parts").fetchone()[0]
    with writer.transaction():
        writer.append_document(source, 1, b'{"messages":["one","two","three"]}', "gemini.session", None, None)
    assert (before, writer.connection.execute("SELECT count(*) FROM parts").fetchone()[0]) == (5, 6)


@pytest.mark.parametrize("statement", ["UPDATE events SET type = 'x'", "DELETE FROM events"])
def test_events_are_never_changed(writer, statement):
    """SQLite itself refuses to change or delete an event."""
    append(writer, b"1\n")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        writer.connection.execute(statement)


@pytest.mark.parametrize("change", [
    "UPDATE events SET offset_bytes = 9 WHERE global_position = 2",
    "UPDATE events SET hash = zeroblob(32) WHERE global_position = 2",
    "DELETE FROM events WHERE global_position = 1",
    "UPDATE segments SET seed = zeroblob(16) WHERE segment_id = 2",
    "UPDATE segments SET data = x'00' WHERE segment_id = 2",
    "DELETE FROM segments WHERE segment_id = 2",
])  # fmt: skip
def test_the_chain_shows_a_change(writer, change):
    """Any changed byte, place, salt or missing row is found where it is."""
    append(writer, b"1\n", path="/1")
    append(writer, b"2\n", path="/2")
    append(writer, b"3\n", path="/3")
    assert verify.check_chain(writer.connection) == (True, None)
    writer.connection.execute("DROP TRIGGER events_are_never_updated")
    writer.connection.execute("DROP TRIGGER events_are_never_deleted")
    writer.connection.execute("PRAGMA foreign_keys = OFF")
    writer.connection.execute(change)
    assert verify.check_chain(writer.connection) == (False, 2)


def test_a_failed_transaction_leaves_nothing(writer):
    """What a failed block appended is gone, and the chain goes on from before it."""
    append(writer, b"1\n")
    with pytest.raises(ZeroDivisionError), writer.transaction():
        writer.append_lines(1, 0, 2, b"2\n", [Line(2, "t", None, None)])
        raise ZeroDivisionError
    append(writer, b"3\n", path="/b.jsonl")
    assert [event.line for event in read_events(writer.connection, 0, 10)] == [b"1\n", b"3\n"]
    assert verify.check_chain(writer.connection) == (True, None)


def test_reading_twice_appends_nothing(writer):
    """The same place of a source cannot be appended twice."""
    append(writer, b"1\n")
    with pytest.raises(LogCorrupt), writer.transaction():
        writer.append_lines(1, 0, 0, b"1\n", [Line(2, "t", None, None)])
    assert head(writer.connection).position == 1


def test_offsets_and_sources_are_kept(writer):
    """Offsets and source columns come back as they were set."""
    source = append(writer, b"1\n")
    with writer.transaction():
        writer.save_offset(source, OffsetRow(0, 2, b"h", b"t", b"w"))
        writer.update_source(source, state="gone", size=2)
    assert offset_of(writer.connection, source) == (0, 2, b"h", b"t", b"w")
    assert [(row.state, row.size) for row in sources(writer.connection)] == [("gone", 2)]


def test_a_source_is_compared_with_its_file(writer):
    """The first differing offset is told; a file that goes on is no difference."""
    append(writer, b"one\n", b"two\n")
    (row,) = sources(writer.connection)
    assert verify.compare_source(writer.connection, row, io.BytesIO(b"one\ntwo\npending")) == (15, 8, None)
    assert verify.compare_source(writer.connection, row, io.BytesIO(b"one\ntWo\n")) == (8, 8, 5)
    assert verify.compare_source(writer.connection, row, io.BytesIO(b"one\n")) == (4, 8, None)


def test_an_absent_log_is_not_found(home):
    """Reading without a log says what to run."""
    with pytest.raises(NotFound) as caught:
        open_log(home.journal_db, writable=False)
    assert caught.value.hint == "run: journal ingest"


def test_a_newer_log_is_refused(home):
    """A log of a newer program is not touched."""
    connection = connect(home.journal_db)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LogTooNew):
        open_log(home.journal_db, writable=True)


def test_a_file_that_is_no_database_is_corrupt(home):
    """A log that is no database gives an error with a hint."""
    with open(home.journal_db, "wb") as stream:
        stream.write(b"this is no database" * 100)
    with pytest.raises(LogCorrupt) as caught:
        open_log(home.journal_db, writable=True)
    assert caught.value.hint


def test_one_writer_at_a_time(home):
    """A second writer is told that the log is busy, and gets it once the first is done."""
    with writer_lock(home, 0), pytest.raises(LogBusy), writer_lock(home, 0):
        pass
    with writer_lock(home, 0):
        pass


def test_the_inbox_gets_one_line(home):
    """A record is one line between two newlines, private to its user."""
    path = inbox.append(home, "s1", "2026-01-01", {"type": "journal.note", "text": "a"})
    with open(path, "rb") as stream:
        assert stream.read() == b'\n{"v":1,"type":"journal.note","text":"a"}\n'


@pytest.mark.parametrize("record", [{"text": "x" * 400000}, {"payload": {"deep": ["y" * 400000]}}])
def test_a_long_inbox_record_is_cut(home, record):
    """A record above 256 KiB is cut, wherever its long string stands, and says so."""
    path = inbox.append(home, None, "2026-01-01", record)
    with open(path, "rb") as stream:
        data = stream.read()
    assert len(data) <= 262144
    assert b'"cut":true' in data
