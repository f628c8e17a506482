"""Handoffs over real rebases, merges, worktrees and submodules: each status and severity is what a hand-made table says."""

import os
import subprocess
from collections.abc import Callable

import pytest
from handoff_world import CALC, Repository, statuses

A, B, C, FILE = "calc.py:4-6", "calc.py:9-11", "other.py:1-2", "calc.py"
OK = ("verified", None)
GONE = ("gone", None)
CHANGED = ("changed", None)
Expected = dict[str, tuple[str, str | None]]
MUL = "\n\ndef mul(a, b):\n    return a * b\n"
ABOVE = "# one\n# two\n"
OUT_OF_HISTORY = "is not in the history of HEAD any more"


def _on_a_branch(repo: Repository, text: str) -> dict[str, object]:
    """Commit *text* as the calculator on a branch of its own, and save a handoff there."""
    repo.git("checkout", "-q", "-b", "side")
    repo.write("calc.py", text)
    repo.commit("mine")
    return repo.save()


def _upstream(repo: Repository, text: str) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("calc.py", text)
    repo.commit("theirs")
    repo.git("checkout", "-q", "side")


def _go_on(repo: Repository, command: str, text: str) -> None:
    """Settle a conflict in the calculator with *text*."""
    assert "<<<<<<<" in (repo.folder / "calc.py").read_text()
    repo.write("calc.py", text)
    repo.git("add", "-A")
    repo.git("-c", "core.editor=true", command, "--continue")


def _conflict(repo: Repository, command: str) -> None:
    _upstream(repo, CALC.replace("a + b", "sum((a, b))"))
    with pytest.raises(subprocess.CalledProcessError):
        repo.git(command, "main")


def _rebased(repo: Repository) -> None:
    _upstream(repo, ABOVE + CALC)
    repo.git("rebase", "-q", "main")


def _rebased_onto_a_rename(repo: Repository) -> None:
    repo.git("checkout", "-q", "main")
    repo.git("mv", "calc.py", "sum.py")
    repo.commit("renamed")
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main")


def _rebased_with_a_conflict_settled_anew(repo: Repository) -> None:
    _conflict(repo, "rebase")
    _go_on(repo, "rebase", MINE.replace("a + b  # exact", "fsum((a, b))"))


def _rebased_with_a_conflict_settled_for_mine(repo: Repository) -> None:
    _conflict(repo, "rebase")
    _go_on(repo, "rebase", MINE)


def _stopped_in_a_rebase(repo: Repository) -> None:
    _conflict(repo, "rebase")


def _rebase_given_up(repo: Repository) -> None:
    _conflict(repo, "rebase")
    repo.git("rebase", "--abort")


def _rebased_without_the_saved_commit(repo: Repository) -> None:
    repo.write("third.py", "x = 1\n")
    repo.commit("third")
    repo.git("rebase", "-q", "--onto", "main", "side~1", "side")


def _squashed_in_a_rebase(repo: Repository) -> None:
    repo.write("calc.py", ABOVE + MINE)
    repo.commit("above")
    os.environ["GIT_SEQUENCE_EDITOR"] = "sed -i -e '2s/^pick/fixup/'"
    try:
        repo.git("rebase", "-q", "-i", "main")
    finally:
        del os.environ["GIT_SEQUENCE_EDITOR"]
    assert repo.git("rev-list", "--count", "main..side") == "1"


def _merged(repo: Repository) -> None:
    _upstream(repo, ABOVE + CALC)
    repo.git("merge", "-q", "--no-edit", "main")


def _merged_with_a_conflict_settled_anew(repo: Repository) -> None:
    _conflict(repo, "merge")
    _go_on(repo, "merge", MINE.replace("a + b  # exact", "fsum((a, b))"))


def _squashed_by_a_merge(repo: Repository) -> None:
    _upstream(repo, ABOVE + CALC)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "side")
    repo.commit("all of side")


def _reverted(repo: Repository) -> None:
    repo.git("revert", "--no-edit", "HEAD")


