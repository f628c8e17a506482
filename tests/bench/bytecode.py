"""The byte code of the product, compiled before anything is measured, as an installer leaves it."""

import compileall
import os
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def compiled() -> None:
    """Compile all packages; without it a fresh clone, or a shell that forbids byte code, measures the compiler too (0.1 CPU-s)."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for package in ("journal", "ingest", "projections", "cli", "migrations"):
        compileall.compile_dir(PROJECT / package, quiet=1)
