"""Where things lie: sealed inbox days, moved repositories, media without WAL or without write access, silent file systems."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, answer, claude

from ingest.watch import watch
from journal import database, inbox
from journal.home import open_home

S = "5b0e6f1c-0000-4000-8000-000000000001"
T = "5b0e6f1c-0000-4000-8000-000000000002"
GIT = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


def test_a_sealed_inbox_day_is_deleted_once_the_log_holds_it(archive: Archive) -> None:
    """An old day goes after it was read, its note stays; today's file and one with an unfinished line stay."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    home = open_home(str(archive.home))
    old = inbox.append(home, S, "2026-11-01", {"type": "journal.note", "at": "2026-11-01T10:00:00Z", "session_id": S, "text": "kept for good"})
    torn = archive.write(archive.home / "inbox" / "2026-11-02_journal.jsonl", b'\n{"type":"journal.note"}\n', b'{"type":"jour')
    today = inbox.append(home, S, "2999-01-01", {"type": "journal.note", "at": "2026-12-01T10:00:00Z", "session_id": S, "text": "new"})
    archive.ingest()
    assert [os.path.exists(path) for path in (old, torn, today)] == [False, True, True]
    before = archive.digests()
    archive.ingest()
    assert archive.digests() == before
    assert archive.rows("views.db", "SELECT text FROM session_notes ORDER BY noted_at") == [("kept for good",), ("new",)]
    assert archive.json("verify")["missing_bytes"] == 0


def _repository(folder: Path, remote: str | None = None) -> None:
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(f"{folder.name}\n")
    for words in (["init", "-q"], ["add", "."], [*GIT, "commit", "-qm", "one"], *([["remote", "add", "origin", remote]] if remote else [])):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


