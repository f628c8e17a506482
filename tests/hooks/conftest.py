"""One world a test."""

from pathlib import Path

import pytest
from world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a world whose hooks start no ingest."""
    made = World(tmp_path)
    made.still()
    return made
