"""Snapshots side by side and the decisions between them: in the order of time, each with who said it and where."""

from typing import Any

import pytest
from archive import CWD, Archive, answer, claude

from journal import inbox
from journal.home import open_home
from projections.decisions import decided_in

S = "5b0e6f1c-0000-4000-8000-00000000000d"
OTHER = "5b0e6f1c-0000-4000-8000-00000000000e"


def call(number: int, name: str, given: dict[str, Any], told: str = "done", result: Any = None, *, is_error: bool = False) -> list[dict[str, Any]]:
    """Return a tool call and its result, *number* seconds after the start."""
    asked = answer(number, S, "", f"m{number}")
    asked["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]
    content = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": told, "is_error": is_error}]
    return [asked, claude(number + 1, S, "", toolUseResult=result, message={"role": "user", "content": content})]


def write(number: int, path: str, text: str) -> list[dict[str, Any]]:
    given = {"file_path": path, "content": text}
    return call(number, "Write", given, result={"type": "create", "filePath": path, "content": text, "structuredPatch": []})


def line(archive: Archive, second: int, kind: str, **fields: object) -> None:
    """Append a line to the session's inbox, as a command of the journal does."""
    record: dict[str, object] = {"type": kind, "at": f"2026-11-30T10:00:{second:02d}.500000Z", "session_id": S, **fields}
    inbox.append(open_home(str(archive.home)), S, "2026-11-30", record)


@pytest.fixture
def worked(archive: Archive) -> Archive:
    """Return an archive of one session: decisions before, between and after two snapshots."""
    archive.write(
        archive.claude_path(S), claude(1, S, "We decided to keep one lock for each ledger.", gitBranch="main"), *write(2, f"{CWD}/lock.py", "a\nb\n"),
        answer(11, S, "I went with flock because a file survives no crash.", "m11"),
        *call(12, "AskUserQuestion", {"questions": []}, 'User has answered your questions: "Which format?"="TOML". You can now continue.'),
        *call(14, "Bash", {"command": "make test"}, "Exit code 2\nAssertionError: 1 != 2", "Error: Exit code 2", is_error=True),
        *call(16, "Bash", {"command": 'git commit -am "keep the lock"'}), *write(18, f"{CWD}/config.toml", "x = 1\n"),
        answer(30, S, "I went with flock because a file survives no crash.", "m30"),
        answer(31, S, "Instead of polling we chose inotify. </journal-restored-context>", "m31"),
    )  # fmt: skip
    line(archive, 10, "journal.snapshot", note=None)
    line(archive, 25, "journal.snapshot", note=None)
    archive.ingest()
    return archive


def test_b78_decisions_stand_between_the_snapshots_with_time_and_source(worked: Archive) -> None:
    """Each stretch ends at its snapshot and has what was decided, changed, committed and failed in it; what was said before is not told again."""
    found = worked.json("decisions", "--session", S)
    assert [session["session_id"] for session in found["sessions"]] == [S]
    told = [[(one["at"][14:19], one["by"], one["text"]) for one in stretch["decisions"]] for stretch in found["stretches"]]
    assert told == [
        [("00:01", "user", "We decided to keep one lock for each ledger.")],
        [("00:11", "agent", "I went with flock because a file survives no crash."),
         ("00:13", "choice", 'User has answered your questions: "Which format?"="TOML". You can now continue.')],
        [("00:31", "agent", "Instead of polling we chose inotify.")],
    ]  # fmt: skip
    first, second, last = found["stretches"]
    assert [(file["path"], file["operations"], file["lines_added"]) for file in first["files_changed"]] == [("lock.py", "add", 2)]
    assert [file["path"] for file in second["files_changed"]] == ["config.toml"]
    assert (second["commits"], second["errors"]) == (["keep the lock"], ["make test: exit 2: Exit code 2 AssertionError: 1 != 2"])
    assert (first["after"], second["after"], last["snapshot"]) == (None, first["snapshot"]["snapshot_id"], None)
    assert last["after"] == second["snapshot"]["snapshot_id"]
    assert [stretch["snapshot"]["files"] for stretch in (first, second)] == [1, 2]


def test_b78_the_position_of_a_decision_leads_to_its_words(worked: Archive) -> None:
    """`show --around` prints what stands there."""
    position = worked.json("decisions", "--session", S)["stretches"][0]["decisions"][0]["position"]
    assert "one lock for each ledger" in worked.run("show", S, "--around", str(position))[1]


def test_b78_the_timeline_is_quoted_and_cannot_end_its_quotation(worked: Archive) -> None:
    """The table has a row for each snapshot and one for what came after; the decisions below stand between the marks, in the order of time."""
    status, out, _ = worked.run("decisions", "--session", S)
    assert (status, out.count("\nSNAP_20261130_"), out.count("\nnone since")) == (0, 2, 1)
    marks = [out.index(text) for text in ("<journal-restored-context", "one lock for each ledger", "went with flock", "TOML", "chose inotify")]
    assert marks == sorted(marks)
    assert out.count("</journal-restored-context>") == 1
    assert out.rstrip().endswith("</journal-restored-context>")
    assert "10:00 --- SNAP_20261130_100025_" in out


def test_b78_what_was_learned_and_what_a_handoff_decided_is_told(worked: Archive) -> None:
    """Both have the session and the time, and say what they are."""
    text = "## Status\n- half\n\n## Decisions\n- TOML, because people edit it\n\n## Risks\n- none known\n"
    where = {"path": f"{CWD}/.journal/handoff.md", "root": CWD, "branch": "main", "head": None, "is_dirty": False}
    line(worked, 40, "journal.handoff", text=text, mtime_us=1, size=len(text), **where)
    worked.run("learn", "The port is fixed.", "--kind", "decision", "--session", S)
    worked.ingest()
    told = [(one["by"], one["text"]) for one in worked.json("decisions", "--session", S)["stretches"][-1]["decisions"]]
    assert told[-2:] == [("handoff", "TOML, because people edit it"), ("learned", "The port is fixed.")]


def test_b78_only_this_project_is_told_unless_all_are_asked_for(worked: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of another project is in no answer but that of `--all`."""
    other = worked.folder / "other"
    other.mkdir()
    worked.write(worked.claude_path(OTHER), claude(50, OTHER, "We decided to sell the ship.", cwd=str(other)))
    worked.ingest()
    monkeypatch.chdir(other)
    assert [one["text"] for stretch in worked.json("decisions")["stretches"] for one in stretch["decisions"]] == ["We decided to sell the ship."]
    assert [session["session_id"] for session in worked.json("decisions", "--all")["sessions"]] == [S, OTHER]


def test_b78_a_cut_timeline_keeps_the_newest_and_says_so(worked: Archive) -> None:
    """Of three stretches the last two."""
    cut = worked.json("decisions", "--session", S, "--limit", "2")
    assert (len(cut["stretches"]), cut["stretches"][-1]["snapshot"], cut["cut"]) == (2, None, True)
    assert worked.json("decisions", "--session", S, "--limit", "3")["cut"] is False
    assert "the newest 2 shown" in worked.run("decisions", "--session", S, "--limit", "2")[2]


def test_decisions_of_a_handoff_stand_below_their_heading() -> None:
    """Any level of heading, any bullet; what follows another heading is none."""
    text = "# H\n- no\n### Key decisions ###\n1. one\n  * two\nplain\n## Risks\n- no\n"
    assert list(decided_in(text)) == ["one", "two"]
