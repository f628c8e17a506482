"""Handoffs as bundle directories: our own there and back, and another tool's, which come back byte for byte."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from archive import Archive
from handoff_world import CALC, NOTES, Repository, statuses

STORE = Path(__file__).parent / "bundles"
LOCK, REST = "20261130-101500-the-lock-of-the-ledger", "20261201-080000-notes"


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file of a bundle."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def store(repo: Repository) -> Path:
    """Return another tool's store in the repository."""
    return Path(shutil.copytree(STORE, repo.folder / ".context-handoffs"))


def imported(repo: Repository, *words: str) -> dict[str, str]:
    """Import and return the id of each bundle by its directory's name."""
    answer = repo.archive.json("handoff", "import", *words)
    return {Path(one["path"]).name: one["handoff_id"] for one in answer["bundles"]}


def test_bundles_of_another_tool_come_back_byte_for_byte(repo: Repository, store: Path, tmp_path: Path) -> None:
    """Every file, also unknown ones and one that is no text, and the entry in the store's index with its unknown keys and the path of now."""
    for name, handoff_id in imported(repo).items():
        answer = repo.archive.json("handoff", "export", handoff_id, "--output", str(tmp_path / "out"))
        assert Path(answer["path"]).name == name
        assert content(tmp_path / "out" / name) == content(STORE / name)
    entries = {one["id"]: one for one in json.loads((tmp_path / "out/index.json").read_text())}
    assert list(entries) == [REST, LOCK]
    before = json.loads((STORE / "index.json").read_text())[0]
    assert entries[LOCK] == before | {"path": str(tmp_path / "out" / LOCK)}
    again = repo.archive.json("handoff", "import", str(tmp_path / "out"))["bundles"]
    assert [one["standing"] for one in again] == ["known", "known"]


def test_what_another_tool_wrote_is_understood(repo: Repository, store: Path) -> None:
    """Title, time, tags, statements with their own places; a bundle that the index does not list is found all the same."""
    names = imported(repo)
    shown = repo.archive.json("handoff", "show", names[LOCK])
    assert (shown["title"], shown["saved_at"], shown["tags"], shown["root"]) == (
        "The lock of the ledger — größer", "2026-11-30T10:15:00.250000Z", ["lock", "älter"], str(repo.folder))  # fmt: skip
    assert [(one["id"], one["text"], [a["locator"] for a in one["anchors"]]) for one in shown["statements"] if one["kind"] != "evidence"] == [
        ("C1", "repos: ledger", []), ("C2", "inputs: notes.md", []),
        ("F1", "Addition keeps its whole sum in one variable.", ["calc.py:4-6"]),
        ("F2", "Subtraction can go below zero.", ["calc.py:9-11", "https://example.org/zero"]),
        ("F3", "The helper is used by nobody.", ["other.py"]),
        ("R1", "Cover subtraction with tests.", []), ("Q1", "Does anybody call sub with negative numbers?", []), ("N1", "ledger", []),
        ("L1", "project_ledger candidate_for_integration_with project_bank", []),
    ]  # fmt: skip
    assert repo.load()["title"] == "Notes"


def test_the_evidence_of_another_tool_is_checked(repo: Repository, store: Path) -> None:
    """Content with the saved hash is relocated like our own; what had another content has changed, what was never found is not judged."""
    names = imported(repo)
    repo.write("calc.py", "# one\n" + CALC)
    repo.write("other.py", "def helper(value):\n    return value\n")
    loaded = repo.load(names[LOCK])
    assert {name: status for name, (status, _) in statuses(loaded).items()} == {
        "calc.py:4-6": "moved", "calc.py:9-11": "moved", "https://example.org/zero": "n/a", "other.py": "changed", "missing.py:3": "n/a",
    }  # fmt: skip
    assert statuses(loaded)["calc.py:4-6"] == ("moved", "calc.py:5-7")
    assert [one["id"] for one in loaded["findings"] if one["at_risk"]] == ["F3"]
    assert statuses(repo.load(names[REST]))["calc.py:10"] == ("changed", None)


