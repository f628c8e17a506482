"""The sample sessions, ingested once and copied for each test that asks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

PROJECT = Path(__file__).parents[2]
HOSTS = ("claude", "codex", "gemini", "copilot")


def environment(home: Path) -> dict[str, str]:
    """Return what a process needs to be at home in *home*, with `journal` on its PATH."""
    return {"HOME": str(home), "JOURNAL_HOME": str(home / "journal"), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(PROJECT), "TZ": "UTC"}


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with the samples where the hosts would have left them, and their journal; not to be written."""
    home = tmp_path_factory.mktemp("samples")
    for host in HOSTS:
        shutil.copytree(PROJECT / "samples" / host, home / f".{host}")
    (home / "bin").mkdir()
    command = home / "bin" / "journal"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m journal "$@"\n')
    command.chmod(0o755)
    subprocess.run([str(command), "ingest"], env=environment(home), cwd=home, check=True, capture_output=True)
    return home


@pytest.fixture
def home(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of that home which a test may change; this process is at home in it."""
    shutil.copytree(ingested, tmp_path / "home")
    for name, value in environment(tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"
