"""Rebuilding, verifying and going back in time."""

from pathlib import Path

import pytest
from views_world import DECODE, VERSIONS, World

from journal.errors import NotFound
from projections import checkpoint, replay
from projections.digest import digests
from projections.search import search


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Views of two sessions."""
    made = World(tmp_path)
    for number in range(1, 6):
        at = f"2026-01-0{number}T00:00:00.000000Z"
        made.write(f"s{number % 2}", {"kind": "prompt", "id": f"p{number}", "text": f"word{number}", "at": at})
    made.catch_up()
    return made


@pytest.mark.parametrize("names", [(), ("messages",), ("sessions",), ("usage", "links"), ("search",), ("damage",)])
def test_a_rebuild_says_the_same(world: World, names: tuple[str, ...]) -> None:
    """Live views and views built again, all or some, have equal digests and a working index."""
    before = digests(world.views)
    replay.rebuild(world.log, world.views, DECODE, VERSIONS, names=names)
    assert digests(world.views) == before
    assert [hit.record_id for hit in search(world.views, "word3")] == ["p3"]
    assert world.catch_up().rebuilt is False


def test_an_unknown_view_is_not_found(world: World) -> None:
    """Naming no view is an error that lists where to look."""
    with pytest.raises(NotFound):
        replay.rebuild(world.log, world.views, DECODE, VERSIONS, names=("nothing",))


def test_verify_names_a_view_that_was_changed(world: World) -> None:
    """A row that the log does not say is a difference of its view."""
    assert replay.verify(world.log, world.views, DECODE, VERSIONS) == []
    world.views.execute("UPDATE messages SET role = 'other' WHERE record_id = 'p1'")
    assert [found.view for found in replay.verify(world.log, world.views, DECODE, VERSIONS)] == ["messages"]


def test_verify_compares_at_the_position_of_the_views(world: World) -> None:
    """Events that the views have not seen yet are no difference."""
    world.write("s0", {"kind": "prompt", "id": "late", "text": "late"})
    assert replay.verify(world.log, world.views, DECODE, VERSIONS) == []


def test_views_as_of_a_position_and_of_a_time(world: World, tmp_path: Path) -> None:
    """Both leave out what came later, in a file of their own."""
    early = replay.build_at(world.log, str(tmp_path / "p.db"), DECODE, VERSIONS, position=2)
    assert early.execute("SELECT record_id FROM messages ORDER BY 1").fetchall() == [("p1",), ("p2",)]
    timed = replay.build_at(world.log, str(tmp_path / "t.db"), DECODE, VERSIONS, time="2026-01-03T00:00:00.000000Z")
    assert timed.execute("SELECT record_id FROM messages ORDER BY 1").fetchall() == [("p1",), ("p2",), ("p3",)]


def test_readers_see_the_old_views_until_a_rebuild_ends(world: World, tmp_path: Path) -> None:
    """A rebuild that is broken off leaves the views as they were."""
    reader = checkpoint.connect(str(tmp_path / "views.db"), readonly=True)
    seen: list[int] = []

    def stop(position: int, size: int) -> None:
        seen.append(reader.execute("SELECT count(*) FROM messages").fetchone()[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay.rebuild(world.log, world.views, DECODE, VERSIONS, progress=stop)
    assert seen == [5]
    assert world.rows("SELECT count(*) FROM messages") == [(5,)]
    assert world.catch_up().rebuilt is False
