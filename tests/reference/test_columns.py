"""Every column of the log and of the views is documented, and nothing is documented that is gone."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from journal.columns import LOG, Column, Table, documented
from journal.database import open_log
from projections import checkpoint, runner
from projections.catalog import OPTIONAL, in_force
from projections.columns import INTERNAL, VIEWS
from projections.search import register_functions

SHADOWS = ("_fts_data", "_fts_idx", "_fts_docsize", "_fts_config")


def tables_of(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Return table or view, column, type; without SQLite's own tables and those that an FTS5 index keeps."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
             if not name.startswith("sqlite_") and not name.endswith(SHADOWS)]  # fmt: skip
    return {name: {row[1]: row[2] for row in connection.execute(f"PRAGMA table_xinfo({name})") if row[6] != 1} for name in names}


@pytest.fixture
def log_tables(tmp_path: Path) -> dict[str, dict[str, str]]:
    """Return the columns of a fresh log."""
    with contextlib.closing(open_log(str(tmp_path / "journal.db"), writable=True)) as log:
        return tables_of(log)


@pytest.fixture
def view_tables(tmp_path: Path) -> dict[str, dict[str, str]]:
    """Return the columns of empty views."""
    with contextlib.closing(checkpoint.connect(str(tmp_path / "views.db"))) as views:
        register_functions(views)
        runner.create(views, in_force(view.name for view in OPTIONAL))
        return tables_of(views)


def names(tables: Any) -> dict[str, list[str]]:
    """Return table to its column names."""
    return {name: [column.name for column in table.columns] if isinstance(table, Table) else list(table) for name, table in tables.items()}


def differing_types(documentation: Any, tables: dict[str, dict[str, str]]) -> list[str]:
    """Name the columns whose documented type is not the declared one; SQL views declare none for what they compute."""
    return [f"{name}.{column.name}" for name, table in documentation.items() for column in table.columns
            if tables[name][column.name] not in ("", column.type)]  # fmt: skip


def test_every_column_of_the_log_is_documented_and_no_other(log_tables: dict[str, dict[str, str]]) -> None:
    """Tables and columns of journal.db stand in journal/columns.py, in their own order."""
    assert names(LOG) == {name: list(log_tables[name]) for name in LOG}
    assert set(LOG) == set(log_tables)


def test_every_column_of_the_views_is_documented_and_no_other(view_tables: dict[str, dict[str, str]]) -> None:
    """Where this fails, correct projections/columns.py (or the projection's `columns`), then run: make reference"""
    assert set(VIEWS) == set(view_tables)
    assert names(VIEWS) == {name: list(view_tables[name]) for name in VIEWS}


def test_documented_types_are_the_declared_ones(log_tables: dict[str, dict[str, str]], view_tables: dict[str, dict[str, str]]) -> None:
    """A column that the page calls INTEGER is INTEGER in the table."""
    assert differing_types(LOG, log_tables) == []
    assert differing_types(VIEWS, view_tables) == []


def test_every_column_has_type_unit_and_meaning() -> None:
    """No part of any line is empty."""
    columns = [column for table in [*LOG.values(), *VIEWS.values()] for column in table.columns]
    assert [column for column in columns if not all(column)] == []


def test_internal_tables_are_known_by_their_first_word() -> None:
    """These feed others; all else is public."""
    assert {"usage_totals", "session_facts", "carries"} <= set(INTERNAL) < set(VIEWS)
    assert "sessions" not in INTERNAL


def test_a_line_is_name_type_unit_and_meaning() -> None:
    """The parser keeps a bar inside the meaning."""
    assert documented({"t": "A row.\n  a | TEXT | id | one | or two"})["t"] == Table("t", "A row.", (Column("a", "TEXT", "id", "one | or two"),))
