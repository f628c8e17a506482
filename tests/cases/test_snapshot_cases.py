"""Snapshots follow from the records: compactions, crossings, active time, ends, and requests by hand."""

import contextlib
import sqlite3
from typing import Any

import pytest
from archive import Archive, answer, claude

from cli.snapshots import detail
from journal import inbox
from journal.home import open_home
from projections.todo_lists import todos

S = "5b0e6f1c-0000-4000-8000-000000000001"
USE = {"input_tokens": 100, "cache_creation_input_tokens": 0, "output_tokens": 100}


def _edit(number: int, path: str, second: int) -> list[dict[str, Any]]:
    """Return a Write call and its result, so many seconds after ten."""
    at = {"timestamp": f"2026-11-30T10:{second // 60:02d}:{second % 60:02d}.000Z"}
    call = answer(number, S, "", f"m{number}") | at
    call["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": "Write", "input": {"file_path": path, "content": "x\n"}}]
    result = claude(number + 1, S, "", toolUseResult={"type": "create", "filePath": path, "content": "x\n", "structuredPatch": []},
                    message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "done"}]}) | at  # fmt: skip
    return [call, result]


def _prompt(number: int, second: int) -> dict[str, Any]:
    return claude(number, S, f"prompt {number}", timestamp=f"2026-11-30T10:{second // 60:02d}:{second % 60:02d}.500Z")


def _rows(archive: Archive) -> list[tuple[Any, ...]]:
    return archive.rows("views.db", "SELECT reason, substr(at, 12, 8), files, new_changes FROM snapshots ORDER BY at")


def test_bw1_bw2_a_point_is_due_after_five_active_minutes_and_then_again(archive: Archive) -> None:
    """B32: the first point comes at the first prompt after five minutes, three prompts a second apart give one, and later the next."""
    prompts = [_prompt(4, 100), _prompt(5, 301), _prompt(6, 302), _prompt(7, 303)]
    prompts += [*_edit(8, "/home/dev/proj/b.py", 310), _prompt(10, 650)]
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 10), *prompts)
    archive.ingest()
    assert _rows(archive) == [("time_interval", "10:05:01", 1, 1), ("time_interval", "10:10:50", 2, 1)]


def test_b23_a_point_without_changes_is_left_out_and_a_pause_is_no_active_time(archive: Archive) -> None:
    """Ten minutes of talk give none; a night between two prompts gives none."""
    archive.write(archive.claude_path(S), _prompt(1, 0), _prompt(2, 700), *_edit(3, "/home/dev/proj/a.py", 710),
                  claude(5, S, "next day", timestamp="2026-12-01T10:00:00.000Z"))  # fmt: skip
    archive.ingest()
    assert _rows(archive) == []


def test_a_compaction_and_a_crossing_are_points(archive: Archive) -> None:
    """The crossing of 75 % of 200,000 tokens, once until it falls below; then the compaction after more edits."""
    def used(number: int, second: int, tokens: int) -> dict[str, Any]:
        return answer(number, S, "x", f"u{number}", {**USE, "cache_read_input_tokens": tokens - 200}, model="claude-haiku-4-5") | {
            "timestamp": f"2026-11-30T10:00:{second:02d}.000Z"}  # fmt: skip

    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "timestamp": "2026-11-30T10:00:50.000Z", "sessionId": S,
                "compactMetadata": {"trigger": "auto", "preTokens": 180000}}  # fmt: skip
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 5), used(4, 10, 149_000), used(5, 20, 151_000), used(6, 30, 160_000),
                  *_edit(7, "/home/dev/proj/b.py", 40), boundary)  # fmt: skip
    archive.ingest()
    assert _rows(archive) == [("token_threshold", "10:00:20", 1, 1), ("pre_compact", "10:00:50", 2, 1)]
    assert archive.rows("views.db", "SELECT used_tokens FROM snapshots ORDER BY at") == [(151_000,), (15,)]  # the edit after the crossing told 15


def test_twelve_requests_at_once_are_twelve_snapshots(archive: Archive) -> None:
    """BW3: ids do not depend on a clock of one second; each is listed and shown."""
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 10))
    home = open_home(str(archive.home))
    for number in range(12):
        record: dict[str, object] = {"type": "journal.snapshot", "at": f"2026-11-30T10:05:00.{number:06d}Z", "session_id": S, "note": str(number)}
        inbox.append(home, S, "2026-11-30", record)
    archive.ingest()
    listed = archive.json("snapshots", "--all")["snapshots"]
    assert len({row["snapshot_id"] for row in listed}) == 12
    assert {row["reason"] for row in listed} == {"manual"}
    assert all(row["snapshot_id"].startswith("SNAP_20261130_100500_") for row in listed)


