"""`journal sql`: what it answers, and that nothing it is asked can write."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.functions import local_time
from cli.main import main
from cli.rows import batches, distinct
from journal.errors import SettingInvalid

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(home: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that runs `journal sql` and gives status, standard output and standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["sql", *words])
        return status, *capsys.readouterr()

    return run


def test_json_is_a_list_of_objects(ask: Ask) -> None:
    """Numbers, text, NULL, bytes and infinity, under their column names."""
    status, out, _ = ask("SELECT 1 AS n, 'a\"b' AS t, NULL AS none, x'00ff' AS bytes, 9e999 AS much", "--json")
    assert (status, json.loads(out)) == (0, [{"n": 1, "t": 'a"b', "none": None, "bytes": "00ff", "much": "Infinity"}])


def test_json_of_no_rows_is_an_empty_list(ask: Ask) -> None:
    """Also then it is JSON."""
    assert ask("SELECT 1 WHERE 0", "--json")[1] == "[]\n"


def test_a_column_name_twice_hides_no_value(ask: Ask) -> None:
    """The second gets a number."""
    assert json.loads(ask("SELECT 1 AS a, 2 AS a", "--json")[1]) == [{"a": 1, "a_2": 2}]
    assert distinct(["a", "a", "a_2", "a"]) == ["a", "a_2", "a_2_2", "a_3"]


def test_csv_has_heads_and_empty_nulls(ask: Ask) -> None:
    """Quotes as CSV has them."""
    assert ask("SELECT 1 AS n, 'a,b' AS t, NULL AS none, x'ff' AS bytes", "--csv")[1] == 'n,t,none,bytes\n1,"a,b",,ff\n'


def test_a_table_cuts_long_cells_and_says_so(ask: Ask) -> None:
    """At 100 characters."""
    out = ask("SELECT printf('%.*c', 300, 'x') AS t, 2 AS n")[1].splitlines()
    assert out == ["t" + " " * 99 + "  n", "x" * 99 + "…  2"]


def test_log_and_views_answer_one_query(ask: Ask) -> None:
    """A row of a view is joined to its event in the log, and to the record."""
    status, out, _ = ask("SELECT e.type, record(m.global_position) ->> '$.message.content' AS text FROM messages AS m JOIN events AS e USING (global_position)"
                         " WHERE m.host = 'claude' AND m.kind = 'prompt' AND m.text LIKE 'Use a subagent%'", "--json")  # fmt: skip
    assert (status, json.loads(out)) == (0, [{"type": "claude.user", "text": "Use a subagent."}])


def test_record_gives_each_shape_of_line(ask: Ask, home: Path) -> None:
    """A damaged line gives what is whole in it, a document without JSON its text, a position that is not there nothing."""
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (folder / "00000000-0000-4000-8000-000000000001.jsonl").write_bytes(
        b'{"type":"one"}{"type":"two"}\n{"half": {"type":"three"}\n\xef\xbb\xbf{"type":"four"}\nnot json\n'
    )
    assert main(["ingest"]) == 0
    query = "SELECT record(global_position) AS r FROM events JOIN sources USING (source_id) WHERE path LIKE '%00000001.jsonl' ORDER BY global_position"
    _, out, _ = ask(query, "--json")
    texts = [row["r"] for row in json.loads(out[out.index("[") :])]
    assert [text and json.loads(text) for text in texts] == [[{"type": "one"}, {"type": "two"}], {"type": "three"}, {"type": "four"}, None]
    assert json.loads(ask("SELECT record(0) AS a, record(NULL) AS b, record('x') AS c", "--json")[1]) == [{"a": None, "b": None, "c": None}]


def test_record_is_cleaned_unless_revealed(ask: Ask, home: Path) -> None:
    """The log holds the secret, the exit does not."""
    secret = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hI"
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (folder / "00000000-0000-4000-8000-000000000001.jsonl").write_text(json.dumps({"type": "x", "token": secret}) + "\n")
    assert main(["ingest"]) == 0
    query = "SELECT record(max(global_position)) ->> '$.token' AS t FROM events WHERE type = 'claude.x'"
    assert ask(query, "--csv")[1].splitlines()[-1] == "[redacted:github-token]"
    assert ask(query, "--csv", "--reveal")[1].splitlines()[-1] == secret


def test_a_secret_stays_in_when_a_query_takes_it_apart(ask: Ask, home: Path) -> None:
    """Neither from under its name, nor in hex, nor in halves; the optional view does not hold it either."""
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    line = {"type": "x", "input": {"password": "Sup3rS3cretHunter2", "user": "u"}, "key": "AKIA" + "J7Q2M5X8K1N4P6R9"}
    (folder / "00000000-0000-4000-8000-000000000001.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["records", "on"]) == 0
    assert main(["ingest"]) == 0
    for column in ("record(global_position)", "(SELECT data FROM records WHERE records.global_position = events.global_position)"):
        query = f"SELECT {column} ->> '$.input.password' AS p, {column} ->> '$.input.user' AS u, hex({column}) AS h FROM events WHERE type = 'claude.x'"
        out = ask(query, "--json")[1]
        row = json.loads(out[out.index("[\n") :])[0]
        assert (row["p"], row["u"]) == ("[redacted:assignment]", "u")
        told = bytes.fromhex(row["h"]).decode()
        assert "Sup3r" not in told
        assert "AKIA" not in told
        assert json.loads(told)["key"] == "[redacted:aws-key]"
    revealed = ask("SELECT record(global_position) ->> '$.input.password' AS p FROM events WHERE type = 'claude.x'", "--csv", "--reveal")[1]
    assert revealed.splitlines()[-1] == "Sup3rS3cretHunter2"


@pytest.mark.parametrize(
    ("time", "zone", "local"),
    [
        ("2026-11-30T23:30:00.000000Z", "Europe/Berlin", "2026-12-01T00:30:00+01:00"),
        ("2026-07-01T12:00:00.000000Z", "Europe/Berlin", "2026-07-01T14:00:00+02:00"),
        ("2026-07-01 12:00:00", "Asia/Kathmandu", "2026-07-01T17:45:00+05:45"),
        ("0001-01-01T00:00:00Z", "America/New_York", None),
        ("soon", "UTC", None),
        (None, "UTC", None),
        (5, "UTC", None),
    ],
)
def test_local_time(time: object, zone: str, local: str | None) -> None:
    """A time in a zone, with summer time and odd offsets; what is no time gives NULL."""
    assert local_time(time, zone) == local


def test_local_time_without_a_zone_is_this_machine_s(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """As TZ says."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert ask("SELECT local_time('2026-11-30T23:30:00Z') AS t", "--csv")[1] == "t\n2026-12-01T08:30:00+09:00\n"
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


