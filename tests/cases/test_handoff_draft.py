"""A handoff that nobody wrote notes for: what the log and the repository know, each statement with its origin."""

import json
from pathlib import Path
from typing import Any

import pytest
from archive import answer, claude
from handoff_world import CALC, NOTES, Repository, S, statuses

from ingest import test_results


class Session:
    """Records of a session in the repository."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.records: list[dict[str, Any]] = []

    def say(self, text: str, *, by: str = "user") -> None:
        """Add a prompt, or an answer by the agent."""
        number = len(self.records) + 1
        made = claude(number, S, text) if by == "user" else answer(number, S, text, f"m{number}")
        self.records.append(made | {"cwd": str(self.repo.folder)})

    def call(self, name: str, given: dict[str, Any], result: str, *, is_error: bool = False, **told: Any) -> None:
        """Add a tool call and its result."""
        number = len(self.records) + 1
        asked = answer(number, S, "", f"m{number}")
        asked["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]
        back = claude(number + 1, S, "", message={"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": is_error}]}, **told)  # fmt: skip
        self.records += [one | {"cwd": str(self.repo.folder)} for one in (asked, back)]

    def edit(self, path: str, start: int, before: list[str], after: list[str]) -> None:
        """Add an edit of a file as it stands now."""
        patch = [{"oldStart": start, "oldLines": len(before), "newStart": start, "newLines": len(after),
                  "lines": [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]}]  # fmt: skip
        full = str(self.repo.folder / path)
        self.call("Edit", {"file_path": full, "old_string": "\n".join(before), "new_string": "\n".join(after)}, "done",
                  toolUseResult={"filePath": full, "structuredPatch": patch})  # fmt: skip

    def ingest(self) -> None:
        """Write the transcript and ingest it."""
        archive = self.repo.archive
        archive.write(archive.claude_path(S), *self.records)
        archive.ingest()


@pytest.fixture
def session(repo: Repository) -> Session:
    """Return a session that edited, failed, tested, committed and left things open."""
    repo.write("README.md", "# Ledger\n\nA ledger that adds up\nsums of any size.\n\nMore.\n")
    repo.write("pyproject.toml", "[project]\n")
    repo.commit("readme")
    repo.git("checkout", "-q", "-b", "exact")
    repo.write("calc.py", CALC.replace("    total = a + b\n    return total", "    total = int(a) + int(b)  # TODO floats\n    return total"))
    repo.commit("exact sums")
    commit = repo.git("rev-parse", "--short", "HEAD")
    repo.write("draft.txt", "x\n")
    made = Session(repo)
    made.say("Make the ledger exact.")
    made.call("TodoWrite", {"todos": [{"content": "Cover floats", "status": "pending"}, {"content": "Cover ints", "status": "completed"}]}, "ok")
    made.call("Bash", {"command": "pytest -q"}, "Exit code 1\nE  ValueError: no int\n1 failed in 0.10s", is_error=True)
    made.edit("calc.py", 5, ["    total = a + b"], ["    total = int(a) + int(b)  # TODO floats"])
    made.call("Bash", {"command": "pytest -q"}, "3 passed in 0.10s")
    made.call("Bash", {"command": "git commit -am 'exact sums'"}, f"[exact {commit}] exact sums\n 1 file changed")
    made.say("Decided to cast to int because floats lose cents. Is a negative sum allowed? Still to be done: the same for sub.", by="agent")
    made.ingest()
    return made


def test_a_draft_has_what_the_session_did_each_with_its_origin(repo: Repository, session: Session) -> None:
    """Line ranges of edits, decisions, the failure with what fixed it, the tests' last result, the commit; the records they come from."""
    repo.archive.json("handoff", "save", "--session", S)
    shown = repo.archive.json("handoff", "show")
    findings = {one["text"]: (one["origin"], [a["locator"] for a in one["anchors"] if a["kind"] != "command"]) for one in shown["statements"]
                if one["kind"] == "finding"}  # fmt: skip
    commit = repo.git("rev-parse", "--short", "HEAD")
    assert findings == {
        "Changed `calc.py:5` (edit +1 -1)": (f"session {S}, record 00000000-0000-4000-8000-000000000007", ["calc.py:5"]),
        "Decided to cast to int because floats lose cents.": (f"session {S}, record 00000000-0000-4000-8000-000000000012", []),
        f"Failed: `pytest -q` failed: E ValueError: no int → passed later, after Edit {repo.folder}/calc.py": (f"session {S}, call t4", []),
        "Tests `pytest -q` passed: 3 passed in 0.10s": (f"session {S}, call t8", []),
        f"Made commit {commit}: exact sums": (f"session {S}, call t10", [f"commit {commit}"]),
    }


