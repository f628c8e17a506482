"""`journal doctor`: every check goes red for what it is there for, says what it looked at, and is green on a sound journal."""

import contextlib
import json
import os
import shlex
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, claude, codex

from cli.checks.catalog import CHECKS
from cli.main import parser
from journal import aside

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"
DAY = 86400


def fill(archive: Archive) -> None:
    """Ingest one Claude session from the default home."""
    archive.write(archive.claude_path(S), claude(1, S, "one"), claude(2, S, "two"))
    assert archive.run("ingest")[0] == 0


def doctor(archive: Archive, *words: str) -> tuple[int, dict[str, Any]]:
    """Return exit status and answer of `journal doctor --json`."""
    status, out, err = archive.run("doctor", "--json", *words)
    assert out, err
    answer: dict[str, Any] = json.loads(out)
    return status, answer


def change(archive: Archive, database: str, *statements: str) -> None:
    """Change a database as nobody should."""
    with contextlib.closing(sqlite3.connect(archive.home / database, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def aged(path: Path, days: float) -> Path:
    """Set a file's time to *days* ago."""
    os.utime(path, (time.time() - days * DAY,) * 2)
    return path


def unread(archive: Archive) -> None:
    """A transcript of an hour ago that no ingest has read."""
    aged(archive.write(archive.claude_path(T), claude(3, T, "late")), 1 / 24)


def nearly_deleted(archive: Archive) -> None:
    """A transcript of 29 days ago that no ingest has read."""
    aged(archive.write(archive.claude_path(T), claude(3, T, "old")), 29)


def vanished(archive: Archive) -> None:
    """A transcript whose last line was unfinished when its file was deleted."""
    path = archive.write(archive.claude_path(T), claude(3, T, "x"), b'{"type":"user","mess')
    archive.run("ingest")
    path.unlink()
    archive.run("ingest")


def opened(archive: Archive) -> None:
    """The log can be read by anybody."""
    (archive.home / "journal.db").chmod(0o644)


def misspelt(archive: Archive) -> None:
    """A setting that nobody reads."""
    archive.write(archive.home / "config.toml", b"[rots]\nclaude = '/x'\n").chmod(0o600)


def damaged_pages(archive: Archive) -> None:
    """The last page of the log is overwritten with ones."""
    with (archive.home / "journal.db").open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xff" * 4096)


def forged(archive: Archive) -> None:
    """An event that says another time than when it was written."""
    change(archive, "journal.db", "DROP TRIGGER events_are_never_updated",
           "UPDATE events SET occurred_at = '2000-01-01T00:00:00.000000Z' WHERE global_position = 1")  # fmt: skip


def not_wal(archive: Archive) -> None:
    """A log with a rollback journal."""
    change(archive, "journal.db", "PRAGMA journal_mode = DELETE")


def long_wal(archive: Archive) -> None:
    """A WAL of 65 MiB, most of it a hole."""
    with (archive.home / "views.db-wal").open("ab") as file:
        file.truncate(65 * 1024 * 1024)
    (archive.home / "views.db-wal").chmod(0o600)


def of_another_log(archive: Archive) -> None:
    """Views whose checkpoint names another log."""
    change(archive, "views.db", "UPDATE checkpoints SET log_id = 'another'")


def not_taken(archive: Archive) -> None:
    """A record that a projection could not take."""
    change(archive, "views.db", "INSERT INTO damaged_records VALUES (1, 0, 0, 1, 'claude', 'x', NULL, 'not projected: ToolCalled: KeyError', 0)")


def unheard_of(archive: Archive) -> None:
    """A record of a kind nobody knows."""
    archive.write(archive.claude_path(S), {"type": "brand-new", "uuid": "u"}, append=True)
    archive.run("ingest")


def too_new(archive: Archive) -> None:
    """A client from the future."""
    archive.write(archive.claude_path(T), claude(3, T, "new", version="9.0.0"))
    archive.run("ingest")


def left_over(archive: Archive) -> None:
    """An inbox file of long ago whose only line is unfinished."""
    archive.write(archive.home / "inbox/2026-01-01_x.jsonl", b'{"type":').chmod(0o600)
    archive.run("ingest")


def unrun(archive: Archive) -> None:
    """Hooks were installed, and a session that began afterwards ran none of them."""
    assert archive.run("install", "--host", "claude")[0] == 0
    aged(archive.folder / ".claude/settings.json", 1)
    archive.write(archive.claude_path(T), claude(3, T, "now", timestamp=time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())))
    archive.run("ingest")


def old_log(archive: Archive) -> None:
    """A log that began long ago and was never copied."""
    change(archive, "journal.db", "UPDATE sources SET first_seen_at = '2026-01-01T00:00:00.000000Z'")


def torn_index(archive: Archive) -> None:
    """An index of which half is left."""
    (archive.home / "index").mkdir(mode=0o700)
    (archive.home / "index" / "vectors.faiss").write_bytes(b"half")
    (archive.home / "index" / "vectors.faiss").chmod(0o600)


def kept_aside(archive: Archive) -> None:
    """A hook that could not write into the home left its error in the folder for temporary files."""
    assert aside.append(dict(os.environ), "2026-12-01T10:00:00.000000Z claude session-start: the home cannot be written")


BROKEN: dict[str, Callable[[Archive], None]] = {
    "freshness": unread, "retention": nearly_deleted, "lost": vanished, "permissions": opened, "settings": misspelt, "integrity": damaged_pages,
    "chain": forged, "journal_mode": not_wal, "space": long_wal, "views": of_another_log, "projection_errors": not_taken,
    "unknown_kinds": unheard_of, "index": torn_index, "client_versions": too_new, "inbox": left_over, "hooks": unrun,
    "hook_errors": kept_aside, "backups": old_log,
}  # fmt: skip


def test_a_sound_journal_has_no_findings(archive: Archive) -> None:
    """Exit 0, and every check says what it looked at."""
    fill(archive)
    status, answer = doctor(archive)
    assert (status, answer["findings"], answer["fixed"]) == (0, [], [])
    assert [check["id"] for check in answer["checks"]] == [check.id for check in CHECKS]
    assert all(check["ok"] and check["looked_at"] for check in answer["checks"])


def test_every_check_has_a_journal_on_which_it_goes_red() -> None:
    """A check that cannot fail is worth nothing: whoever adds one adds what it finds here."""
    assert set(BROKEN) == {check.id for check in CHECKS}


@pytest.mark.parametrize("check", list(BROKEN))
def test_a_check_finds_what_it_is_there_for(archive: Archive, check: str) -> None:
    """Exit 1; the finding names its check and has its evidence, and the check is not ok."""
    fill(archive)
    BROKEN[check](archive)
    status, answer = doctor(archive)
    found = [finding for finding in answer["findings"] if finding["id"] == check]
    assert status == 1
    assert found
    assert all(set(finding) == {"id", "severity", "what", "evidence", "next_command"} for finding in answer["findings"])
    assert all(finding["severity"] in ("error", "warning", "info") and finding["evidence"] for finding in found)
    assert not next(row for row in answer["checks"] if row["id"] == check)["ok"]


@pytest.mark.parametrize("check", list(BROKEN))
def test_the_next_command_can_be_run(archive: Archive, check: str) -> None:
    """What a finding says to run is a whole command that the parser takes."""
    fill(archive)
    BROKEN[check](archive)
    for finding in doctor(archive)[1]["findings"]:
        if finding["next_command"]:
            words = shlex.split(finding["next_command"])[1:]
            assert "--help" in words or parser(words).parse_args(words).runs, finding


@pytest.mark.parametrize("check", ["permissions", "space", "views"])
def test_fix_repairs_what_is_safe(archive: Archive, check: str) -> None:
    """After --fix the check is green and the answer says what was done; nothing was taken from the log."""
    fill(archive)
    BROKEN[check](archive)
    before = archive.rows("journal.db", "SELECT count(*), max(global_position) FROM events")
    status, answer = doctor(archive, "--fix")
    assert (status, answer["findings"]) == (0, [])
    assert answer["fixed"]
    assert archive.rows("journal.db", "SELECT count(*), max(global_position) FROM events") == before


def test_fix_builds_damaged_views_again(archive: Archive) -> None:
    """Views that are no database any more are built from the log."""
    fill(archive)
    (archive.home / "views.db").write_bytes(b"no database" * 1000)
    assert doctor(archive)[0] == 1
    assert doctor(archive, "--fix")[0] == 0
    assert set(archive.sessions()) == {S}


def test_without_a_journal_nothing_is_green_that_needs_one(archive: Archive) -> None:
    """A check that could not run is a finding; in an empty home those of log and views cannot."""
    status, answer = doctor(archive)
    not_run = {check["id"] for check in answer["checks"] if not check["ok"]}
    assert status == 1
    assert not_run >= {"freshness", "lost", "permissions", "integrity", "chain", "views", "projection_errors", "unknown_kinds", "client_versions"}
    assert {finding["id"] for finding in answer["findings"]} == not_run


def test_damaged_settings_are_a_finding_not_an_error(archive: Archive) -> None:
    """Other commands refuse a config.toml that does not parse; the doctor names it and goes on."""
    fill(archive)
    archive.write(archive.home / "config.toml", b"= broken").chmod(0o600)
    assert archive.run("sessions")[0] == 2
    status, answer = doctor(archive)
    assert (status, [finding["id"] for finding in answer["findings"]]) == (1, ["settings"])


def test_a_folder_of_the_settings_that_is_not_there_is_a_finding(archive: Archive) -> None:
    """A misspelt root would leave its transcripts out in silence."""
    fill(archive)
    archive.write(archive.home / "config.toml", b"[roots]\nclaude = '/nope/claude'\n").chmod(0o600)
    (finding,) = doctor(archive)[1]["findings"]
    assert (finding["id"], finding["severity"], finding["evidence"]) == ("settings", "warning", "claude = /nope/claude")


def test_a_file_that_grows_is_late_by_its_last_read(archive: Archive) -> None:
    """A transcript that was changed just now, and last read half an hour ago, is a finding although the file is young."""
    fill(archive)
    change(archive, "journal.db", "UPDATE sources SET changed_at = '2026-01-01T00:00:00.000000Z'")
    archive.write(archive.claude_path(S), claude(3, S, "more"), append=True)
    status, answer = doctor(archive)
    assert (status, [finding["id"] for finding in answer["findings"]]) == (1, ["freshness"])


def test_a_file_that_changed_just_now_is_not_late(archive: Archive) -> None:
    """Nothing is late within a quarter of an hour."""
    fill(archive)
    archive.write(archive.claude_path(S), claude(3, S, "more"), append=True)
    assert doctor(archive)[0] == 0


def test_retention_is_read_from_the_hosts_settings(archive: Archive) -> None:
    """Claude's cleanupPeriodDays and Gemini's sessionRetention are shown with the oldest file; Codex deletes nothing."""
    fill(archive)
    archive.write(archive.folder / ".claude/settings.json", b'\xef\xbb\xbf{"cleanupPeriodDays": 99}\r\n')
    archive.write(archive.folder / ".gemini/settings.json", b'// mine\n{"general": {"sessionRetention": {"maxAge": "2w"}}}')
    archive.write(archive.codex_path(T), codex(T, []))
    archive.run("ingest")
    looked_at = next(check["looked_at"] for check in doctor(archive)[1]["checks"] if check["id"] == "retention")
    assert "cleanupPeriodDays = 99, deletes after 99 days; oldest file 20" in looked_at
    assert "sessionRetention.maxAge = 2w, deletes after 14 days; no files" in looked_at
    assert "codex: deletes none by itself; oldest file 20" in looked_at


@pytest.mark.parametrize("text", [b"{", b'{"cleanupPeriodDays": "soon"}'])
def test_settings_of_a_host_that_do_not_read_are_a_finding(archive: Archive, text: bytes) -> None:
    """Where nobody knows when a host deletes, the doctor does not guess."""
    fill(archive)
    archive.write(archive.folder / ".claude/settings.json", text)
    status, answer = doctor(archive)
    assert (status, [finding["id"] for finding in answer["findings"]]) == (1, ["retention"])


def test_gone_files_that_were_read_whole_are_no_finding(archive: Archive) -> None:
    """Claude deletes transcripts after 30 days: what was read stays, and nothing is wrong."""
    fill(archive)
    archive.write(archive.claude_path(T), claude(3, T, "stays"))
    archive.run("ingest")
    archive.claude_path(S).unlink()
    archive.run("ingest")
    status, answer = doctor(archive)
    assert (status, next(check["looked_at"] for check in answer["checks"] if check["id"] == "lost").split()[0]) == (0, "1")


def test_deep_looks_at_the_whole_chain(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the end is checked where the log is long, and that is said; --deep finds a change at the beginning."""
    from cli.checks import storage

    monkeypatch.setattr(storage, "CHAIN_EVENTS", 2)
    archive.write(archive.claude_path(S), *(claude(number, S, "x") for number in range(9)))
    archive.run("ingest")
    forged(archive)
    looked_at = {check["id"]: check["looked_at"] for check in doctor(archive)[1]["checks"]}
    assert looked_at["chain"].startswith("the hashes of the last 2 of ")
    assert doctor(archive)[0] == 0
    assert [finding["id"] for finding in doctor(archive, "--deep")[1]["findings"]] == ["chain"]


def test_hooks_that_ran_are_no_finding(archive: Archive) -> None:
    """A hook of the newest session came in: the check is green and says when."""
    fill(archive)
    unrun(archive)
    line = {"type": "journal.hook", "role": "prompt", "host": "claude", "at": "2026-12-01T10:00:00.000000Z", "session_id": T, "payload": {}}
    archive.write(archive.home / f"inbox/2026-12-01.{T}.jsonl", line).chmod(0o600)
    archive.run("ingest")
    status, answer = doctor(archive)
    looked_at = next(check["looked_at"] for check in answer["checks"] if check["id"] == "hooks")
    assert (status, answer["findings"]) == (0, [])
    assert f"claude: {archive.folder}/.claude/settings.json, last run at 2026-12-01T10:00:00.000000Z; codex: no hooks in " in looked_at


def test_hooks_that_were_taken_out_are_a_finding(archive: Archive) -> None:
    """One role gone is named; all gone is said of the file that install wrote."""
    fill(archive)
    archive.run("install", "--host", "claude")
    settings = archive.folder / ".claude/settings.json"
    whole = json.loads(settings.read_text())
    kept = {"hooks": {event: groups for event, groups in whole["hooks"].items() if event != "Stop"}}
    for value, expected in ((kept, f"{settings} has none for stop"), ({}, str(settings))):
        settings.write_text(json.dumps(value))
        assert [(finding["id"], finding["evidence"]) for finding in doctor(archive)[1]["findings"]] == [("hooks", expected)]


def test_hooks_whose_program_is_gone_are_a_finding(archive: Archive) -> None:
    """The interpreter that the hooks name was moved or deleted: hosts pass over that in silence, the doctor does not, and install mends it."""
    fill(archive)
    archive.run("install", "--host", "claude")
    settings = archive.folder / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, "/no/such/python"))
    (finding,) = doctor(archive)[1]["findings"]
    assert (finding["id"], finding["severity"], finding["evidence"]) == ("hooks", "error", f"{settings} names /no/such/python")
    assert archive.run(*finding["next_command"].split()[1:])[0] == 0
    assert doctor(archive)[0] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_a_finding(archive: Archive) -> None:
    """A host's home without permission is not taken for an empty one."""
    fill(archive)
    (archive.folder / ".codex").mkdir()
    (archive.folder / ".codex").chmod(0)
    assert [finding["id"] for finding in doctor(archive)[1]["findings"]] == ["freshness"]


@pytest.mark.parametrize("spoil", [lambda path: path.symlink_to(path), lambda path: path.touch()], ids=["a link to itself", "a file"])
def test_a_home_that_is_no_folder_is_a_finding(archive: Archive, spoil: Callable[[Path], None]) -> None:
    """What stands where a host's home should be and cannot be looked into is not taken for a host that is not there."""
    fill(archive)
    spoil(archive.folder / ".codex")
    status, answer = doctor(archive)
    assert status == 1 and [finding["id"] for finding in answer["findings"]] == ["freshness", "hooks"]
    assert f"codex: {archive.folder}/.codex (unreadable)" in answer["checks"][0]["looked_at"]


def test_a_lost_home_is_a_finding(archive: Archive) -> None:
    """All files are gone and no ingest has taken note: said, as is that nothing is there to read."""
    fill(archive)
    shutil.rmtree(archive.folder / ".claude")
    assert [(finding["id"], finding["severity"]) for finding in doctor(archive)[1]["findings"]] == [("freshness", "info"), ("lost", "info")]


def test_text_names_findings_and_commands(archive: Archive) -> None:
    """Without --json each finding stands with its evidence and the command to run."""
    fill(archive)
    opened(archive)
    status, out, err = archive.run("doctor")
    assert (status, err) == (1, "1 finding\n")
    assert "error: open to other users: 3 files or folders\n" in out
    assert "  run: journal doctor --fix" in out


def test_the_reference_describes_every_check() -> None:
    """docs/reference/health.md has one section per check, in the order in which they run."""
    page = (Path(__file__).parents[2] / "docs/reference/health.md").read_text()
    assert [line[3:].strip("`") for line in page.splitlines() if line.startswith("## `")] == [check.id for check in CHECKS]


def test_a_hook_that_codex_was_never_told_to_trust_is_a_finding(archive: Archive) -> None:
    """Each by its event; trusted ones are none, and one that is switched off is told as that."""
    fill(archive)
    (archive.folder / ".codex").mkdir()
    archive.run("install", "--host", "codex")
    hooks = archive.folder / ".codex/hooks.json"
    config = archive.folder / ".codex/config.toml"
    events = {"session_start": "", "user_prompt_submit": "", "pre_compact": "", "stop": "", "session_end": ""}

    def told() -> list[str]:
        config.write_text("".join(f'[hooks.state."{hooks}:{event}:0:0"]\ntrusted_hash = "sha256:00"\n{more}' for event, more in events.items()))
        return [str(finding["evidence"]).split(". Codex")[0] for finding in doctor(archive)[1]["findings"] if "not trusted" in finding["what"]]

    assert told() == []
    del events["stop"]
    events["pre_compact"] = "enabled = false\n"
    assert told() == [f"{config}: Stop was never trusted", f"{config}: PreCompact is switched off"]


def test_a_folder_that_gemini_was_told_not_to_trust_is_a_finding(archive: Archive) -> None:
    """No hook runs there; a trusted folder is no finding."""
    fill(archive)
    (archive.folder / ".gemini").mkdir()
    archive.run("install", "--host", "gemini")
    path = archive.folder / ".gemini/trustedFolders.json"
    told = []
    for value in ({"/home/dev/a": "TRUST_FOLDER"}, {"/home/dev/a": "TRUST_FOLDER", "/home/dev/b": "DO_NOT_TRUST"}):
        path.write_text(json.dumps(value))
        told.append([str(finding["evidence"]).split(". Gemini")[0] for finding in doctor(archive)[1]["findings"] if "not trusted" in finding["what"]])
    assert told == [[], [f"{path}: Gemini CLI runs no hooks in /home/dev/b"]]
