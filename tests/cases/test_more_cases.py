"""Cases B, C, F, I and J that need a host of their own or a look from outside."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from archive import Archive, answer, claude, line

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def test_b4_inline_images_stay_out_of_the_views(archive: Archive) -> None:
    """Base64 images in tool results are in the log, byte for byte, and in no view."""
    image = "iVBORw0KGgo" + "A" * 2_000_000
    call = answer(2, S, "", "m1", message={"id": "m1", "model": "claude-opus-5-5", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/x.png"}}]})  # fmt: skip
    result = claude(3, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
        {"type": "image", "source": {"type": "base64", "data": image}}]}]})  # fmt: skip
    archive.write(archive.claude_path(S), claude(1, S, "look"), call, result)
    archive.ingest()
    assert (archive.home / "views.db").stat().st_size < 1_000_000
    assert archive.rows("views.db", "SELECT output_excerpt FROM tool_calls") == [("[image]",)]
    assert archive.json("verify")["missing_bytes"] == 0


def test_b9_a_stream_of_another_grammar_is_loud(archive: Archive) -> None:
    """A rollout in the `codex exec --json` grammar gives no session content, and every line is counted as unknown."""
    records = [{"type": "thread.started", "thread_id": S}, {"type": "turn.started"}, {"type": "turn.completed", "usage": {}}]
    archive.write(archive.codex_path(S), *records)
    assert archive.ingest()["unknown"] == 3
    assert [row[1] for row in archive.json("status")["unknown"]] == ["codex.thread.started", "codex.turn.completed", "codex.turn.started"]


def test_b10_odd_optional_keys_drop_nothing(archive: Archive) -> None:
    """A gateway's extra keys and empty strings in place of objects leave text and tokens readable."""
    odd = answer(2, S, "oddgateway", "m1", {"input_tokens": 3, "output_tokens": 4, "iterations": [], "inference_geo": "", "server_tool_use": ""})
    archive.write(archive.claude_path(S), claude(1, S, "hi", toolUseResult="", gitBranch="", version=7), odd | {"slug": {}, "effort": []})
    assert archive.ingest()["damaged"] == 0
    assert (len(archive.hits("oddgateway")), archive.sessions()[S]["output_tokens"]) == (1, 4)


def test_b11_b12_gemini_patches_are_replayed(archive: Archive) -> None:
    """The last version of a message counts, a rewind drops, injected context is neither prompt nor title, odd files are skipped."""

    def message(number: int, kind: str, text: str, **fields: object) -> dict[str, object]:
        return {"id": f"id-{number}", "timestamp": f"2026-11-30T10:00:{number:02d}.000Z", "type": kind, "content": text, **fields}

    tokens = {"input": 10, "output": 2, "cached": 0, "thoughts": 0, "tool": 0, "total": 12}
    context = message(0, "user", "<session_context>\nlots of words\n</session_context>")
    path = archive.folder / ".gemini/tmp/proj/chats" / f"session-2026-11-30T10-00-{S[:8]}.jsonl"
    archive.write(path, {"sessionId": S, "projectHash": "0" * 64, "startTime": "2026-11-30T10:00:00.000Z", "kind": "main"},
                  {"$set": {"messages": [context]}}, message(1, "user", "realprompt"),
                  message(2, "gemini", "half", model="gemini-3", tokens=tokens),
                  message(2, "gemini", "wholeanswer", model="gemini-3", tokens=tokens | {"output": 9}),
                  message(3, "user", "droppedprompt"), {"$rewindTo": "id-3"})  # fmt: skip
    archive.write(path.with_name("session-x.jsonl.tmp-12"), b"not json\n")
    archive.write(path.with_name("session-x.jsonl.unreadable-12"), b"not json\n")
    report = archive.ingest()
    row = archive.sessions()[S]
    assert (report["damaged"], row["title"], row["turns"], row["output_tokens"]) == (0, "realprompt", 1, 9)
    assert [len(archive.hits(word)) for word in ("lots", "half", "wholeanswer")] == [0, 0, 1]


def test_b17_another_tools_chat_log_is_no_session(archive: Archive) -> None:
    """An OpenAI chat log in the folder is kept and counted as unknown; it adds no message."""
    archive.write(archive.claude_path("x"), {"role": "user", "content": "notclaude"}, {"role": "assistant", "content": "nope"})
    assert archive.ingest()["unknown"] == 2
    assert archive.hits("notclaude") == []


