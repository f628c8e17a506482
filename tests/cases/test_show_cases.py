"""What `show` and `export` say of recorded and of invented sessions."""

import json
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude, line, uuid

FIXTURES = Path(__file__).parent.parent / "fixtures"
GOLDEN = Path(__file__).parent.parent / "golden"
S = "aaaaaaaa-0000-4000-8000-000000000001"
FORK = "bbbbbbbb-0000-4000-8000-000000000002"
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
RECORDED = {
    "claude/turns": "03d02093", "claude/subagent": "9d482481", "claude/compact": "efd7f8fa", "codex/subagent": "01a22e50-b371",
    "codex/codemode_turns": "01a22e53-2b83",
    "gemini/subagent": "0f45463d", "gemini/tools": "latest", "copilot/subagent": "7caeaca1", "copilot/tools": "latest",
}  # fmt: skip
WAYS = {
    "brief.txt": ("show", "--depth", "brief"), "normal.txt": ("show",), "full.txt": ("show", "--depth", "full"), "json": ("show", "--json"),
    "md": ("export", "--format", "md"),
}  # fmt: skip


def ingest_recording(archive: Archive, scenario: str) -> None:
    """Ingest one recording as the home of its host."""
    host = scenario.partition("/")[0]
    shutil.copytree(FIXTURES / scenario, archive.folder / f".{host}")
    archive.ingest()


def tool(number: int, name: str, given: dict[str, Any], output: str, result: dict[str, Any] | None = None, **fields: Any) -> list[dict[str, Any]]:
    """Return a call of a tool and its result as Claude Code writes them."""
    call = answer(number, S, "", f"m{number}")
    call["message"]["content"] = [{"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}]
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output, **fields}
    back = claude(number + 1, S, "", message={"role": "user", "content": [block]}, toolUseResult=result or {})
    return [call, back]


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every run the same terminal."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scenario", RECORDED)
def test_recordings_read_as_golden_files_say(archive: Archive, scenario: str, way: str) -> None:
    """The output on a recording is the file in tests/golden, character by character (UPDATE_GOLDEN=1 writes it anew)."""
    ingest_recording(archive, scenario)
    words = (*WAYS[way], RECORDED[scenario])
    if words[0] == "export":
        target = archive.folder / "out"
        status, _, err = archive.run(*words, "--output", str(target))
        said = target.read_text()
        told = rf"{re.escape(str(target))}: session \S{{36}}, md, {target.stat().st_size:,} bytes\n"
    else:
        status, said, err = archive.run(*words)
        told = ""
    assert (status, bool(re.fullmatch(told, err))) == (0, True)
    golden = GOLDEN / f"{scenario.replace('/', '_')}.{way}"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(said)
    assert said == golden.read_text()


def test_a_result_is_folded_and_full_reads_all_of_it_from_the_log(archive: Archive) -> None:
    """Normal shows six lines and says how much there is; full shows the last line too, which no view holds."""
    output = "\n".join(f"line {number}" for number in range(1, 501))
    archive.write(archive.claude_path(S), claude(1, S, "go"), *tool(2, "Bash", {"command": "seq 500"}, output))
    archive.ingest()
    normal, full = archive.run("show", S)[1], archive.run("show", S, "--depth", "full")[1]
    assert "  │ line 6\n" in normal and "line 250" not in normal
    assert "characters in all (--depth full shows them)" in normal
    assert "  │ line 250\n" in full


