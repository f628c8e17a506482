"""Cases A and B and damaged files: every recoverable record is found once, and the damage is counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from archive import CWD, USAGE, Archive, answer, claude, line, moment, uuid

from journal import shortening

FIXTURES = Path(__file__).parent.parent / "fixtures"

S = "aaaaaaaa-0000-4000-8000-000000000001"


def found(archive: Archive, word: str) -> int:
    """Return how many hits *word* has."""
    return len(archive.hits(word))


def test_a1_a_half_written_record_waits_for_its_end(archive: Archive) -> None:
    """A record caught half-written is read once, when it is whole."""
    whole = line(claude(1, S, "alphaone"))
    path = archive.write(archive.claude_path(S), whole[:40])
    assert archive.ingest()["events"] == 0
    archive.write(path, whole[40:], append=True)
    assert archive.ingest()["events"] == 1
    assert found(archive, "alphaone") == 1


def test_a2_a_last_line_without_newline_counts_once(archive: Archive) -> None:
    """An unterminated whole object is read; its newline and a glued next record later add only what is new."""
    path = archive.write(archive.claude_path(S), line(claude(1, S, "alphaone")), line(claude(2, S, "betatwo"))[:-1])
    archive.ingest()
    assert found(archive, "betatwo") == 1
    archive.write(path, b"\n", line(claude(3, S, "gammathree"))[:-1], append=True)
    archive.ingest()
    archive.write(path, line(claude(4, S, "deltafour")), append=True)
    archive.ingest()
    assert [found(archive, word) for word in ("alphaone", "betatwo", "gammathree", "deltafour")] == [1, 1, 1, 1]
    assert archive.json("verify")["missing_bytes"] == 0


def test_a3_a4_a_torn_prefix_does_not_cost_the_whole_record(archive: Archive) -> None:
    """A torn prefix fused with a whole record, and two glued records, give every whole record."""
    torn = line(claude(1, S, "tornone"))[:60]
    archive.write(archive.claude_path(S), torn, claude(2, S, "wholetwo"),
                  line(claude(3, S, "gluedthree"))[:-1], claude(4, S, "gluedfour"), claude(5, S, "afterfive"))
    assert archive.ingest()["damaged"] == 2
    assert [found(archive, word) for word in ("wholetwo", "gluedthree", "gluedfour", "afterfive")] == [1, 1, 1, 1]
    assert archive.rows("views.db", "SELECT damage, skipped_bytes FROM damaged_records ORDER BY offset_bytes") == [("torn", 60), ("glued", 0)]
    out = archive.folder / "back"
    archive.run("export", S, "--format", "raw", "--output", str(out))
    assert torn in out.read_bytes(), "the torn beginning is kept as evidence"


def test_a4_three_torn_calls_in_one_event_log(archive: Archive) -> None:
    """Three times a torn copy of a call stands before the whole one with the same id: each call is there once, with its one result."""
    path = archive.folder / ".copilot/session-state" / S / "events.jsonl"

    def record(number: int, kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "id": uuid(number), "timestamp": moment(number), "data": data}

    parts: list[Any] = [record(0, "session.start", sessionId=S, copilotVersion="1.0.102", context={"cwd": CWD})]
    for number in (1, 2, 3):
        parts.append(record(10 * number, "user.message", content=f"askedword{number}"))
        begun = record(10 * number + 1, "tool.execution_start", toolCallId=f"call-{number}", toolName="bash", arguments={"command": f"echo {number}"})
        ended = record(10 * number + 2, "tool.execution_complete", toolCallId=f"call-{number}", success=True, result={"content": f"said {number}"})
        parts += [line(begun)[: line(begun).index(b"arguments")], begun, line(ended)[: line(ended).index(b"result")], ended]
    archive.write(path, *parts, record(99, "user.message", content="behindword"))
    report = archive.ingest()
    assert (report["events"], report["damaged"]) == (1 + 3 * 3 + 1, 6)
    assert archive.rows("views.db", "SELECT tool_call_id, input_text, output_excerpt, is_error FROM tool_calls ORDER BY 1") == [
        (f"call-{number}", json.dumps({"command": f"echo {number}"}, separators=(",", ":")), f"said {number}", 0) for number in (1, 2, 3)]  # fmt: skip
    assert [found(archive, word) for word in ("askedword1", "askedword2", "askedword3", "behindword")] == [1, 1, 1, 1]
    assert archive.sessions()[S]["tool_calls"] == 3
    assert archive.json("verify")["missing_bytes"] == 0


def test_a4_a_summary_glued_to_a_record_is_read_too(archive: Archive) -> None:
    """Of a record followed at once by a summary on the same line both count: the message, and the title."""
    glued = line(answer(2, S, "gluedanswer", "m1"))[:-1] + line({"type": "summary", "summary": "Glued title", "leafUuid": uuid(2)})
    archive.write(archive.claude_path(S), claude(1, S, "question"), glued, claude(3, S, "next question"))
    assert archive.ingest()["damaged"] == 1
    row = archive.sessions()[S]
    assert (row["title"], row["messages"], row["output_tokens"], found(archive, "gluedanswer")) == ("Glued title", 3, 5, 1)


def test_b1_runs_of_nul_bytes_hide_nothing(archive: Archive) -> None:
    """NUL runs after, between and before records are skipped and counted; a NUL tail stays pending."""
    archive.write(archive.claude_path(S), line(claude(1, S, "nulone"))[:-1], b"\0" * 9000, b"\n", b"\0" * 500 + b"\n",
                  b"\0" * 70, claude(2, S, "nultwo"), claude(3, S, "nulthree"), b"\0" * 400)
    assert archive.ingest()["damaged"] == 3
    assert [found(archive, word) for word in ("nulone", "nultwo", "nulthree")] == [1, 1, 1]
    assert archive.rows("views.db", "SELECT damage, skipped_bytes FROM damaged_records ORDER BY offset_bytes") == [("nul", 9000), ("nul", 500), ("nul", 70)]
    assert [row["pending"] for row in archive.json("verify")["sources"] if row["host"] == "claude"] == [400]


def test_b2_a_cut_last_line_blanks_nothing(archive: Archive) -> None:
    """Two hundred good lines before a cut one are all there."""
    archive.write(archive.claude_path(S), *(claude(n, S, f"prompt{n}x") for n in range(200)), line(claude(999, S, "cut"))[:50])
    assert archive.ingest()["damaged"] == 0
    assert archive.sessions()[S]["messages"] == 200
    assert [row["pending"] for row in archive.json("verify")["sources"] if row["host"] == "claude"] == [50]
    archive.write(archive.claude_path(S), b"\n", claude(300, S, "afterthecut"), append=True)
    assert archive.ingest()["damaged"] == 1
    assert (archive.sessions()[S]["messages"], found(archive, "afterthecut")) == (201, 1)


def test_b3_a_long_line_stops_nothing(archive: Archive) -> None:
    """Line 2 is a tool result of 16 MiB: the lines behind it are read, with their usage, and the result is there."""
    called = answer(1, S, "", "m0", message={"id": "m0", "role": "assistant", "model": "claude-opus-5-5", "content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat beforelong"}}], "usage": USAGE})  # fmt: skip
    result = claude(2, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "y" * (16 << 20)}]})
    archive.write(archive.claude_path(S), called, result, answer(3, S, "afterlong", "m1"), answer(4, S, "lastlong", "m2", {**USAGE, "input_tokens": 700}))
    assert archive.ingest()["damaged"] == 0
    assert [found(archive, word) for word in ("afterlong", "lastlong")] == [1, 1]
    assert archive.rows("views.db", "SELECT tool_call_id, output_chars FROM tool_calls") == [("t1", 16 << 20)]
    assert archive.rows("views.db", "SELECT response_id, input_tokens, output_tokens FROM usage ORDER BY 1") == [("m0", 10, 5), ("m1", 10, 5), ("m2", 700, 5)]
    assert archive.sessions()[S]["output_tokens"] == 15


def test_b3_a_line_above_what_is_held_is_read_in_pieces(archive: Archive, tmp_path: Path) -> None:
    """A prompt of 40 MB: found by its beginning and its end, with usage behind it, every byte in the log, the same after a replay."""
    said = claude(2, S, "longbegin " + "some words of it\n" * 2_500_000 + " longend")
    path = archive.write(archive.claude_path(S), claude(1, S, "beforelong"), said, answer(3, S, "afterlong", "m1"))
    assert archive.ingest()["damaged"] == 0
    assert [found(archive, word) for word in ("beforelong", "longbegin", "longend", "afterlong")] == [1, 1, 1, 1]
    assert archive.sessions()[S]["output_tokens"] == 5
    assert len(archive.rows("views.db", "SELECT text FROM messages WHERE text LIKE 'longbegin%'")[0][0]) < 200_000
    assert archive.json("replay", "--verify")["verified"] is True
    verified = archive.json("verify")
    assert (verified["missing_bytes"], verified["chain_ok"]) == (0, True)
    assert archive.ingest()["events"] == 0
    status, _, said_by_it = archive.run("export", S, "--format", "raw", "--output", str(tmp_path / "raw.jsonl"))
    assert status == 0, said_by_it
    assert (tmp_path / "raw.jsonl").read_bytes() == path.read_bytes()


def test_b3_a_long_line_waits_for_its_end(archive: Archive) -> None:
    """Half of a long line is pending; without a newline it is taken once it is a whole object, and once only."""
    whole = line(claude(2, S, "x" * (21 << 20) + " longend"))
    path = archive.write(archive.claude_path(S), claude(1, S, "beforelong"), whole[: 21 << 20])
    assert archive.ingest()["events"] == 1
    archive.write(path, whole[21 << 20 : -1], append=True)
    assert archive.ingest()["events"] == 1
    archive.write(path, b"\n", answer(3, S, "afterlong", "m1"), append=True)
    archive.ingest()
    assert [found(archive, word) for word in ("longend", "afterlong")] == [1, 1]
    assert archive.json("verify")["missing_bytes"] == 0


def test_b3_above_the_limit_a_line_is_counted_and_reading_goes_on(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be shortened is damage of the kind `long`: its bytes, length and hash are in the log, the lines behind it are read."""
    monkeypatch.setattr(shortening, "LONGEST_SHORTENED", 1000)
    numbers = b'{"type":"user","uuid":"u","n":[' + b"1234567," * (3 << 20) + b"1]}\n"
    archive.write(archive.claude_path(S), claude(1, S, "beforelong"), numbers, answer(3, S, "afterlong", "m1"))
    assert archive.ingest()["damaged"] == 1
    assert archive.json("status")["damaged"] == [["claude", "long", 1]]
    assert archive.rows("journal.db", "SELECT type, length_bytes, length(hash) FROM events WHERE damage = 'long'") == [("claude.damaged", len(numbers), 32)]
    assert [found(archive, word) for word in ("beforelong", "afterlong")] == [1, 1]
    assert archive.sessions()[S]["output_tokens"] == 5
    assert archive.json("verify")["missing_bytes"] == 0


