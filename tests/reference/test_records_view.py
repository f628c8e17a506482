"""The optional view `records`: switched on and off, kept up with the others, and gone without a trace."""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from cli.records import switched
from journal.errors import SettingInvalid
from journal.settings import load
from projections.raw_records import redacted


def rows(home: Path, query: str) -> list[tuple[Any, ...]]:
    """Ask the views as any SQLite tool would."""
    with contextlib.closing(sqlite3.connect(home / "journal/views.db")) as views:
        return views.execute(query).fetchall()


def digests(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """Replay and return the digest of each view."""
    capsys.readouterr()
    assert main(["replay", "--json", *words]) == 0
    return {name: view["digest"] for name, view in json.loads(capsys.readouterr().out)["views"].items()}


def test_it_is_off_until_switched_on(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is not there; the error says how to have it."""
    assert rows(home, "SELECT name FROM sqlite_master WHERE name = 'records'") == []
    assert main(["sql", "SELECT * FROM records"]) == 2
    assert "journal records on" in capsys.readouterr().err


def test_on_holds_every_record_and_off_leaves_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As many records as record() finds in the log, equal to them; off again, the other views are what they were."""
    before = digests(capsys)
    assert main(["records", "on"]) == 0
    capsys.readouterr()
    assert main(["sql", "--json", "--reveal", "SELECT data, record(global_position) AS record FROM records WHERE number = 0"]) == 0
    pairs = [(json.loads(row["data"]), json.loads(row["record"])) for row in json.loads(capsys.readouterr().out)]
    assert [pair for pair in pairs if pair[0] != redacted(pair[1])] == []
    assert main(["sql", "--csv", "SELECT count(*) AS n FROM events WHERE record(global_position) IS NOT NULL"]) == 0
    assert [(int(capsys.readouterr().out.split()[1]),)] == rows(home, "SELECT count(DISTINCT global_position) FROM records WHERE json_valid(data)")
    on = digests(capsys)
    assert set(on) - set(before) == {"records"}
    assert {name: value for name, value in on.items() if name != "records"} == before
    assert main(["records", "off"]) == 0
    assert rows(home, "SELECT name FROM sqlite_master WHERE tbl_name = 'records'") == []
    assert digests(capsys) == before


def test_it_is_kept_up_with_the_log(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record that comes later is in it after the next ingest, without a rebuild; replay and verify agree."""
    assert main(["records", "on"]) == 0
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (folder / "00000000-0000-4000-8000-000000000001.jsonl").write_text('{"type":"late","token":"ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hI"}{"type":"glued"}\n')
    assert main(["ingest"]) == 0
    assert rows(home, "SELECT number, data FROM records WHERE session_id LIKE '00000000-0000-4000-8000-000000000001' ORDER BY number") == [
        (0, '{"type":"late","token":"[redacted:github-token]"}'), (1, '{"type":"glued"}')]  # fmt: skip
    live = digests(capsys, "--verify")
    assert digests(capsys, "--view", "records") == {"records": live["records"]}
    assert digests(capsys) == live


def test_the_switch_outlives_the_views(home: Path) -> None:
    """Deleted views come back with the table, since the setting is what counts."""
    assert main(["records", "on"]) == 0
    for path in (home / "journal").glob("views.db*"):
        path.unlink()
    assert main(["ingest"]) == 0
    assert rows(home, "SELECT count(*) > 400 FROM records") == [(1,)]


def test_switching_before_the_first_ingest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the setting is written."""
    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "new"))
    assert main(["records", "on"]) == 0
    assert main(["records", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "records": "on"}
    assert not (tmp_path / "new/journal.db").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[views]\nrecords = true\n"),
        ("[roots]\nclaude = '~/x'", "[roots]\nclaude = '~/x'\n[views]\nrecords = true\n"),
        ("[views]\nrecords = false # why\n[roots]\n", "[views]\nrecords = true\n[roots]\n"),
        ("# mine\n[views] # yes\n\n[roots]\nrecords = 'a'\n", "# mine\n[views] # yes\nrecords = true\n\n[roots]\nrecords = 'a'\n"),
    ],
)
def test_only_the_setting_is_changed(before: str, after: str) -> None:
    """Comments, order and other tables stay."""
    assert switched(before, is_on=True) == after


@pytest.mark.parametrize("text", ["views = {records = false}\n", "views.records = false\n", "not toml", "a = '''\n[views]\n'''\n"])
def test_a_file_that_would_have_to_be_understood_is_left_alone(text: str) -> None:
    """Then the user is told what to write."""
    with pytest.raises(SettingInvalid) as told:
        switched(text, is_on=True)
    assert "records = true" in told.value.hint


def test_redaction_keeps_json_what_it_is() -> None:
    """Strings and keys are redacted one by one, all else stays."""
    secret = "ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hI"
    assert redacted({"a": [secret, 1, None, True, {secret: "x"}]}) == {"a": ["[redacted:github-token]", 1, None, True, {"[redacted:github-token]": "x"}]}


@pytest.mark.parametrize("text", ["views = 1", "[views]\nrecords = 'yes'", "[views]\nnothing = true"])
def test_a_wrong_setting_is_exit_2(home: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """It names the file and what it may hold."""
    (home / "journal/config.toml").write_text(text)
    assert main(["sessions"]) == 2
    assert "config.toml: views must hold true or false for records" in capsys.readouterr().err


def test_b14_a_settings_file_with_bom_and_crlf_keeps_both(home: Path) -> None:
    """Read as any other, and what is written into it leaves its first bytes and the ends of its lines as they are."""
    config = home / "journal/config.toml"
    config.write_bytes(b'\xef\xbb\xbf[views]\r\n# mine\r\n\r\n[roots]\r\nclaude = "/nowhere"\r\n')
    assert main(["records", "on"]) == 0
    assert config.read_bytes() == b'\xef\xbb\xbf[views]\r\nrecords = true\r\n# mine\r\n\r\n[roots]\r\nclaude = "/nowhere"\r\n'
    assert main(["records", "off"]) == 0
    assert config.read_bytes() == b'\xef\xbb\xbf[views]\r\nrecords = false\r\n# mine\r\n\r\n[roots]\r\nclaude = "/nowhere"\r\n'
    assert switched("a = 1\r\n", is_on=True) == "a = 1\r\n[views]\r\nrecords = true\r\n"
    assert load({"JOURNAL_HOME": str(home / "journal"), "HOME": str(home)}).views == frozenset()
