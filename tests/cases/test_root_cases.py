"""Case D16: where transcripts are looked for, and that each is read once whatever names its folder has."""

import os
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, claude, codex, line

SESSIONS = {host: f"{number}{number}{number}{number}0000-0000-4000-8000-000000000001" for number, host in
            enumerate(("claude", "codex", "gemini", "copilot"), 1)}  # fmt: skip


def put(host: str, home: Path, session: str, word: str) -> None:
    """Write a session of *host* with the prompt *word* below *home*, the folder that the host calls its home."""
    stamp = "2026-11-30T10:00:00.000Z"
    if host == "claude":
        path, data = home / "projects/-p" / f"{session}.jsonl", line(claude(int(session[0], 16), session, word))
    elif host == "codex":
        path = home / "sessions/2026/11/30" / f"rollout-2026-11-30T10-00-00-{session}.jsonl"
        data = codex(session, [("event_msg", {"type": "user_message", "message": word})])
    elif host == "gemini":
        path = home / "tmp/proj/chats" / f"session-2026-11-30T10-00-{session[:8]}.jsonl"
        records: list[Any] = [{"sessionId": session, "projectHash": "0" * 64, "startTime": stamp, "lastUpdated": stamp, "kind": "main"},
                              {"id": "u1", "timestamp": stamp, "type": "user", "content": [{"text": word}]}]  # fmt: skip
        data = b"".join(map(line, records))
    else:
        path = home / "session-state" / session / "events.jsonl"
        data = b"".join(map(line, [
            {"type": "session.start", "id": "e1", "timestamp": stamp, "data": {"sessionId": session, "copilotVersion": "1.0.102", "context": {"cwd": "/p"}}},
            {"type": "user.message", "id": "e2", "timestamp": stamp, "parentId": "e1", "data": {"content": word}}]))  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.fixture(autouse=True)
def _no_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


def found(archive: Archive) -> dict[str, str]:
    """Ingest without any --root; return host by session."""
    archive.json("ingest")
    return {session: row["host"] for session, row in archive.sessions().items()}


def test_d16_the_default_homes_of_the_four_hosts_are_read(archive: Archive) -> None:
    """`~/.claude`, the XDG folder of Claude Code, `~/.codex`, `~/.gemini` and `~/.copilot`."""
    for host, session in SESSIONS.items():
        put(host, archive.folder / f".{host}", session, "word")
    put("claude", archive.folder / ".config/claude", "55550000-0000-4000-8000-000000000001", "word")
    assert found(archive) == {**{session: host for host, session in SESSIONS.items()}, "55550000-0000-4000-8000-000000000001": "claude"}


@pytest.mark.parametrize(("host", "variable", "below"), [
    ("claude", "CLAUDE_CONFIG_DIR", ""), ("codex", "CODEX_HOME", ""), ("gemini", "GEMINI_CLI_HOME", ".gemini"), ("copilot", "COPILOT_HOME", "")])  # fmt: skip
def test_d16_a_hosts_variable_replaces_its_home(archive: Archive, monkeypatch: pytest.MonkeyPatch, host: str, variable: str, below: str) -> None:
    """What the variable names is read, though the default home is missing; the default home is not, where both exist."""
    moved = archive.folder / "moved"
    put(host, moved / below, SESSIONS[host], "movedword")
    monkeypatch.setenv(variable, str(moved))
    assert found(archive) == {SESSIONS[host]: host}
    put(host, archive.folder / f".{host}", "99990000-0000-4000-8000-000000000009", "defaultword")
    assert found(archive) == {SESSIONS[host]: host}
    monkeypatch.setenv(variable, "")
    assert set(found(archive)) == {SESSIONS[host], "99990000-0000-4000-8000-000000000009"}
    assert len(archive.hits("movedword")) == 1