def test_a_draft_cuts_what_the_repository_says(repo: Repository) -> None:
    """Four subjects of a branch, three last ones, five files of the work in progress with their number, three lines and 300 characters of the README."""
    repo.write("README.md", "# Ledger\n\n" + "\n".join(f"Line {number} {'x' * 120}" for number in range(1, 6)) + "\n")
    repo.commit("readme")
    repo.git("checkout", "-q", "-b", "side")
    for number in range(1, 7):
        repo.write(f"made{number}.py", "# TODO one\n# FIXME two\n")
        repo.commit(f"commit {number}")
    for number in range(1, 8):
        repo.write(f"new{number}.py", "x\n")
    repo.git("add", "new1.py")
    repo.write("calc.py", CALC + "# more\n")
    made = Session(repo)
    made.say("Go on with the ledger.")
    made.ingest()
    repo.archive.json("handoff", "save", "--session", S)
    shown = repo.archive.json("handoff", "show")
    assert (len(shown["purpose"]), shown["purpose"].count("Line")) == (300, 3)
    assert next(one["details"][0] for one in shown["statements"] if one["text"] == "Repository").split("\n") == [
        "- Branch side: 6 commits ahead of the trunk: commit 6; commit 5; commit 4; commit 3",
        "- Last commits: commit 6; commit 5; commit 4",
        "- Files of the last five commits: made6.py, made5.py, made4.py, made3.py, made2.py",
        "- Work in progress: 1 staged, 1 modified, 6 untracked: calc.py, new1.py, new2.py, new3.py, new4.py (5 of 8)",
        "- TODO and FIXME marks: 12 lines in 6 files",
    ]


def test_every_statement_of_a_draft_names_where_it_comes_from(repo: Repository, session: Session) -> None:
    """A record or a call of the session, or the repository; of notes the line, also for a section that is kept as it is."""
    repo.archive.json("handoff", "save", "--session", S)
    told = {one["id"]: one["origin"] for one in repo.archive.json("handoff", "show")["statements"]}
    first, last = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000012"
    assert {name: origin for name, origin in told.items() if name[0] != "F"} == {
        "C1": f"session {S}", "Q1": f"session {S}, record {last}", "Q2": "the repository", "Q3": "the repository", "M1": f"session {S}, call t2",
        "M2": f"session {S}, record {last}", "S1": "the repository", "S2": f"session {S}, record {first}",
    }  # fmt: skip
    assert all(origin.startswith(f"session {S}, ") for name, origin in told.items() if name[0] == "F")
    repo.save(NOTES + "\n## Zorro\nKept.\n")
    told = {one["id"]: one["origin"] for one in repo.archive.json("handoff", "show")["statements"]}
    assert told == {"F1": "line 7 of the notes", "F2": "line 8 of the notes", "F3": "line 10 of the notes", "Q1": "line 13 of the notes",
                    "M1": "line 16 of the notes", "S1": "line 18 of the notes"}  # fmt: skip


def test_a_draft_has_open_items_and_the_state_of_the_repository(repo: Repository, session: Session) -> None:
    """Questions that are true, todos that are open, purpose of the README, branch work, work in progress, stack, TODO marks."""
    saved = repo.archive.json("handoff", "save", "--session", S)
    shown = repo.archive.json("handoff", "show")
    told = {kind: [one["text"] for one in shown["statements"] if one["kind"] == kind] for kind in ("scope", "question", "move")}
    assert shown["purpose"] == "A ledger that adds up sums of any size."
    assert told["question"] == ["Is a negative sum allowed?", "Are the uncommitted changes to be committed: draft.txt?",
                                "Is branch exact, 1 commit ahead, to be merged?"]  # fmt: skip
    assert told["move"] == ["Cover floats", "Still to be done: the same for sub."]
    assert told["scope"] == [f"Session {S} of claude, 2026-11-30 10:00 to 2026-11-30 10:00 UTC, branch main"]
    repository = next(one for one in shown["statements"] if one["text"] == "Repository")
    assert repository["details"] == ["\n".join([
        "- Branch exact: 1 commit ahead of the trunk: exact sums", "- Last commits: exact sums; readme; one",
        "- Files of the last five commits: calc.py, README.md, pyproject.toml, other.py",
        "- Work in progress: 0 staged, 0 modified, 1 untracked: draft.txt", "- Stack: Python (pyproject.toml)", "- TODO and FIXME marks: 1 line in 1 file",
    ])]  # fmt: skip
    assert saved["quality"] in ("acceptable", "strong")
    assert any(one["text"] == "Last prompts" for one in shown["statements"])


def test_a_draft_follows_the_lines_it_wrote(repo: Repository, session: Session) -> None:
    """The range is where the lines stand now, not where they stood when they were written."""
    path = Path("calc.py")
    path.write_text("# one\n# two\n" + path.read_text())
    saved = repo.archive.json("handoff", "save", "--session", S)
    assert ("calc.py:7", "verified") in [(one["locator"], one["status"]) for one in saved["anchors"]]


def test_the_work_of_sub_agents_is_the_sessions_work(repo: Repository, session: Session) -> None:
    """A file that only a sub-agent changed is a finding."""
    other = Session(repo)
    other.edit("other.py", 2, [], ["    return value * 1000"])
    side = [one | {"isSidechain": True, "agentId": "a1"} for one in other.records]
    repo.archive.write(repo.archive.claude_path(S).parent / S / "subagents" / "agent-a1.jsonl", *side)
    repo.archive.ingest()
    saved = repo.archive.json("handoff", "save", "--session", S)
    assert ("other.py:2", "verified") in [(one["locator"], one["status"]) for one in saved["anchors"]]