def _reset(repo: Repository) -> None:
    repo.git("reset", "-q", "--hard", "main")


def _stashed(repo: Repository) -> None:
    repo.write("calc.py", ABOVE + MINE)
    repo.git("stash", "-q")


def _detached(repo: Repository) -> None:
    repo.git("checkout", "-q", "--detach", "main")


MINE = CALC.replace("a + b", "a + b  # exact") + MUL
DOWN: Expected = {A: ("moved", "calc.py:6-8"), B: ("moved", "calc.py:11-13"), C: OK, FILE: CHANGED}
SAME: Expected = {A: OK, B: OK, C: OK, FILE: OK}
LOST: Expected = {A: CHANGED, B: OK, C: OK, FILE: CHANGED}
TABLE: list[tuple[Callable[[Repository], None], Expected, str, list[str], bool]] = [
    (_rebased, DOWN, "low", ["M1"], True),
    (_rebased_onto_a_rename, {A: ("moved", "sum.py:4-6"), B: ("moved", "sum.py:9-11"), C: OK, FILE: ("moved", "sum.py")}, "low", [], True),
    (_rebased_with_a_conflict_settled_anew, LOST, "medium", ["F1", "M1"], True),
    (_rebased_with_a_conflict_settled_for_mine, SAME, "none", [], True),
    (_stopped_in_a_rebase, {A: CHANGED, B: ("moved", "calc.py:13-15"), C: OK, FILE: CHANGED}, "medium", ["F1", "M1"], True),
    (_rebase_given_up, SAME, "none", [], False),
    (_rebased_without_the_saved_commit, LOST, "medium", ["F1", "M1"], True),
    (_squashed_in_a_rebase, DOWN, "low", ["M1"], True),
    (_merged, DOWN, "low", ["M1"], False),
    (_merged_with_a_conflict_settled_anew, LOST, "medium", ["F1", "M1"], False),
    (_squashed_by_a_merge, DOWN, "low", ["M1"], True),
    (_reverted, LOST, "medium", ["F1", "M1"], False),
    (_reset, LOST, "medium", ["F1", "M1"], True),
    (_stashed, SAME, "none", [], False),
    (_detached, LOST, "medium", ["F1", "M1"], True),
]


@pytest.mark.parametrize(("change", "expected", "severity", "at_risk", "is_out"), TABLE, ids=[row[0].__name__.strip("_") for row in TABLE])
def test_drift_over_a_history_is_what_the_hand_made_table_says(
    repo: Repository, change: Callable[[Repository], None], expected: Expected, severity: str, at_risk: list[str], is_out: bool
) -> None:
    """A handoff of a branch: each anchor's status and place, the severity, what is at risk, and whether the saved commit left the history."""
    _on_a_branch(repo, MINE)
    change(repo)
    loaded = repo.load()
    assert statuses(loaded) == expected
    assert (loaded["severity"], loaded["must_reverify"]) == (severity, at_risk)
    assert (OUT_OF_HISTORY in " ".join(loaded["state"])) == is_out


WORK: list[tuple[str, str | None, Expected, str, list[str]]] = [
    ("nothing", CALC, SAME, "none", []),
    ("above", ABOVE + CALC, DOWN, "low", ["M1"]),
    ("inside", CALC.replace("total = a + b", "total = b + a"), LOST, "medium", ["F1", "M1"]),
    ("deleted", None, {A: GONE, B: GONE, C: OK, FILE: GONE}, "high", ["F1", "F2", "M1"]),
]


def _work(repo: Repository, text: str | None) -> None:
    if text is None:
        repo.git("rm", "-q", "calc.py")
    else:
        repo.write("calc.py", text)
    if repo.git("status", "--porcelain"):
        repo.commit("work")