def test_an_unknown_zone_is_a_bad_argument() -> None:
    """It is no silent NULL."""
    with pytest.raises(SettingInvalid, match="Mars/Olympus"):
        local_time("2026-11-30T23:30:00Z", "Mars/Olympus")


@pytest.mark.parametrize(
    ("query", "message", "hint"),
    [
        ("SELECT * FROM mesages", "no such table: mesages", "did you mean messages"),
        ("SELECT titel FROM sessions", "no such column: titel", "did you mean title"),
        ("SELECT recrod(1)", "no such function: recrod", "did you mean record"),
        ("SELEC 1", "near \"SELEC\": syntax error", "journal sql --schema"),
        ("SELECT 1; SELECT 2", "one statement", "behind the semicolon"),
        ("-- nothing", "there is no query in that text", "journal sql --schema"),
        ("SELECT ?", "Binding 1 has no name", ""),
        ("SELECT :a", "did not supply a value for binding", ""),
        ("SELECT local_time('2026-01-01', 'X/Y')", "X/Y is no time zone", "Europe/Berlin"),
        ("SELECT record(1, 2)", "wrong number of arguments", ""),
        ("SELECT json('{')", "malformed JSON", ""),
    ],
)
def test_a_mistake_in_a_query_says_what_and_what_next(ask: Ask, query: str, message: str, hint: str) -> None:
    """Exit 2, nothing on standard output, the envelope on standard error."""
    status, out, err = ask(query, "--json")
    envelope = json.loads(err)
    assert (status, out) == (2, "")
    assert message in envelope["error"]
    assert hint in envelope["hint"]


WRITES = (
    "DELETE FROM sessions", "UPDATE sessions SET title = 'x'", "INSERT INTO log_meta VALUES ('a', 'b')", "DROP TABLE messages", "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)", "CREATE VIRTUAL TABLE temp.t USING fts5(a)", "ATTACH 'other.db' AS other", "DETACH log", "VACUUM", "VACUUM INTO 'copy.db'",
    "VACUUM log INTO 'copy.db'", "PRAGMA query_only = OFF", "PRAGMA user_version = 9", "PRAGMA writable_schema = ON", "PRAGMA wal_checkpoint", "REINDEX",
    "ANALYZE", "PRAGMA temp_store_directory = '.'", "BEGIN IMMEDIATE", "SAVEPOINT s", "UPDATE sqlite_master SET type = 'x'",
    "INSERT INTO messages_fts(messages_fts) VALUES ('optimize')",
    "SELECT load_extension('x')", "WITH x AS (SELECT 1) DELETE FROM sessions",
    "ALTER TABLE sessions RENAME TO s", "EXPLAIN DELETE FROM sessions",
)  # fmt: skip