def test_what_a_snapshot_shows_is_as_of_its_moment(archive: Archive) -> None:
    """Files, tools, prompts and errors after the moment are not in it."""
    failed = answer(4, S, "", "m9")
    failed["message"]["content"] = [{"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "make test"}}]
    result = claude(5, S, "", toolUseResult="Error: Exit code 2", message={"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t9", "content": "Exit code 2\nAssertionError: 1 != 2", "is_error": True}]})  # fmt: skip
    late = _edit(20, "/home/dev/proj/late.py", 900)
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 3), failed, result, *late, _prompt(23, 901))
    record: dict[str, object] = {"type": "journal.snapshot", "at": "2026-11-30T10:05:00.000000Z", "session_id": S, "note": None}
    inbox.append(open_home(str(archive.home)), S, "2026-11-30", record)
    archive.ingest()
    with contextlib.closing(sqlite3.connect(archive.home / "views.db")) as views:
        snapshot = views.execute("SELECT snapshot_id FROM snapshots WHERE reason = 'manual'").fetchone()[0]
        found = detail(views, snapshot)
    assert [file["path"] for file in found["files_changed"]] == ["a.py"]
    assert found["tools"] == {"Bash": 1, "Write": 1}
    assert found["prompts"] == ["prompt 1"]
    assert found["errors"][0].startswith("make test:")
    assert found["uncommitted"] == ["a.py"]


TODOS: Any = [
    ([("TodoWrite", '{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]}')], ["b"]),
    ([("update_plan", '{"plan":[{"step":"one","status":"completed"},{"step":"two","status":"pending"}]}')], ["two"]),
    ([("TaskCreate", '{"subject":"write docs"}'), ("TaskCreate", '{"subject":"test"}'), ("TaskUpdate", '{"taskId":"1","status":"completed"}')], ["test"]),
    ([("write_todos", '{"todos":[{"description":"x","status":"pending"}]}'), ("write_todos", '{"todos":[]}')], []),
]


@pytest.mark.parametrize(("calls", "expected"), TODOS)
def test_open_todos_are_read_off_the_hosts_own_tools(calls: list[tuple[str, str]], expected: list[str]) -> None:
    """A whole list replaces the one before; single changes are folded into it."""
    assert todos([(name, given, 0, None, "", "2026-11-30T10:00:00Z") for name, given in calls]) == expected


def _boundary(number: int, session: str, second: int) -> dict[str, Any]:
    """Return the record of a compaction."""
    return claude(number, session, "", type="system", subtype="compact_boundary", timestamp=f"2026-11-30T10:00:{second:02d}.000Z",
                  compactMetadata={"trigger": "auto", "preTokens": 180000})  # fmt: skip


def test_a_fork_has_no_snapshots_of_the_points_that_it_copied(archive: Archive) -> None:
    """The compaction and the crossing belong to the parent, also where the fork had changed a file before them."""
    fork = S[:-1] + "2"
    full = answer(20, S, "x", "u20", {**USE, "cache_read_input_tokens": 160_000}, model="claude-haiku-4-5") | {"timestamp": "2026-11-30T10:00:20.000Z"}
    shared = [full, _boundary(21, S, 21)]
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 5), *shared)
    own = [{**record, "sessionId": fork, "forkedFrom": {"sessionId": S, "messageUuid": record["uuid"]}} for record in shared]
    edits = [{**record, "sessionId": fork} for record in _edit(31, "/home/dev/proj/b.py", 10)]
    archive.write(archive.claude_path(fork), claude(30, fork, "the fork", timestamp="2026-11-30T10:00:09.000Z"), *edits, *own)
    archive.ingest()
    reasons = "SELECT reason FROM snapshots WHERE session_id = '{}' ORDER BY at"
    assert archive.rows("views.db", reasons.format(S)) == [("token_threshold",), ("pre_compact",)]  # the words count, though no file changed between
    assert archive.rows("views.db", "SELECT is_copy FROM compactions WHERE session_id = '" + fork + "'") == [(1,)]
    assert archive.rows("views.db", reasons.format(fork)) == []


