"""Handoffs in order: deleted, brought back, pruned and merged, each by an event and by exact id, in one project only."""

import json
import multiprocessing
from pathlib import Path

import pytest
from archive import Archive
from handoff_world import CALC, NOTES, Repository


def listed(repo: Repository) -> list[str]:
    """Return the ids on the list, newest first."""
    return [one["handoff_id"] for one in repo.archive.json("handoff", "list")["handoffs"]]


def test_a_deleted_handoff_leaves_the_list_and_comes_back(repo: Repository) -> None:
    """A dry run changes nothing; the whole id loads it no more, says how to get it back, and that does."""
    name = repo.save()["handoff_id"]
    assert repo.archive.json("handoff", "delete", name, "--dry-run")["handoffs"] == [{"handoff_id": name, "title": "The lock of the ledger"}]
    assert listed(repo) == [name]
    repo.archive.json("handoff", "delete", name)
    assert listed(repo) == []
    status, _, err = repo.archive.run("handoff", "load", name)
    assert (status, f"journal handoff undelete {name}" in err) == (4, True)
    assert [one["state"] for one in repo.archive.json("handoff", "list", "--all")["handoffs"]] == ["deleted"]
    repo.archive.json("handoff", "undelete", name)
    assert repo.load()["handoff_id"] == name
    assert repo.archive.json("replay", "--verify")["views"]


