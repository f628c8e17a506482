"""`journal export --format parquet`: what DuckDB reads back is what the views hold."""

import contextlib
import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.extras import command
from cli.main import main
from cli.parquet import TYPES
from projections.columns import VIEWS

duckdb = pytest.importorskip("duckdb")
SECRET = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hI"


def read(folder: Path, view: str, columns: str) -> list[tuple[Any, ...]]:
    """Return rows of a dataset as DuckDB reads them."""
    with duckdb.connect() as reader:
        rows: list[tuple[Any, ...]] = reader.execute(
            f"SELECT {columns} FROM read_parquet('{folder}/{view}/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        ).fetchall()
        return rows


def kept(home: Path, view: str, columns: str) -> list[tuple[Any, ...]]:
    """Return rows of a view."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        return views.execute(f"SELECT {columns} FROM {view}").fetchall()


def change(home: Path, statement: str, *values: object) -> None:
    """Change the views as a test needs them."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        views.execute("DROP TRIGGER messages_fts_add")
        views.execute(statement, values)
        views.commit()


def test_every_row_of_every_view_comes_back(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each dataset has the rows and columns of its view, also one without rows; types are kept."""
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out"), "--json"]) == 0
    datasets = json.loads(capsys.readouterr().out)["views"]
    assert {"sessions", "messages", "usage", "usage_daily", "session_tree", "snapshots"} <= set(datasets)
    assert not {"messages_fts", "carries", "records"} & set(datasets)
    for view, rows in datasets.items():
        names = ", ".join(f'"{column.name}"' for column in VIEWS[view].columns)
        assert sorted(map(repr, read(tmp_path / "out", view, names))) == sorted(map(repr, kept(home, view, names))), view
        assert len(kept(home, view, "1")) == rows
        with duckdb.connect() as reader:
            described = reader.execute(f"DESCRIBE SELECT * FROM '{tmp_path}/out/{view}/*/*/*.parquet'").fetchall()
        types = {name: kind for name, kind, *_ in described}
        assert {column.name: types[column.name] for column in VIEWS[view].columns} == {column.name: TYPES[column.type] for column in VIEWS[view].columns}, view


def test_partitions_are_host_and_month(home: Path, tmp_path: Path) -> None:
    """A row without a host of its own takes its session's; what has none is in the partition that reads as NULL."""
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out/usage").rglob("*.parquet")) == [
        f"usage/host={host}/month=2026-11/usage_0.parquet" for host in ("claude", "codex", "copilot", "gemini")]  # fmt: skip
    assert set(read(tmp_path / "out", "session_tree", "host, month")) == {(host, "2026-11") for host in ("claude", "codex", "copilot", "gemini")}
    assert set(read(tmp_path / "out", "projects", "host, month")) == {(None, "2026-11")}


def test_months_are_told_apart(home: Path, tmp_path: Path) -> None:
    """Also a row without a time has its place."""
    insert = ("INSERT INTO usage (session_id, response_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,"
              " cache_write_1h_tokens, basis, occurred_at, source_id)"
              " SELECT session_id, ?, 1, 1, 0, 0, 0, 0, 'response', {}, 1 FROM sessions LIMIT 1")  # fmt: skip
    change(home, insert.format("'2025-01-31T23:59:59.000000Z'"), "r1")
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        views.execute("UPDATE usage SET occurred_at = NULL WHERE response_id = (SELECT min(response_id) FROM usage)")
        views.commit()
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    assert set(read(tmp_path / "out", "usage", "month")) == {("2025-01",), ("2026-11",), (None,)}


def test_long_and_odd_texts_come_back_whole(home: Path, tmp_path: Path) -> None:
    """17 MB in one value, a NUL character, line ends, quotes and characters beyond the first plane."""
    odd = "a\0b\r\n\"'\\ \u2028 終 😀"
    insert = ("INSERT INTO messages (session_id, record_id, ordinal, source_id, global_position, last_position, host, role, kind, text, generation)"
              " VALUES ('s', 'r', 0, 1, 1, 1, 'claude', 'user', 'prompt', ? || char(0) || ?, 0)")  # fmt: skip
    change(home, insert, "word " * 3_500_000, odd)
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    (text,) = next(row for row in read(tmp_path / "out", "messages", "text") if len(row[0]) > 1_000_000)
    assert (len(text), text[17_500_001:]) == (17_500_001 + len(odd), odd)


def test_what_is_written_has_no_secrets(home: Path, tmp_path: Path) -> None:
    """The exit is passed, whatever the views hold."""
    change(home, "UPDATE sessions SET title = ?", f"the token is {SECRET}")
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    assert set(read(tmp_path / "out", "sessions", "title")) == {("the token is [redacted:github-token]",)}


def test_an_export_that_is_broken_off_leaves_nothing(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A view that cannot be read ends it with an error, and neither folder nor rest is left."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        views.execute("DROP TABLE usage")
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "new/out")]) != 0
    assert capsys.readouterr().err
    assert list((tmp_path / "new").iterdir()) == []


def test_nothing_is_written_over(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with something in it, and a file, are refused; an empty folder is taken."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("x")
    for there in ("full", "full/mine"):
        assert main(["export", "--format", "parquet", "--out", str(tmp_path / there)]) == 2
        assert "not empty" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "empty")]) == 0
    assert (tmp_path / "full/mine").read_text() == "x"


def test_what_is_written_is_private(home: Path, tmp_path: Path) -> None:
    """Folders 0700, files 0600."""
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    assert {path.stat().st_mode & 0o077 for path in [tmp_path / "out", *(tmp_path / "out").rglob("*")]} == {0}


def test_without_duckdb_the_extra_is_named(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, with what to install."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert main(["export", "--format", "parquet", "--out", str(tmp_path / "out")]) == 2
    assert f"run: {command('analyst')}" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("latest", "--out", "x"), ("--output", "x"), ("--out", "x", "--reveal"), ("--out", "x", "--project", "."), ()])
def test_what_other_formats_take_is_refused(home: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 with the right call, and nothing is written; --out belongs to this format alone."""
    assert main(["export", "--format", "parquet", *words]) == 2
    assert "journal export --format parquet --out DIR" in capsys.readouterr().err
    assert main(["export", "latest", "--out", "x"]) == 2
    assert main(["export"]) == 2
    assert not (home / "x").exists()
