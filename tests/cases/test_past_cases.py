"""What the log says of a file, an error and a topic, and what a session suggests to learn."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude

from projections import fixed

S = "aaaaaaaa-0000-4000-8000-000000000001"
ERROR = "ModuleNotFoundError: No module named 'ledger_core'"


def call(number: int, name: str, given: dict[str, Any], output: str, *, failed: bool = False, patch: bool = False) -> list[dict[str, Any]]:
    """Return a call and its result."""
    asked = answer(number, S, "", f"m{number}")
    asked["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}
    details = {"toolUseResult": {"filePath": given["file_path"], "structuredPatch": [{"lines": ["+x"]}]}} if patch else {}
    return [asked, claude(number + 1, S, "", message={"role": "user", "content": [block]}, **details)]


@pytest.fixture
def worked(archive: Archive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Archive:
    """Return an archive in which tests failed, a file was edited and the tests passed."""
    archive.write(
        archive.claude_path(S),
        claude(1, S, "make the ledger tests pass; never edit the fixtures"),
        *call(2, "Bash", {"command": "pytest -q tests/ledger"}, f"Traceback\n{ERROR}\n1 failed", failed=True),
        *call(4, "Edit", {"file_path": f"{CWD}/setup.cfg"}, "ok", patch=True),
        *call(6, "Bash", {"command": "pytest -q tests/ledger"}, "3 passed"),
        answer(8, S, "We decided to list ledger_core in setup.cfg because the wheel left it out.", "m8"),
        claude(9, S, "No, use tabs in setup.cfg. And thanks."),
        *[record for number in range(10, 18, 2) for record in call(number, "Bash", {"command": "make check"}, "ok")],
        *call(20, "Bash", {"command": "npm test"}, "Error: ENOENT package.json", failed=True),
        *call(22, "Bash", {"command": "npm test"}, "Error: ENOENT package.json", failed=True),
    )
    archive.ingest()
    return archive


def test_fix_tells_how_an_error_was_fixed_before(worked: Archive) -> None:
    """The command, its error, what was done until it passed, and what the agent said then."""
    found = worked.json("fix", "ModuleNotFoundError:", "ledger_core", "--all")["fixes"]
    assert [(one["session_id"], one["command"], one["error"], one["fix"]) for one in found] == [
        (S, "pytest -q tests/ledger", ERROR, f"Edit {CWD}/setup.cfg")]  # fmt: skip
    assert found[0]["said"].startswith("We decided to list ledger_core")


def test_fix_knows_nothing_of_what_never_passed(worked: Archive) -> None:
    """A failure without a later success is no fix."""
    assert worked.json("fix", "ENOENT", "--all")["fixes"] == []
    assert worked.rows("views.db", "SELECT count(*) FROM fixes") == [(1,)]


def test_why_tells_decisions_and_changes_of_a_file(worked: Archive) -> None:
    """What was decided in the turn that changed it, with the prompt."""
    told = worked.json("why", f"{CWD}/setup.cfg")
    assert [one["text"] for one in told["decisions"] if one["kind"] == "decision"] == [
        "We decided to list ledger_core in setup.cfg because the wheel left it out."]  # fmt: skip
    assert [(one["operation"], one["prompt"]) for one in told["changes"]] == [("edit", "make the ledger tests pass; never edit the fixtures")]
    assert worked.run("why", "nobody.py")[0] == 0


def test_why_tells_learnings_that_name_the_file(worked: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An anchor leads from the file to what was learned about it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calc.py").write_text("one\n")
    stored = worked.json("learn", "The sum is kept whole.", "--anchor", "calc.py:1")
    assert [one["learning_id"] for one in worked.json("why", "calc.py")["learnings"]] == [stored["learning_id"]]


def test_timeline_takes_a_file_or_a_topic(worked: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that is a changed file lists its changes, other words list what was said, oldest first."""
    monkeypatch.setattr("cli.memory.past.current_project", lambda views: CWD)
    assert [change["path"] for change in worked.json("timeline", "setup.cfg")["changes"]] == ["setup.cfg"]
    entries = worked.json("timeline", "ledger")["entries"]
    assert [entry["kind"] for entry in entries][:2] == ["prompt", "tool"]
    assert sorted(entry["occurred_at"] for entry in entries) == [entry["occurred_at"] for entry in entries]
    assert worked.run("timeline")[0] == 2


def test_learn_suggests_fixes_corrections_and_habits(worked: Archive) -> None:
    """An error with its fix, a rule and a correction by the user, a command that was run four times."""
    told = worked.json("learn", "--suggest", "--session", S)["suggestions"]
    assert {(one["kind"], one["why"]) for one in told} == {
        ("solution", "an error and its fix"), ("preference", "a correction by the user"), ("gotcha", "a correction by the user"),
        ("pattern", "run 4 times with success")}  # fmt: skip
    assert {one["text"] for one in told} >= {"No, use tabs in setup.cfg.", "make the ledger tests pass; never edit the fixtures", "Run `make check` here."}


def test_an_accepted_suggestion_is_a_learning_of_that_session(worked: Archive) -> None:
    """It is stored by its number, said to be a suggestion, and known from then on."""
    told = worked.json("learn", "--suggest", "--session", S)["suggestions"]
    number = next(one["number"] for one in told if one["kind"] == "pattern")
    assert worked.run("learn", "--session", S, "--accept", str(number))[0] == 0
    assert worked.rows("views.db", "SELECT kind, text, origin, session_id FROM learnings") == [("pattern", "Run `make check` here.", "suggestion", S)]
    again = {one["number"]: one["is_known"] for one in worked.json("learn", "--suggest", "--session", S)["suggestions"]}
    assert again[number] is True
    assert worked.run("learn", "--session", S, "--accept", "99")[0] == 2


def test_the_fix_of_a_prompts_error_is_found_and_words_alone_find_none(worked: Archive) -> None:
    """A hook tells a fix only for an identifier of the error and half of its weight."""
    views = sqlite3.connect(worked.home / "views.db")
    found = fixed.best(views, f"I get {ERROR} again", CWD)
    assert found is not None
    assert (found.session_id, found.error) == (S, ERROR)
    assert fixed.best(views, "write a module for the ledger", CWD) is None
    assert fixed.best(views, f"I get {ERROR} again", "/elsewhere") is None


def test_fixes_are_the_same_live_and_replayed(worked: Archive) -> None:
    """A success that comes later completes the failure of an earlier ingest."""
    worked.write(worked.claude_path(S), *call(24, "Bash", {"command": "npm test"}, "ok"), append=True)
    worked.ingest()
    kept = worked.rows("views.db", "SELECT command, fix FROM fixes ORDER BY failed_at")
    assert kept == [("pytest -q tests/ledger", f"Edit {CWD}/setup.cfg"), ("npm test", "nothing: it passed when it was run again")]
    assert json.loads(worked.run("replay", "--verify", "--json")[1])["verified"] is True
