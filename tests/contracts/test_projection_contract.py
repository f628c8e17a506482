"""What `projections/projection.py` asks of every projection, asked of each by itself: a new line in the catalog is tested here at once."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from archive import Archive
from damaged import mutated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded import roots

from ingest import catalog as hosts
from journal.domain import DomainEvent, Occurrence, SourceFacts
from journal.salvage import salvage
from projections import checkpoint, digest, runner
from projections.catalog import PROJECTIONS
from projections.damage import SourceRead
from projections.placement import Carry, Line, place, source_key
from projections.projection import Rows
from projections.search import register_functions
from projections.strands import StrandsTold

NAMES = [projection.name for projection in PROJECTIONS]
BY_NAME = {projection.name: projection for projection in PROJECTIONS}
RECORDED_HOSTS = ("claude", "codex", "gemini", "copilot")
UNDIGESTED = {
    "session_tree": "a view over sessions, which has a digest",
    "context_state": "a view over context_history, which has a digest",
    "project_files": "a view over file_changes and sessions, which have digests",
    "usage_daily": "a view over usage and sessions, which have digests",
    "usage_totals": "the totals as told, of which usage holds the differences",
    "session_facts": "what sources said, of which sessions holds what counts",
    "source_lines": "told by source_report",
    "messages_fts": "the index of messages: its vocabulary depends on the order of writing",
    "tool_calls_fts": "the index of tool_calls: its vocabulary depends on the order of writing",
    "learnings_fts": "the index of learnings: its vocabulary depends on the order of writing",
    **{f"{index}_{what}": "a trigger" for index in ("messages_fts", "tool_calls_fts") for what in ("add", "drop", "change")},
    "chunks": "filled when the index is brought up to date, not by the runner",
    "chunks_waiting": "sessions whose chunks are to be cut, empty after that",
    "fixes_fts": "the index of fixes: its vocabulary depends on the order of writing",
    **{f"fixes_fts_{what}": "a trigger" for what in ("add", "drop")},
    **{f"learnings_fts_{what}": "a trigger" for what in ("add", "drop")},
}
"""Tables, views and triggers that no digest covers, each with the reason."""
NOT_OF_THE_CONTENT = {"global_position", "last_position", "source_id", "called_by", "returned_by", "recorded_at", "message_rowid", "tool_call_rowid",
                      "learning_rowid", "fix_rowid"}
"""Columns that differ between two logs of the same files."""

every_projection = pytest.mark.parametrize("name", NAMES)


def _empty() -> sqlite3.Connection:
    """Return the tables of all projections in memory, empty."""
    views = sqlite3.connect(":memory:", isolation_level=None)
    register_functions(views)
    runner.create(views, PROJECTIONS)
    return views


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Return an archive of all recordings of all hosts."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("all")
        patch.setenv("HOME", str(folder))
        patch.setenv("JOURNAL_HOME", str(folder / "journal-home"))
        found = Archive(folder)
        found.json("ingest", *(word for host in RECORDED_HOSTS for root in roots(host) for word in ("--root", f"{host}={root}")))
        found.json("note", "a note", "--session", next(iter(found.sessions())))
        yield found


@contextlib.contextmanager
def _views(archive: Archive) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(checkpoint.connect(str(archive.home / "views.db"))) as views:
        register_functions(views)
        yield views


def _digests(archive: Archive) -> dict[str, str]:
    with _views(archive) as views:
        return digest.digests(views)


@every_projection
def test_a_projection_is_named_once_and_has_a_version(name: str) -> None:
    """Names and tables are unique in the catalog, and a version can be raised."""
    assert NAMES.count(name) == 1
    assert BY_NAME[name].version >= 1
    others = {table for projection in PROJECTIONS if projection.name != name for table in projection.tables}
    assert others & set(BY_NAME[name].tables) == set()


@every_projection
def test_tables_are_strict_and_carry_the_name_as_a_placeholder(name: str) -> None:
    """A table refuses a value of another type, so that a wrong decoder is noticed at once."""
    for table, text in BY_NAME[name].tables.items():
        assert "{name}" in text, table
        assert not text.startswith("CREATE TABLE") or "STRICT" in text.rpartition(")")[2], table


@every_projection
def test_statements_and_digests_fit_the_tables(name: str) -> None:
    """SQLite compiles every statement, index and digest against the declared tables."""
    views = _empty()
    for statement in (*BY_NAME[name].statements, *BY_NAME[name].digest.values()):
        wanted = max((int(number) for number in _numbered(statement)), default=statement.count("?"))
        views.execute(f"EXPLAIN {statement}", (None,) * wanted)
    present = {row[0] for row in views.execute("SELECT name FROM sqlite_master")}
    assert set(BY_NAME[name].tables) <= present
    assert len(set(BY_NAME[name].statements)) == len(BY_NAME[name].statements)


def _numbered(statement: str) -> list[str]:
    return [part[: len(part) - len(part.lstrip("0123456789"))] for part in statement.split("?")[1:] if part[:1].isdigit()]


@every_projection
def test_what_a_projection_declares_has_a_digest(name: str) -> None:
    """Each table is covered by a digest or left out for a stated reason, and digests cover nothing that differs between logs."""
    views = _empty()
    declared = BY_NAME[name]
    assert set(declared.digest) <= set(declared.tables)
    assert set(declared.tables) - set(declared.digest) == set(declared.tables) & set(UNDIGESTED)
    for table, select in declared.digest.items():
        columns = [column[0] for column in views.execute(select).description]
        assert set(columns) & NOT_OF_THE_CONTENT == set(), table
        assert "ORDER BY" in select, table


def test_no_reason_stands_for_a_table_that_is_none() -> None:
    """The list of what has no digest names existing tables only."""
    assert set(UNDIGESTED) <= {table for projection in PROJECTIONS for table in projection.tables}


@every_projection
def test_handlers_are_for_events_of_the_domain(name: str) -> None:
    """A projection handles domain events, and what the runner itself tells of sources."""
    assert set(BY_NAME[name].handlers) <= {*get_args(DomainEvent), SourceRead, StrandsTold}


@every_projection
def test_a_projection_rebuilds_alone(archive: Archive, name: str) -> None:
    """`replay --view` of one projection leaves every view as it was, also those that read its tables."""
    before = _digests(archive)
    told = archive.json("replay", "--view", name)["views"]
    assert {view: row["digest"] for view, row in told.items()} == {view: before[view] for view in told}
    assert set(BY_NAME[name].digest) <= set(told)
    assert _digests(archive) == before


@every_projection
def test_settling_again_changes_nothing(archive: Archive, name: str) -> None:
    """A settle is a function of the rows: a second one, of all sessions and by itself, finds all as it should be."""
    settle = BY_NAME[name].settle
    before = _digests(archive)
    with _views(archive) as views:
        ids = [row[0] for row in views.execute("SELECT session_id FROM sessions ORDER BY session_id")]
        views.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            if settle is not None:
                settle(views, ids)
            assert digest.digests(views) == before
        views.execute("ROLLBACK")


@every_projection
def test_settling_does_not_depend_on_the_order_of_sessions(archive: Archive, name: str) -> None:
    """One after the other, from the last to the first, gives the same as all at once."""
    settle = BY_NAME[name].settle
    before = _digests(archive)
    with _views(archive) as views:
        ids = [row[0] for row in views.execute("SELECT session_id FROM sessions ORDER BY session_id DESC")]
        views.execute("BEGIN IMMEDIATE")
        for session_id in ids if settle is not None else ():
            assert settle is not None
            settle(views, [session_id])
        assert digest.digests(views) == before
        views.execute("ROLLBACK")


# -- whatever a decoder says of a damaged record, the views take it

FEEDERS = sorted(hosts.MODULES)


@pytest.fixture(scope="module")
def empty() -> sqlite3.Connection:
    """Return empty views that every example leaves empty."""
    return _empty()


@pytest.mark.parametrize("host", FEEDERS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_views_take_what_decoders_say_of_damaged_records(empty: sqlite3.Connection, host: str, data: st.DataObject) -> None:
    """No damaged record makes a handler raise, a table refuse a row, a settle fail or a digest impossible."""
    decode = hosts.adapter(host).decode
    drawn = [data.draw(mutated(host)) for _ in range(data.draw(st.integers(1, 3)))]
    empty.execute("BEGIN")
    try:
        for number, (facts, record) in enumerate(drawn, 1):
            for value in salvage(json.dumps(record).encode()).values:
                _project(empty, number, facts, decode(facts, value))
        runner.settle(empty, PROJECTIONS)
        digest.digests(empty)
    finally:
        empty.execute("ROLLBACK")


def _project(views: sqlite3.Connection, number: int, facts: SourceFacts, occurrences: list[Occurrence]) -> None:
    """Hand what one line says to all projections, as the runner does."""
    rows, key = Rows(), source_key(facts)
    views.execute("INSERT OR IGNORE INTO source_keys VALUES (?, ?)", (number, key))
    for where, event in place(Line(number, number, 0, 0, b"{}"), facts, key, Carry(0), occurrences):
        rows.sessions.add(where.session_id)
        for projection in PROJECTIONS:
            if handler := projection.handlers.get(type(event)):
                handler(where, event, rows)
    _write(views, rows)
    views.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", [(session,) for session in rows.sessions if session])


def _write(views: sqlite3.Connection, rows: Rows) -> None:
    left: dict[str, Any] = dict(rows.by_statement)
    for projection in PROJECTIONS:
        for statement in projection.statements:
            views.executemany(statement, left.pop(statement, []))
    assert left == {}
