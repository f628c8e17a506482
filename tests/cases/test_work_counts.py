"""Work counts, no times: what is opened, read, decoded and written when little or nothing is new."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, answer, claude, codex, token_count

import ingest.claude
import ingest.ingester
from ingest.catalog import adapters
from journal.database import open_log
from journal.domain import JsonObject, Occurrence, SourceFacts
from journal.home import open_home

S = "aaaaaaaa-0000-4000-8000-000000000001"
ROOT = Path(__file__).parents[2]
OPENED = """
import json, sys
seen = []
sys.addaudithook(lambda event, args: seen.append(str(args[0])) if event == "open" and isinstance(args[0], (str, bytes)) else None)
from cli.main import main
status = main(sys.argv[1:])
print(json.dumps([path for path in seen if path.endswith((".jsonl", ".json"))]), file=sys.stderr)
sys.exit(status)
"""


def session(number: int) -> str:
    """Return the id of a session of the tree."""
    return f"aaaaaaaa-0000-4000-8000-{number:012d}"


def fill(archive: Archive, sessions: int, records: int = 40) -> None:
    """Write sessions that share nothing."""
    for number in range(sessions):
        name = session(number)
        archive.write(archive.claude_path(name), *(
            claude(n + 1000 * number, name, f"prompt {n}") if n % 2 else answer(n + 1000 * number, name, f"answer {n}", f"m{number}-{n}")
            for n in range(records)))  # fmt: skip


def later(number: int, count: int) -> list[dict[str, Any]]:
    """Return *count* further answers of a session."""
    return [answer(900_000 + n, session(number), f"later {n}", f"later-{n}") for n in range(count)]


def opened(archive: Archive, *words: str) -> list[str]:
    """Run a command in a process of its own; return the transcripts that it opened, by every open that Python tells of."""
    done = subprocess.run([sys.executable, "-c", OPENED, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    paths: list[str] = json.loads(done.stderr.splitlines()[-1])
    return [path for path in paths if not path.startswith(str(archive.home))]


class Reads(io.FileIO):
    """A file that counts what is read from it."""

    count = 0

    def readinto(self, buffer: Any, /) -> int | None:
        """Read, and count."""
        size = super().readinto(buffer)
        Reads.count += size or 0
        return size


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> type[Reads]:
    """Count the bytes that are read from files, also past the buffer."""
    pread = os.pread

    def counted(descriptor: int, length: int, offset: int) -> bytes:
        data = pread(descriptor, length, offset)
        Reads.count += len(data)
        return data

    monkeypatch.setattr(io, "FileIO", Reads)
    monkeypatch.setattr(os, "pread", counted)
    Reads.count = 0
    return Reads


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[JsonObject]:
    """Collect the records that Claude's decoder is given, through the adapters' table."""
    given: list[JsonObject] = []
    adapter = ingest.claude.ADAPTER

    def decode(source: SourceFacts, record: JsonObject) -> list[Occurrence]:
        given.append(record)
        return adapter.decode(source, record)

    monkeypatch.setattr(ingest.claude, "ADAPTER", adapter._replace(decode=decode))
    return given


def test_j2_a_second_ingest_opens_no_unchanged_file(archive: Archive) -> None:
    """Of thirty transcripts the second pass opens none, and after one append only that one."""
    fill(archive, 30)
    roots = ("--root", f"claude={archive.folder / '.claude'}")
    assert len(set(opened(archive, "ingest", *roots))) == 30
    assert opened(archive, "ingest", *roots) == []
    path = archive.write(archive.claude_path(session(7)), *later(7, 1), append=True)
    assert opened(archive, "ingest", *roots) == [str(path)]


def test_j1_lists_open_no_transcript(archive: Archive) -> None:
    """Sessions, search, usage and status are served by the views."""
    fill(archive, 5)
    archive.ingest()
    for words in (("sessions", "--all"), ("search", "prompt", "--all"), ("usage",), ("status",)):
        assert opened(archive, *words) == []


def test_an_append_reads_and_decodes_only_what_is_new(archive: Archive, decoded: list[JsonObject], reads: type[Reads]) -> None:
    """Forty lines behind 3 MB: their bytes, some fixed windows of 4 KiB, and forty calls of the decoder."""
    path = archive.write(archive.claude_path(S), *(claude(n, S, "x" * 30_000) for n in range(100)))
    archive.ingest()
    assert (len(decoded), path.stat().st_size > 3_000_000) == (100, True)
    decoded.clear()
    reads.count = 0
    before = path.stat().st_size
    archive.write(path, *later(1, 40), append=True)
    report = archive.ingest()
    added = path.stat().st_size - before
    assert (report["events"], report["bytes"], len(decoded)) == (40, added, 40)
    # Head, tail and six windows (at 64 KiB, 128 KiB ... 2 MiB), hashed before and after; four bytes tell whether the file is compressed.
    assert added <= reads.count <= added + 2 * 8 * 4096 + 4


def test_nothing_new_reads_and_decodes_nothing(archive: Archive, decoded: list[JsonObject], reads: type[Reads]) -> None:
    """A pass over an unchanged tree reads no byte of a transcript and calls no decoder."""
    fill(archive, 5)
    archive.ingest()
    decoded.clear()
    reads.count = 0
    archive.ingest()
    assert (reads.count, decoded) == (0, [])


def spy(archive: Archive) -> None:
    """Make the views' tables note the session of every row that is written."""
    with closing(sqlite3.connect(archive.home / "views.db")) as views, views:
        views.execute("CREATE TABLE written (session_id TEXT, place TEXT)")
        tables = [row[0] for row in views.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")]
        for table in tables:
            columns = {row[1] for row in views.execute(f"PRAGMA table_info({table})")}
            if table != "written" and "session_id" in columns:
                for kind, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
                    note = f"INSERT INTO written VALUES ({row}.session_id, '{table}')"
                    views.execute(f"CREATE TRIGGER spy_{table}_{kind} AFTER {kind} ON {table} BEGIN {note}; END")


def written(archive: Archive) -> dict[str, set[str]]:
    """Return the sessions whose rows were written since, with the tables."""
    found: dict[str, set[str]] = {}
    for name, table in archive.rows("views.db", "SELECT session_id, place FROM written"):
        found.setdefault(name, set()).add(table)
    return found


@pytest.mark.parametrize("sessions", [3, 30])
def test_an_append_writes_rows_of_its_session_only(archive: Archive, sessions: int) -> None:
    """However many sessions there are, an append to one writes the same few rows, all of that one."""
    fill(archive, sessions)
    archive.ingest()
    spy(archive)
    archive.write(archive.claude_path(session(1)), *later(1, 2), append=True)
    archive.ingest()
    found = written(archive)
    assert set(found) == {session(1)}
    assert {"messages", "sessions", "usage"} <= found[session(1)]
    assert archive.rows("views.db", "SELECT count(*) FROM written WHERE place = 'messages'") == [(2,)]


class Steps(sqlite3.Connection):
    """A connection that counts, by the thousand, the steps that SQLite takes."""

    thousands = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.set_progress_handler(self.count, 1000)

    def count(self) -> int:
        """Count, and let SQLite go on."""
        Steps.thousands += 1
        return 0


def test_an_append_costs_at_most_in_proportion_to_its_session(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind eight times as many calls of tools, one more line takes SQLite at most twelve times as many steps (a square would take 64)."""
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=Steps))
    taken = []
    for number, calls in ((1, 250), (2, 2000)):
        name = session(number)
        path = archive.write(archive.claude_path(name), *(
            answer(3 * n + 10_000 * number, name, "", f"m{number}-{n}", message={"id": f"m{number}-{n}", "role": "assistant", "content": [
                {"type": "text", "text": "look"}, {"type": "tool_use", "id": f"t{number}-{n}", "name": "Read", "input": {}}]})
            for n in range(calls)))  # fmt: skip
        archive.ingest()
        archive.write(path, *later(number, 1), append=True)
        Steps.thousands = 0
        archive.ingest()
        taken.append(Steps.thousands)
    assert 0 < taken[1] <= 12 * taken[0]


def test_j1_a_list_of_three_thousand_files_touches_none(archive: Archive, monkeypatch: pytest.MonkeyPatch, reads: type[Reads]) -> None:
    """3,000 transcripts, three of them of 12 MB: list and search read none of their bytes, take SQLite few steps, and say the same without the files."""
    fill(archive, 2997, records=2)
    for number in range(2997, 3000):
        name, result = session(number), "output of a tool " * 700
        archive.write(archive.claude_path(name), claude(1000 * number, name, f"largeword{number}"), *(
            claude(1000 * number + n, name, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": result}]})
            for n in range(1, 1000)))  # fmt: skip
    assert min(archive.claude_path(session(number)).stat().st_size for number in range(2997, 3000)) > 12_000_000
    archive.ingest()
    commands = (("sessions", "--all"), ("search", "largeword2998", "--all"))
    assert [opened(archive, *words) for words in commands] == [[], []]
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=Steps))
    Steps.thousands, reads.count = 0, 0
    listed, found = archive.json("sessions", "--all", "--limit", "4000"), archive.hits("largeword2998")
    titles = {row["session_id"]: row["title"] for row in listed["sessions"]}
    assert (len(titles), titles[session(2998)], [hit["session_id"] for hit in found]) == (3000, "largeword2998", [session(2998)])
    assert (reads.count, 0 < Steps.thousands <= 500) == (0, True), Steps.thousands
    (archive.folder / ".claude").rename(archive.folder / "elsewhere")
    assert (archive.json("sessions", "--all", "--limit", "4000"), archive.hits("largeword2998")) == (listed, found)


def test_a_pass_without_news_writes_no_row(archive: Archive) -> None:
    """An unchanged tree leaves every table of the views alone."""
    fill(archive, 3)
    archive.ingest()
    spy(archive)
    archive.ingest()
    assert written(archive) == {}


@pytest.fixture
def two_databases(archive: Archive) -> Iterator[list[sqlite3.Connection]]:
    """Keep both databases open, so that what a process wrote stays in the write-ahead files."""
    fill(archive, 40)
    archive.ingest()
    connections = [sqlite3.connect(archive.home / name) for name in ("journal.db", "views.db")]
    for connection in connections:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield connections
    for connection in connections:
        connection.close()


def test_j3_a_small_change_writes_little(archive: Archive, two_databases: list[sqlite3.Connection]) -> None:
    """One more line writes at most 400 KB into both databases, whatever their size; no file is written anew."""
    archive.write(archive.claude_path(session(1)), *later(1, 1), append=True)
    before = {path.name: path.stat().st_ino for path in archive.home.iterdir()}
    archive.ingest()
    sizes = [(archive.home / f"{name}.db-wal").stat().st_size for name in ("journal", "views")]
    assert 0 < sizes[0] < 100_000
    assert 0 < sizes[1] < 300_000
    assert {path.name: path.stat().st_ino for path in archive.home.iterdir()} == before


def test_j6_a_fork_parent_is_decoded_once(archive: Archive, decoded: list[JsonObject]) -> None:
    """One parent and 99 forks that copy it: every line is decoded once, the parent's file opened once, tokens counted once."""
    shared = [claude(1, S, "parent prompt"), answer(2, S, "parent answer", "m1")]
    archive.write(archive.claude_path(S), *shared)
    for number in range(2, 101):
        name = session(number)
        archive.write(archive.claude_path(name), *(record | {"sessionId": name} for record in shared), claude(1000 + number, name, f"fork {number}"))
    paths = opened(archive, "ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (len(paths), len(set(paths))) == (100, 100)
    archive.home = archive.folder / "again"
    assert archive.ingest()["events"] == len(decoded) == 2 + 99 * 3
    assert archive.rows("views.db", "SELECT sum(output_tokens), count(*) FROM sessions") == [(5, 100)]
    decoded.clear()
    archive.ingest()
    assert decoded == []


def test_j6_an_append_to_one_fork_leaves_the_others_alone(archive: Archive) -> None:
    """Of thirty sessions that share history only the one that grew is written again."""
    shared = [claude(1, S, "parent prompt"), answer(2, S, "parent answer", "m1")]
    for number in range(1, 31):
        name = session(number)
        archive.write(archive.claude_path(name), *(record | {"sessionId": name} for record in shared), claude(1000 + number, name, f"fork {number}"))
    archive.ingest()
    spy(archive)
    archive.write(archive.claude_path(session(9)), *later(9, 1), append=True)
    archive.ingest()
    assert set(written(archive)) == {session(9)}
    assert archive.json("replay", "--verify")["verified"] is True


def test_j6_codex_forks_are_decoded_once_too(archive: Archive) -> None:
    """Of a parent with nine forks that copy its totals each file is opened once, and the parent's tokens count once."""
    def records(name: str, more: int) -> bytes:
        return codex(name, [token_count((100, 0, 10, 0), (100, 0, 10, 0)), *([token_count((100 + more, 0, 10, 0), (more, 0, 0, 0))] if more else [])],
                     {"forked_from_id": S} if more else None)  # fmt: skip

    archive.write(archive.codex_path(S), records(S, 0))
    for number in range(2, 11):
        archive.write(archive.codex_path(session(number)), records(session(number), number))
    paths = opened(archive, "ingest", "--root", f"codex={archive.folder / '.codex'}")
    assert (len(paths), len(set(paths))) == (10, 10)
    assert sum(row["input_tokens"] for row in archive.sessions().values()) == 100 + sum(range(2, 11))


def test_f7_work_is_done_in_slices(archive: Archive) -> None:
    """No transaction of an ingest appends more than a thousand lines, so that a long first one can stop and go on anywhere."""
    archive.write(archive.claude_path(S), *(claude(n, S, "x") for n in range(2500)))
    appended, slices = 0, []

    def trace(statement: str) -> None:
        nonlocal appended
        appended += statement.startswith("INSERT INTO events ")
        if statement == "COMMIT":
            slices.append(appended)
            appended = 0

    with closing(open_log(open_home(str(archive.home)).journal_db, writable=True)) as log:
        log.set_trace_callback(trace)
        report = ingest.ingester.ingest(log, [("claude", str(archive.folder / ".claude"))], adapters(), lambda: "2026-11-30T10:00:00.000000Z")
        log.set_trace_callback(None)
    assert report.events == 2500
    assert [count for count in slices if count] == [1000, 1000, 500]