def test_a_moved_repository_keeps_its_sessions(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a move the old sessions belong to the new path, before and after the first session there; paths stay relative."""
    old, new = tmp_path / "work" / "tool", tmp_path / "elsewhere" / "tool2"
    _repository(old)
    edit = answer(2, S, "", "m1", cwd=str(old))
    edit["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": str(old / "src/a.py"), "content": "x\n"}}]
    result = claude(3, S, "", cwd=str(old), toolUseResult={"type": "create", "filePath": str(old / "src/a.py"), "content": "x\n", "structuredPatch": []},
                    message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}]})  # fmt: skip
    archive.write(archive.claude_path(S), claude(1, S, "x", cwd=str(old)), edit, result)
    archive.ingest()
    new.parent.mkdir()
    shutil.move(old, new)
    (new / "deep").mkdir()
    monkeypatch.chdir(new / "deep")
    assert [row["session_id"] for row in archive.json("sessions")["sessions"]] == [S]
    archive.write(archive.claude_path(T), claude(3, T, "y", cwd=str(new)))
    archive.ingest()
    assert {row["project"] for row in archive.json("sessions")["sessions"]} == {str(new)}
    assert archive.rows("views.db", "SELECT path FROM file_changes") == [("src/a.py",)]
    assert archive.json("replay", "--verify")["verified"] is True


def test_repositories_with_other_first_commits_stay_apart(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two repositories are two projects, and a new one knows nothing of either."""
    for name, session in (("one", S), ("two", T)):
        _repository(tmp_path / name)
        archive.write(archive.claude_path(session), claude(1, session, name, cwd=str(tmp_path / name)))
    archive.ingest()
    _repository(tmp_path / "three")
    for name, expected in (("one", [S]), ("two", [T]), ("three", [])):
        monkeypatch.chdir(tmp_path / name)
        assert [row["session_id"] for row in archive.json("sessions")["sessions"]] == expected


def test_a_copy_of_a_repository_without_a_remote_is_a_project_of_its_own(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copied template has its original's first commit: while that is on disk, neither knows the other's sessions, also before its own first."""
    original, copy = tmp_path / "template", tmp_path / "product"
    _repository(original)
    archive.write(archive.claude_path(S), claude(1, S, "x", cwd=str(original)))
    archive.ingest()
    shutil.copytree(original, copy)
    monkeypatch.chdir(copy)
    assert archive.json("sessions")["sessions"] == []
    archive.write(archive.claude_path(T), claude(2, T, "y", cwd=str(copy)))
    archive.ingest()
    assert [row["session_id"] for row in archive.json("sessions")["sessions"]] == [T]
    monkeypatch.chdir(original)
    assert [row["session_id"] for row in archive.json("sessions")["sessions"]] == [S]
    copied = archive.rows("views.db", "SELECT path, copied_from FROM project_observations ORDER BY path")
    assert copied == [(str(copy), str(original)), (str(original), None)]
    assert archive.json("replay", "--verify")["verified"] is True


def test_a_copy_whose_original_is_gone_is_the_repository_moved(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy and delete is how many people move."""
    old, new = tmp_path / "old", tmp_path / "new"
    _repository(old)
    archive.write(archive.claude_path(S), claude(1, S, "x", cwd=str(old)))
    archive.ingest()
    shutil.copytree(old, new)
    shutil.rmtree(old)
    archive.write(archive.claude_path(T), claude(2, T, "y", cwd=str(new)))
    archive.ingest()
    monkeypatch.chdir(new)
    assert {row["session_id"] for row in archive.json("sessions")["sessions"]} == {S, T}


def test_without_shared_memory_another_journal_mode_is_used(tmp_path: Path) -> None:
    """SQLite's dot-file locking has no shared memory, as some network file systems: TRUNCATE is in force, and writing works."""
    connection = sqlite3.connect(f"file:{tmp_path}/x.db?vfs=unix-dotfile", uri=True, isolation_level=None)
    assert database.set_journal_mode(connection) == "truncate"
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    usual = database.connect(str(tmp_path / "y.db"))
    assert usual.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    usual.close()


def test_a_read_only_medium_can_be_read(archive: Archive) -> None:
    """On a mount where nothing can be written, and no -shm file lies there, sessions are listed and the log is proved."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    for name in ("views.db", "journal.db"):
        with sqlite3.connect(archive.home / name) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    for path in archive.home.glob("*.db-*"):
        path.unlink()
    script = f'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec {sys.executable} -m cli.main sessions --all --json'
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home)}
    probe = subprocess.run(["unshare", "-rm", "sh", "-c", 'mount --bind "$1" "$1"', "-", str(archive.home)], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("this machine does not let a test mount anything")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "-", str(archive.home)], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f'"session_id": "{S}"' in done.stdout


def test_a_silent_file_system_is_polled_and_said_once(tmp_path: Path) -> None:
    """When a sweep finds what no notification told of, the roots are polled from then on, and that is said once."""
    stop, said, sweeps = threading.Event(), [], []

    def sweep() -> bool:
        sweeps.append(1)
        if len(sweeps) == 5:
            stop.set()
        return True

    watch([str(tmp_path)], sweep, stop, said.append, sweep_s=0.05)
    assert said == ["the file system tells of no changes: polling every 0.8 s instead"]
    assert len(sweeps) == 5


def test_a_told_change_does_not_lead_to_polling(tmp_path: Path) -> None:
    """A change that comes with its notification keeps the notifications."""
    stop, said, sweeps = threading.Event(), [], []

    def sweep() -> bool:
        sweeps.append(1)
        if len(sweeps) == 1:
            threading.Timer(0.2, (tmp_path / "a.jsonl").write_text, ["x"]).start()
        if len(sweeps) == 2:
            stop.set()
        return True

    watch([str(tmp_path)], sweep, stop, said.append, sweep_s=5)
    assert said == []


def test_status_of_a_restored_older_log_shows_no_negative_lag(archive: Archive) -> None:
    """Views that ran ahead of the log stand at its end at most."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    with sqlite3.connect(archive.home / "views.db") as views:
        views.execute("UPDATE checkpoints SET position = 1000")
    views.close()
    assert archive.json("status")["lag"] == 0


SECRETS: Any = [
    ("Authorization: Digest username=x, response=6629fae49393a05397450978507c4ef1", "Authorization: Digest [redacted:authorization]"),
    ("export TOKEN=abc123def456 run", "export TOKEN=[redacted:assignment] run"),
    ("CI_JOB_TOKEN='glued-4-ever'", "CI_JOB_TOKEN='[redacted:assignment]'"),
    ("postgres://u:p@ss@host/db", "postgres://[redacted:url-credentials]@host/db"),
    ("token=tokenizer", "token=tokenizer"),
    ("TOKEN=placeholder", "TOKEN=placeholder"),
]


@pytest.mark.parametrize(("text", "expected"), SECRETS)
def test_more_secrets_are_taken_out(text: str, expected: str) -> None:
    """Digest credentials, bare tokens of environments and passwords with an @ in a URL."""
    from journal.redaction import redact

    assert redact(text) == expected
