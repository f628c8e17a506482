"""Compactions that the host began by itself, and how full the context was."""

import sqlite3
from typing import Any

import pytest
from archive import Archive, answer, claude, codex, token_count

from journal import inbox
from journal.home import open_home

S = "5b0e6f1c-0000-4000-8000-0000000000c1"
POINTS = "SELECT session_id, host, model, tokens FROM compact_points"


def boundary(trigger: str, tokens: int | None) -> dict[str, Any]:
    told = {"trigger": trigger} | ({"preTokens": tokens} if tokens else {})
    at = "2026-11-30T10:00:50.000Z"
    return {"type": "system", "subtype": "compact_boundary", "uuid": f"c{trigger}", "timestamp": at, "sessionId": S, "compactMetadata": told}


@pytest.mark.parametrize(("trigger", "tokens", "expected"), [("auto", 180_000, 180_000), ("auto", None, 15), ("manual", 90_000, None)])
def test_a_compaction_by_the_host_is_a_point_and_one_by_hand_is_none(archive: Archive, trigger: str, tokens: int | None, expected: int | None) -> None:
    """The figure of the record, else the last use before it, of the model that was in use."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), answer(2, S, "ok", "m1"), boundary(trigger, tokens))
    archive.ingest()
    assert archive.rows("views.db", POINTS) == ([(S, "claude", "claude-opus-5-5", expected)] if expected else [])


@pytest.mark.parametrize(("hooks", "expected"), [
    ([], []), ([("prompt", "")], [220_000]), ([("prompt", ""), ("pre-compact", "auto")], [220_000]), ([("prompt", ""), ("pre-compact", "manual")], []),
])  # fmt: skip
def test_a_host_that_tells_no_cause_is_taken_at_the_word_of_its_hooks(archive: Archive, hooks: list[tuple[str, str]], expected: list[int]) -> None:
    """Codex: without hooks nothing is known; with them one by hand is told by its hook."""
    figures = (200_000, 0, 20_000, 0)
    archive.write(archive.codex_path(S), codex(S, [token_count(figures, figures), ("compacted", {"message": "sum", "replacement_history": []})]))
    for second, (role, trigger) in enumerate(hooks):
        payload = {"session_id": S, "trigger": trigger} if trigger else {"session_id": S}
        line: dict[str, object] = {"type": "journal.hook", "role": role, "host": "codex", "payload": payload, "session_id": S,
                                   "at": f"2026-11-30T10:00:0{second}.500000Z", "transcript": {"path": None, "size": None}, "checkout": None}  # fmt: skip
        inbox.append(open_home(str(archive.home)), S, "2026-11-30", line)
    archive.ingest()
    assert [tokens for _, _, _, tokens in archive.rows("views.db", POINTS)] == expected


def test_the_newest_point_of_a_model_is_found_by_its_index(archive: Archive) -> None:
    """A hook asks for one row; it looks at no other model's and sorts nothing."""
    from cli.hooks.views import COMPACT_POINT

    archive.write(archive.claude_path(S), claude(1, S, "go"))
    archive.ingest()
    with sqlite3.connect(archive.home / "views.db") as views:
        plan = [row[3] for row in views.execute("EXPLAIN QUERY PLAN " + COMPACT_POINT, ("claude", "m"))]
    views.close()
    assert plan[0] == "SEARCH compact_points USING INDEX compact_points_by_model (host=? AND model=?)"
