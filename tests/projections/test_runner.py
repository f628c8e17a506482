"""Catching up from a real log: placement, idempotence, checkpoints, damage."""

import sqlite3
from pathlib import Path

import pytest
from views_world import World

from projections import checkpoint
from projections.digest import digests


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty log with empty views."""
    return World(tmp_path)


TEXTS = "SELECT record_id, text, turn_id, cwd, occurred_at FROM messages ORDER BY global_position"


def test_what_a_source_said_before_is_carried_forward(world: World) -> None:
    """Time, folder and turn of a record that names none are those of the record before it."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "hi", "cwd": "/w", "at": "2026-01-01T10:00:00.000000Z"})
    world.catch_up()
    world.write("s", {"kind": "answer", "id": "a1", "text": "hello"})
    world.catch_up()
    assert world.rows(TEXTS) == [
        ("p1", "hi", "p1", "/w", "2026-01-01T10:00:00.000000Z"),
        ("a1", "hello", "p1", "/w", "2026-01-01T10:00:00.000000Z"),
    ]


def test_a_second_catch_up_does_nothing(world: World) -> None:
    """Without new events nothing is read and the digests stay."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "hi"})
    assert world.catch_up().events == 1
    before = digests(world.views)
    assert world.catch_up() == (0, 0, 0, False, 1)
    assert digests(world.views) == before


def test_repeated_history_collapses(world: World) -> None:
    """A record that a source repeats is one message, with its last text at its first place."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "v1"}, {"kind": "answer", "id": "a1", "text": "x"})
    world.write("s", {"kind": "prompt", "id": "p1", "text": "v2"})
    world.catch_up()
    assert [row[:2] for row in world.rows(TEXTS)] == [("p1", "v2"), ("a1", "x")]


@pytest.mark.parametrize("order", [("/a", "/b"), ("/b", "/a")])
def test_of_two_sources_the_smaller_key_wins_in_any_order(world: World, order: tuple[str, str]) -> None:
    """The order in which two sources of a session enter the log does not change a conflicting record."""
    for path in order:
        world.write("s", {"kind": "prompt", "id": "p1", "text": f"from {path}"}, path=path)
    world.catch_up()
    assert world.rows("SELECT text FROM messages") == [("from /a",)]


def test_a_record_without_an_id_is_named_by_its_bytes(world: World) -> None:
    """The name is a tilde and 16 hex digits of the line's sha256, so the same line twice is one record."""
    line = b'{"kind":"prompt","text":"x"}'
    world.write("s", line, line)
    world.catch_up()
    assert world.rows("SELECT record_id FROM messages") == [("~955d1911d8ffce50",)]


def test_damage_and_unknown_kinds_are_counted_per_source(world: World) -> None:
    """The report counts lines, bytes, damaged lines and unknown records."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "x"}, b"not json", {"kind": "odd", "id": "o"}, b"")
    world.catch_up()
    assert world.rows("SELECT session_id, lines, damaged, unknown FROM source_report") == [("s", 4, 1, 1)]
    assert world.rows("SELECT damage FROM damaged_records") == [("unreadable",)]
    assert world.rows("SELECT kind FROM unknown_records") == [("odd",)]


def test_a_rewind_drops_a_message_and_what_followed(world: World) -> None:
    """A message that is said again after the rewind stands again."""
    world.write(
        "s",
        {"kind": "prompt", "id": "p1", "text": "1"},
        {"kind": "prompt", "id": "p2", "text": "2"},
        {"kind": "answer", "id": "a2", "text": "3"},
        {"kind": "rewind", "id": "r", "to": "p2"},
        {"kind": "answer", "id": "a2", "text": "again"},
    )
    world.catch_up()
    assert world.rows("SELECT record_id, dropped_by FROM messages ORDER BY record_id") == [
        ("a2", None),
        ("p1", None),
        ("p2", "r"),
    ]


def test_a_replaced_history_drops_what_it_does_not_name(world: World) -> None:
    """What stood after the last message that is still named is dropped, and nothing that comes after the replacement."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "1"}, {"kind": "prompt", "id": "p2", "text": "2"})
    world.write("s", {"kind": "replace", "id": "r", "ids": ["p1"]}, {"kind": "prompt", "id": "p3", "text": "3"})
    world.catch_up()
    assert world.rows("SELECT record_id, dropped_by FROM messages ORDER BY record_id") == [
        ("p1", None),
        ("p2", "r"),
        ("p3", None),
    ]


def test_a_replaced_history_keeps_what_it_only_forgot(world: World) -> None:
    """A message before one that is still named was given and answered: the host left it out, nobody undid it."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "1"}, {"kind": "answer", "id": "a1", "text": "2"})
    world.write("s", {"kind": "replace", "id": "r", "ids": ["a1"]})
    world.catch_up()
    assert world.rows("SELECT record_id, dropped_by FROM messages ORDER BY record_id") == [("a1", None), ("p1", None)]


def test_a_replaced_history_that_names_nothing_known_drops_all_before_it(world: World) -> None:
    """A prompt that failed is the whole history of its session, and is rolled back."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "1"}, {"kind": "replace", "id": "r", "ids": ["context"]})
    world.catch_up()
    assert world.rows("SELECT record_id, dropped_by FROM messages") == [("p1", "r")]


def test_another_decoder_version_rebuilds(world: World) -> None:
    """A raised version makes the checkpoint unfit and the views are built again from the first event."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "hi"})
    world.catch_up()
    again = world.catch_up(versions={"toy": 2})
    assert (again.rebuilt, again.events) == (True, 1)
    assert world.rows("SELECT count(*) FROM messages") == [(1,)]


def test_a_checkpoint_of_another_history_rebuilds(world: World) -> None:
    """A chain hash that the log does not have at that position means that the log was restored."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "hi"})
    world.catch_up()
    world.views.execute("UPDATE checkpoints SET hash = 'other'")
    assert world.catch_up().rebuilt


def test_a_new_generation_starts_without_what_the_old_one_said(world: World) -> None:
    """A rewritten file is read from its start, so nothing is carried over from the former one."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "1", "cwd": "/old"})
    world.write("s", {"kind": "prompt", "id": "p2", "text": "2"}, generation=1)
    world.catch_up()
    assert world.rows("SELECT record_id, cwd FROM messages ORDER BY record_id") == [("p1", "/old"), ("p2", None)]


def test_many_batches_equal_one(world: World, tmp_path: Path) -> None:
    """Catching up event by event gives the digests of a single catch-up."""
    for number in range(30):
        world.write(f"s{number % 3}", {"kind": "prompt", "id": f"p{number}", "text": f"text {number}"})
        world.catch_up()
    stepped = digests(world.views)
    whole = World.__new__(World)
    whole.log, whole.views = world.log, checkpoint.connect(str(tmp_path / "whole.db"))
    assert whole.catch_up().events == 30
    assert digests(whole.views) == stepped


def test_a_broken_batch_leaves_rows_and_checkpoint(world: World) -> None:
    """Rows and checkpoint are written together or not at all."""
    world.write("s", {"kind": "prompt", "id": "p1", "text": "1"})
    world.catch_up()
    world.views.execute("CREATE TRIGGER no BEFORE INSERT ON checkpoints BEGIN SELECT raise(ABORT, 'no'); END")
    world.write("s", {"kind": "prompt", "id": "p2", "text": "2"})
    with pytest.raises(sqlite3.IntegrityError, match="no"):
        world.catch_up()
    assert world.rows("SELECT record_id FROM messages") == [("p1",)]
    assert world.rows("SELECT position FROM checkpoints") == [(1,)]