def test_content_that_was_committed_is_found_in_the_commit(repo: Repository, store: Path) -> None:
    """An import after the change still knows what the place was, from the commit that the bundle names."""
    path = store / LOCK / "bundle_metadata.json"
    path.write_text(path.read_text().replace('"head_commit": ""', f'"head_commit": "{repo.git("rev-parse", "HEAD")}"'))
    repo.write("calc.py", CALC.replace("total = a + b", "total = b + a"))
    names = imported(repo)
    changed = next(one for one in repo.load(names[LOCK])["anchors"] if one["locator"] == "calc.py:4-6")
    assert (changed["status"], changed["diff"]) == ("changed", ["-    total = a + b", "+    total = b + a"])


def test_the_global_store_is_found_and_a_dry_run_writes_nothing(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~/.context-handoff-bundles`, or where CONTEXT_HANDOFF_HOME says; without any store it says so."""
    assert repo.archive.run("handoff", "import")[0] == 4
    shutil.copytree(STORE, tmp_path / ".context-handoff-bundles")
    answer = repo.archive.json("handoff", "import", "--dry-run")
    assert [one["standing"] for one in answer["bundles"]] == ["would be imported"] * 2
    assert not (repo.archive.home / "journal.db").exists()
    monkeypatch.setenv("CONTEXT_HANDOFF_HOME", str(tmp_path / "else"))
    assert repo.archive.run("handoff", "import")[0] == 4
    shutil.copytree(STORE, tmp_path / "else")
    assert len(imported(repo)) == 2


def test_our_own_handoff_comes_back_whole_in_another_journal(repo: Repository, tmp_path: Path) -> None:
    """Same id, statements, origins, places, quality, dirty files, lineage; eight files that validate."""
    first = repo.save()["handoff_id"]
    repo.write("calc.py", CALC + "# dirty\n")
    more = "\n## Scope\n- The calculator alone.\n\n## Entities\n- ledger\n\n## Relations\n- ledger uses bank\n\n## Zorro\nKept.\n"
    repo.save(NOTES + more, "--update", "--tag", "x")
    before, loaded = repo.archive.json("handoff", "show"), repo.load()
    path = Path(repo.archive.json("handoff", "export", "--output", str(tmp_path / "out"))["path"])
    assert sorted(content(path)) == ["CONTEXT_HANDOFF.md", "bundle_metadata.json", "entities.json", "evidence_index.json", "open_questions.json",
                                     "relations.json", "resume_prompt.txt", "summary.json"]  # fmt: skip
    assert repo.archive.json("handoff", "validate", str(path))["problems"] == []
    repo.archive.home = tmp_path / "second-home"
    assert repo.archive.json("handoff", "import", str(path))["bundles"][0]["standing"] == "imported"
    assert repo.archive.json("handoff", "show") == before
    assert repo.load() == loaded
    assert before["older"] == [first]


def test_an_export_is_private_ignores_itself_and_is_made_once(repo: Repository) -> None:
    """Folder 0700, files 0600, nothing to commit, an index entry; the same again changes nothing, other content is refused."""
    name = repo.save()["handoff_id"]
    path = Path(repo.archive.json("handoff", "export")["path"])
    assert path.parent == repo.folder / ".context-handoffs"
    assert repo.git("status", "--porcelain") == ""
    assert {stat.S_IMODE(os.stat(one).st_mode) for one in path.iterdir()} == {0o600}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert repo.archive.json("handoff", "export")["is_new"] is False
    assert [one["id"] for one in json.loads((path.parent / "index.json").read_text())] == [path.name]
    (path / "summary.json").write_text("{}")
    assert repo.archive.run("handoff", "export", name)[0] == 2
    assert list(path.parent.glob(".2*")) == []


def test_a_damaged_index_hides_no_bundle(repo: Repository, store: Path) -> None:
    """Import reads the directories; the next export makes the index again from what they say."""
    (store / "index.json").write_text("{broken")
    names = imported(repo)
    assert set(names) == {LOCK, REST}
    repo.archive.json("handoff", "export", names[LOCK])
    assert {one["id"] for one in json.loads((store / "index.json").read_text())} == {LOCK, REST}


def test_titles_of_any_script_have_readable_folders_of_their_own(repo: Repository, tmp_path: Path) -> None:
    """Letters are kept, equal titles differ, and a title cannot lead out of the store."""
    names = []
    for title in ("Überblick der Sperre", "帳簿の鍵", "Замок", "!!!", "../../etc", "Замок"):
        repo.save(NOTES, "--title", title)
        names.append(Path(repo.archive.json("handoff", "export", "--output", str(tmp_path / "out"))["path"]).name)
    assert [name.split("-", 2)[2].rpartition("-")[0] for name in names] == ["überblick-der-sperre", "帳簿の鍵", "замок", "untitled-handoff", "etc", "замок"]
    assert len(set(names)) == 6
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir()) == sorted(names)


@pytest.mark.parametrize(("name", "text", "problem"), [
    ("CONTEXT_HANDOFF.md", "# Something else\n", "does not begin with"), ("summary.json", "{broken", "is no JSON"), ("entities.json", "{}", "holds no list"),
    ("evidence_index.json", '[{"role": "x"}]', "evidence_index.json[0] has no path"), ("resume_prompt.txt", " \n", "is empty"),
    ("open_questions.json", None, "is missing"),
])  # fmt: skip
def test_validate_names_what_is_wrong_with_a_bundle(repo: Repository, store: Path, name: str, text: str | None, problem: str) -> None:
    """Exit status 0 for a sound one, 1 with the reason for each fault."""
    assert repo.archive.run("handoff", "validate", str(store / LOCK))[0] == 0
    if text is None:
        (store / LOCK / name).unlink()
    else:
        (store / LOCK / name).write_text(text)
    status, out, _ = repo.archive.run("handoff", "validate", str(store / LOCK))
    assert (status, problem in out) == (1, True)


def test_validate_tells_of_notes_what_save_would_refuse(repo: Repository) -> None:
    """Places that do not resolve and notes without statements are problems; nothing is written."""
    path = repo.archive.folder / "notes.md"
    path.write_text(NOTES)
    assert repo.archive.json("handoff", "validate", str(path))["is_valid"] is True
    path.write_text("# T\n## Findings\n- One in `nowhere.py:3` and `calc.py:90`.\n")
    status, out, _ = repo.archive.run("handoff", "validate", str(path), "--json")
    assert (status, json.loads(out)["problems"]) == (1, ["nowhere.py:3: there is no such file", "calc.py:90: the file has 11 lines"])
    path.write_text("only words\n")
    assert "no findings" in repo.archive.run("handoff", "validate", str(path))[1]
    assert not repo.archive.home.exists()


def test_init_writes_a_form_that_save_reads(repo: Repository) -> None:
    """It is not written over, its comments are no statements, and filled in it is a handoff."""
    repo.archive.json("handoff", "init", "--output", "form.md", "--title", "Form")
    assert repo.archive.run("handoff", "init", "--output", "form.md")[0] == 2
    assert repo.archive.run("handoff", "validate", "form.md")[0] == 1
    text = Path("form.md").read_text().replace("## Findings\n", "## Findings\n\n- Addition stands in `calc.py:4-6`.\n")
    Path("form.md").write_text(text)
    saved = repo.archive.json("handoff", "save", "--notes", "form.md")
    assert (saved["title"], saved["findings"], [one["status"] for one in saved["anchors"]]) == ("Form", 1, ["verified"])
    assert repo.archive.json("handoff", "show")["dirty"] == []


def test_a_bundle_that_leads_astray_is_refused(repo: Repository, store: Path, tmp_path: Path) -> None:
    """Links are not followed, a folder that is none says so, too large a bundle is refused and the others are imported."""
    (tmp_path / "secret").write_text("x" * 100)
    (store / LOCK / "link.json").symlink_to(tmp_path / "secret")
    (store / REST / "huge.bin").write_bytes(b"\0" * (9 * 1024 * 1024))
    status, out, _ = repo.archive.run("handoff", "import", "--json")
    standings = {Path(one["path"]).name: one["standing"] for one in json.loads(out)["bundles"]}
    assert (status, standings) == (1, {LOCK: "imported", REST: "refused"})
    assert "link.json" not in str(repo.archive.rows("views.db", "SELECT name FROM handoff_files"))
    assert repo.archive.run("handoff", "import", str(tmp_path / "nothing"))[0] == 4
    assert repo.archive.run("handoff", "export", "--output", str(tmp_path / "secret"))[0] == 2


@pytest.mark.parametrize(("field", "value"), [
    ("saved_at", "../../../../tmp/x"), ("session_id", 7), ("session_id", "../x"), ("handoff_id", "../../x"), ("statements", [{"id": "F1"}]),
    ("anchors", "none"), ("facts", {"directory": "../../../x"}), ("title", ["x"]), ("score", "high"), ("dirty", {"a": 1}), ("tags", None),
])  # fmt: skip
def test_metadata_that_somebody_wrote_by_hand_does_no_harm(repo: Repository, tmp_path: Path, field: str, value: object) -> None:
    """Odd values in our own part are taken as far as they make sense; nothing is written outside, and nothing fails."""
    repo.save()
    path = Path(repo.archive.json("handoff", "export", "--output", str(tmp_path / "out"))["path"])
    metadata = json.loads((path / "bundle_metadata.json").read_text())
    metadata["journal"][field] = value
    (path / "bundle_metadata.json").write_text(json.dumps(metadata))
    repo.archive.home = tmp_path / "second-home"
    before = {one for one in tmp_path.rglob("*") if repo.archive.home not in one.parents}
    name = repo.archive.json("handoff", "import", str(path))["bundles"][0]["handoff_id"]
    assert {one for one in tmp_path.rglob("*") if repo.archive.home not in one.parents} == before | {repo.archive.home}
    assert repo.archive.run("handoff", "load", name, "--deep")[0] == 0
    assert repo.archive.run("handoff", "export", name, "--output", str(tmp_path / "third"))[0] == (2 if field == "facts" else 0)
    assert not (tmp_path.parent / "x").exists()


@pytest.mark.parametrize(("told", "standing"), [
    ("[" * 200_000, "imported"), ('{"journal":' * 5_000, "imported"), ('{"repo_root": "\\u0000bad", "title": "odd"}', "imported"),
    ('{"title": "half \\ud800 a character"}', "imported"), ("[1, 2]", "imported"),
], ids=["deep list", "deep object", "NUL in a path", "half a character", "no object"])  # fmt: skip
def test_metadata_that_no_parser_or_path_takes_stops_nothing(repo: Repository, store: Path, told: str, standing: str) -> None:
    """The bundle comes in by its other files, the one beside it as well, and both can be loaded."""
    (store / LOCK / "bundle_metadata.json").write_text(told)
    answer = repo.archive.json("handoff", "import", str(store))
    assert {Path(one["path"]).name: one["standing"] for one in answer["bundles"]} == {LOCK: standing, REST: "imported"}
    for one in answer["bundles"]:
        assert repo.archive.run("handoff", "load", one["handoff_id"])[0] == 0
    assert repo.archive.json("replay", "--verify")["verified"] is True


@pytest.mark.parametrize("link", ["replaces", "merges"])
def test_a_bundle_of_another_project_takes_no_handoff_off_this_ones_list(repo: Repository, tmp_path: Path, link: str) -> None:
    """What it says to replace or to unite of another project, or of itself, is left out."""
    own = repo.save()["handoff_id"]
    path = Path(repo.archive.json("handoff", "export", "--output", str(tmp_path / "out"))["path"])
    metadata = json.loads((path / "bundle_metadata.json").read_text())
    other = "h" + "0" * 12
    metadata["journal"] |= {"handoff_id": other, "root": "/other/project", link: own if link == "replaces" else [own, other]}
    (path / "bundle_metadata.json").write_text(json.dumps(metadata))
    assert repo.archive.json("handoff", "import", str(path))["bundles"][0]["standing"] == "imported"
    assert [one["handoff_id"] for one in repo.archive.json("handoff", "list")["handoffs"]] == [own]
    assert {one["handoff_id"] for one in repo.archive.json("handoff", "list", "--all")["handoffs"]} == {own, other}


def test_secrets_leave_every_copy(repo: Repository, tmp_path: Path) -> None:
    """Neither views nor an exported bundle holds what the notes should not have held."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    repo.save(NOTES.replace("any size.", f"any size, with {token}.").replace("whole sum", f"whole {token} sum"))
    path = Path(repo.archive.json("handoff", "export", "--output", str(tmp_path / "out"))["path"])
    assert not any(token.encode() in data for data in content(path).values())
    assert token not in json.dumps(repo.archive.json("handoff", "show"))
    assert token.encode() not in (repo.archive.home / "views.db").read_bytes()


def test_a_moved_archive_of_this_store_keeps_its_project(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store inside a work tree belongs to it, whatever path the bundle remembers."""
    repo = Repository(archive, tmp_path / "repo", monkeypatch)
    shutil.copytree(STORE, repo.folder / ".context-handoffs")
    imported(repo)
    assert {one["root"] for one in archive.json("handoff", "list")["handoffs"]} == {str(repo.folder)}
