"""Bringing the log's schema up to the program's, by Alembic, after a backup; imported only when versions differ."""

import os
import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event

from journal.database import SCHEMA_VERSION

HERE = Path(__file__).resolve().parent


def scripts() -> Path:
    """Return the folder of the migrations: inside the wheel's package, or beside it in a checkout."""
    packaged = HERE / "migrations"
    return packaged if packaged.is_dir() else HERE.parent / "migrations"


def upgrade(path: str) -> None:
    """Run all migrations that the database at *path* lacks and note its schema, in one transaction: all of it, or none."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"isolation_level": None})
    event.listen(engine, "begin", _begin)
    config = Config()
    config.set_main_option("script_location", str(scripts()))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    engine.dispose()


def _begin(connection: Connection) -> None:
    """Begin a transaction that holds changes of tables too, which Python's driver by itself begins for changes of rows alone."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def back_up(path: str, folder: str, name: str) -> str:
    """Copy the database at *path* into *folder* and return the copy's path."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    target = os.path.join(folder, name)
    with sqlite3.connect(path) as source, sqlite3.connect(target) as copy:
        source.backup(copy)
    return target
