"""Every recording of the four clients: what the views hold equals the tables that were made by hand from the files."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from archive import Archive
from tables import SHORT, Call, Change, Compaction, Link, Session, Table, Usage, claude, codex, copilot, gemini

FIXTURES = Path(__file__).parent.parent / "fixtures"
TABLES: dict[str, dict[str, Table]] = {"claude": claude.TABLES, "codex": codex.TABLES, "gemini": gemini.TABLES, "copilot": copilot.TABLES}
RECORDED = [(host, scenario) for host, tables in TABLES.items() for scenario in tables]
TOKENS = "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens"


class View(NamedTuple):
    """How the rows of one view read as rows of a table."""

    sql: str
    read: Any
    field: str


def _session(short: Any, row: tuple[Any, ...]) -> Session:
    own, title, kind, turns, messages, calls, models, end, parent, waits, *tokens = row
    return Session(short(own), title, kind, turns, messages, calls, json.loads(models), tuple(tokens), end, short(parent), bool(waits))


VIEWS = {
    "sessions": View(f"SELECT session_id, title, kind, turns, messages, tool_calls, models, end_reason, parent_session_id, is_turn_open, {TOKENS}"
                     " FROM sessions ORDER BY session_id", _session, "sessions"),
    "session_links": View("SELECT child_session_id, parent_session_id, kind, evidence, fork_point FROM session_links ORDER BY 1, 2, 3",
                          lambda short, row: Link(short(row[0]), short(row[1]), *row[2:]), "links"),
    "usage": View(f"SELECT session_id, model, sum(NOT is_copy), sum(is_copy), {', '.join(f'sum(iif(is_copy, 0, {name}))' for name in TOKENS.split(', '))}"
                  " FROM usage WHERE counted GROUP BY 1, 2 ORDER BY 1, 2", lambda short, row: Usage(short(row[0]), *row[1:4], tuple(row[4:])), "usage"),
    "file_changes": View("SELECT session_id, operation, path, lines_added, lines_removed, evidence, is_copy FROM file_changes ORDER BY session_id, path",
                         lambda short, row: Change(short(row[0]), *row[1:6], bool(row[6])), "changes"),
    "tool_calls": View("SELECT session_id, name, is_error, exit_code, is_copy FROM tool_calls ORDER BY session_id, global_position",
                       lambda short, row: Call(short(row[0]), row[1], None if row[2] is None else bool(row[2]), row[3], bool(row[4])), "calls"),
    "compactions": View("SELECT session_id, trigger, pre_tokens, post_tokens, is_copy FROM compactions ORDER BY 1, 3, 4",
                        lambda short, row: Compaction(short(row[0]), *row[1:4], bool(row[4])), "compactions"),
}  # fmt: skip


def _read(archive: Archive, host: str, scenario: str, states: Sequence[str]) -> None:
    """Ingest the states of a recording one after the other, each as the whole home of its host."""
    home, recording = archive.folder / f".{host}", FIXTURES / host / scenario.partition("@")[0]
    for state in states:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(recording / "states" / state if state else recording, home, ignore=shutil.ignore_patterns("states"))
        report = archive.json("ingest", "--root", f"{host}={home}")
        assert (report["unknown"], report["damaged"]) == (0, 0)


def _rows(archive: Archive, host: str, view: View) -> list[Any]:
    """Return a view's rows as rows of a table, with the short names of sessions."""
    length = SHORT[host]

    def short(session_id: str | None) -> str | None:
        return session_id and ":".join(part[:length] for part in session_id.split(":"))

    return [view.read(short, row) for row in archive.rows("views.db", view.sql)]


@pytest.fixture(scope="module")
def read_recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Archive]:
    """Return the archives of the recordings read so far; each is read once for all its views."""
    return {}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("host", "scenario"), RECORDED, ids=[f"{host}-{scenario}" for host, scenario in RECORDED])
def test_a_recording_reads_as_its_table(
    read_recordings: dict[tuple[str, str], Archive], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, scenario: str, view: str
) -> None:
    """The rows of one view after one recording are those that its files tell a careful reader."""
    table = TABLES[host][scenario]
    if (host, scenario) not in read_recordings:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "journal-home"))
        archive = read_recordings[host, scenario] = Archive(tmp_path)
        _read(archive, host, scenario, table.states)
    assert _rows(read_recordings[host, scenario], host, VIEWS[view]) == list(getattr(table, VIEWS[view].field))


@pytest.mark.parametrize("host", TABLES)
def test_every_recording_has_a_table(host: str) -> None:
    """No recording is left out, and no state that the client later changed or deleted."""
    recorded = {path.name for path in (FIXTURES / host).iterdir() if path.is_dir()}
    assert {scenario.partition("@")[0] for scenario in TABLES[host]} == recorded
    states = {(path.parent.parent.name, path.name) for path in (FIXTURES / host).glob("*/states/*")}
    assert {(scenario.partition("@")[0], state) for scenario, table in TABLES[host].items() for state in table.states if state} == states
