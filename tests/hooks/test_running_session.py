"""What an agent puts down belongs to the session whose tool it runs in, also where no transcript was read yet."""

import json

import pytest
from world import S, T, World


def session_of(world: World, *words: str) -> object:
    """Run a command that puts something down and return the session that it says."""
    said = world.journal(*words, "--json")
    assert said.status == 0, said.stderr
    return json.loads(said.stdout)["session_id"]


@pytest.fixture
def earlier(world: World) -> World:
    """A world with a session of earlier, read and stopped."""
    world.hook("prompt", prompt="Prompt 1")
    world.answered(1000)
    world.hook("stop")
    world.journal("ingest", "--root", f"claude={world.folder / '.claude'}")
    return world


PUT = [("learn", "the ledger lock is not re-entrant"), ("note", "the lock"), ("handoff", "save")]


@pytest.mark.parametrize("words", PUT)
def test_what_is_put_down_in_an_open_turn_is_of_that_session(earlier: World, words: tuple[str, ...]) -> None:
    """The hook of its prompt is all that is known of it."""
    assert session_of(earlier, *words) == S
    earlier.hook("prompt", session_id=T, prompt="Prompt 2")
    assert session_of(earlier, words[0], "the gallery has no captions" if words[0] == "learn" else words[1]) == T


def test_the_host_names_the_session_in_the_environment_of_its_tools(earlier: World) -> None:
    earlier.hook("prompt", session_id=T, prompt="Prompt 2")
    earlier.environment["CODEX_THREAD_ID"] = "33333333-0000-4000-8000-000000000003"
    assert session_of(earlier, "learn", "the ledger lock is not re-entrant") == "33333333-0000-4000-8000-000000000003"


def test_of_several_open_turns_nobody_can_say_which(earlier: World) -> None:
    """Then it is the newest that was read."""
    earlier.hook("prompt", session_id=T, prompt="Prompt 2")
    earlier.hook("prompt", session_id="33333333-0000-4000-8000-000000000003", prompt="Prompt 3")
    assert session_of(earlier, "learn", "the ledger lock is not re-entrant") == S


def test_a_snapshot_in_an_open_turn_is_of_that_session(earlier: World) -> None:
    """As soon as its transcript has a record."""
    earlier.hook("prompt", session_id=T, prompt="Prompt 2")
    with earlier.transcript.with_name(f"{T}.jsonl").open("w") as file:
        file.write(json.dumps({"type": "user", "uuid": "t1", "timestamp": "2026-12-01T11:00:00.000Z", "message": {"role": "user", "content": "Prompt 2"},
                               "cwd": str(earlier.project), "sessionId": T, "version": "2.1.332", "isSidechain": False}) + "\n")  # fmt: skip
    assert session_of(earlier, "snapshot") == T