def test_c21_a_copilot_session_without_shutdown_is_estimated(archive: Archive) -> None:
    """Without a shutdown the output tokens of each message count, and the session says that it is an estimate."""
    path = archive.folder / ".copilot/session-state" / S / "events.jsonl"
    start = {"type": "session.start", "id": T, "timestamp": "2026-11-30T10:00:00.000Z", "data": {"sessionId": S, "context": {"cwd": "/p"}}}
    said = [{"type": "assistant.message", "id": f"{n}" * 36, "timestamp": f"2026-11-30T10:00:0{n}.000Z",
             "data": {"messageId": f"m{n}", "content": "x", "model": "gpt-5", "outputTokens": 50}} for n in (1, 2)]  # fmt: skip
    archive.write(path, start, *said)
    archive.ingest()
    assert archive.sessions()[S]["output_tokens"] == 100
    assert archive.rows("views.db", "SELECT is_estimated FROM sessions") == [(1,)]


def test_f2_twenty_first_connections_at_once(archive: Archive) -> None:
    """Twenty processes that open a log which does not exist yet all find one whole log."""
    code = "import sys; from journal.home import open_home; from journal.database import open_log; open_log(open_home(sys.argv[1]).journal_db, writable=True)"
    openers = [subprocess.Popen([sys.executable, "-c", code, str(archive.home)]) for _ in range(20)]
    assert [opener.wait() for opener in openers] == [0] * 20
    assert archive.rows("journal.db", "SELECT count(*) FROM log_meta") == [(2,)]


def test_i2_a_session_over_midnight_counts_on_both_days(archive: Archive) -> None:
    """Tokens belong to the day of their response, not to the day on which the session began."""
    archive.write(archive.claude_path(S), claude(1, S, "x", timestamp="2026-11-30T23:50:00.000Z"),
                  answer(2, S, "a", "m1", timestamp="2026-11-30T23:55:00.000Z"), answer(3, S, "b", "m2", timestamp="2026-12-01T00:05:00.000Z"))  # fmt: skip
    archive.ingest()
    assert [(row["key"], row["output_tokens"]) for row in archive.json("usage", "--timezone", "UTC")["rows"]] == [("2026-11-30", 5), ("2026-12-01", 5)]


def test_j5_no_host_is_ever_started(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ingest and lists run none of the hosts' programs."""
    tools = archive.folder / "bin"
    tools.mkdir()
    for name in ("claude", "codex", "gemini", "copilot"):
        (tools / name).write_text(f"#!/bin/sh\ntouch {archive.folder}/called\n")
        (tools / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    archive.sessions()
    assert not (archive.folder / "called").exists()


def test_a_full_disk_loses_nothing(archive: Archive) -> None:
    """An ingest that runs into a limit of file size fails with a hint; with space again it ends as if nothing had been."""
    for number in range(6):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(claude(n + 1000 * number, session, os.urandom(3000).hex()) for n in range(100)))
    words = [sys.executable, "-m", "journal", "ingest", "--json", "--root", f"claude={archive.folder / '.claude'}"]
    code = (
        "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000)); os.execv(sys.argv[1], sys.argv[1:])"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False, text=True,
                          env={**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    archive.ingest()
    verified = archive.json("verify")
    assert (verified["missing_bytes"], verified["chain_ok"]) == (0, True)
    assert archive.rows("journal.db", "SELECT count(*) FROM events WHERE type = 'claude.user'") == [(600,)]
    with pytest.raises(sqlite3.IntegrityError):
        archive.rows("journal.db", "DELETE FROM events")


def test_a_legacy_codex_header_line_is_known(archive: Archive) -> None:
    """A rollout of mid-2025 without envelopes, with CRLF, gives its prompt and no unknown record."""
    head = {"id": S, "timestamp": "2025-06-01T10:00:00.000Z", "instructions": None, "git": {"branch": "main"}}
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "legacyprompt"}]}, {"record_type": "state"}]
    archive.write(archive.codex_path(S), *(line(record)[:-1] + b"\r\n" for record in [head, *items]))
    report = archive.ingest()
    assert (report["unknown"], report["damaged"], len(archive.hits("legacyprompt"))) == (0, 0, 1)
