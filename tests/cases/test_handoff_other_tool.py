"""Bundles of Context Handoff Bundle, written by its rules in a real repository: what comes in, what is checked, and what it reads of ours."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from handoff_world import CALC, NOTES, Repository, statuses
from other_tool import NAMES, Notes, status, write

FINDINGS = (
    "Addition keeps its whole sum in one variable.",
    "Subtraction in calc.py is the only place that can go below zero.",
    "The helper of other.py is used by nobody — größer als nötig.",
)
GIVEN = Notes(
    FINDINGS, ("README.md — what it is for", "calc.py:4-6 — the sum", "calc.py:9-11 -- no sign check", "other.py", "Where: calc.py:10 (nothing checks it)"),
    "Make the calculator exact.", ("ledger", "bank"), ("Cover subtraction with tests.",), ("Does anybody call sub with negative numbers?",),
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the folder of its global store, which the home folder has."""
    return tmp_path / ".context-handoff-bundles"


def written(repo: Repository, store: Path, notes: Notes = GIVEN, **rest: Any) -> Path:
    """Write a bundle of the repository as it is now."""
    if not (repo.folder / "README.md").exists():
        repo.write("README.md", "# Calculator\n\nIt adds.\n")
        repo.commit("readme")
    return write(store, "The lock — größer", notes, repo.folder, head=repo.git("rev-parse", "HEAD"), **rest)


def brought_in(repo: Repository, path: Path) -> dict[str, Any]:
    """Import one bundle and return it as it is shown."""
    answer = repo.archive.json("handoff", "import", str(path))["bundles"]
    assert [one["standing"] for one in answer] == ["imported"]
    shown: dict[str, Any] = repo.archive.json("handoff", "show", answer[0]["handoff_id"])
    return shown


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0", "0.3.0"])
def test_every_version_of_it_comes_back_byte_for_byte(repo: Repository, home: Path, tmp_path: Path, version: str) -> None:
    """Its eight files to the byte, its entry in the index but for the path, and the store as it was where it is exported to the same place."""
    path = written(repo, home, version=version, tags=["lock", "älter"])
    before = {name: (path / name).read_bytes() for name in NAMES}
    index = json.loads((home / "index.json").read_text())
    shown = brought_in(repo, path)
    assert (shown["title"], shown["saved_at"], shown["tags"], shown["branch"]) == (
        "The lock — größer", "2026-11-30T10:15:00.250000Z", ["lock", "älter"], "main")  # fmt: skip
    answer = repo.archive.json("handoff", "export", shown["handoff_id"], "--output", str(tmp_path / "out"))
    assert {one.name: one.read_bytes() for one in Path(answer["path"]).iterdir()} == before
    assert json.loads((tmp_path / "out/index.json").read_text()) == [index[0] | {"path": answer["path"]}]
    assert repo.archive.json("handoff", "export", shown["handoff_id"], "--output", str(home))["is_new"] is False
    assert json.loads((home / "index.json").read_text()) == index


def test_the_two_places_that_every_finding_got_prove_none_of_them(repo: Repository, home: Path) -> None:
    """A finding keeps the places that its words name, the rest stands under Evidence; a change puts at risk the finding that names the file alone."""
    shown = brought_in(repo, written(repo, home))
    assert [(one["id"], [anchor["locator"] for anchor in one["anchors"]]) for one in shown["statements"] if one["kind"] == "finding"] == [
        ("F1", []), ("F2", ["calc.py:4-6", "calc.py:9-11", "calc.py:10"]), ("F3", ["other.py"]),
    ]  # fmt: skip
    assert shown["warnings"][0].startswith("the tool that wrote it gives every finding the same two places")
    repo.write("README.md", "# Something else\n")
    repo.write("other.py", "def helper(value):\n    return value\n")
    loaded = repo.load()
    assert [one["id"] for one in loaded["findings"] if one["at_risk"]] == ["F3"]
    assert statuses(loaded)["README.md"] == ("changed", None)
    assert loaded["severity"] == "medium"