def test_d16_several_config_dirs_of_claude_are_read_each_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Separated by commas, with spaces; one that is a link to another, one that lies in another and one that is missing add nothing."""
    first, second = archive.folder / "a", archive.folder / "b"
    put("claude", first, "a" * 8 + "-0000-4000-8000-000000000001", "firstword")
    put("claude", second, "b" * 8 + "-0000-4000-8000-000000000001", "secondword")
    (archive.folder / "link").symlink_to(first)
    named = [str(first), f" {second} ", str(archive.folder / "link"), str(first / "projects"), str(archive.folder / "missing"), ""]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", ",".join(named))
    report = archive.json("ingest")
    assert (report["sources"], report["warnings"]) == (2, [])
    assert set(archive.sessions()) == {"a" * 8 + "-0000-4000-8000-000000000001", "b" * 8 + "-0000-4000-8000-000000000001"}
    assert [len(archive.hits(word)) for word in ("firstword", "secondword")] == [1, 1]
    assert archive.rows("journal.db", "SELECT count(*) FROM sources WHERE host = 'claude'") == [(2,)]


def test_d16_the_xdg_folder_moves_claudes_second_home(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """`XDG_CONFIG_HOME/claude` is read beside `~/.claude`; a link between the two is read once."""
    put("claude", archive.folder / "xdg/claude", SESSIONS["claude"], "xdgword")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(archive.folder / "xdg"))
    (archive.folder / ".claude").symlink_to(archive.folder / "xdg/claude")
    assert archive.json("ingest")["sources"] == 1
    assert found(archive) == {SESSIONS["claude"]: "claude"}


def test_d16_roots_of_the_settings_come_beside_the_defaults(archive: Archive) -> None:
    """One folder or a list of them for a host; a folder named twice, by a link, is read once."""
    put("claude", archive.folder / ".claude", SESSIONS["claude"], "word")
    put("claude", archive.folder / "more", "77770000-0000-4000-8000-000000000007", "word")
    put("codex", archive.folder / "other", SESSIONS["codex"], "word")
    (archive.folder / "again").symlink_to(archive.folder / "more")
    archive.home.mkdir()
    (archive.home / "config.toml").write_text(f'[roots]\nclaude = ["{archive.folder}/more", "~/again", "~/.claude"]\ncodex = "~/other"\n')
    assert archive.json("ingest")["sources"] == 3
    assert found(archive) == {SESSIONS["claude"]: "claude", "77770000-0000-4000-8000-000000000007": "claude", SESSIONS["codex"]: "codex"}


def test_d16_with_root_only_the_roots_given_are_read(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither default homes nor variables nor settings; `~` is expanded, and the same folder by two names counts once."""
    put("claude", archive.folder / ".claude", "88880000-0000-4000-8000-000000000008", "word")
    put("codex", archive.folder / "variable", SESSIONS["codex"], "word")
    put("gemini", archive.folder / "settings", SESSIONS["gemini"], "word")
    put("claude", archive.folder / "given", SESSIONS["claude"], "word")
    monkeypatch.setenv("CODEX_HOME", str(archive.folder / "variable"))
    archive.home.mkdir()
    (archive.home / "config.toml").write_text('[roots]\ngemini = "~/settings"\n')
    assert archive.json("ingest", "--root", "claude=~/given", "--root", f"claude={archive.folder}/./given")["sources"] == 1
    assert list(archive.sessions()) == [SESSIONS["claude"]]
    assert len(found(archive)) == 4


def test_the_journal_lies_where_xdg_says(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without JOURNAL_HOME: `XDG_DATA_HOME/journal`, else `~/.local/share/journal`, or the platform's place on a Mac."""
    from journal.home import default_home

    home = str(archive.folder)
    assert default_home({"HOME": home, "JOURNAL_HOME": "/j", "XDG_DATA_HOME": "/x"}) == "/j"
    if os.uname().sysname == "Linux":
        assert default_home({"HOME": home, "XDG_DATA_HOME": "/x"}) == "/x/journal"
        assert default_home({"HOME": home}) == f"{home}/.local/share/journal"
