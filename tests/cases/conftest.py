"""One archive for each test."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from archive import Archive
from handoff_world import Repository


@pytest.fixture
def archive(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Return an empty archive in a throw-away HOME."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "journal-home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))
    return Archive(tmp_path)


@pytest.fixture
def repo(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository with a calculator."""
    return Repository(archive, tmp_path / "repo", monkeypatch)
