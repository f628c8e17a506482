"""What is observed of a working directory, with real repositories."""

import subprocess
from pathlib import Path

import pytest

from ingest.journal_host import decode
from ingest.observation import observe
from journal.domain import ProjectObserved, SourceFacts


def git(folder: Path, *words: str) -> str:
    """Run git as a person who configured nothing."""
    fixed = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always"]
    return subprocess.run([*fixed, *words], check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> Path:
    """Make a repository with one commit."""
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_repository_is_known_by_root_commit_and_remote(tmp_path: Path) -> None:
    """A folder inside has the repository's root, its first commit, and its remote without a password."""
    root = repository(tmp_path / "a")
    first = git(root, "rev-parse", "HEAD")
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    git(root, "remote", "add", "origin", "https://me:secret@example.org/a.git")
    (root / "inside").mkdir()
    seen = observe(str(root / "inside"))
    assert (seen["root"], seen["root_commit"], seen["remote"]) == (str(root), first, "https://example.org/a.git")


def test_a_worktree_has_the_root_of_its_repository(tmp_path: Path) -> None:
    """A worktree elsewhere is the same project."""
    root = repository(tmp_path / "a")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert observe(str(tmp_path / "tree"))["root"] == str(root)


def test_a_submodule_is_its_own_work_tree(tmp_path: Path) -> None:
    """The root of a submodule is where its files are, not its git folder inside the parent."""
    root, other = repository(tmp_path / "a"), repository(tmp_path / "b")
    git(root, "submodule", "add", "-q", str(other), "sub")
    assert observe(str(root / "sub"))["root"] == str(root / "sub")


def test_git_variables_of_the_caller_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run from a git hook, where GIT_DIR is set, another folder is still its own repository."""
    one, two = repository(tmp_path / "a"), repository(tmp_path / "b")
    monkeypatch.setenv("GIT_DIR", str(one / ".git"))
    assert observe(str(two))["root"] == str(two)


def test_a_folder_that_is_gone_has_no_root(tmp_path: Path) -> None:
    """A path that does not exist is observed as such."""
    seen = observe(str(tmp_path / "none"))
    assert (seen["real_path"], seen["root"]) == (None, None)


def test_an_inbox_field_of_another_type_counts_as_absent() -> None:
    """A list where text belongs reaches no view."""
    record = {"type": "journal.project_observed", "path": "/p", "root": ["/p"], "remote": 5}
    (said,) = decode(SourceFacts("journal", "inbox/a.jsonl", "", "lines"), record)
    assert said.events == (ProjectObserved("/p", None, None, None, None),)