def test_b6_b14_b15_odd_encodings(archive: Archive) -> None:
    """U+2028, BOM, CRLF, bad UTF-8 and lone surrogates lose no record; what was repaired is counted by its kind, CRLF and U+2028 are no damage."""
    bad = line(claude(4, S, "badutf QQ end")).replace(b"QQ", b"\xff\xfe")
    lone = line(claude(5, S, "lonesurrogate QQ end")).replace(b"QQ", b"\\ud83d")
    archive.write(archive.claude_path(S), b"\xef\xbb\xbf", claude(1, S, "bomone"),
                  line(claude(2, S, "crlftwo"))[:-1], b"\r\n", claude(3, S, "separator\u2028three"), bad, lone)
    assert archive.ingest()["damaged"] == 3
    assert archive.rows("journal.db", "SELECT damage FROM events WHERE type LIKE 'claude%' ORDER BY offset_bytes") == [
        ("bom",), (None,), (None,), ("utf8",), ("surrogate",)]  # fmt: skip
    assert archive.json("status")["damaged"] == [["claude", kind, 1] for kind in ("bom", "surrogate", "utf8")]
    assert [found(archive, word) for word in ("bomone", "crlftwo", "three", "badutf", "lonesurrogate")] == [1, 1, 1, 1, 1]


