"""One archive for each test, and embedders that need no weights."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cases"))
sys.path.insert(0, str(Path(__file__).parent))

from archive import Archive


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Return an empty archive in a throw-away HOME."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "journal-home"))
    return Archive(tmp_path)