def test_a_single_finding_keeps_its_places(repo: Repository, home: Path) -> None:
    """Where there is but one, they are its own, and so they are where somebody gave each finding its own."""
    shown = brought_in(repo, written(repo, home, GIVEN._replace(findings=FINDINGS[:1])))
    assert [anchor["locator"] for one in shown["statements"] if one["kind"] == "finding" for anchor in one["anchors"]] == ["README.md", "calc.py:4-6"]
    assert not any("the same two places" in one for one in shown["warnings"])


def test_its_evidence_is_followed_like_our_own(repo: Repository, home: Path) -> None:
    """Nothing changed is verified; lines above move a range, a rename moves a file, an edit inside changes the one range that has it."""
    brought_in(repo, written(repo, home))
    assert {place: status for place, (status, _) in statuses(repo.load()).items()} == {
        "README.md": "verified", "calc.py:4-6": "verified", "calc.py:9-11": "verified", "other.py": "verified", "calc.py:10": "verified"}  # fmt: skip
    repo.write("calc.py", "# one\n" + CALC.replace("rest = a - b", "rest = b - a"))
    repo.git("mv", "other.py", "helper.py")
    assert statuses(repo.load()) == {
        "README.md": ("verified", None), "calc.py:4-6": ("moved", "calc.py:5-7"), "calc.py:9-11": ("changed", None), "calc.py:10": ("changed", None),
        "other.py": ("moved", "helper.py")}  # fmt: skip


def test_what_changed_before_the_import_is_compared_with_the_saved_commit(repo: Repository, home: Path) -> None:
    """The short diff shows both, although the bundle holds hashes alone."""
    path = written(repo, home)
    repo.write("calc.py", CALC.replace("total = a + b", "total = b + a"))
    brought_in(repo, path)
    changed = next(one for one in repo.load()["anchors"] if one["locator"] == "calc.py:4-6")
    assert (changed["status"], changed["diff"]) == ("changed", ["-    total = a + b", "+    total = b + a"])


def test_a_place_that_was_found_from_a_folder_below_is_found_from_the_root(repo: Repository, home: Path) -> None:
    """Its index has the path in small letters; the file keeps the letters that it has."""
    repo.write("Src/My/Calc.py", CALC)
    repo.commit("below")
    path = written(repo, home, Notes(FINDINGS[:1], ("Calc.py:4-6", "My/Calc.py")), here=repo.folder / "Src/My")
    told = json.loads((path / "evidence_index.json").read_text())
    assert (told[0]["resolved_path"], told[1]["resolved_path"]) == ("src/my/calc.py", None)
    brought_in(repo, path)
    repo.write("Src/My/Calc.py", "# one\n" + CALC)
    assert statuses(repo.load()) == {"Calc.py:4-6": ("moved", "Src/My/Calc.py:5-7"), "My/Calc.py": ("n/a", None)}
    repo.git("rm", "-q", "-f", "Src/My/Calc.py")
    assert statuses(repo.load())["Calc.py:4-6"] == ("gone", None)


def test_what_it_verified_without_cause_is_not_believed(repo: Repository, home: Path, tmp_path: Path) -> None:
    """A range beyond the end has the hash of nothing, a file outside the repository is no evidence of it, and another machine's path is neither."""
    (tmp_path / "notes outside.md").write_text("x\n")
    (tmp_path / "outside.md").write_text("x\n")
    path = written(repo, home, Notes(FINDINGS[:1], ("calc.py:50-60", "calc.py:8", str(tmp_path / "outside.md"), "C:\\Projects\\thing\\file.py:12 — a note",
                                                    "nowhere.py:3")))  # fmt: skip
    index = json.loads((path / "evidence_index.json").read_text())
    assert [one["verified_at_save"] for one in index] == [True, True, True, False, False]
    shown = brought_in(repo, path)
    assert {one["locator"]: one["reason"] for row in shown["statements"] for one in row["anchors"]} == {
        "calc.py:50-60": "the range was empty when it was saved", "calc.py:8": "the range was empty when it was saved",
        str(tmp_path / "outside.md"): "it lies outside the project", "C:\\Projects\\thing\\file.py:12": "it lies outside the project",
        "nowhere.py:3": "it was not found when it was saved"}  # fmt: skip
    loaded = repo.load()
    assert ({status for status, _ in statuses(loaded).values()}, loaded["severity"]) == ({"n/a"}, "none")
    assert shown["dimensions"]["evidence_coverage"] == 0