def test_b14_a_bom_before_lines_that_end_with_crlf(archive: Archive) -> None:
    """A file that an editor saved with a BOM and CRLF gives each record once, also those that are appended behind it."""
    ends = [line(claude(n, S, f"windowsword{n}"))[:-1] + b"\r\n" for n in range(4)]
    path = archive.write(archive.claude_path(S), b"\xef\xbb\xbf", *ends[:3])
    assert archive.ingest()["damaged"] == 1
    archive.write(path, ends[3], append=True)
    assert archive.ingest()["damaged"] == 0
    assert [found(archive, f"windowsword{n}") for n in range(4)] == [1, 1, 1, 1]
    assert archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position") == [(f"windowsword{n}",) for n in range(4)]


@pytest.mark.parametrize("text", ['ends with "é', "ends with 한"])
def test_b15_a_file_cut_inside_a_character_loses_one_line_at_most(archive: Archive, text: str) -> None:
    """Cut after the first byte of its last character the tail waits; its other bytes make it whole."""
    whole = line(claude(2, S, text))
    cut = whole.index(text[-1].encode()) + 1
    path = archive.write(archive.claude_path(S), claude(1, S, "beforecut"), whole[:cut])
    assert (archive.ingest()["events"], found(archive, "beforecut")) == (1, 1)
    archive.write(path, whole[cut:], append=True)
    assert (archive.ingest()["events"], found(archive, "ends")) == (1, 1)
    assert archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position") == [("beforecut",), (text,)]