def test_a_draft_names_what_came_and_went_in_a_file(repo: Repository) -> None:
    """Functions and imports of the log's own diffs."""
    made = Session(repo)
    made.say("Change.")
    made.edit("calc.py", 1, ["import os"], ["import decimal", "def exact(a):"])
    made.ingest()
    repo.archive.json("handoff", "save", "--session", S)
    texts = [one["text"] for one in repo.archive.json("handoff", "show")["statements"] if one["kind"] == "finding"]
    assert texts == ["Changed `calc.py` (edit +2 -1): +function exact, +import decimal, -import os"]


def test_a_draft_says_what_it_leaves_out(repo: Repository) -> None:
    """Thirty changed files are twenty and a number."""
    made = Session(repo)
    made.say("Change all.")
    for number in range(30):
        repo.write(f"f{number:02}.py", "x\n")
        made.edit(f"f{number:02}.py", 1, [], ["x"])
    made.ingest()
    repo.archive.json("handoff", "save", "--session", S)
    texts = [one["text"] for one in repo.archive.json("handoff", "show")["statements"] if one["kind"] == "finding"]
    assert len([text for text in texts if text.startswith("Changed")]) == 20
    assert "10 of 30 more of this kind; journal show tells all" in texts


def test_a_folder_without_any_session_says_what_to_do(repo: Repository) -> None:
    """No scan of the folder is passed off as a handoff."""
    status, _, err = repo.archive.run("handoff", "save")
    assert (status, "--notes FILE" in err) == (4, True)


def _failing(repo: Repository, *names: str) -> None:
    repo.write(".pytest_cache/v/cache/lastfailed", json.dumps(dict.fromkeys(names, True)))


def test_failing_tests_then_and_now_are_told(repo: Repository) -> None:
    """Which are new, which pass again; nothing is said where none failed."""
    repo.write(".gitignore", ".pytest_cache\n")
    repo.commit("ignore")
    _failing(repo, "t.py::a", "t.py::b")
    repo.save()
    _failing(repo, "t.py::b", "t.py::c")
    assert repo.load()["semantic"] == ["failing tests: 2 when this was saved, 2 now, by .pytest_cache; new: t.py::c; no longer: t.py::a"]
    _failing(repo)
    assert repo.load()["semantic"] == ["failing tests: 2 when this was saved, none now, by .pytest_cache; no longer: t.py::a, t.py::b"]
    repo.save()
    assert repo.load()["semantic"] == []


def test_changed_dependencies_schemas_and_configuration_are_told(repo: Repository) -> None:
    """Files by their names, changed since the base; what was dirty at save is none of it."""
    repo.write("setup.cfg", "[x]\n")
    repo.commit("base")
    repo.write("tox.ini", "[dirty]\n")
    repo.save()
    for name in ("pyproject.toml", "web/package-lock.json", "db/migrations/0001_a.py", "api/schema.graphql", "tsconfig.json", "calc2.py"):
        repo.write(name, "x\n")
    repo.write("setup.cfg", "[y]\n")
    repo.commit("all")
    assert repo.load()["semantic"] == [
        "dependencies changed since: pyproject.toml, setup.cfg, web/package-lock.json", "schemas changed since: api/schema.graphql, db/migrations/0001_a.py",
        "configuration changed since: tsconfig.json",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "expected"), [
    (".pytest_cache/v/cache/lastfailed", '{"a::b": true}', (1, ["a::b"], ".pytest_cache")),
    (".pytest_cache/v/cache/nodeids", "[]", (0, [], ".pytest_cache")), (".pytest_cache/v/cache/lastfailed", "{broken", (0, [], ".pytest_cache")),
    ("test-results.xml", '<testsuites failures="2" errors="1"><testsuite failures="1" errors="1"/></testsuites>', (3, [], "test-results.xml")),
    ("junit.xml", "<nothing/>", None),
])  # fmt: skip
def test_results_of_tests_are_read_where_they_lie(tmp_path: Path, name: str, data: str, expected: tuple[int, list[str], str] | None) -> None:
    """pytest's cache, else a report; damaged files tell nothing that is not so."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)
    found = test_results.read(str(tmp_path))
    assert (found and (found["failing"], found["names"], found["source"])) == expected


def test_an_unverified_draft_is_loaded_with_its_statuses(repo: Repository, session: Session) -> None:
    """The commit and the range are verified at load like any other evidence."""
    repo.archive.json("handoff", "save", "--session", S)
    loaded = repo.load()
    commit = repo.git("rev-parse", "--short", "HEAD")
    assert statuses(loaded)[f"commit {commit}"] == ("verified", None)
    assert statuses(loaded)["calc.py:5"] == ("verified", None)
    assert loaded["session_id"] == S
