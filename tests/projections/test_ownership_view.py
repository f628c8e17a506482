"""Ownership: a record that stands in several sessions counts in one of them."""

from itertools import permutations
from pathlib import Path

import pytest
from view_tables import Source, Tables, Told, digests_after, uuid

from journal.domain import FileChanged, MessageProduced, PromptSubmitted, SessionLinked, ToolCalled, UsageReported

HISTORY = [
    Told(1, uuid(1), (PromptSubmitted("one"),), turn_id=uuid(1)),
    Told(2, uuid(2), (MessageProduced("assistant", "answer", "two"), UsageReported("msg_1", "opus", 100, 10)), turn_id=uuid(1)),
    Told(3, uuid(3), (ToolCalled("toolu_1", "Write", "{}"), FileChanged("/w/a.py", "write", 3, 0, "toolu_1")), turn_id=uuid(1)),
]


def own(number: int) -> list[Told]:
    """Give a prompt and an answer that stand nowhere else."""
    record = uuid(number)
    answer = (MessageProduced("assistant", "answer", f"answer {number}"), UsageReported(f"msg_{number}", "opus", 1, number))
    return [Told(number, record, (PromptSubmitted(f"prompt {number}"),), turn_id=record), Told(number, uuid(number + 100), answer, turn_id=record)]


def declared(child: str, parent: str) -> Told:
    """Tell that *child* forked from *parent*."""
    return Told(4, uuid(90), (SessionLinked("fork", child, parent, "header", uuid(3)),))


# The parent's id is the greater one, so that only the declared link can make it the owner.
PARENT = Source(1, "z-parent", [*HISTORY, *own(10)])
FORK = Source(2, "a-fork", [declared("a-fork", "z-parent"), *HISTORY, *own(20)])
GRANDCHILD = Source(3, "b-grandchild", [declared("b-grandchild", "a-fork"), *HISTORY, *own(20), *own(30)])
UNDECLARED = Source(4, "c-undeclared", [*HISTORY, *own(40)])


@pytest.mark.parametrize("sources", [(PARENT, FORK), (FORK, PARENT)])
def test_the_parent_owns_what_a_declared_fork_copied(tmp_path: Path, sources: tuple[Source, ...]) -> None:
    """Messages, calls, changes and usage of the history are copies in the fork, whichever is read first."""
    tables = Tables(tmp_path)
    for source in sources:
        tables.feed(source)
    for table, copies in (("messages", 2), ("tool_calls", 1), ("file_changes", 1), ("usage", 1)):
        assert tables.rows(f"SELECT session_id, count(*) FROM {table} WHERE is_copy GROUP BY 1") == [("a-fork", copies)]
    query = "SELECT session_id, turns, messages, tool_calls, input_tokens, output_tokens FROM sessions ORDER BY 1"
    assert tables.rows(query) == [("a-fork", 1, 2, 0, 1, 20), ("z-parent", 2, 4, 1, 101, 20)]


@pytest.mark.parametrize("settle", [True, False])
def test_every_order_of_a_lineage_gives_the_same_digests(tmp_path: Path, settle: bool) -> None:
    """Parent, fork, grandchild and an undeclared copy agree in all 24 orders, settled after each or at the end."""
    sources = (PARENT, FORK, GRANDCHILD, UNDECLARED)
    found = [digests_after(tmp_path, f"{n}.db", order, settle=settle) for n, order in enumerate(permutations(sources))]
    assert [digest for digest in found if digest != found[0]] == []


def test_a_grandchild_owns_only_what_it_added(tmp_path: Path) -> None:
    """What the fork added belongs to the fork, also where the grandchild repeats it."""
    tables = Tables(tmp_path)
    for source in (GRANDCHILD, FORK, PARENT):
        tables.feed(source)
    assert tables.rows("SELECT session_id, output_tokens FROM sessions ORDER BY 1") == [("a-fork", 20), ("b-grandchild", 30), ("z-parent", 20)]


def test_shared_records_without_a_link_make_one(tmp_path: Path) -> None:
    """A session that copied records and names no parent is a fork of the owner of its last copied record."""
    tables = Tables(tmp_path)
    tables.feed(UNDECLARED)
    tables.feed(Source(1, "b-earlier", [*HISTORY, *own(10)]))
    query = "SELECT child_session_id, parent_session_id, kind, evidence, fork_point FROM session_links"
    assert tables.rows(query) == [("c-undeclared", "b-earlier", "fork", "shared records", uuid(2))]


def test_ids_that_are_not_unique_in_the_world_are_never_compared(tmp_path: Path) -> None:
    """Two Codex sessions that both have a record 7 share nothing."""
    tables = Tables(tmp_path)
    for number, session in ((1, "a"), (2, "b")):
        tables.feed(Source(number, session, [Told(1, "7", (PromptSubmitted("hi"),), turn_id="7")], "codex"))
    assert tables.rows("SELECT session_id, is_copy FROM messages ORDER BY 1") == [("a", 0), ("b", 0)]
    assert tables.rows("SELECT * FROM session_links") == []


def test_two_sources_of_one_session_are_no_copies(tmp_path: Path) -> None:
    """A live and an archived file of one session hold each record once, and none is a copy (A14)."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [*HISTORY, *own(10)]))
    tables.feed(Source(2, "s", HISTORY))
    assert tables.rows("SELECT count(*), sum(is_copy) FROM messages") == [(4, 0)]