def test_edits_are_diffs(archive: Archive) -> None:
    """An edit shows the lines it took and gave, read from the log."""
    patch = [{"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 2, "lines": ["-old", "+new", "+newer"]}]
    archive.write(archive.claude_path(S), claude(1, S, "go"),
                  *tool(2, "Edit", {"file_path": f"{CWD}/a.py"}, "done", {"filePath": f"{CWD}/a.py", "structuredPatch": patch}))  # fmt: skip
    archive.ingest()
    assert "  edit a.py +2 −1\n    @@ -7,1 +7,2 @@\n    -old\n    +new\n    +newer\n" in archive.run("show", S)[1]


def test_compactions_damage_unknown_kinds_and_notes_stand_in_their_place(archive: Archive) -> None:
    """Between the prompt before and the one after: a compaction with its sizes, a torn line, a kind nobody knows; the note last."""
    boundary = claude(3, S, "", type="system", subtype="compact_boundary", compactMetadata={"trigger": "manual", "preTokens": 150000, "postTokens": 9000})
    del boundary["message"]
    archive.write(archive.claude_path(S), claude(1, S, "before"), answer(2, S, "yes", "m1"), boundary, b'{"torn": \n',
                  claude(5, S, "", type="martian"), claude(6, S, "after"))  # fmt: skip
    archive.ingest()
    archive.run("note", "look here", "--session", S)
    archive.ingest()
    said = archive.run("show", S)[1]
    order = ["> before", "yes", "context compacted (manual): 150,000 tokens → 9,000", "damaged record: unreadable", "unknown record: claude.martian", "> after",
             "look here", "1 response, 10 input, 5 output"]  # fmt: skip
    places = [said.find(word) for word in order]
    assert places == sorted(places) and -1 not in places


def test_a_fork_says_what_it_copied_and_full_shows_it(archive: Archive) -> None:
    """Copied records are counted, not repeated; --depth full has them."""
    first = [claude(1, S, "the beginning"), answer(2, S, "a first answer", "m1")]
    copies = [record | {"sessionId": FORK, "requestSessionId": S} for record in first]
    archive.write(archive.claude_path(S), *first)
    archive.write(archive.claude_path(FORK), *copies, claude(9, FORK, "the other way", requestSessionId=S))
    archive.ingest()
    normal, full = archive.run("show", FORK)[1], archive.run("show", FORK, "--depth", "full")[1]
    assert "2 records copied" in normal and "a first answer" not in normal
    assert "a first answer" in full


def test_around_shows_the_neighbourhood_of_a_hit(archive: Archive) -> None:
    """Six items each side of the position that a search gave, and how many stand before and after."""
    records = [record for n in range(1, 61, 2) for record in (claude(n, S, f"prompt {n}"), answer(n + 1, S, f"reply {n}", f"m{n}"))]
    archive.write(archive.claude_path(S), *records)
    archive.ingest()
    position = archive.hits('"prompt 31"')[0]["global_position"]
    said = archive.run("show", S, "--around", str(position))[1]
    shown = [word for word in said.split("\n") if word.startswith("> prompt")]
    assert shown == [f"> prompt {n}" for n in (25, 27, 29, 31, 33, 35, 37)]
    assert "24 items before" in said and "23 items after" in said


def test_around_a_position_of_elsewhere_says_of_where(archive: Archive) -> None:
    """A position of another session names that session and the command for it; one that the log does not have is told as such."""
    archive.write(archive.claude_path(S), claude(1, S, "mine"))
    archive.write(archive.claude_path(FORK), claude(2, FORK, "theirs"))
    archive.ingest()
    position = archive.hits("theirs")[0]["global_position"]
    status, _, err = archive.run("show", S, "--around", str(position), "--json")
    answer = json.loads(err)
    assert (status, answer["error"]) == (4, f"position {position} is of session {FORK}, not of {S}")
    assert answer["next_command"] == f"journal show {FORK} --around {position}"
    assert archive.run(*answer["next_command"].split()[1:])[1].count("> theirs") == 1
    status, _, err = archive.run("show", S, "--around", "999", "--json")
    answer = json.loads(err)
    assert (status, answer["error"], answer["next_command"]) == (4, "the log has no position 999", f"journal show {S}")


def test_around_a_record_that_shows_nothing_shows_its_neighbours(archive: Archive) -> None:
    """A record of the session itself that is no item of a transcript is no error."""
    archive.write(archive.claude_path(S), claude(1, S, "before"), {"type": "mode", "mode": "normal", "sessionId": S}, claude(2, S, "after"))
    archive.ingest()
    position = archive.hits("before")[0]["global_position"]
    said = archive.run("show", S, "--around", str(position + 1))[1]
    assert "> before" in said and "> after" in said


def test_secrets_leave_only_when_revealed(archive: Archive) -> None:
    """A token in a prompt, an input, a result and a diff is redacted in every format, and there with --reveal and in raw."""
    patch = [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": [f"+T = '{TOKEN}'"]}]
    archive.write(archive.claude_path(S), claude(1, S, f"use {TOKEN}"),
                  *tool(2, "Bash", {"command": f"curl -H 'X: {TOKEN}'"}, "x\n" * 600 + TOKEN + "\nx" * 600),
                  *tool(4, "Edit", {"file_path": f"{CWD}/a.py"}, "ok", {"filePath": f"{CWD}/a.py", "structuredPatch": patch}))  # fmt: skip
    archive.ingest()
    target = archive.folder / "out"
    ways = [("show", S, "--depth", "full"), ("show", S, "--json"),
            *(("export", S, "--output", str(target), "--format", kind) for kind in ("md", "html", "json"))]  # fmt: skip
    for words in ways:
        for reveal in ((), ("--reveal",)):
            target.unlink(missing_ok=True)
            status, said, err = archive.run(*words, *reveal)
            assert status == 0, err
            said += target.read_text() if target.exists() else ""
            assert said.count(TOKEN) == 0 if not reveal else said.count(TOKEN) >= 3, words
    said = archive.run("export", S, "--output", str(target))[2]
    assert said == (f"{target}: session {S}, the transcript as it was, {target.stat().st_size:,} bytes\n"
                    "unredacted: secrets that the transcript holds stand in the export\n")  # fmt: skip
    assert target.read_text().count(TOKEN) == 4


def test_several_sessions_go_into_a_folder(archive: Archive) -> None:
    """One private file a session; without a folder it is a clear error."""
    for session in (S, FORK):
        archive.write(archive.claude_path(session), claude(1, session, "hello", uuid=uuid(int(session[0] == "b"))))
    archive.ingest()
    status, _, err = archive.run("export", S, FORK, "--format", "md")
    assert (status, err) == (2, "journal: several sessions need a folder\n  journal export SESSION SESSION --output FOLDER/\n")
    folder = archive.folder / "out"
    written = archive.json("export", S, FORK, "--format", "md", "--output", f"{folder}/")["exports"]
    assert [row["path"] for row in written] == [f"{folder}/{S}.md", f"{folder}/{FORK}.md"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600, 0o600]


def test_every_id_of_the_list_can_be_shown(archive: Archive) -> None:
    """The short ids that `sessions` prints, those of sub-agents too, are what other commands take."""
    for scenario in ("claude/subagent", "codex/subagent"):
        ingest_recording(archive, scenario)
    listed = [line.split()[0] for line in archive.run("sessions", "--all")[1].splitlines()[1:]]
    assert [":" in word for word in listed].count(True) == 1
    for word in listed:
        parent, _, agent = word.partition(":")
        head = archive.run("show", word, "--depth", "brief")[1].splitlines()[0]
        assert head.startswith(parent) and (f":{agent}" in head if agent else ":" not in head)
    assert archive.run("show", "9d482481:zz")[0] == 4


@pytest.mark.parametrize("form", ["html", "md"])
def test_a_project_is_exported_with_a_table_of_contents(archive: Archive, form: str) -> None:
    """All sessions of the project but sub-agents, the newest first, each with its title; a title that is no plain text stays text."""
    archive.write(archive.claude_path(S), claude(1, S, f"an <b>old</b> [one](javascript:x) {TOKEN}"))
    archive.write(archive.claude_path(FORK), claude(50, FORK, "a new one"))
    archive.write(archive.claude_path("other", "-other"), claude(60, "other", "elsewhere", cwd="/home/dev/else"))
    archive.ingest()
    folder = archive.folder / "out"
    told = archive.json("export", "--project", "proj", "--format", form, "--output", f"{folder}/")
    assert ([row["session_id"] for row in told["exports"]], told["contents"]) == ([FORK, S], f"{folder}/index.{form}")
    text = (folder / f"index.{form}").read_text()
    assert text.index(f"{FORK}.{form}") < text.index(f"{S}.{form}") and "elsewhere" not in text and TOKEN not in text
    assert "2 sessions of /home/dev/proj" in text and "claude · 2026-11-30 10:00 UTC · 1 turn · /home/dev/proj" in text
    assert ("an &lt;b&gt;old&lt;/b&gt; [one](javascript:x)" if form == "html" else r"an \<b\>old\</b\> \[one\](javascript:x)") in text
    assert stat.S_IMODE((folder / f"index.{form}").stat().st_mode) == 0o600
    assert archive.run("export", "--project", "proj", "--format", form)[0] == 2


def test_secrets_are_listed_by_kind_and_place_and_not_shown(archive: Archive) -> None:
    """Two places of one token: the prompt and the tool's output; the preview has its kind in its place."""
    archive.write(archive.claude_path(S), claude(1, S, f"use {TOKEN} now"), *tool(2, "Bash", {"command": "env"}, f"A=1\nB: {TOKEN}\n"))
    archive.ingest()
    found = archive.json("secrets", "--all")
    assert found["kinds"] == [{"kind": "github-token", "places": 2, "distinct": 1, "sessions": 1}]
    assert [(row["session_id"], row["host"], row["where"], row["tool"], row["preview"]) for row in found["places"]] == [
        (S, "claude", "prompt", None, "use [redacted:github-token] now"),
        (S, "claude", "output", "Bash", "A=1 B: [redacted:github-token]"),
    ]
    status, said, err = archive.run("secrets", S)
    assert status == 0 and TOKEN not in said + err and "[redacted:github-token]" in said


def test_escape_sequences_do_not_reach_the_terminal(archive: Archive) -> None:
    """Colours, titles and direction marks of a transcript are gone in text and in JSON."""
    archive.write(archive.claude_path(S), claude(1, S, "red \x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eleft\x9b2J"),
                  *tool(2, "Bash", {"command": "x"}, "\x1b[2Jgone\r\nnext\rover"))  # fmt: skip
    archive.ingest()
    for words in (("show", S), ("show", S, "--depth", "full")):
        said = archive.run(*words)[1]
        assert not set(said) & {"\x1b", "\x07", "\r", "\u202e", "\x9b"}
    assert "> red red  left2J\n" in archive.run("show", S)[1]
    said = archive.run("show", S, "--json")[1]
    assert not set(said) & {"\x1b", "\x07", "\u202e", "\x9b"}
    assert json.loads(said)["items"][1]["text"].startswith("red \x1b[31m")


def test_first_items_come_without_reading_the_rest(archive: Archive) -> None:
    """The stream is lazy: the first three items of a session of 400 calls read no record of the log, all of them one each."""
    from itertools import islice

    from cli.wiring import decoders
    from journal.database import open_log, open_readonly
    from projections.records import Records
    from projections.transcript import Wanted, transcript

    calls = [record for n in range(2, 802, 2) for record in tool(n, "Bash", {"command": "x"}, "y" * 2000)]
    archive.write(archive.claude_path(S), claude(1, S, "go"), *calls)
    archive.ingest()
    records = Records(open_log(str(archive.home / "journal.db"), writable=False), decoders()[0])
    items = transcript(open_readonly(str(archive.home / "views.db")), records, S, Wanted(whole=True))
    list(islice(items, 2))
    assert records.reads == 0
    list(items)
    assert records.reads == 800


def test_a_line_without_newline_and_bytes_that_are_no_text_can_be_shown(archive: Archive) -> None:
    """Bad UTF-8 and a lone surrogate in a prompt do not stop any format."""
    archive.write(archive.claude_path(S), line(claude(1, S, "bad X")).replace(b"bad X", b"bad \xff \\ud800 end"))
    archive.ingest()
    target = archive.folder / "out"
    assert archive.run("show", S)[0] == 0
    assert archive.run("show", S, "--json")[0] == 0
    for kind in ("md", "html", "json"):
        assert archive.run("export", S, "--format", kind, "--output", str(target))[0] == 0


def test_show_prints_a_snapshot_by_its_id(archive: Archive) -> None:
    """An id of a snapshot is shown as the snapshot, not looked for among the sessions."""
    archive.write(archive.claude_path(S), claude(1, S, "go"), answer(2, S, "done", "m1"))
    archive.ingest()
    taken = archive.json("snapshot", "--session", S)["snapshot_id"]
    archive.ingest()
    status, said, err = archive.run("show", taken)
    assert (status, err) == (0, "")
    assert said.startswith(f"{taken}  ")
