"""The `session_links` view: declared links with their evidence."""

from pathlib import Path

from view_tables import Source, Tables, Told, digests_after

from journal.domain import PromptSubmitted, SessionLinked, SessionStarted


def linked(number: int, kind: str, child: str, parent: str, evidence: str = "header") -> Source:
    """Give a child's source that names its parent."""
    events = (SessionStarted("interactive"), SessionLinked(kind, child, parent, evidence, "p9"))
    return Source(number, child, [Told(1, "0", events), Told(2, "p", (PromptSubmitted("hi"),), turn_id="p")])


def test_a_link_keeps_its_evidence_and_fork_point(tmp_path: Path) -> None:
    """A fork is one row that names its parent, why, and where."""
    tables = Tables(tmp_path)
    tables.feed(linked(1, "fork", "c", "p", "forked_from_id"))
    assert tables.rows("SELECT * FROM session_links") == [("c", "p", "fork", "forked_from_id", "p9", "2026-01-01T00:00:01.000000Z")]


def test_no_session_is_its_own_parent(tmp_path: Path) -> None:
    """A link from a session to itself is none."""
    tables = Tables(tmp_path)
    tables.feed(linked(1, "resume", "c", "c"))
    assert tables.rows("SELECT * FROM session_links") == []


def test_a_sub_agent_is_of_its_kind_whatever_its_source_says(tmp_path: Path) -> None:
    """A sub-agent link names the parent and the kind of the session."""
    tables = Tables(tmp_path)
    tables.feed(linked(1, "subagent", "c", "p"))
    assert tables.rows("SELECT parent_session_id, link_kind, kind FROM sessions") == [("p", "subagent", "subagent")]


def test_the_tree_reaches_from_a_root_to_all_below(tmp_path: Path) -> None:
    """A grandchild stands two below its root."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "a", [Told(1, "p", (PromptSubmitted("hi"),), turn_id="p")]))
    tables.feed(linked(2, "fork", "b", "a"))
    tables.feed(linked(3, "subagent", "c", "b"))
    assert tables.rows("SELECT * FROM session_tree WHERE root_session_id = 'a' ORDER BY depth") == [("a", "a", 0), ("a", "b", 1), ("a", "c", 2)]


def test_every_session_stands_in_the_tree_once(tmp_path: Path) -> None:
    """One whose parent was never read is a root, and so are two that name each other."""
    tables = Tables(tmp_path)
    tables.feed(linked(1, "fork", "orphan", "never read"))
    tables.feed(linked(2, "subagent", "below", "orphan"))
    tables.feed(linked(3, "resume", "x", "y"))
    tables.feed(linked(4, "resume", "y", "x"))
    assert tables.rows("SELECT * FROM session_tree ORDER BY session_id") == [("orphan", "below", 1), ("orphan", "orphan", 0), ("x", "x", 0), ("y", "y", 0)]


def test_links_agree_in_any_order(tmp_path: Path) -> None:
    """Two records that tell one link differently give one row, whichever is read first."""
    one, two = linked(1, "fork", "c", "p", "alpha"), linked(2, "fork", "c", "p", "beta")
    assert digests_after(tmp_path, "a", [one, two]) == digests_after(tmp_path, "b", [two, one])
