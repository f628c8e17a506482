"""Bringing the log's schema up to the program's, by Alembic, after a backup; imported only when versions differ."""

import os
import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

HERE = Path(__file__).resolve().parent


def scripts() -> Path:
    """Return the folder of the migrations: inside the wheel's package, or beside it in a checkout."""
    packaged = HERE / "migrations"
    return packaged if packaged.is_dir() else HERE.parent / "migrations"


def upgrade(path: str) -> None:
    """Run all migrations that the database at *path* lacks, in one transaction."""
    engine = create_engine(f"sqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", str(scripts()))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    engine.dispose()


def back_up(path: str, folder: str, name: str) -> str:
    """Copy the database at *path* into *folder* and return the copy's path."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    target = os.path.join(folder, name)
    with sqlite3.connect(path) as source, sqlite3.connect(target) as copy:
        source.backup(copy)
    return target
