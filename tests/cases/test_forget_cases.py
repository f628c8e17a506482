"""Case H3 and G8 for the log: what is forgotten is in no byte and no value, and does not come back."""

import json
import re
import shutil
from pathlib import Path

import pytest
import zstandard
from archive import Archive, answer, claude, codex, line
from forget_world import places

S = "aaaaaaaa-0000-4000-8000-000000000001"
FORK = "aaaaaaaa-0000-4000-8000-000000000002"
OTHER = "aaaaaaaa-0000-4000-8000-000000000003"
THREAD = "bbbbbbbb-0000-4000-8000-000000000001"
SECRET = 'Xylo"phon-7319 geheimé'


def fill(archive: Archive) -> Path:
    """Write a session with the secret in a prompt and in a tool's input, a Codex thread with it, and one without."""
    call = answer(3, S, "", "m2")
    call["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"echo {SECRET}"}}]
    path = archive.write(archive.claude_path(S), claude(1, S, f"the word is {SECRET}, keep it"), answer(2, S, "kept words", "m1"), call,
                         claude(4, S, "and now something else"))
    said = json.dumps({"cmd": ["echo", SECRET]})
    archive.write(archive.codex_path(THREAD), codex(THREAD, [
        ("response_item", {"type": "function_call", "name": "shell", "arguments": said, "call_id": "c1"}),
        ("event_msg", {"type": "user_message", "message": "unrelated wish"})]))
    archive.write(archive.claude_path(OTHER), claude(50, OTHER, "a session of its own"))
    return path


def test_a_text_is_in_no_byte_and_no_value(archive: Archive) -> None:
    """Three records hold the text, escaped once and twice; after forget no file shows it, also after replay; all else stays."""
    fill(archive)
    archive.ingest()
    archive.json("note", f"about {SECRET}", "--session", S)
    archive.ingest()
    assert places(archive.home, SECRET) != []
    before = archive.json("verify")
    gone = archive.json("forget", "--match", SECRET, "--yes")
    assert (gone["events"], places(archive.home, SECRET)) == (4, [])
    assert [(Path(found["path"]).name, found["lines"]) for found in gone["elsewhere"]] == [
        (f"{S}.jsonl", [1, 3]), (f"rollout-2026-11-30T10-00-00-{THREAD}.jsonl", [3])]
    after = archive.json("verify")
    assert (before["chain_ok"], after["chain_ok"], after["missing_bytes"]) == (True, True, 0)
    archive.json("replay")
    archive.ingest()
    assert places(archive.home, SECRET) == []
    assert [hit["snippet"] for hit in archive.hits("kept words") + archive.hits("unrelated wish") + archive.hits("something else")] == [
        "kept words", "unrelated wish", "and now something else"]
    assert archive.json("replay", "--verify")["verified"] is True


def test_neighbours_keep_their_bytes_and_places(archive: Archive) -> None:
    """The raw export has spaces where the lines were, and every other byte as it was."""
    path = fill(archive)
    archive.ingest()
    archive.json("forget", "--match", SECRET, "--yes")
    lines = path.read_bytes().splitlines(keepends=True)
    target = archive.folder / "out.jsonl"
    archive.json("export", S, "--output", str(target))
    assert target.read_bytes() == b"".join(
        [b" " * (len(lines[0]) - 1) + b"\n", lines[1], b" " * (len(lines[2]) - 1) + b"\n", lines[3]])


def test_reading_on_after_a_scrub_is_no_rewrite(archive: Archive) -> None:
    """The file is touched, then grows: nothing is read twice, the new line comes in."""
    path = fill(archive)
    archive.ingest()
    archive.json("forget", "--match", SECRET, "--yes")
    path.touch()
    assert archive.ingest()["events"] == 0
    archive.write(path, claude(5, S, "one more line"), append=True)
    assert archive.ingest()["events"] == 1
    assert archive.rows("journal.db", f"SELECT generation FROM sources WHERE native_id = '{S}'") == [(0,)]
    assert archive.json("verify")["missing_bytes"] == 0


def rewrite(archive: Archive, path: Path) -> int:
    """Rewrite the file in place with one more line at its head."""
    path.write_bytes(line(claude(9, S, "a head line")) + path.read_bytes())
    return 5


def fork(archive: Archive, path: Path) -> int:
    """Copy the records into a new session under the same ids, as a fork does."""
    archive.write(archive.claude_path(FORK), *(
        {**json.loads(record), "sessionId": FORK} for record in path.read_bytes().splitlines()), claude(20, FORK, "fork goes on"))
    return 5


def copy(archive: Archive, path: Path) -> int:
    """Copy the file byte for byte under another name."""
    shutil.copy(path, archive.claude_path(FORK))
    return 4


def retell(archive: Archive, path: Path) -> int:
    """Tell the text again in a new record: a summary, differently escaped, in the middle of other words."""
    told = json.dumps(claude(30, OTHER, f"He said ({SECRET}). So what", isCompactSummary=True), ensure_ascii=True).encode()
    archive.write(archive.claude_path(OTHER), told + b"\n", append=True)
    return 1


def mirror(archive: Archive, path: Path) -> int:
    """Compress the rollout and put it into another root folder."""
    plain = archive.codex_path(THREAD)
    target = archive.folder / ".codex/archived_sessions" / (plain.name + ".zst")
    target.parent.mkdir(parents=True)
    target.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    return 4


@pytest.mark.parametrize("again", [rewrite, fork, copy, retell, mirror])
def test_the_text_does_not_come_back(archive: Archive, again) -> None:
    """By a rewrite, a fork, a copy, another record or a compressed twin: its place comes in, its bytes do not."""
    path = fill(archive)
    archive.ingest()
    archive.json("forget", "--match", SECRET, "--yes")
    new = again(archive, path)
    assert archive.ingest()["events"] == new
    assert places(archive.home, SECRET) == []
    archive.json("replay")
    verified = archive.json("verify")
    assert (places(archive.home, SECRET), verified["chain_ok"], verified["missing_bytes"]) == ([], True, 0)
    assert archive.ingest()["events"] == 0


def test_a_session_is_forgotten_with_its_copies(archive: Archive) -> None:
    """All lines of the session go, and those of a fork under the same ids; the fork's own and other sessions stay."""
    path = fill(archive)
    fork(archive, path)
    archive.ingest()
    archive.json("note", "of that session", "--session", S)
    gone = archive.json("forget", S, "--yes")
    assert (gone["events"], places(archive.home, "of that session")) == (9, [])
    assert sorted(archive.sessions()) == [FORK, OTHER, THREAD]
    assert (places(archive.home, "kept words"), [hit["session_id"] for hit in archive.hits("fork goes on")]) == ([], [FORK])
    third = "aaaaaaaa-0000-4000-8000-000000000009"
    archive.write(archive.claude_path(third), *({**json.loads(record), "sessionId": third} for record in path.read_bytes().splitlines()))
    archive.ingest()
    assert places(archive.home, "kept words") == []
    assert archive.json("replay", "--verify")["verified"] is True


def test_a_project_is_forgotten(archive: Archive) -> None:
    """Sessions of one project go, those of another stay."""
    fill(archive)
    archive.write(archive.claude_path(FORK, "-home-dev-else"), claude(60, FORK, "elsewhere we said", cwd="/home/dev/else"))
    archive.ingest()
    assert archive.json("forget", "/home/dev/else", "--yes")["events"] == 2
    assert sorted(archive.sessions()) == [S, OTHER, THREAD]
    assert places(archive.home, "elsewhere we said") == []
    status, _, error = archive.run("forget", "/home/dev/nowhere", "--yes")
    assert (status, "no project lies at /home/dev/nowhere" in error) == (4, True)


def test_elements_of_a_document_are_forgotten_one_by_one(archive: Archive) -> None:
    """Every version of a document loses the element with the text and keeps the others; a new version brings it no more."""
    path = archive.folder / ".gemini/tmp/proj/chats/session-2026-11-30T10-00-cccccccc.json"
    head = {"sessionId": "cccccccc-0000-4000-8000-000000000001", "projectHash": "0" * 64, "startTime": "2026-11-30T10:00:00.000Z",
            "lastUpdated": "2026-11-30T10:00:00.000Z"}
    messages = [{"id": f"cccccccc-0000-4000-8000-00000000010{n}", "timestamp": f"2026-11-30T10:00:0{n}.000Z", "type": "user",
                 "content": f"message {n}" + (f" {SECRET}" if n == 2 else "")} for n in range(5)]
    for count in (2, 3, 4):
        archive.write(path, json.dumps({**head, "messages": messages[:count]}, ensure_ascii=False).encode())
        archive.ingest()
    assert len(archive.hits("message")) == 4
    assert archive.json("forget", "--match", SECRET, "--yes")["events"] == 2
    assert (places(archive.home, SECRET), archive.json("verify")["chain_ok"]) == ([], True)
    assert sorted(hit["snippet"] for hit in archive.hits("message")) == ["message 0", "message 1", "message 3"]
    path.touch()
    assert archive.ingest()["events"] == 0
    archive.write(path, json.dumps({**head, "messages": messages}, ensure_ascii=True).encode())
    assert archive.ingest()["events"] == 1
    assert sorted(hit["snippet"] for hit in archive.hits("message")) == ["message 0", "message 1", "message 3", "message 4"]
    assert (places(archive.home, SECRET), archive.json("verify")["missing_bytes"]) == ([], 0)


def test_a_name_in_paths_and_types_is_forgotten(archive: Archive) -> None:
    """A text in a source's path, in a session's id and in a record's type is in none of them; the source goes on under a keyed name."""
    path = archive.write(archive.claude_path("mellon-77", "-home-dev-mellon-77"), {**claude(201, "x", "speak"), "type": "mellon-77"},
                         claude(202, "x", "friend", cwd="/srv/mellon-77"))
    fill(archive)
    archive.ingest()
    assert archive.json("forget", "--match", "mellon-77", "--yes")["events"] == 3
    assert (places(archive.home, "mellon-77"), archive.json("verify")["chain_ok"]) == ([], True)
    path.touch()
    assert archive.ingest()["events"] == 0
    archive.write(path, {**claude(203, "x", "enter")}, append=True)
    archive.write(archive.claude_path("mellon-77", "-srv-two"), claude(204, "x", "enter too"))
    assert archive.ingest()["events"] == 2
    assert archive.json("status")["files_behind"] == 0
    assert (places(archive.home, "mellon-77"), archive.json("verify")["chain_ok"]) == ([], True)


def test_an_inbox_line_is_blanked_in_its_file(archive: Archive) -> None:
    """A note with the text goes from the inbox file, whose other lines stay; a later note with it goes as well."""
    fill(archive)
    archive.ingest()
    archive.json("note", "a plain note", "--session", S)
    archive.json("note", f"{SECRET} noted", "--session", S)
    archive.ingest()
    archive.json("forget", "--match", SECRET, "--yes")
    notes = archive.rows("views.db", "SELECT text FROM session_notes")
    archive.json("note", f"again {SECRET}", "--session", S)
    archive.ingest()
    assert (notes, archive.rows("views.db", "SELECT text FROM session_notes")) == ([("a plain note",)], [("a plain note",)])
    assert places(archive.home, SECRET) == []
    assert archive.ingest()["events"] == 0


def test_forgetting_is_an_event_that_tells_nothing(archive: Archive) -> None:
    """The inbox gets one line with counts and a keyed hash."""
    fill(archive)
    archive.ingest()
    archive.json("forget", "--match", SECRET, "--yes")
    told = [json.loads(row) for path in (archive.home / "inbox").glob("*.jsonl") for row in path.read_bytes().splitlines() if b"journal.forgot" in row]
    assert [(one["kind"], one["events"], len(one["hash"])) for one in told] == [("match", 3, 32)]
    assert archive.rows("journal.db", "SELECT count(*) FROM events WHERE type = 'journal.forgot'") == [(1,)]
    assert archive.json("status")["unknown"] == []


def test_without_a_terminal_yes_is_needed(archive: Archive) -> None:
    """Exit 2 with the commands to run; --dry-run changes nothing and tells the same counts."""
    fill(archive)
    archive.ingest()
    status, _, error = archive.run("forget", "--match", "kept words")
    assert (status, "journal forget --match 'kept words' --dry-run" in error) == (2, True)
    before = archive.rows("journal.db", "SELECT data, seed FROM segments ORDER BY 1")
    looked = archive.json("forget", "--match", "kept words", "--dry-run")
    assert (looked["events"], looked["dry_run"], archive.rows("journal.db", "SELECT data, seed FROM segments ORDER BY 1") == before) == (1, True, True)
    gone = archive.json("forget", "--match", "kept words", "--yes")
    assert (gone["events"], gone["bytes"]) == (1, looked["bytes"])
    assert archive.json("forget", "--match", "kept words", "--yes")["events"] == 0
    assert archive.run("forget", "--match", "abc", "--yes")[0] == 2
    assert archive.run("forget", "--yes")[0] == 2


def test_once_lets_the_text_in_again(archive: Archive) -> None:
    """With --once the records stay out, and a new record with the same words is read."""
    path = fill(archive)
    archive.ingest()
    archive.json("forget", "--match", "kept words", "--once", "--yes")
    rewrite(archive, path)
    archive.ingest()
    assert archive.hits("kept words") == []
    archive.write(path, claude(40, S, "kept words once more"), append=True)
    archive.ingest()
    assert [hit["snippet"] for hit in archive.hits("kept words")] == ["kept words once more"]


def test_merged_and_long_lines_are_scrubbed(archive: Archive) -> None:
    """A text in a line of several segments, and in small segments merged into one, goes; the chain holds."""
    archive.write(archive.claude_path(OTHER), claude(1, OTHER, "y" * 8_388_000 + f" {SECRET}" * 40))
    path = archive.claude_path(S)
    for number in range(70):
        archive.write(path, claude(100 + number, S, f"small {number}" + (f" {SECRET}" if number in (3, 40) else "")), append=True)
        archive.ingest()
    assert archive.rows("journal.db", "SELECT count(*) FROM segments WHERE codec = 'within'") == [(63,)]
    assert archive.json("forget", "--match", SECRET, "--yes")["events"] == 3
    verified = archive.json("verify")
    assert (places(archive.home, SECRET), verified["chain_ok"], verified["missing_bytes"]) == ([], True, 0)
    assert len(archive.rows("views.db", "SELECT text FROM messages WHERE text LIKE 'small %'")) == 68


def test_a_skill_that_came_from_a_forgotten_session_is_told_with_its_lines(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines that name it as their source, before and after; a skill from another session is not."""
    project = archive.folder / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    other = "bbbbbbbb-0000-4000-8000-000000000001"
    for session, number, said in ((S, 1, "We decided to use gzip, because it is everywhere."), (other, 5, "We decided to use tabs, because they are narrow.")):
        records = (claude(number, session, said), answer(number + 1, session, said, f"m{number}"))
        archive.write(archive.claude_path(session), *({**record, "cwd": str(project)} for record in records))
    archive.ingest()
    archive.json("skill", "create", "packing", "--session", S)
    archive.json("skill", "create", "looks", "--session", other)
    looked = archive.json("forget", S, "--dry-run")["elsewhere"]
    gone = archive.json("forget", S, "--yes")["elsewhere"]
    drafts = [found for found in gone if found["kind"] == "draft"]
    assert [found for found in looked if found["kind"] == "draft"] == drafts
    assert {Path(found["path"]).parts[-3] for found in drafts} | {Path(found["path"]).parts[-2] for found in drafts} >= {"packing"}
    assert not any("looks" in found["path"] for found in drafts)
    skill = project / ".claude/skills/packing/SKILL.md"
    lines = next(found["lines"] for found in drafts if found["path"] == str(skill))
    assert all(f"session {S[:8]}" in skill.read_text().splitlines()[number - 1] for number in lines)
    assert any("gzip" in skill.read_text().splitlines()[number - 1] for number in lines)


def test_what_the_journal_wrote_down_itself_is_forgotten_too(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes, learnings, annotations, handoffs, snapshots, fixes, changed files, records, vectors: gone from every byte; a skill in the repository is told."""
    word = "Xylophon7319"
    project = archive.folder / "project"
    project.mkdir()
    monkeypatch.chdir(project)

    def ran(number: int, is_error: bool) -> list[dict[str, object]]:
        call = answer(number, S, "", f"m{number}")
        call["message"]["content"] = [{"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make {word}"}}]
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": is_error, "content": f"{word} said so"}
        return [call, claude(number + 1, S, "", message={"role": "user", "content": [result]})]

    edit = answer(20, S, "", "m20")
    edit["message"]["content"] = [{"type": "tool_use", "id": "t20", "name": "Write", "input": {"file_path": f"{project}/{word}.py", "content": word}}]
    done = claude(21, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t20", "content": "ok"}]},
                  toolUseResult={"type": "create", "filePath": f"{project}/{word}.py", "content": word, "structuredPatch": []})
    records = [claude(1, S, f"We decided to use {word}, because it is fast"), *ran(3, True), *ran(5, False), edit, done, claude(30, S, "thanks")]
    archive.write(archive.claude_path(S), *({**record, "cwd": str(project)} for record in records))
    archive.ingest()
    archive.json("note", word, "--session", S)
    archive.json("learn", f"{word} has to be wound up first", "--session", S)
    archive.json("annotate", S, "--title", word, "--summary", f"about {word}")
    archive.json("snapshot", "--session", S, "--note", word)
    archive.write(project / "notes.md", f"# {word}\n\n## Findings\n- {word} is blue\n".encode())
    archive.json("handoff", "save", "--notes", "notes.md", "--session", S)
    archive.json("skill", "create", "winding", "--session", S)
    archive.json("records", "on")
    archive.json("index", "update")
    stood = {place.partition(":")[2] for place in places(archive.home, word)}
    assert {"messages", "tool_calls", "file_changes", "fixes", "learnings", "session_annotations", "session_notes", "handoff_statements", "handoff_bundles",
            "restore_cards", "snapshot_requests", "snapshot_files", "records", "sessions"} <= stood  # fmt: skip
    gone = archive.json("forget", "--match", word, "--yes")
    assert places(archive.home, word) == []
    assert [(found["kind"], Path(found["path"]).name) for found in gone["elsewhere"]][:2] == [("transcript", f"{S}.jsonl"), ("draft", "SKILL.md")]
    archive.json("replay")
    archive.ingest()
    archive.json("index", "update")
    assert places(archive.home, word) == []
    assert archive.json("recall", word, "--all")["learnings"] == []


def test_people_are_told_whole_paths_and_how_much(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow terminal no path is cut; line numbers of transcripts, records of backups, `all` of a file that is told as a whole."""
    monkeypatch.setattr("cli.render.terminal_width", lambda: 72)
    fill(archive)
    archive.ingest()
    (archive.home / "backups").mkdir(mode=0o700)
    archive.json("backup", str(archive.home / "backups/old.db"))
    _, out, _ = archive.run("forget", "--match", SECRET, "--dry-run")
    told = "".join(part.strip() for part in out.splitlines())
    assert f"{archive.claude_path(S)}" in told.replace(" ", "") and f"{archive.home}/backups/old.db" in told.replace(" ", "")
    assert re.search(r"^transcript  1, 3 ", out, re.MULTILINE) and re.search(r"^backup      3 records ", out, re.MULTILINE)
    archive.write(archive.folder / f".claude/todos/{S}.json", b"[]")
    assert re.search(r"^host file +all ", archive.run("forget", S, "--dry-run")[1], re.MULTILINE)