def test_deleting_wants_a_whole_id_of_this_project(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither part of an id, nor a title, nor `latest`, nor another project's id deletes anything."""
    name = repo.save()["handoff_id"]
    for query in (name[:8], "lock", "latest", "../" + name):
        assert repo.archive.run("handoff", "delete", query)[0] == 4
    Repository(repo.archive, tmp_path / "other", monkeypatch)
    assert repo.archive.run("handoff", "delete", name)[0] == 4
    repo.enter(repo.folder)
    assert listed(repo) == [name]


def test_deleting_the_later_one_brings_back_the_one_it_replaced(repo: Repository) -> None:
    """The list is what is so now, not what once was."""
    first = repo.save()["handoff_id"]
    second = repo.save(NOTES, "--update")["handoff_id"]
    assert listed(repo) == [second]
    repo.archive.json("handoff", "delete", second)
    assert listed(repo) == [first]


def test_prune_keeps_the_newest_of_each_chain_of_this_project(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal titles do not make a chain, another project keeps all, and what was pruned comes back."""
    old, alone = repo.save()["handoff_id"], repo.save()["handoff_id"]
    new = repo.save(NOTES, "--update", old)["handoff_id"]
    other = Repository(repo.archive, tmp_path / "other", monkeypatch)
    theirs = [other.save()["handoff_id"], other.save(NOTES, "--update")["handoff_id"]]
    repo.enter(repo.folder)
    assert [one["handoff_id"] for one in repo.archive.json("handoff", "prune", "--dry-run")["handoffs"]] == [old]
    repo.archive.json("handoff", "prune")
    states = {one["handoff_id"]: one["state"] for one in repo.archive.json("handoff", "list", "--all")["handoffs"]}
    assert states == {old: "deleted", alone: "listed", new: "listed", theirs[0]: "replaced", theirs[1]: "listed"}
    assert repo.archive.json("handoff", "prune")["handoffs"] == []
    repo.archive.json("handoff", "undelete", old)
    assert repo.archive.json("handoff", "show", old)["handoff_id"] == old


def test_prune_keeps_as_many_of_each_chain_as_were_asked_for(repo: Repository) -> None:
    """`--keep 2` leaves the two newest of every chain, a shorter chain whole; a number that keeps none or is none is refused."""
    chain = [repo.save()["handoff_id"]]
    short = [repo.save()["handoff_id"]]
    for _ in range(3):
        chain.append(repo.save(NOTES, "--update", chain[-1])["handoff_id"])
    short += [repo.save(NOTES, "--update", short[-1])["handoff_id"]]
    assert repo.archive.json("handoff", "prune", "--keep", "4")["handoffs"] == []
    for number in ("0", "-1", "two"):
        assert repo.archive.run("handoff", "prune", "--keep", number)[0] == 2
    pruned = repo.archive.json("handoff", "prune", "--keep", "2")["handoffs"]
    assert {one["handoff_id"] for one in pruned} == set(chain[:2])
    states = {one["handoff_id"]: one["state"] for one in repo.archive.json("handoff", "list", "--all")["handoffs"]}
    assert states == dict.fromkeys(chain[:2], "deleted") | {chain[2]: "replaced", chain[3]: "listed", short[0]: "replaced", short[1]: "listed"}
    assert repo.archive.json("handoff", "prune", "--keep", "2")["handoffs"] == []
    assert {one["handoff_id"] for one in repo.archive.json("handoff", "prune", "--keep", "1")["handoffs"]} == {chain[2], short[0]}


def test_merge_unites_two_handoffs_and_shows_conflicts(repo: Repository) -> None:
    """What both say stands once, what they word differently stands twice and is named, and so is a place with another content."""
    first = repo.save()["handoff_id"]
    repo.write("calc.py", CALC.replace("total = a + b", "total = b + a"))
    second = repo.save("""# The ledger
## Findings
- Addition keeps the whole sum in one variable now: `calc.py:4-6`.
- The helper lives in `other.py:1-2` and is used by nobody yet.
## Open questions
- Does anybody call sub with negative numbers at all?
- Is the order of a sum of importance to anybody?
""", "--tag", "b")["handoff_id"]  # fmt: skip
    dry = repo.archive.json("handoff", "merge", first, second, "--dry-run")
    assert listed(repo) == [second, first]
    assert [(one["about"], one[first], one[second]) for one in dry["conflicts"]] == [
        ("words", "Addition keeps its whole sum in one variable: `calc.py:4-6`.", "Addition keeps the whole sum in one variable now: `calc.py:4-6`."),
        ("the content of calc.py:4-6", "def add(a, b):\n    total = a + b\n    return total", "def add(a, b):\n    total = b + a\n    return total"),
    ]
    merged = repo.archive.json("handoff", "merge", first, second)
    shown = repo.archive.json("handoff", "show")
    assert (shown["handoff_id"], shown["title"], shown["tags"], shown["older"]) == (merged["handoff_id"], "The ledger", ["b"], sorted([first, second]))
    assert [(one["id"], one["text"], one["origin"]) for one in shown["statements"]] == [
        ("F1", "Addition keeps its whole sum in one variable: `calc.py:4-6`.", f"{first} F1"),
        ("F2", "Addition keeps the whole sum in one variable now: `calc.py:4-6`.", f"{second} F1"),
        ("F3", "Subtraction is the only place that can go below zero.", f"{first} F2"),
        ("F4", "The helper lives in `other.py:1-2` and is used by nobody yet.", f"{first} F3 and {second} F2"),
        ("Q1", "Does anybody call sub with negative numbers at all?", f"{first} Q1 and {second} Q1"),
        ("Q2", "Is the order of a sum of importance to anybody?", f"{second} Q2"),
        ("M1", "Cover `calc.py` with tests of negative numbers.", f"{first} M1"),
    ]
    assert listed(repo) == [merged["handoff_id"]]
    loaded = repo.load()
    assert [one["id"] for one in loaded["findings"] if one["at_risk"]] == ["F1"]
    assert repo.archive.run("handoff", "merge", first, first)[0] == 2


def test_a_handoff_knows_its_session_and_its_chain(repo: Repository) -> None:
    """Three versions are one chain, each with what came before and after it, and analysts can query it."""
    names = [repo.save()["handoff_id"], repo.save(NOTES, "--update")["handoff_id"], repo.save(NOTES, "--update")["handoff_id"]]
    shown = [repo.archive.json("handoff", "show", name) for name in names]
    assert [(one["chain_id"], one["older"], one["newer"]) for one in shown] == [
        (names[0], [], [names[1]]), (names[0], [names[0]], [names[2]]), (names[0], [names[1]], []),
    ]  # fmt: skip
    assert repo.archive.rows("views.db", "SELECT kind, count(*) FROM handoff_links GROUP BY 1") == [("replaces", 2)]


def test_update_keeps_title_and_tags_unless_they_are_given(repo: Repository) -> None:
    """What is replaced keeps its name; a new name has to be said."""
    repo.save(NOTES, "--title", "Ours", "--tag", "one")
    kept = repo.save(NOTES, "--update")
    assert (kept["title"], repo.archive.json("handoff", "show")["tags"]) == ("Ours", ["one"])
    assert repo.save(NOTES, "--update", "--title", "New", "--tag", "two")["title"] == "New"
    assert repo.archive.json("handoff", "show")["tags"] == ["two"]


def _save(folder: str) -> str:
    return str(json.loads(Archive(Path(folder)).run("handoff", "save", "--notes", f"{folder}/notes.md", "--json")[1])["handoff_id"])


def test_a_hundred_saves_at_once_are_a_hundred_handoffs(repo: Repository) -> None:
    """Of the same notes, in the same seconds, by a hundred processes; the views have them all after the next ingest."""
    repo.save()
    with multiprocessing.get_context("fork").Pool(100) as pool:
        names = set(pool.map(_save, [str(repo.archive.folder)] * 100, chunksize=1))
    repo.archive.json("ingest")
    assert len(names) == 100
    assert names < {one["handoff_id"] for one in repo.archive.json("handoff", "list", "--limit", "200")["handoffs"]}
    assert repo.archive.json("handoff", "list")["total"] == 101


def test_a_handoff_of_megabytes_is_kept_whole(repo: Repository) -> None:
    """It takes several lines of the inbox, which is said; findings, anchors and a long section come back to the last character."""
    rows = "".join(f"- Finding number {number} says that line {number % 9 + 1} matters for reason {'x' * 300}: `calc.py:{number % 2 + 4}`.\n"
                   for number in range(1500))  # fmt: skip
    section = "\n".join(f"line {number} of a log with ümlauts" for number in range(9000))
    saved = repo.save(f"# Large\n## Findings\n{rows}\n## Log\n{section}\n")
    assert saved["lines"] > 5
    assert saved["findings"] == 1500
    shown = repo.archive.json("handoff", "show")["statements"]
    assert [one["text"] for one in shown if one["kind"] == "finding"] == [line[2:] for line in rows.splitlines()]
    assert "".join(detail for one in shown if one["kind"] == "section" for detail in one["details"]) == section
    assert [one["id"] for one in shown if one["kind"] == "section"][:2] == ["S1", "S1.1"]
    assert len(repo.load("--deep")["anchors"]) == 1500
    assert all(len(line) <= 256 * 1024 for path in (repo.archive.home / "inbox").glob("*.jsonl") for line in path.read_bytes().split(b"\n"))