def test_a_moved_or_copied_file_changes_no_snapshot_and_no_measure_of_the_context(archive: Archive) -> None:
    """The digests name no path: after a move the views still say what a replay says, and a copy of a file adds nothing."""
    full = answer(20, S, "x", "u20", {**USE, "cache_read_input_tokens": 160_000}, model="claude-haiku-4-5") | {"timestamp": "2026-11-30T10:00:20.000Z"}
    records = [_prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 5), full, _boundary(21, S, 21)]
    path = archive.write(archive.claude_path(S), *records)
    archive.ingest()
    first = archive.digests()
    moved = archive.claude_path(S, "-home-dev-moved")
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    archive.ingest()
    assert archive.run("replay", "--verify")[0] == 0
    archive.write(archive.claude_path(S, "-a-copy"), *records)
    archive.ingest()
    assert archive.run("replay", "--verify")[0] == 0
    for view in ("context_history", "snapshots", "snapshot_files", "restore_cards"):
        assert archive.digests()[view] == first[view]


def test_b19_a_snapshot_names_functions_classes_and_imports_of_its_edits(archive: Archive) -> None:
    """Up to its moment: what a later edit took back before it is nothing, what came after it is not told."""
    def edit(number: int, second: int, before: list[str], after: list[str]) -> list[dict[str, Any]]:
        path = "/home/dev/proj/calc.py"
        made = _edit(number, path, second)
        made[1]["toolUseResult"] = {"filePath": path, "structuredPatch": [{"lines": [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]}]}
        return made

    archive.write(archive.claude_path(S), _prompt(1, 0), *edit(2, 10, ["import os"], ["class Sum:", "def add(a):"]),
                  *edit(4, 20, ["def add(a):"], ["import re"]), _prompt(6, 301), *edit(7, 310, [], ["def late():"]), _prompt(9, 320))  # fmt: skip
    archive.ingest()
    name = archive.json("snapshots", "--all")["snapshots"][0]["snapshot_id"]
    assert archive.json("show", name)["files_changed"][0]["hints"] == ["+class Sum", "-import os", "+import re"]
    assert "calc.py: +class Sum, -import os, +import re" in archive.run("show", name)[1]


def _line(archive: Archive, second: int, kind: str, **fields: object) -> None:
    """Append a line of the session's hooks, so many seconds after ten."""
    at = f"2026-11-30T10:{second // 60:02d}:{second % 60:02d}.600000Z"
    record: dict[str, object] = {"type": kind, "at": at, "session_id": S, **fields}
    inbox.append(open_home(str(archive.home)), S, "2026-11-30", record)


@pytest.mark.parametrize(("ending", "expected"), [("nothing", []), ("record", ["10:00:20"]), ("hook", ["10:00:20"]), ("hook of before", [])])
def test_the_end_of_a_session_is_a_point(archive: Archive, ending: str, expected: list[str]) -> None:
    """By the word of the transcript, else by the hook of its end; one that was resumed afterwards goes on."""
    ends = [{"type": "cost-state", "sessionId": S, "totalCostUSD": 0.1}] if ending == "record" else []
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 10), _prompt(5, 20), *ends)
    if ending.startswith("hook"):
        _line(archive, 30 if ending == "hook" else 5, "journal.hook", role="session-end", host="claude", payload={"session_id": S},
              transcript={"path": None, "size": None}, checkout=None)  # fmt: skip
    archive.ingest()
    assert [at for reason, at, _, _ in _rows(archive) if reason == "session_end"] == expected


@pytest.mark.parametrize(("interval_s", "expected"), [(60, ["10:01:40"]), (300, [])])
def test_the_interval_in_force_is_an_event_of_the_session(archive: Archive, interval_s: int, expected: list[str]) -> None:
    """The setting `interval_min` is written down by each hook, and counts for that session."""
    archive.write(archive.claude_path(S), _prompt(1, 0), *_edit(2, "/home/dev/proj/a.py", 10), _prompt(4, 100))
    _line(archive, 0, "journal.context", role="prompt", used=None, window=None, window_source="unknown", model=None, thresholds=[0.75], interval_s=interval_s)
    archive.ingest()
    assert [at for reason, at, _, _ in _rows(archive) if reason == "time_interval"] == expected