@pytest.mark.parametrize("query", WRITES)
def test_nothing_is_written(ask: Ask, home: Path, query: str) -> None:
    """Whatever is asked, no file is made and no byte of the two databases changes."""
    folders = (home, home / "journal")
    before = {path: path.read_bytes() for folder in folders for path in folder.iterdir() if path.is_file() and not path.name.endswith("-shm")}
    status, out, err = ask(query)
    after = {path: path.read_bytes() for folder in folders for path in folder.iterdir() if path.is_file() and not path.name.endswith(("-shm", "-wal"))}
    assert (status, out) == (2, "")
    assert err
    assert after == {path: data for path, data in before.items() if not path.name.endswith("-wal")}


def test_the_schema_can_be_asked_for(ask: Ask) -> None:
    """By our own listing, and by SQLite's pragmas and tables."""
    listed = json.loads(ask("--schema", "--json")[1])
    assert {"sessions", "events", "usage_daily"} <= {table["name"] for table in listed["tables"]}
    usage = json.loads(ask("--schema", "usage", "--json")[1])
    assert usage["columns"][3] == {"name": "input_tokens", "type": "INTEGER", "unit": "tokens", "meaning": "input that was not read from a cache"}
    assert "session_id" in ask("PRAGMA table_info(sessions)", "--csv")[1]
    assert "main" in ask("SELECT name FROM pragma_database_list", "--csv")[1]


def test_without_a_query_the_views_are_listed(ask: Ask) -> None:
    """A listing, and where to go from there."""
    status, out, _ = ask()
    assert (status, out.split()[:6]) == (0, ["table", "in", "one", "row", "is", "projects"])
    assert "journal sql --examples" in out


@pytest.mark.parametrize("words", [("--schema", "sesions", "sessions"), ("--example", "tre", "tree")])
def test_a_name_that_is_not_there_is_exit_4_with_the_nearest(ask: Ask, words: tuple[str, str, str]) -> None:
    """`sessions` and `tree` are meant."""
    status, _, err = ask(*words[:2])
    assert status == 4
    assert f"did you mean {words[2]}" in err


def test_values_are_bound_by_name(ask: Ask) -> None:
    """--param gives text that is never read as SQL."""
    assert ask("SELECT :a AS a, host FROM sessions WHERE host = :h LIMIT 1", "--param", "h=codex", "--param", "a='x", "--csv")[1] == "a,host\n'x,codex\n"


def test_the_tree_of_the_samples(ask: Ask) -> None:
    """Forks and sub-agents stand below the session that they came from."""
    rows = json.loads(ask("--example", "tree", "--json")[1])
    assert [(row["session"][:15].rstrip(), row["kind"]) for row in rows if row["session"].startswith("  ")] == [
        ("  01a22e50-9396", "headless"), ("  013aefe6-d54f", "headless"), ("  30d7dbbe-5492", "subagent"), ("  9d482481-a21b", "subagent")]  # fmt: skip


def test_rows_leave_in_bounded_batches() -> None:
    """At most 256 rows, and few where they are long: memory does not grow with their number."""
    assert [len(batch) for batch in batches(iter([(1,)] * 600), reveal=False)] == [256, 256, 88]
    assert [len(batch) for batch in batches(iter([("x" * 600_000,)] * 5), reveal=False)] == [2, 2, 1]


def test_a_query_without_end_stops_at_ctrl_c(home: Path) -> None:
    """Also one that gives no row: exit 130, no traceback."""
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    heard = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from cli.main import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", heard, "sql", endless], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in err
    assert "Traceback" not in err


def test_a_reader_that_leaves_early_is_no_error(home: Path) -> None:
    """`| head` ends quietly."""
    done = subprocess.run(["sh", "-c", "journal sql 'SELECT a.*, b.* FROM messages AS a, messages AS b' --csv | head -n 2"],
                          cwd=home, capture_output=True, text=True, timeout=30, check=True)  # fmt: skip
    assert (len(done.stdout.splitlines()) >= 2, done.stderr) == (True, "")


def test_sql_imports_neither_sqlalchemy_nor_rich(home: Path) -> None:
    """A reading command stays quick to start."""
    program = ("import sys; from cli.main import main; main(['sql', 'SELECT 1'])\n"
               "print([m for m in ('sqlalchemy', 'alembic', 'rich', 'click') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.endswith("\n[]\n")


def test_a_writer_s_uncommitted_rows_are_not_seen_and_do_not_block(ask: Ask, home: Path) -> None:
    """A query while the views are being written answers from what was committed."""
    with contextlib.closing(sqlite3.connect(os.environ["JOURNAL_HOME"] + "/views.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM sessions")
        assert ask("SELECT count(*) AS n FROM sessions", "--csv")[1] == "n\n12\n"
        writer.execute("ROLLBACK")


def test_without_a_log_the_next_command_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 4, and nothing is created."""
    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "none"))
    assert main(["sql", "SELECT 1"]) == 4
    assert "journal ingest" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
