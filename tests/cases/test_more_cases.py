"""Cases B, C, F, I and J that need a host of their own or a look from outside."""

import base64
import binascii
import hashlib
import json
import os
import random
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from archive import Archive, answer, claude, codex, line

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def test_b4_inline_images_stay_out_of_the_views(archive: Archive) -> None:
    """Base64 images in tool results are in the log, byte for byte, and in no view."""
    image = "iVBORw0KGgo" + "A" * 2_000_001
    call = answer(2, S, "", "m1", message={"id": "m1", "model": "claude-opus-5-5", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/x.png"}}]})  # fmt: skip
    result = claude(3, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
        {"type": "image", "source": {"type": "base64", "data": image}}]}]})  # fmt: skip
    archive.write(archive.claude_path(S), claude(1, S, "look"), call, result)
    archive.ingest()
    assert (archive.home / "views.db").stat().st_size < 1_000_000
    data = binascii.a2b_base64(image)
    mark = f"[image {len(data)} bytes sha256 {hashlib.sha256(data).hexdigest()[:16]}]"
    assert archive.rows("views.db", "SELECT output_excerpt FROM tool_calls") == [(mark,)]
    assert archive.json("verify")["missing_bytes"] == 0


def test_b4_twenty_images_leave_size_and_hash(archive: Archive) -> None:
    """Twenty outputs of 2 MB of data URI each, and all of them again in the history that a compaction replaces: 80 MB of log, hardly any view."""
    images = [base64.b64encode(random.Random(number).randbytes(1_500_000)).decode() for number in range(20)]
    parts = [[{"type": "input_text", "text": f"seenword{n}"}, {"type": "input_image", "image_url": f"data:image/png;base64,{image}"}]
             for n, image in enumerate(images)]  # fmt: skip
    outputs: list[tuple[str, dict[str, Any]]] = []
    for n, part in enumerate(parts):
        outputs += [("response_item", {"type": "function_call", "call_id": f"c{n:02d}", "name": "view_image", "arguments": "{}"}),
                    ("response_item", {"type": "function_call_output", "call_id": f"c{n:02d}", "output": part})]  # fmt: skip
    kept = [{"type": "message", "role": "user", "content": part} for part in parts]
    compacted = ("compacted", {"message": "summaryword", "replacement_history": kept})
    path = archive.write(archive.codex_path(S), codex(S, [("event_msg", {"type": "user_message", "message": "look"}), *outputs, compacted,
                                                          ("event_msg", {"type": "user_message", "message": "afterword"})]))  # fmt: skip
    assert path.stat().st_size > 80_000_000
    report = archive.ingest()
    assert (report["damaged"], report["unknown"]) == (0, 0)
    marks = [f"seenword{n}\n[input_image 1500000 bytes sha256 {hashlib.sha256(random.Random(n).randbytes(1_500_000)).hexdigest()[:16]}]" for n in range(20)]
    assert archive.rows("views.db", "SELECT output_excerpt FROM tool_calls ORDER BY tool_call_id") == [(mark,) for mark in marks]
    assert [len(archive.hits(word)) for word in ("summaryword", "afterword")] == [1, 1]
    assert archive.rows("views.db", "SELECT count(*) FROM compactions") == [(1,)]
    assert sum(file.stat().st_size for file in archive.home.glob("views.db*")) < 1_000_000
    assert archive.rows("journal.db", "SELECT sum(length_bytes) FROM events WHERE type LIKE 'codex%'") == [(path.stat().st_size,)]
    assert archive.json("verify")["missing_bytes"] == 0


def test_b9_a_stream_of_another_grammar_is_loud(archive: Archive) -> None:
    """A rollout in the `codex exec --json` grammar gives no session content, and every line is counted as unknown."""
    records = [{"type": "thread.started", "thread_id": S}, {"type": "turn.started"}, {"type": "turn.completed", "usage": {}}]
    archive.write(archive.codex_path(S), *records)
    assert archive.ingest()["unknown"] == 3
    assert [row[1] for row in archive.json("status")["unknown"]] == ["codex.thread.started", "codex.turn.completed", "codex.turn.started"]
    path = archive.codex_path(S)
    archive.write(archive.codex_path(T), codex(T, [("brand_new", {})]))
    archive.run("ingest")
    status, out, _ = archive.run("doctor", "--json")
    found = [(one["id"], one["what"], one["evidence"]) for one in json.loads(out)["findings"] if one["severity"] == "error"]
    assert (status, found) == (1, [("unknown_kinds", f"codex: {path} is not empty and holds no known record", "none of 3 lines is of this host's grammar")])


def test_b10_odd_optional_keys_drop_nothing(archive: Archive) -> None:
    """A gateway's extra keys and empty strings in place of objects leave text and tokens readable."""
    odd = answer(2, S, "oddgateway", "m1", {"input_tokens": 3, "output_tokens": 4, "iterations": [], "inference_geo": "", "server_tool_use": ""})
    archive.write(archive.claude_path(S), claude(1, S, "hi", toolUseResult="", gitBranch="", version=7), odd | {"slug": {}, "effort": []})
    assert archive.ingest()["damaged"] == 0
    assert (len(archive.hits("oddgateway")), archive.sessions()[S]["output_tokens"]) == (1, 4)


GEMINI = "11111111-0000-4000-8000-000000000001"


def chats(archive: Archive) -> Path:
    """Return the folder of Gemini's transcripts of a project."""
    return archive.folder / ".gemini/tmp/proj/chats"


