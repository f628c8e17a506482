"""Lists and comparisons of snapshots: what is left out, where it still is, and what two of them differ in."""

from typing import Any

import pytest
from archive import CWD, Archive, answer, claude

from journal import inbox
from journal.home import open_home

S = "5b0e6f1c-0000-4000-8000-00000000000c"


def _call(number: int, name: str, given: dict[str, Any], result: Any = None) -> list[dict[str, Any]]:
    """Return a tool call and its result, *number* seconds after the start."""
    call = answer(number, S, "", f"m{number}")
    call["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]
    content = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "done"}]
    return [call, claude(number + 1, S, "", toolUseResult=result, message={"role": "user", "content": content})]


def _write(number: int, path: str, text: str = "x\n") -> list[dict[str, Any]]:
    given = {"file_path": path, "content": text}
    return _call(number, "Write", given, {"type": "create", "filePath": path, "content": text, "structuredPatch": []})


def _snapshots(archive: Archive, *seconds: int) -> list[str]:
    """Ask for a snapshot at each of these seconds after the start; return their ids, oldest first."""
    for second in seconds:
        record: dict[str, object] = {"type": "journal.snapshot", "at": f"2026-11-30T10:00:{second:02d}.500000Z", "session_id": S, "note": None}
        inbox.append(open_home(str(archive.home)), S, "2026-11-30", record)
    archive.ingest()
    return [row[0] for row in archive.rows("views.db", "SELECT snapshot_id FROM snapshots WHERE reason = 'manual' ORDER BY at")]


def test_bw5_old_snapshots_leave_the_list_and_stay_reachable(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is older than the days that are listed is in no list; `--all` lists it, `show` prints it, and a list that is cut says the total."""
    project = archive.folder / "proj"
    project.mkdir()
    monkeypatch.chdir(project)
    archive.write(archive.claude_path(S), *(record | {"cwd": str(project)} for record in (claude(1, S, "go"), *_write(2, f"{project}/a.py"))))
    ids = _snapshots(archive, 5, 6)
    listed = {}
    for days in (36500, 0):
        (archive.home / "config.toml").write_text(f"[hooks]\nlisted_days = {days}\n")
        listed[days] = {row["snapshot_id"] for row in archive.json("snapshots")["snapshots"]}
    assert (listed[36500] >= set(ids), listed[0]) == (True, set())
    assert {row["snapshot_id"] for row in archive.json("snapshots", "--all")["snapshots"]} >= set(ids)
    cut = archive.json("snapshots", "--all", "--limit", "1")
    assert (len(cut["snapshots"]), cut["total"]) == (1, len(archive.json("snapshots", "--all")["snapshots"]))
    assert archive.json("show", ids[0])["snapshot_id"] == ids[0]


def test_bw6_a_snapshot_leaves_no_file_out(archive: Archive) -> None:
    """Of 25 files 25 are shown, the one touched last first."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), *(record for number in range(25) for record in _write(2 + number, f"{CWD}/f{number:02d}.py")))
    (snapshot,) = _snapshots(archive, 50)
    found = [file["path"] for file in archive.json("show", snapshot)["files_changed"]]
    assert len(found) == 25
    assert found[0] == "f24.py"


def test_b22_bw7_paths_are_relative_to_the_project_and_others_stay_whole(archive: Archive) -> None:
    """A folder whose name begins like the project's is not taken for a part of it."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), *_write(2, f"{CWD}/src/a.py"), *_write(4, f"{CWD}-other/leak.py"))
    (snapshot,) = _snapshots(archive, 20)
    assert {file["path"] for file in archive.json("show", snapshot)["files_changed"]} == {"src/a.py", f"{CWD}-other/leak.py"}


def test_b84_commits_and_what_was_edited_since_the_last_one(archive: Archive) -> None:
    """The commit's message is told; of two files only the one that was written after it is uncommitted."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), *_write(2, f"{CWD}/a.py"), *_call(4, "Bash", {"command": 'git commit -am "keep the lock"'}),
                  *_write(6, f"{CWD}/b.py"))  # fmt: skip
    (snapshot,) = _snapshots(archive, 20)
    found = archive.json("show", snapshot)
    assert (found["commits"], found["uncommitted"]) == (["keep the lock"], ["b.py"])


def test_b26_two_snapshots_are_compared(archive: Archive) -> None:
    """Files and tools that the second has more than the first."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), *_write(2, f"{CWD}/a.py"), *_write(10, f"{CWD}/b.py"))
    before, after = _snapshots(archive, 5, 20)
    found = archive.json("diff", before, after)
    assert (found["files_added"], found["files_gone"], found["tools"]) == (["b.py"], [], {"Write": 1})


def test_b25_the_files_of_a_project_add_up_over_its_sessions(archive: Archive) -> None:
    """One row a file, with all operations and the lines of all its changes."""
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-x", "+y", "+z"]}]
    edit = _call(10, "Edit", {"file_path": f"{CWD}/a.py", "old_string": "x", "new_string": "y\nz"},
                 {"filePath": f"{CWD}/a.py", "oldString": "x", "newString": "y\nz", "structuredPatch": patch})  # fmt: skip
    archive.write(archive.claude_path(S), claude(1, S, "go"), *_write(2, f"{CWD}/a.py", "1\n2\n"), *edit)
    archive.ingest()
    assert archive.rows("views.db", "SELECT path, operations, lines_added, lines_removed FROM project_files") == [("a.py", "add,edit", 4, 1)]


def test_bw20_an_unknown_snapshot_is_not_found(archive: Archive) -> None:
    """Exit 4 and the command that lists what there is; an empty list is exit 0."""
    archive.write(archive.claude_path(S), claude(1, S, "go"))
    archive.ingest()
    status, _, err = archive.run("diff", "SNAP_none", "latest")
    assert (status, "journal snapshots --all" in err) == (4, True)
    assert archive.json("snapshots", "--session", S)["snapshots"] == []
