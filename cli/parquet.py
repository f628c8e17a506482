"""`journal export --format parquet`: each view as a dataset, by DuckDB (extra `analyst`, docs/adr/0031), by host and month, in bounded memory."""

import argparse
import json
import os
import shutil
import sqlite3
import tempfile
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.render import print_json, print_table
from cli.rows import batches
from cli.wiring import read_views
from journal.errors import SettingInvalid
from journal.home import private_umask
from journal.settings import Settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from journal.columns import Table

EXAMPLE = "journal export --format parquet --out DIR"
TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR"}
TIMES = ("occurred_at", "at", "started_at", "saved_at", "noted_at", "last_at", "day_utc")
"""Columns that a row's month is read off, the first that a view has."""
SESSIONS = ("session_id", "child_session_id")
"""Columns that name the session whose host and start a row takes where it has none of its own."""
MEMORY = "256MB"
ROWS_KEPT_BACK = 4096
"""Rows of a partition that DuckDB gathers before it writes them."""
NOWHERE = "__HIVE_DEFAULT_PARTITION__"
"""The name that Hive and those who follow it give to NULL."""
LONGEST_LINE = 16 * 1024 * 1024


class Dataset(NamedTuple):
    """One dataset that was written."""

    view: str
    rows: int


def parquet(settings: Settings, asked: argparse.Namespace) -> int:
    """Write every view as a Parquet dataset: the part of `journal export` that is of no session.

    Raises: SettingInvalid: what the other formats take was given, or no folder.
    """
    if asked.session or asked.project or asked.output or asked.reveal:
        raise SettingInvalid("--format parquet writes all views, without secrets: it takes no session, --project, --output or --reveal", hint=EXAMPLE)
    if not asked.out:
        raise SettingInvalid("--format parquet needs --out DIR", hint=EXAMPLE)
    written = export(settings, asked.out)
    if asked.json:
        print_json({"folder": asked.out, "views": {found.view: found.rows for found in written}})
    else:
        print_table(("dataset", "rows"), written)
    return 0


def export(settings: Settings, folder: str) -> list[Dataset]:
    """Write a dataset for every view into the new *folder*: `VIEW/host=HOST/month=YYYY-MM/*.parquet`.

    All of them are of one moment. What is written has gone through the exit that takes secrets out.
    Raises: SettingInvalid: the folder exists, or DuckDB is not installed. NotFound: there are no views yet.
    """
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise SettingInvalid(f"--out {folder}: it exists and is not empty", hint="name a new folder")
    if find_spec("duckdb") is None:
        from cli.extras import command

        raise SettingInvalid("Parquet needs DuckDB, which is not installed", hint="run: " + command("analyst"))
    import duckdb

    views = read_views(settings)
    private_umask()
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    # Beside the folder, and moved there when it is whole: a run that is broken off leaves nothing that looks like an export.
    unfinished = tempfile.mkdtemp(prefix=f".{os.path.basename(os.path.abspath(folder))}.", dir=parent)
    try:
        views.execute("BEGIN")
        with duckdb.connect(config=_config(unfinished)) as writer:
            written = [_write(views, writer, table, unfinished) for table in _public(views)]
        os.rename(unfinished, folder)
    finally:
        views.close()
        shutil.rmtree(unfinished, ignore_errors=True)
    return written


def _public(views: sqlite3.Connection) -> "list[Table]":
    """Return the views that are there and are no machinery: neither internal nor a full-text index."""
    from projections.columns import INTERNAL, VIEWS

    there = {name for (name,) in views.execute("SELECT name FROM sqlite_master WHERE type = 'view' OR (type = 'table' AND sql NOT LIKE '%USING fts5%')")}
    return [table for table in VIEWS.values() if table.name in there and table.name not in INTERNAL]


def selection(table: "Table") -> str:
    """Return the query of a dataset: the view's columns, and the host and month that it is partitioned by; NULL where a row has none."""
    names = [column.name for column in table.columns]
    session = next((f"(SELECT {{}} FROM sessions AS s WHERE s.session_id = t.{name})" for name in SESSIONS if name in names), "NULL")
    own = [name for name in TIMES if name in names]
    time = f"t.{own[0]}" if own else session.format("started_at")
    host = "" if "host" in names else f", {session.format('host')} AS host"
    return f"SELECT {', '.join(f't.{name}' for name in names)}{host}, substr({time}, 1, 7) AS month FROM {table.name} AS t"


def _write(views: sqlite3.Connection, writer: "DuckDBPyConnection", table: "Table", folder: str) -> Dataset:
    """Write one dataset, through lines of JSON in a file that is gone afterwards."""
    lines = os.path.join(folder, f"{table.name}.ndjson")
    cursor = views.execute(selection(table))
    names = [column[0] for column in cursor.description]
    rows, longest = 0, 0
    with open(lines, "w", encoding="utf-8") as file:
        for batch in batches(cursor, reveal=False):
            for row in batch:
                line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
                longest = max(longest, file.write(line + "\n"))
            rows += len(batch)
    types = {column.name: TYPES[column.type] for column in table.columns}
    if rows:
        writer.execute(_copy(lines, {name: types.get(name, "VARCHAR") for name in names}, os.path.join(folder, table.name), longest))
    else:
        where = os.path.join(folder, table.name, f"host={NOWHERE}", f"month={NOWHERE}")
        os.makedirs(where)
        none = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in types.items() if name not in ("host", "month"))
        writer.execute(f"COPY (SELECT {none} WHERE false) TO {_quoted(os.path.join(where, f'{table.name}_0.parquet'))} (FORMAT parquet)")
    os.unlink(lines)
    return Dataset(table.name, rows)


def _copy(lines: str, types: dict[str, str], to: str, longest: int) -> str:
    """Return the statement that reads lines of JSON, each column as the type given, and writes the partitions."""
    columns = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in types.items())
    return (
        f"COPY (SELECT * FROM read_json({_quoted(lines)}, format = 'newline_delimited', columns = {{{columns}}},"
        f" maximum_object_size = {max(LONGEST_LINE, 4 * longest)}))"
        f" TO {_quoted(to)} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (host, month), FILENAME_PATTERN '{os.path.basename(to)}_{{i}}')"
    )


def _config(folder: str) -> dict[str, Any]:
    """Return the settings of a DuckDB that stays on this machine and within its memory."""
    return {"memory_limit": MEMORY, "threads": 1, "temp_directory": folder, "preserve_insertion_order": False,
            "partitioned_write_flush_threshold": ROWS_KEPT_BACK,
            "autoinstall_known_extensions": False, "autoload_known_extensions": False}  # fmt: skip


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
