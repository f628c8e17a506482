"""An ingest that a hook started stays, and misses nothing of what comes while it is at work."""

import json
import sqlite3
from collections.abc import Callable

import pytest
from world import S, World

from cli import lingering
from journal.settings import Settings


def read(world: World, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> list[str]:
    """Stay for a second, with something happening just after the first pass; return the prompts that were read."""
    passes: list[int] = []
    real = lingering.bring_up_to_date

    def first_then_meanwhile(settings: Settings, roots: lingering.Roots) -> None:
        real(settings, roots)
        passes.append(1)
        if len(passes) == 1:
            meanwhile()

    monkeypatch.setattr(lingering, "bring_up_to_date", first_then_meanwhile)
    for name, value in (("STAY_S", 1.5), ("LOOK_EVERY_S", 0.05), ("AGAIN_AFTER_S", 0.4)):
        monkeypatch.setattr(lingering, name, value)
    monkeypatch.setenv("JOURNAL_HOME", str(world.home))
    lingering.stay(Settings(home=str(world.home)), [("claude", str(world.folder / ".claude"))])
    assert len(passes) <= 4, "a pass that brings nothing is followed by no other"
    with sqlite3.connect(world.home / "views.db") as views:
        return [text for (text,) in views.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY occurred_at")]


def test_lines_that_come_while_the_first_pass_runs_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.answered(1000)

    def meanwhile() -> None:
        world.answered(2000, number=2)
        with (world.home / "inbox" / f"2026-12-01_{S}.jsonl").open("a") as file:
            file.write("\n" + json.dumps({"v": 1, "type": "journal.note", "at": "2026-12-01T10:02:00.000000Z", "session_id": S, "text": "noted"}) + "\n")

    assert read(world, monkeypatch, meanwhile) == ["Prompt 1", "Prompt 2"]


def test_what_a_host_writes_after_the_last_hook_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.answered(1000)
    assert read(world, monkeypatch, lambda: world.answered(2000, number=2)) == ["Prompt 1", "Prompt 2"]
