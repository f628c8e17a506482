"""One world for each test."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tail_world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return an empty host folder and an empty log."""
    return World(tmp_path)