def test_b8_unknown_kinds_are_kept_and_counted(archive: Archive) -> None:
    """An unknown record kind is counted, shown and no error."""
    archive.write(archive.claude_path(S), claude(1, S, "known"), {"type": "brand-new-kind", "x": 1}, [1, 2], 5)
    report = archive.ingest()
    assert report["unknown"] == 1
    assert report["damaged"] == 2


def test_b8_kinds_that_came_since_are_known_and_each_new_one_is_told_once(archive: Archive) -> None:
    """The kinds of the reports raise nothing; a kind that nobody knows is one line of status however often it comes, and its neighbours stay."""
    kinds = ("permission-mode", "ai-title", "file-history-delta", "pr-link", "relocated", "worktree-state", "mode", "last-prompt")
    odd = claude(3, S, "oddshape", gitBranch={"odd": 1}, version=[], cwd=5, timestamp={"no": "time"})
    archive.write(archive.claude_path(S), claude(1, S, "known"), *({"type": kind, "sessionId": S} for kind in kinds),
                  *[{"type": "brand-new-kind", "x": n} for n in range(3)], {"type": "other-new-kind"}, odd, claude(4, S, "behind"))  # fmt: skip
    report = archive.ingest()
    assert (report["unknown"], report["damaged"]) == (4, 0)
    assert archive.json("status")["unknown"] == [["claude", "claude.brand-new-kind", 3], ["claude", "claude.other-new-kind", 1]]
    assert [found(archive, word) for word in ("known", "oddshape", "behind")] == [1, 1, 1]


def test_every_kind_of_damage_in_one_file(archive: Archive) -> None:
    """Each recoverable record is found by search, once, whatever stands before and behind it, and each damaged line is counted by its kind."""
    long = claude(40, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "y" * 12_000_000}]})
    words = [f"recover{letter}" for letter in "abcdefghijklmn"]
    whole = [claude(n, S, word) for n, word in enumerate(words, 1)]
    lines = [line(record) for record in whole]
    parts = [b"\xef\xbb\xbf", lines[0],  # bom
             lines[1][:-1], lines[2],  # glued
             lines[3][:70], lines[3],  # torn
             b"\0" * 200 + b"\n",  # nul, alone
             b"\0" * 9, lines[4], lines[5][:-1], b"\0" * 143_000, b"\n",  # nul before and behind
             line(long), lines[6][:-1], b"\r\n",  # neither is damage
             lines[7].replace(b"recoverh", b"recoverh \xff"), lines[8].replace(b"recoveri", b"recoveri \\udc00"),  # utf8, surrogate
             lines[9].replace(b'"isSidechain": false', b'"isSidechain": false, "x": NaN'),  # nan
             b"7\n", b'"text"\n', b"null\n", b"[1, 2]\n", b"[" * 100_000 + b"\n", b'{"cut": "here\n',  # nothing in them
             line({"type": "brand-new-kind"}), *lines[:3], lines[10], b"\n", lines[11], lines[12], lines[13][:-1]]  # fmt: skip
    path = archive.write(archive.claude_path(S), *parts)
    report = archive.ingest()
    assert {word: found(archive, word) for word in words} == dict.fromkeys(words, 1)
    assert archive.rows("views.db", "SELECT damage, count(*) FROM damaged_records GROUP BY 1 ORDER BY 1") == [
        ("array", 1), ("bom", 1), ("depth", 1), ("glued", 1), ("nan", 1), ("nul", 3), ("scalar", 3),
        ("surrogate", 1), ("torn", 1), ("unreadable", 1), ("utf8", 1)]  # fmt: skip
    assert (report["damaged"], report["unknown"]) == (15, 1)
    assert sum(row[2] for row in archive.json("status")["damaged"]) == 15
    assert archive.rows("views.db", "SELECT damaged, unknown, bytes FROM source_report WHERE host = 'claude'") == [(15, 1, path.stat().st_size)]
    assert archive.json("verify")["missing_bytes"] == 0
    assert archive.json("replay", "--verify")["verified"] is True