def said(number: int, kind: str, text: str, **fields: object) -> dict[str, object]:
    """Return a message as Gemini writes it."""
    return {"id": f"id-{number}", "timestamp": f"2026-11-30T10:00:{number:02d}.000Z", "type": kind, "content": text, **fields}


def answered(number: int, text: str, output: int) -> dict[str, object]:
    """Return an answer of Gemini with its tokens."""
    return said(number, "gemini", text, model="gemini-3", tokens={"input": 10, "output": output, "cached": 0, "thoughts": 0, "tool": 0, "total": 10 + output})


HEADER = {"sessionId": S, "projectHash": "0" * 64, "startTime": "2026-11-30T10:00:00.000Z", "kind": "main"}
CONTEXT = said(0, "user", "<session_context>\nlots of words\n</session_context>")


def test_b11_b12_gemini_patches_are_replayed(archive: Archive) -> None:
    """The last version of a message counts, a snapshot lists what is there, a rewind drops, injected context is neither prompt nor title."""
    path = chats(archive) / f"session-2026-11-30T10-00-{S[:8]}.jsonl"
    archive.write(path, HEADER, said(1, "user", "realprompt"), {"$set": {"messages": [CONTEXT, said(1, "user", "realprompt")]}},
                  answered(2, "half", 2), answered(2, "wholeanswer", 9), said(3, "user", "droppedprompt"), answered(4, "droppedanswer", 5),
                  {"$rewindTo": "id-3"}, said(5, "user", "nextprompt"))  # fmt: skip
    report = archive.ingest()
    row = archive.sessions()[S]
    assert (report["damaged"], report["unknown"], row["title"], row["turns"]) == (0, 0, "realprompt", 2)
    assert archive.rows("views.db", "SELECT text FROM messages WHERE dropped_by IS NULL ORDER BY occurred_at") == [
        ("realprompt",), ("wholeanswer",), ("nextprompt",)]  # fmt: skip
    assert [len(archive.hits(word)) for word in ("lots", "half", "wholeanswer", "realprompt", "nextprompt")] == [0, 0, 1, 1, 1]
    assert row["output_tokens"] == 14, "what was dropped was paid for too"


def test_b11_both_formats_and_folders_of_sub_agents_are_read(archive: Archive) -> None:
    """A file that is one object, and a patch log in the folder of its parent, are sessions too."""
    old = GEMINI
    archive.write(chats(archive) / f"session-2026-11-30T10-00-{S[:8]}.jsonl", HEADER, said(1, "user", "newformat"))
    archive.write(chats(archive) / f"session-2026-11-29T10-00-{old[:8]}.json", HEADER | {"sessionId": old, "messages": [said(1, "user", "oldformat")]})
    archive.write(chats(archive) / S / "child-1.jsonl", HEADER | {"sessionId": "child-1", "kind": "subagent"}, answered(2, "childword", 3))
    report = archive.ingest()
    sessions = archive.sessions()
    assert (report["damaged"], report["unknown"]) == (0, 0)
    assert {name: row["parent_session_id"] for name, row in sessions.items()} == {S: None, old: None, "child-1": S}
    assert [len(archive.hits(word)) for word in ("newformat", "oldformat", "childword")] == [1, 1, 1]


@pytest.mark.parametrize("name", ["session-x.jsonl.tmp-12", "session-x.tmp-12.jsonl", ".tmp-4711", "session-x.json.tmp-12",
                                  "session-x.unreadable-12.json", "session-x.jsonl.unreadable-2026-11-30", ".unreadable-7.jsonl"])  # fmt: skip
def test_b11_unfinished_and_set_aside_files_are_skipped(archive: Archive, name: str) -> None:
    """What Gemini is still writing or has set aside is no source, whatever it holds; the session beside it is read."""
    archive.write(chats(archive) / f"session-2026-11-30T10-00-{S[:8]}.jsonl", HEADER, said(1, "user", "realprompt"))
    archive.write(chats(archive) / name, HEADER | {"sessionId": T}, said(2, "user", "asideword"))
    report = archive.ingest()
    assert (report["damaged"], report["unknown"], list(archive.sessions()), archive.hits("asideword")) == (0, 0, [S], [])
    assert archive.rows("journal.db", "SELECT count(*) FROM sources WHERE host = 'gemini'") == [(1,)]


def test_b17_another_tools_chat_log_is_no_session(archive: Archive) -> None:
    """An OpenAI chat log in the folder is kept and counted as unknown; it adds no message."""
    archive.write(archive.claude_path("x"), {"role": "user", "content": "notclaude"}, {"role": "assistant", "content": "nope"})
    assert archive.ingest()["unknown"] == 2
    assert archive.hits("notclaude") == []
    assert [row["state"] for row in archive.sessions().values()] in ([], ["empty"])
    assert archive.rows("views.db", "SELECT count(*) FROM messages") == archive.rows("views.db", "SELECT count(*) FROM usage") == [(0,)]


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
    assert list(archive.sessions()) == [S]
    for words in (("search", "x", "--all"), ("usage",), ("status",), ("doctor",), ("show", S), ("stats",), ("tree", "--all"), ("registry", "--all")):
        assert archive.run(*words)[0] in (0, 1), words
    assert not (archive.folder / "called").exists()
    assert subprocess.run(["claude"], check=True).returncode == 0
    assert (archive.folder / "called").exists(), "whoever calls one leaves a trace"


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
