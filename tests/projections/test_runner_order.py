"""Views are a function of what stands in the sources, not of the order in which sources entered the log."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from views_world import World

from projections.digest import digests

# Two sources of session a, which disagree on p1 and of which one rewinds, and a session of their own.
SOURCES: dict[str, list[dict[str, Any]]] = {
    "/a1": [
        {"kind": "prompt", "id": "p1", "text": "one", "at": "2026-01-01T00:00:01.000000Z", "cwd": "/w"},
        {"kind": "answer", "id": "a1", "text": "two", "at": "2026-01-01T00:00:02.000000Z"},
        {"kind": "rewind", "id": "r1", "to": "a1", "at": "2026-01-01T00:00:03.000000Z"},
        {"kind": "answer", "id": "a1b", "text": "three", "at": "2026-01-01T00:00:04.000000Z"},
    ],
    "/a2": [
        {"kind": "prompt", "id": "p1", "text": "ein", "at": "2026-01-01T00:00:01.500000Z"},
        {"kind": "answer", "id": "a1", "text": "zwei", "at": "2026-01-01T00:00:05.000000Z"},
        {"kind": "odd", "id": "o"},
    ],
    "/b": [
        {"kind": "prompt", "id": "p1", "text": "other", "at": "2026-01-01T00:00:01.000000Z"},
        {"kind": "replace", "id": "h", "ids": []},
        {"kind": "answer", "id": "a9", "text": "kept"},
    ],
}


@settings(max_examples=25, deadline=None)
@given(st.permutations([path for path, records in SOURCES.items() for _ in records]), st.sets(st.integers(0, 9)))
def test_any_interleaving_gives_the_same_views(order: list[str], stops: set[int]) -> None:
    """Whatever source speaks first and wherever a catch-up stops, the digests are the same."""
    found = []
    for paths in (sorted(order), order):
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder))
            waiting = {path: list(records) for path, records in SOURCES.items()}
            for number, path in enumerate(paths):
                world.write(path[1], waiting[path].pop(0), path=path)
                if number in stops:
                    world.catch_up()
            world.catch_up()
            found.append(digests(world.views))
            world.views.close()
            world.log.close()
    assert found[0] == found[1]