def test_history_appended_again_counts_once(archive: Archive) -> None:
    """A file whose whole history is appended again gives each record once; the repeated lines are events, and no damage."""
    once = [claude(1, S, "oncealpha"), answer(2, S, "oncebeta", "m1")]
    path = archive.write(archive.claude_path(S), *once, line(claude(3, S, "torn"))[:50], b"\n", *once)
    report = archive.ingest()
    assert (report["events"], report["damaged"]) == (5, 1)
    archive.write(path, *once, append=True)
    report = archive.ingest()
    assert (report["events"], report["damaged"]) == (2, 0)
    assert archive.rows("views.db", "SELECT damage, count(*) FROM damaged_records GROUP BY 1") == [("unreadable", 1)]
    assert [found(archive, word) for word in ("oncealpha", "oncebeta")] == [1, 1]
    assert archive.sessions()[S]["output_tokens"] == 5
    assert archive.sessions()[S]["messages"] == 2


def test_a16_a_deleted_transcript_stays_in_the_journal(archive: Archive) -> None:
    """After the host deleted a file its session and its exact bytes are still there."""
    path = archive.write(archive.claude_path(S), claude(1, S, "keptforever"), answer(2, S, "ok", "m1"))
    original = path.read_bytes()
    archive.ingest()
    path.unlink()
    assert archive.ingest()["events"] == 0
    assert found(archive, "keptforever") == 1
    target = archive.folder / "out.jsonl"
    status, _, _ = archive.run("export", S, "--format", "raw", "--output", str(target))
    assert status == 0
    assert target.read_bytes() == original


def test_a16_the_session_list_says_since_when_the_source_is_gone(archive: Archive) -> None:
    """In both forms; a session whose file is there says nothing of it, also after the file came back."""
    path = archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.write(archive.claude_path(S.replace("a", "b")), claude(2, S.replace("a", "b"), "y"))
    archive.ingest()
    data = path.read_bytes()
    path.unlink()
    archive.ingest()
    gone_at = archive.rows("journal.db", "SELECT changed_at FROM sources WHERE state = 'gone'")[0][0]
    told = {row["session_id"]: row["source_gone_at"] for row in archive.json("sessions", "--all")["sessions"]}
    assert told == {S: gone_at, S.replace("a", "b"): None}
    assert archive.run("sessions", "--all")[1].count(f"source gone {gone_at[:10]}") == 1
    path.write_bytes(data)
    archive.ingest()
    assert [row["source_gone_at"] for row in archive.json("sessions", "--all")["sessions"]] == [None, None]


def test_h1_a_short_bearer_goes_too(archive: Archive) -> None:
    """A token behind a named scheme is one, however short."""
    archive.write(archive.claude_path(S), claude(1, S, 'curl -H "Authorization: Bearer x" localhost'))
    archive.ingest()
    assert archive.rows("views.db", "SELECT text FROM messages") == [('curl -H "Authorization: Bearer [redacted:authorization]" localhost',)]


def test_what_a_source_carries_survives_two_generations_in_one_batch(archive: Archive) -> None:
    """A file that was cut and goes on: folder, branch and turn of its later records are the same live and rebuilt."""
    fixture = next((FIXTURES / "copilot/subagent").rglob("events.jsonl"))
    lines = fixture.read_bytes().splitlines(keepends=True)
    path = archive.folder / ".copilot/session-state" / fixture.parent.name / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(lines))
    archive.ingest()
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    archive.ingest()
    assert archive.run("replay")[0] == 0
    with path.open("ab") as file:
        file.writelines(lines[len(lines) // 2 :])
    archive.ingest()
    assert archive.json("replay", "--verify")["verified"] is True


def test_a7_a_replaced_file_is_a_new_generation(archive: Archive) -> None:
    """A longer file moved over the old one is read from its start and repeats nothing in the views."""
    path = archive.write(archive.claude_path(S), claude(1, S, "genone"))
    archive.ingest()
    other = archive.write(archive.folder / "new.jsonl", claude(1, S, "genone"), claude(2, S, "gentwo"))
    other.rename(path)
    archive.ingest()
    assert [found(archive, word) for word in ("genone", "gentwo")] == [1, 1]


def test_h1_secrets_stay_in_the_log(archive: Archive) -> None:
    """A token in a prompt is in no value of the views."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    archive.write(archive.claude_path(S), claude(1, S, f"use {token} please"))
    archive.ingest()
    assert token.encode() not in (archive.home / "views.db").read_bytes()
    assert found(archive, "please") == 1


def test_h2_files_are_private(archive: Archive) -> None:
    """Folders are 0700 and files 0600 whatever the umask."""
    import os
    previous = os.umask(0)
    try:
        archive.write(archive.claude_path(S), claude(1, S, "private"))
        archive.ingest()
    finally:
        os.umask(previous)
    modes = {path.stat().st_mode & 0o777 for path in archive.home.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in [archive.home, *archive.home.rglob("*")] if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})