def test_commits_links_commands_and_prose_are_told_apart(repo: Repository, home: Path) -> None:
    """A commit is looked up, a link is not, a command and prose stay words."""
    head = repo.git("rev-parse", "--short=10", "HEAD")
    evidence = (f"git commit {head} on main (pushed)", "commit 1eb485f — merged", "https://example.org/a — a page", "git log -p -- calc.py",
                "the talk about locks")  # fmt: skip
    path = written(repo, home, Notes(FINDINGS[:1], evidence))
    brought_in(repo, path)
    found = {one["locator"]: one["status"] for one in repo.load()["anchors"]}
    assert found == {f"git commit {head}": "verified", "commit 1eb485f": "gone", "https://example.org/a": "n/a"}


@pytest.mark.parametrize(("text", "lines"), [
    (CALC.replace("\n", "\r\n"), "4-6"), (CALC.replace("\n\n\ndef add", "\n\f\n\ndef add"), "5-7"), (CALC.replace("import os", 'x = "\u2028"'), "5-7"),
    ("\ufeff" + CALC, "4-6"),
], ids=["CRLF", "form feed", "line separator", "byte order mark"])  # fmt: skip
def test_its_own_counting_of_lines_is_understood(repo: Repository, home: Path, text: str, lines: str) -> None:
    """It ends a line at a form feed and at some signs of Unicode too; the range that it hashed is found and followed."""
    repo.write("calc.py", text)
    repo.commit("odd")
    start, _, end = lines.partition("-")
    brought_in(repo, written(repo, home, Notes(FINDINGS[:1], (f"calc.py:{lines}", "calc.py"))))
    assert statuses(repo.load()) == {f"calc.py:{lines}": ("verified", None), "calc.py": ("verified", None)}
    repo.write("calc.py", "# one\n" + text)
    status, now = statuses(repo.load())[f"calc.py:{lines}"]
    at = next(number for number, line in enumerate(("# one\n" + text).split("\n"), 1) if line.startswith("def add"))
    assert (status, now) == ("moved", f"calc.py:{at}-{at + int(end) - int(start)}")
    repo.write("calc.py", text.replace("total = a + b", "total = b + a"))
    assert statuses(repo.load())[f"calc.py:{lines}"] == ("changed", None)


def test_line_ends_that_git_changed_are_no_change(repo: Repository, home: Path) -> None:
    """A file that was hashed with CRLF and is LF in the checkout now, and the other way, is as it was."""
    repo.write("calc.py", CALC.replace("\n", "\r\n"))
    repo.commit("crlf")
    path = written(repo, home, Notes(FINDINGS[:1], ("calc.py", "other.py")))
    repo.write("calc.py", CALC)
    repo.write("other.py", "def helper(value):\r\n    return value * 1000\r\n")
    brought_in(repo, path)
    assert statuses(repo.load()) == {"calc.py": ("verified", None), "other.py": ("verified", None)}


def test_a_generated_bundle_belongs_to_the_checkout_that_it_lies_in(repo: Repository) -> None:
    """It names no project; the folder has it, and an empty form of `init` is refused with the reason."""
    path = written(repo, repo.folder / "docs/context-handoffs", mode="generate")
    assert path.name == "2026-11-30-the-lock-gr-er"
    assert brought_in(repo, path)["root"] == str(repo.folder)
    assert repo.load()["title"] == "The lock — größer"
    form = repo.folder / "docs/context-handoffs/2026-11-30-untitled-handoff"
    form.mkdir()
    (form / "summary.json").write_text(json.dumps({"title": "", "date": "YYYY-MM-DD", "findings": [], "recommendations": []}, indent=2))
    status, out, err = repo.archive.run("handoff", "import", str(form), "--json")
    assert (status, json.loads(out)["bundles"][0]["standing"]) == (1, "refused")
    assert "no findings, questions or evidence" in json.loads(out)["bundles"][0]["reason"]
    assert err == ""


