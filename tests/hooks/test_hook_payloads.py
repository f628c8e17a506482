"""Every payload that real clients sent: recorded, answered with nothing or one object of the host's dialect, exit 0."""

import json
from pathlib import Path
from typing import Any

import pytest
from world import World

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hooks"
HOSTS = ("claude", "codex", "gemini", "copilot")
CASES = [(path.stem, json.loads(line)) for path in sorted(FIXTURES.glob("*.jsonl")) for line in path.read_text().splitlines()]
SILENT = {("gemini", "pre-compact", "auto")}
"""Gemini's PreCompress fires before every request: nothing is written for it."""


@pytest.mark.parametrize(("host", "case"), CASES, ids=[f"{host}-{case['role']}-{case['scenario']}" for host, case in CASES])
def test_a_recorded_payload_is_written_down_whole_and_answered_with_nothing(world: World, host: str, case: dict[str, Any]) -> None:
    """With an empty journal there is nothing to say, and the payload stands in the inbox as it came."""
    said = world.hook(case["role"], case["payload"], host=host)
    assert said == (0, "", "")
    expected = [] if (host, case["role"], case["payload"].get("trigger")) in SILENT else [(host, case["role"], case["payload"])]
    written = [(line["host"], line["role"], line["payload"]) for line in world.lines() if line["type"] == "journal.hook"]
    assert written == expected


@pytest.mark.parametrize(("host", "case"), CASES, ids=[f"{host}-{case['role']}-{case['scenario']}" for host, case in CASES])
def test_the_host_is_found_from_the_payload(host: str, case: dict[str, Any]) -> None:
    """Without --host the payload tells the host, by its own keys and paths."""
    from ingest.hooks import detect

    assert detect(case["payload"]) == ("claude" if host == "codex" and not _codex_shows(case["payload"]) else host)


def _codex_shows(payload: dict[str, Any]) -> bool:
    return "turn_id" in payload or "/.codex/sessions/" in (payload.get("transcript_path") or "")


def test_every_role_of_every_host_was_recorded() -> None:
    """The fixtures hold each of the five roles for each host."""
    roles = {"session-start", "prompt", "pre-compact", "stop", "session-end"}
    for host in HOSTS:
        assert {case["role"] for found, case in CASES if found == host} == roles
