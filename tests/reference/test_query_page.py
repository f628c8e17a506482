"""The queries of docs/how-to/query-with-sql.md, in every tool that they are for: SQLite as it comes, DuckDB, Parquet, and our own command."""

import contextlib
import re
import sqlite3
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cli.examples import EXAMPLES
from cli.main import main
from journal.columns import LOG

PAGE = (Path(__file__).parents[2] / "docs/how-to/query-with-sql.md").read_text()
QUERIES = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PARQUET = re.findall(r"^```sql parquet\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [line.strip() for line in PAGE.splitlines() if line.startswith("    journal ")]
SQLITE_ONLY = {"search", "search-tools", "search-learnings", "search-fixes"}
"""Examples with full text, which is SQLite's own."""


def in_sqlite(home: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what the stock module finds in the views, opened as the page says."""
    with contextlib.closing(sqlite3.connect(f"file:{home}/journal/views.db?mode=ro", uri=True)) as views:
        return views.execute(query).fetchall()


def in_duckdb(home: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what DuckDB finds, with the extension that `INSTALL sqlite` would fetch."""
    duckdb = pytest.importorskip("duckdb")
    spec = find_spec("duckdb_extension_sqlite_scanner")
    if spec is None or spec.origin is None:
        pytest.skip("DuckDB's extension for SQLite is not installed")
    (extension,) = Path(spec.origin).parent.rglob("*.duckdb_extension")
    with duckdb.connect(config={"autoinstall_known_extensions": False}) as reader:
        reader.execute(f"LOAD '{extension}'")
        reader.execute(f"ATTACH '{home}/journal/views.db' AS journal (TYPE sqlite, READ_ONLY)")
        reader.execute("USE journal")
        rows: list[tuple[Any, ...]] = reader.execute(query).fetchall()
        return rows


def test_the_page_has_what_it_promises() -> None:
    """Queries for all tools, one for Parquet, commands."""
    assert (len(QUERIES), len(PARQUET), len(COMMANDS)) == (5, 1, 5)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_the_page_says_the_same_in_sqlite_and_duckdb(query: str, home: Path) -> None:
    """Rows, and equal ones."""
    found = in_sqlite(home, query)
    assert found
    assert in_duckdb(home, query) == found


def test_a_query_of_the_page_in_numbers(home: Path) -> None:
    """Output tokens of the samples by host, from the ready-made view."""
    assert in_sqlite(home, QUERIES[1]) == [
        ("2026-11-30", "claude", 991), ("2026-11-30", "codex", 702), ("2026-11-30", "copilot", 462), ("2026-11-30", "gemini", 175)]  # fmt: skip


@pytest.mark.parametrize("example", [example for example in EXAMPLES if example.table not in LOG], ids=lambda example: example.name)
def test_an_example_query_over_views_runs_in_sqlite_and_duckdb(example: Any, home: Path) -> None:
    """No example over the views needs anything of our own; DuckDB takes all but those with full text."""
    if example.table == "records":
        assert main(["records", "on"]) == 0
    in_sqlite(home, example.sql)
    if example.name not in SQLITE_ONLY:
        in_duckdb(home, example.sql)


def test_the_parquet_query_of_the_page(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds in the datasets what the views hold."""
    duckdb = pytest.importorskip("duckdb")
    assert main(["export", "--format", "parquet", "--out", "FOLDER"]) == 0
    monkeypatch.chdir(home)
    with duckdb.connect() as reader:
        assert reader.execute(PARQUET[0]).fetchall() == [
            ("claude", "2026-11", 991), ("codex", "2026-11", 702), ("copilot", "2026-11", 462), ("gemini", "2026-11", 175)]  # fmt: skip


@pytest.mark.parametrize("command", [command for command in COMMANDS if "datasette" not in command])
def test_a_command_of_the_page_runs(command: str, home: Path) -> None:
    """As a user would type it."""
    subprocess.run(["sh", "-c", "journal records on"], cwd=home, check=True, capture_output=True)
    done = subprocess.run(["sh", "-c", command], cwd=home, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