def test_a_moved_repository_is_known_by_the_saved_commit(repo: Repository, home: Path) -> None:
    """The folder that the bundle names is gone; the checkout here has its commit. Another repository has not, and gets nothing."""
    path = written(repo, home)
    repo.enter(repo.folder.parent)
    repo.folder.rename(repo.folder.parent / "elsewhere")
    other = Repository(repo.archive, repo.folder.parent / "other", repo.patch)
    assert brought_in(other, path)["root"] == str(repo.folder)
    assert other.archive.run("handoff", "load")[0] == 4
    repo.archive.home = repo.archive.home.parent / "second-home"
    repo.enter(repo.folder.parent / "elsewhere")
    assert brought_in(repo, path)["root"] == str(repo.folder.parent / "elsewhere")
    assert repo.load()["severity"] == "none"


def test_a_question_that_blocks_says_so(repo: Repository, home: Path) -> None:
    """Somebody set it in the file; it is told with the question."""
    path = written(repo, home)
    questions = json.loads((path / "open_questions.json").read_text())
    questions[0]["blocking"] = True
    (path / "open_questions.json").write_text(json.dumps(questions, indent=2))
    shown = brought_in(repo, path)
    assert next(one["details"][0] for one in shown["statements"] if one["kind"] == "question") == "It blocks what comes next."


OURS = NOTES.replace("## Open questions", """- The whole of `other.py`, the folder `src/` and `src/Größe.py::add` belong together.
  - src/Größe.py#L4-L6
  - calc.py:4:5
  - HEAD
  - https://example.org/a
  - `pytest -q tests`
  - nowhere.py:3

## Open questions""").replace("HEAD", "{head}")


def test_it_reads_our_evidence_as_it_is(repo: Repository) -> None:
    """By its rules every place of an exported handoff is verified, also whole files and those with CRLF, and what it cannot read is no alarm."""
    repo.write("src/Größe.py", CALC.replace("\n", "\r\n"))
    repo.write("other.py", "def helper(value):\r\n    return value * 1000\r\n")
    repo.commit("more")
    repo.save(OURS.replace("{head}", repo.git("rev-parse", "HEAD")))
    path = Path(repo.archive.json("handoff", "export")["path"])
    index = json.loads((path / "evidence_index.json").read_text())
    assert {(one["path"], status(one, repo.folder)) for one in index} == {
        ("calc.py:4-6", "verified"), ("calc.py:9-11", "verified"), ("other.py:1-2", "verified"), ("calc.py", "verified"), ("other.py", "verified"),
        ("folder src", "n/a"), ("src/Größe.py:4", "verified"), ("src/Größe.py:4-6", "verified"), ("calc.py:4", "verified"),
        (f"commit {repo.git('rev-parse', 'HEAD')}", "commit"), ("https://example.org/a", "n/a"), ("pytest -q tests", "n/a"), ("nowhere.py:3", "gone"),
    }  # fmt: skip
    named = {one["path"] for one in index}
    summary = json.loads((path / "summary.json").read_text())
    assert all(place in named for one in summary["findings"] for place in one["evidence"])
    repo.write("other.py", "def helper(value):\r\n    return value\r\n")
    assert {one["path"] for one in index if status(one, repo.folder) == "changed"} == {"other.py", "other.py:1-2"}


def test_it_finds_our_bundle_by_its_index(repo: Repository) -> None:
    """The path is there, the time has an offset in digits, and all keys that its list, load and drift read are of its kinds."""
    saved = repo.save()
    path = Path(repo.archive.json("handoff", "export")["path"])
    entry = json.loads((path.parent / "index.json").read_text())[0]
    assert (Path(entry["path"]), entry["repo_root"], entry["branch"], entry["dirty"]) == (path, str(repo.folder), "main", "false")
    assert entry["created_at"].endswith("+00:00")
    assert datetime.fromisoformat(entry["created_at"]).tzinfo is not None
    assert entry["head_commit"] == repo.git("rev-parse", "HEAD")
    assert entry["quality"] == {"overall": saved["quality"], "score": saved["score"]}
    metadata = json.loads((path / "bundle_metadata.json").read_text())
    wanted = {"bundle_version", "generated_at", "generator", "source_inputs", "notes", "token_estimates", "bundle_id", "title", "slug", "repo_root",
              "branch", "head_commit", "tags", "stored_at"}  # fmt: skip
    assert wanted <= set(metadata)
    assert metadata["stored_at"] == entry["created_at"]
