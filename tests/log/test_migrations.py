"""The migrations and the DDL text of a fresh log make the same database."""

import re
import sqlite3
from pathlib import Path

from journal.database import open_log
from journal.migrate import upgrade


def schema(path: Path) -> dict[str, str]:
    """Return the SQL of every table, index and trigger but Alembic's, with white space folded."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'").fetchall()
    connection.close()
    return {name: re.sub(r"\s+", " ", sql) for name, sql in rows}


def test_migrations_make_what_the_ddl_text_makes(tmp_path: Path) -> None:
    """A log made by Alembic from nothing has the tables, indexes and triggers of a fresh one."""
    open_log(str(tmp_path / "fresh.db"), writable=True).close()
    upgrade(str(tmp_path / "migrated.db"))
    assert schema(tmp_path / "migrated.db") == schema(tmp_path / "fresh.db")
