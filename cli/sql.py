"""`journal sql`: any query over log and views, opened together and read-only, with what the columns mean at hand."""

import argparse
import difflib
import re
import sqlite3
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cli.examples import EXAMPLES, Example
from cli.functions import FUNCTIONS, Faults, register
from cli.outlet import cleaned
from cli.render import print_json, print_table
from cli.rows import WRITERS, batches
from cli.wiring import read_views
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings

if TYPE_CHECKING:
    from journal.columns import Table

READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "database_list", "function_list",
           "compile_options", "collation_list", "data_version", "schema_version"}  # fmt: skip
"""Those that only tell; `data_version` is asked for by FTS5."""
STEPS_BETWEEN_SIGNALS = 100_000
"""SQLite's steps after which Python looks for Ctrl-C."""
MISTAKES = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_CONSTRAINT}
MISSING = re.compile(r"no such (table|column|function): (?:\w+\.)?(\w+)")
HINT = "run: journal sql --schema"


def sql(settings: Settings, asked: argparse.Namespace) -> int:
    """Run a query, or say what can be asked."""
    if asked.examples:
        return _list_examples(as_json=asked.json)
    if asked.example is not None:
        return run(settings, _example(asked.example).sql, {}, asked)
    if asked.schema is not None or asked.query is None:
        return _list_schema(asked.schema, as_json=asked.json)
    text = sys.stdin.read() if asked.query == "-" else asked.query
    return run(settings, text, dict(asked.param), asked)


def run(settings: Settings, text: str, values: Mapping[str, str], asked: argparse.Namespace) -> int:
    """Run one query and write its rows.

    Raises: SettingInvalid: SQLite does not accept it, or it would write.
    """
    connection, faults = connect(settings, reveal=asked.reveal)
    if asked.json + asked.csv + asked.table > 1:
        raise SettingInvalid("--json, --csv and --table exclude each other", hint="journal sql --json QUERY")
    style = "json" if asked.json else "csv" if asked.csv else "table"
    try:
        cursor = connection.execute(text.encode(errors="replace").decode(), values)
        if cursor.description is None:
            raise SettingInvalid("there is no query in that text", hint=HINT)
        heads = [column[0] for column in cursor.description]
        heads = heads if asked.reveal else cleaned(heads)  # an expression without a name is its own head
        WRITERS[style](heads, batches(cursor, reveal=asked.reveal))
    except sqlite3.Error as error:
        raise _meaning(error, faults) from error
    finally:
        connection.close()
    return 0


def connect(settings: Settings, *, reveal: bool = False) -> tuple[sqlite3.Connection, Faults]:
    """Return a connection to the views with the log attached, on which nothing can be written, and its functions' faults.

    Raises: NotFound: nothing was ingested yet.
    """
    from journal.database import attach_readonly, open_log

    path = Home(settings.home).journal_db
    log = open_log(path, writable=False)
    connection = read_views(settings)
    attach_readonly(connection, path, "log")
    faults = register(connection, log, reveal=reveal)
    connection.execute("PRAGMA query_only = ON")
    connection.text_factory = lambda data: data.decode(errors="replace")
    connection.set_progress_handler(lambda: 0, STEPS_BETWEEN_SIGNALS)
    connection.set_authorizer(_authorize)
    return connection, faults


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    """Allow what reads; no other database, no write, no setting."""
    # A virtual table (full text, json_each) declares its columns by what SQLite takes for an update of its own schema, which it then never makes.
    declares = action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"
    allowed = action in READING or declares or (action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _meaning(error: sqlite3.Error, faults: Faults) -> BaseException:
    """Return what SQLite's *error* means: a mistake in the query, Ctrl-C, or something wrong with the databases."""
    code = getattr(error, "sqlite_errorcode", None)
    if faults.raised is not None:
        return faults.raised
    if code == sqlite3.SQLITE_INTERRUPT:
        return KeyboardInterrupt()
    if code in {sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY}:
        return SettingInvalid(f"{error}: journal sql only reads", hint="copy what you want to change: journal sql --csv QUERY")
    if code is None or code & 0xFF in MISTAKES:
        one = "one statement" in str(error)
        return SettingInvalid(str(error), hint="leave out what stands behind the semicolon" if one else _similar(str(error)))
    return error


def _similar(message: str) -> str:
    """Return a hint with the names that come near to one that does not exist."""
    from journal.columns import LOG
    from projections.columns import VIEWS

    missing = MISSING.search(message)
    if not missing:
        return HINT
    tables = {**VIEWS, **LOG}
    names = {
        "table": list(tables),
        "column": [column.name for table in tables.values() for column in table.columns],
        "function": [function.call.partition("(")[0] for function in FUNCTIONS],
    }[missing[1]]
    if missing.groups() == ("table", "records"):
        return "it is off; run: journal records on"
    near = difflib.get_close_matches(missing[2], sorted(set(names)), 3)
    return f"did you mean {' or '.join(near)}? {HINT}" if near else HINT


def _list_schema(name: str | None, *, as_json: bool) -> int:
    """List the views and tables, or the columns of one of them."""
    from journal.columns import LOG
    from projections.columns import INTERNAL, VIEWS

    if name:
        table = VIEWS.get(name) or LOG.get(name)
        if table is None:
            raise NotFound(f"no view or table is called {name}", hint=_similar(f"no such table: {name}"))
        return _show_table(table, as_json=as_json)
    listed = [("views", table) for table in VIEWS.values() if table.name not in INTERNAL] + [("log", table) for table in LOG.values()]
    if as_json:
        print_json({"tables": [{"database": database, **_described(table)} for database, table in listed],
                    "functions": [function._asdict() for function in FUNCTIONS]})  # fmt: skip
        return 0
    print_table(("table", "in", "one row is"), [(table.name, database, table.meaning) for database, table in listed], prose=True)
    print_table(("",), [("",)])
    print_table(("function", "gives"), [(function.call, function.meaning) for function in FUNCTIONS], prose=True)
    print_table(("",), [("",), ("columns of one:   journal sql --schema sessions",), ("example queries:  journal sql --examples",)])
    return 0


def _show_table(table: "Table", *, as_json: bool) -> int:
    """Show one table's columns and example queries."""
    examples = [example for example in EXAMPLES if example.table == table.name]
    if as_json:
        print_json({**_described(table), "examples": [example._asdict() for example in examples]})
        return 0
    print_table((table.name,), [(table.meaning,), ("",)])
    print_table(("column", "type", "unit", "meaning"), table.columns, prose=True)
    if examples:
        print_table(("",), [(f"journal sql --example {example.name}   # {example.meaning}",) for example in examples])
    return 0


def _described(table: "Table") -> dict[str, Any]:
    return {"name": table.name, "meaning": table.meaning, "columns": [column._asdict() for column in table.columns]}


def _list_examples(*, as_json: bool) -> int:
    if as_json:
        print_json({"examples": [example._asdict() for example in EXAMPLES]})
        return 0
    print_table(("example", "of", "answers"), [(example.name, example.table, example.meaning) for example in EXAMPLES], prose=True)
    return 0


def _example(name: str) -> Example:
    found = {example.name: example for example in EXAMPLES}
    if name not in found:
        near = difflib.get_close_matches(name, found, 3)
        raise NotFound(f"no example is called {name}", hint=(f"did you mean {' or '.join(near)}? " if near else "") + "run: journal sql --examples")
    return found[name]
