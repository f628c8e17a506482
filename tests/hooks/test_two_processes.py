"""Cases D1 and F6 as hooks see them: a session that goes on in its file, and two processes of a host in one session."""

import contextlib
import json
import sqlite3
import threading

from world import S, World

ROLES = ("prompt", "stop", "prompt", "stop", "prompt", "stop")


def test_d1_a_session_start_with_the_source_resume_says_that_the_session_goes_on(world: World) -> None:
    """The file tells nothing of it: the hook's line is the resumed event, and the session stays one."""
    world.still()
    world.answered(1000, number=1)
    world.hook("session-start", source="startup")
    world.journal("ingest")
    assert _rows(world, "SELECT session_id, resumed FROM sessions") == [(S, 0)]
    world.hook("session-start", source="resume")
    world.answered(1200, number=2)
    world.journal("ingest")
    assert _rows(world, "SELECT session_id, resumed, turns, parent_session_id FROM sessions") == [(S, 1, 2, None)]
    assert _rows(world, "SELECT role, source FROM hook_events ORDER BY global_position") == [("session-start", "startup"), ("session-start", "resume")]


def test_f6_hook_events_of_two_processes_are_kept_in_the_order_of_the_log(world: World) -> None:
    """Two clients in one session, each with its own hooks at the same time: each call is one event, in the order in which they were written down."""
    world.still()
    world.answered(1000)

    def client(name: str) -> None:
        for number, role in enumerate(ROLES):
            said = world.hook(role, prompt=f"{name}{number}", last_assistant_message=f"{name}{number}")
            assert (said.status, said.stderr) == (0, "")

    clients = [threading.Thread(target=client, args=(name,)) for name in "ab"]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    written = [(line["role"], line["payload"]["prompt" if line["role"] == "prompt" else "last_assistant_message"])
               for line in world.lines() if line["type"] == "journal.hook"]  # fmt: skip
    assert len(written) == 12
    for name in "ab":  # each process's own calls are in its own order
        assert [text for _, text in written if text.startswith(name)] == [f"{name}{number}" for number in range(6)]
    world.journal("ingest")
    with contextlib.closing(sqlite3.connect(world.home / "journal.db")) as log:
        assert log.execute("SELECT count(*), count(DISTINCT event_id) FROM events WHERE type = 'journal.hook'").fetchone() == (12, 12)
    rows = _rows(world, "SELECT role, last_message FROM hook_events ORDER BY global_position")
    assert [role for role, _ in rows] == [role for role, _ in written]
    assert [text for role, text in rows if role == "stop"] == [text for role, text in written if role == "stop"]
    assert json.loads(world.journal("replay", "--verify", "--json").stdout)["verified"] is True


def _rows(world: World, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(world.home / "views.db")) as views:
        return views.execute(query).fetchall()
