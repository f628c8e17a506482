"""Handoffs against what nobody meant: notes that no pattern may choke on, files that are none, repositories without a history, damaged stores."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from handoff_world import CALC, NOTES, Repository, statuses

from ingest import anchoring
from projections import anchors

HANGING_S = 60
"""Of CPU: a pattern that goes back over a text again and again takes hours for these."""
TEXTS = {
    "back-ticks": "`" * 300_000, "one word": "x" * 900_000, "dots": "a." * 400_000, "plus": "a+" * 200_000, "symbols": "calc.py::" + "a." * 300_000,
    "open back-ticks": "` " * 100_000, "brackets": "[" * 50_000, "links": "[x](" * 30_000, "slashes": "a/" * 400_000, "colons": "a:1:" * 100_000,
    "links to nowhere": "https://" * 100_000, "spaces": " " * 900_000 + "x", "headings": "\n## x" * 30_000,
}  # fmt: skip


@pytest.fixture
def limited() -> Iterator[None]:
    """Fail a test that spends a minute of CPU."""
    def stop(*_: object) -> None:
        raise AssertionError("it took a minute of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HANGING_S)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_makes_a_save_hang(repo: Repository, name: str) -> None:
    """Up to a megabyte of one sign after another is read, saved, told and exported, and the place beside it is found."""
    saved = repo.save(f"## Findings\n- The sum is kept in one variable: `calc.py:4-6`. {TEXTS[name]}\n")
    assert ("calc.py:4-6", "verified") in [(one["locator"], one["status"]) for one in saved["anchors"]]
    assert repo.load()["handoff_id"] == saved["handoff_id"]
    assert repo.archive.run("handoff", "export")[0] == 0


def test_a_fence_of_back_ticks_still_names_a_place() -> None:
    """One, two or three of them around a place; a run without an end names nothing."""
    assert [one.raw for one in anchors.of_text("in `a.py:1`, ``b.py:2`` and ```c.py:3```")] == ["a.py:1", "b.py:2", "c.py:3"]
    assert anchors.of_text("`" * 1000) == []


def test_what_is_no_text_or_no_plain_file(repo: Repository, tmp_path: Path) -> None:
    """A binary file is evidence by its bytes; a pipe, a device, a file of more than 8 MiB and a link that leads out are none, and nothing waits for them."""
    (tmp_path / "secret.txt").write_text("one\ntwo\n")
    (repo.folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 100)
    (repo.folder / "large.bin").write_bytes(b"x\n" * (4 * 1024 * 1024 + 1))
    os.mkfifo(repo.folder / "pipe.py")
    (repo.folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (repo.folder / "outside").symlink_to(tmp_path)
    (repo.folder / "inside.py").symlink_to("calc.py")
    (repo.folder / "loop.py").symlink_to("loop.py")
    (repo.folder / "dead.py").symlink_to("nowhere.py")
    (repo.folder / "zero.py").symlink_to("/dev/zero")
    places = ("picture.png", "picture.png:1", "large.bin", "pipe.py:1", "out.txt:1", "outside/secret.txt:1", "inside.py:4-6", "loop.py:1", "dead.py:1",
              "zero.py:1")  # fmt: skip
    saved = repo.save("## Findings\n- Many places are named here.\n" + "".join(f"  - {place}\n" for place in places))
    assert {one["locator"]: one["reason"] for one in saved["anchors"]} == {
        "picture.png": None, "picture.png:1": None, "large.bin": "no plain file of at most 8 MiB", "pipe.py:1": "no plain file of at most 8 MiB",
        "out.txt:1": "it lies outside the project", "outside/secret.txt:1": "it lies outside the project", "inside.py:4-6": None,
        "loop.py:1": "there is no such file", "dead.py:1": "there is no such file", "zero.py:1": "it lies outside the project"}  # fmt: skip
    assert {status for place, (status, _) in statuses(repo.load()).items() if place in ("picture.png", "picture.png:1", "inside.py:4-6")} == {"verified"}
    (repo.folder / "picture.png").write_bytes(b"\x00" * 100)
    (repo.folder / "calc.py").unlink()
    (repo.folder / "calc.py").symlink_to(tmp_path / "secret.txt")
    found = statuses(repo.load())
    assert (found["picture.png"], found["inside.py:4-6"]) == (("changed", None), ("gone", None))
    assert "two" not in repo.load("--deep")["resume"]


def test_many_large_files_do_not_fill_the_memory(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were asked for first are let go; what they hold is still what they held, one that is too large by itself is held alone."""
    monkeypatch.setattr(anchoring, "MOST_HELD_BYTES", 1000)
    files = anchoring.Files(str(repo.folder))
    for number in range(5):
        repo.write(f"f{number}.txt", f"{number}\n" * 200)
    repo.write("large.txt", "large\n" * 1000)
    assert [len(files.lines(f"f{number}.txt") or ()) for number in range(5)] == [200] * 5
    assert list(files.read) == ["f3.txt", "f4.txt"]
    assert files.lines("f0.txt") == ["0"] * 200
    assert (len(files.lines("large.txt") or ()), list(files.read)) == (1000, ["large.txt"])
    assert files.lines("nowhere.txt") is None
    monkeypatch.setattr(anchoring, "MOST_HELD_BYTES", 100)
    saved = repo.save()
    assert [one["status"] for one in saved["anchors"]] == ["verified"] * 4
    assert repo.load()["severity"] == "none"