@pytest.mark.parametrize(("name", "text", "expected", "severity", "at_risk"), WORK, ids=[row[0] for row in WORK])
def test_drift_in_a_worktree_is_what_the_hand_made_table_says(
    repo: Repository, name: str, text: str | None, expected: Expected, severity: str, at_risk: list[str]
) -> None:
    """A handoff saved in the main checkout, loaded in a worktree with work of its own: the worktree's files count, and the main checkout's do not."""
    saved = repo.save()["handoff_id"]
    repo.git("worktree", "add", "-q", "../tree", "-b", "side")
    repo.enter(repo.folder.parent / "tree")
    _work(repo, text)
    loaded = repo.load()
    assert (loaded["handoff_id"], loaded["is_own"]) == (saved, True)
    assert statuses(loaded) == expected
    assert (loaded["severity"], loaded["must_reverify"]) == (severity, at_risk)
    repo.enter(repo.folder)
    assert (statuses(repo.load()), repo.load()["severity"]) == (SAME, "none")


@pytest.mark.parametrize(("name", "text", "expected", "severity", "at_risk"), WORK, ids=[row[0] for row in WORK])
def test_drift_in_a_submodule_is_what_the_hand_made_table_says(
    repo: Repository, name: str, text: str | None, expected: Expected, severity: str, at_risk: list[str]
) -> None:
    """A handoff saved inside a submodule, whose pinned commit then changes: its own history counts, with paths relative to it."""
    outer = Repository(repo.archive, repo.folder.parent / "outer", repo.patch)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.folder), "inner")
    repo.commit("with a submodule")
    repo.enter(outer.folder / "inner")
    saved = repo.save()["handoff_id"]
    repo.enter(repo.folder)
    _work(repo, text)
    repo.enter(outer.folder)
    repo.git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--remote", "inner")
    repo.enter(outer.folder / "inner")
    loaded = repo.load()
    assert (loaded["handoff_id"], loaded["is_own"]) == (saved, True)
    assert statuses(loaded) == expected
    assert (loaded["severity"], loaded["must_reverify"]) == (severity, at_risk)


def test_a_file_of_a_submodule_is_checked_from_around_it(repo: Repository) -> None:
    """A place inside the submodule that the outer repository's handoff names: moved by lines above, changed inside, gone without the submodule."""
    outer = Repository(repo.archive, repo.folder.parent / "outer", repo.patch)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.folder), "inner")
    repo.commit("with a submodule")
    assert [one["status"] for one in repo.save("## Findings\n- The sum is kept whole: `inner/calc.py:4-6`.\n")["anchors"]] == ["verified"]
    assert (statuses(repo.load()), repo.load()["severity"]) == ({"inner/calc.py:4-6": OK}, "none")
    repo.write("inner/calc.py", ABOVE + CALC)
    assert (statuses(repo.load()), repo.load()["severity"]) == ({"inner/calc.py:4-6": ("moved", "inner/calc.py:6-8")}, "low")
    repo.write("inner/calc.py", CALC.replace("total = a + b", "total = b + a"))
    assert (statuses(repo.load()), repo.load()["severity"]) == ({"inner/calc.py:4-6": CHANGED}, "high")
    repo.git("submodule", "deinit", "-q", "-f", "inner")
    assert (statuses(repo.load()), repo.load()["severity"]) == ({"inner/calc.py:4-6": GONE}, "high")
    assert outer.folder.exists()


def test_a_commit_that_a_rebase_left_behind_is_there_until_git_drops_it(repo: Repository) -> None:
    """Then the finding that stands on it is at risk."""
    repo.git("checkout", "-q", "-b", "side")
    repo.write("calc.py", MINE)
    repo.commit("mine")
    commit = repo.git("rev-parse", "HEAD")
    repo.save(f"## Findings\n- The sum became exact in commit {commit}.\n- The helper is used by nobody: `other.py:1-2`.\n")
    _rebased(repo)
    assert statuses(repo.load()) == {f"commit {commit}": OK, C: OK}
    repo.git("update-ref", "-d", "ORIG_HEAD")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    loaded = repo.load()
    assert statuses(loaded) == {f"commit {commit}": GONE, C: OK}
    assert (loaded["severity"], loaded["must_reverify"]) == ("medium", ["F1"])
    assert "the base is lost" in " ".join(loaded["state"])