def test_a_detached_head_has_no_branch(repo: Repository) -> None:
    """The commit is the base; another branch later is no matter."""
    repo.git("checkout", "-q", "--detach")
    repo.save()
    assert repo.archive.json("handoff", "show")["branch"] is None
    repo.git("checkout", "-q", "main")
    repo.write("calc.py", "# one\n" + CALC)
    repo.commit("two")
    loaded = repo.load()
    assert (loaded["severity"], statuses(loaded)["calc.py:4-6"]) == ("low", ("moved", "calc.py:5-7"))


def test_a_repository_without_a_commit_has_handoffs(repo: Repository, tmp_path: Path) -> None:
    """There is no base and contents are compared; after the first commit they are still its own, and so is the drift."""
    empty = tmp_path / "empty"
    empty.mkdir()
    repo.enter(empty)
    repo.git("init", "-q", "-b", "main", ".")
    repo.write("calc.py", CALC)
    repo.write("other.py", "def helper(value):\n    return value * 1000\n")
    saved = repo.save()
    assert [one["status"] for one in saved["anchors"]] == ["verified"] * 4
    assert repo.load()["severity"] == "none"
    repo.write("calc.py", "# one\n" + CALC)
    repo.commit("first")
    loaded = repo.load()
    assert (loaded["is_own"], loaded["severity"], statuses(loaded)["calc.py:4-6"]) == (True, "low", ("moved", "calc.py:5-7"))


def test_a_shallow_clone_compares_contents(repo: Repository, tmp_path: Path) -> None:
    """The base lies below the cut, which is said as lost; a handoff that is saved in the clone has its own base."""
    saved = repo.save()["handoff_id"]
    repo.write("calc.py", "# one\n" + CALC)
    repo.commit("two")
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repo.folder}", str(tmp_path / "clone")], check=True, capture_output=True)
    repo.enter(tmp_path / "clone")
    loaded = repo.load(saved)
    assert (loaded["severity"], statuses(loaded)["calc.py:4-6"]) == ("low", ("moved", "calc.py:5-7"))
    own = repo.save(NOTES.replace("4-6", "5-7").replace("9-11", "10-12"))
    assert [one["status"] for one in own["anchors"]] == ["verified"] * 4
    assert repo.load()["severity"] == "none"


@pytest.mark.parametrize("damage", ["folder", "binary", "wrong kind", "wrong entries", "deep", "link", "fifo"])
def test_no_damage_of_an_index_stops_an_import_or_an_export(repo: Repository, tmp_path: Path, damage: str) -> None:
    """Whatever stands in its place, the bundles are read; an export says what is in the way, or makes the index again, and leaves nothing half written."""
    name = repo.save()["handoff_id"]
    path = Path(repo.archive.json("handoff", "export")["path"])
    index = path.parent / "index.json"
    before = json.loads(index.read_text())
    index.unlink()
    if damage == "folder":
        index.mkdir()
    elif damage == "link":
        (tmp_path / "else.json").write_text("[]")
        index.symlink_to(tmp_path / "else.json")
    elif damage == "fifo":
        os.mkfifo(index)
    else:
        index.write_bytes({"binary": b"\xff\x00", "wrong kind": b'{"a": 1}', "wrong entries": b'[1, {"id": ["x"]}, null]', "deep": b"[" * 200_000}[damage])
    assert repo.archive.json("handoff", "import", str(path.parent))["bundles"][0]["standing"] == "known"
    status, _, err = repo.archive.run("handoff", "export", name)
    assert status == (2 if damage == "folder" else 0), err
    if damage != "folder":
        assert [one for one in json.loads(index.read_text()) if one.get("id") == path.name] == before
    assert sorted(one.name for one in path.parent.iterdir()) == [".gitignore", path.name, "index.json"]
    assert not (tmp_path / "else.json").exists() or (tmp_path / "else.json").read_text() == "[]"


def test_a_store_that_is_none_is_told(repo: Repository) -> None:
    """A file in its place, a store without bundles, a folder that cannot be read: one message and a status, also for the others beside it."""
    repo.save()
    (repo.folder / ".context-handoffs").write_text("no folder")
    assert repo.archive.run("handoff", "import", ".context-handoffs")[0] == 4
    assert repo.archive.run("handoff", "export")[0] == 2
    (repo.folder / ".context-handoffs").unlink()
    (repo.folder / ".context-handoffs").mkdir()
    assert repo.archive.run("handoff", "import", ".context-handoffs")[0] == 4
    (repo.folder / ".context-handoffs/x").mkdir()
    assert repo.archive.run("handoff", "import", ".context-handoffs")[0] == 4
