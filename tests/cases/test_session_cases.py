"""Cases D and I: which records make a session, and which project and chain it belongs to."""

import random
from pathlib import Path
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude, codex, line, token_count, uuid

from ingest.claude import ADAPTER as CLAUDE
from journal.domain import SessionStarted, SourceFacts

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def test_d1_a_resume_in_a_new_file_is_linked_and_counts_nothing_twice(archive: Archive) -> None:
    """A new file that begins with copies under the old session id is a child of the old session."""
    old = [claude(1, S, "first prompt"), answer(2, S, "first answer", "m1")]
    archive.write(archive.claude_path(S), *old)
    archive.write(archive.claude_path(T), *old, claude(3, T, "second prompt"), answer(4, T, "second answer", "m2"))
    archive.ingest()
    sessions = archive.sessions()
    assert sessions[T]["parent_session_id"] == S
    assert [(sessions[s]["messages"], sessions[s]["output_tokens"]) for s in (S, T)] == [(2, 5), (2, 5)]
    assert len(archive.hits("first")) == 2


def test_d1_an_appended_resume_is_the_same_session_and_a_resumed_event(archive: Archive) -> None:
    """The record of a SessionStart hook with `resume` in the same file: one session, nothing counted twice, and the event says so."""
    hook = {"type": "hook_success", "hookName": "SessionStart:resume", "hookEvent": "SessionStart", "content": "", "toolUseID": "t", "exitCode": 0}
    archive.write(archive.claude_path(S), claude(1, S, "first prompt"), answer(2, S, "first answer", "m1", parentUuid=uuid(1)))
    archive.ingest()
    assert archive.rows("views.db", "SELECT session_id, resumed FROM sessions") == [(S, 0)]
    resumed = claude(3, S, "", type="attachment", attachment=hook, parentUuid=uuid(2))
    del resumed["message"]
    archive.write(archive.claude_path(S), {"type": "queue-operation", "operation": "dequeue", "sessionId": S}, resumed,
                  claude(4, S, "second prompt", parentUuid=uuid(3)), answer(5, S, "second answer", "m2", parentUuid=uuid(4)), append=True)  # fmt: skip
    archive.ingest()
    assert archive.rows("views.db", "SELECT session_id, resumed, turns, messages, output_tokens, parent_session_id FROM sessions") == [(S, 1, 2, 4, 10, None)]
    events = [event for one in CLAUDE.decode(SourceFacts("claude", f"/x/{S}.jsonl", S), resumed) for event in one.events]
    assert events == [SessionStarted(client_version="2.1.332", resumed=True)]


def test_d3_two_writers_keep_both_branches(archive: Archive) -> None:
    """Two answers to one prompt, then both go on in turns: both are kept, the last written one is the chain, and a warning says that two wrote."""
    archive.write(archive.claude_path(S), claude(1, S, "question"),
                  answer(2, S, "branchleft", "m1", parentUuid=uuid(1)), answer(3, S, "branchright", "m2", parentUuid=uuid(1)),
                  claude(4, S, "leftprompt", parentUuid=uuid(2)), claude(5, S, "rightprompt", parentUuid=uuid(3)),
                  answer(6, S, "leftend", "m3", parentUuid=uuid(4)), answer(7, S, "rightend", "m4", parentUuid=uuid(5)))  # fmt: skip
    archive.ingest()
    words = ("question", "branchleft", "branchright", "leftprompt", "rightprompt", "leftend", "rightend")
    assert [len(archive.hits(word)) for word in words] == [1] * 7
    session = archive.sessions()[S]
    assert (session["messages"], session["turns"], session["output_tokens"], session["concurrent_strands"]) == (7, 3, 20, 2)
    strands = "SELECT strand, follows_record_id, first_record_id, leaf_record_id, responses, is_concurrent, is_chain FROM session_strands"
    assert archive.rows("views.db", f"{strands} ORDER BY strand") == [(1, None, uuid(1), uuid(6), 2, 1, 0), (2, uuid(1), uuid(3), uuid(7), 2, 1, 1)]
    assert archive.rows("views.db", "SELECT count(*) FROM messages WHERE dropped_by IS NOT NULL") == [(0,)]
    assert archive.rows("views.db", "SELECT strand, text FROM messages ORDER BY strand, global_position") == [
        (1, "question"), (1, "branchleft"), (1, "leftprompt"), (1, "leftend"), (2, "branchright"), (2, "rightprompt"), (2, "rightend")]
    status, _, said = archive.run("status")
    assert status == 0
    assert f"warning: several processes wrote the transcript of session {S} at once: 2 strands; the chain is the one with the leaf {uuid(7)}" in said
    assert archive.json("status")["concurrent"] == [{"session_id": S, "strands": 2, "leaf_record_id": uuid(7)}]
    assert "ended, several writers" in archive.run("sessions", "--all")[1]


def test_d3_a_compaction_of_one_writer_stays_on_its_strand(archive: Archive) -> None:
    """The boundary has no parent, and stands behind a record of the other writer: the record that it names tells whose it is."""
    boundary = claude(8, S, "", type="system", subtype="compact_boundary", logicalParentUuid=uuid(6), compactMetadata={"trigger": "auto", "preTokens": 9000})
    del boundary["message"]
    archive.write(archive.claude_path(S), claude(1, S, "question"),
                  answer(2, S, "left", "m1", parentUuid=uuid(1)), answer(3, S, "right", "m2", parentUuid=uuid(1)),
                  claude(4, S, "leftprompt", parentUuid=uuid(2)), claude(5, S, "rightprompt", parentUuid=uuid(3)),
                  answer(6, S, "leftend", "m3", parentUuid=uuid(4)), answer(7, S, "rightend", "m4", parentUuid=uuid(5)),
                  boundary, claude(9, S, "summary", parentUuid=uuid(8), isCompactSummary=True), answer(10, S, "after", "m5", parentUuid=uuid(9)),
                  claude(11, S, "rightmore", parentUuid=uuid(7)), answer(12, S, "rightlast", "m6", parentUuid=uuid(11)))  # fmt: skip
    archive.ingest()
    rows = archive.rows("views.db", "SELECT strand, leaf_record_id, responses, is_concurrent, is_chain FROM session_strands ORDER BY strand")
    assert rows == [(1, uuid(10), 3, 1, 0), (2, uuid(12), 3, 1, 1)]
    assert archive.rows("views.db", "SELECT text FROM messages WHERE strand = 1 ORDER BY global_position") == [
        ("question",), ("left",), ("leftprompt",), ("leftend",), ("summary",), ("after",)]


def test_d3_the_chain_moves_with_the_writer_who_writes_last(archive: Archive) -> None:
    """What one writer appends later makes its strand the chain, read line by line or at once."""
    path = archive.claude_path(S)
    archive.write(path, claude(1, S, "question"), answer(2, S, "left", "m1", parentUuid=uuid(1)))
    records = (answer(3, S, "right", "m2", parentUuid=uuid(1)), claude(4, S, "more", parentUuid=uuid(2)), answer(5, S, "end", "m3", parentUuid=uuid(4)))
    chain = []
    for record in records:
        archive.write(path, record, append=True)
        archive.ingest()
        chain += archive.rows("views.db", "SELECT leaf_record_id FROM session_strands WHERE is_chain")
    assert chain == [(uuid(3),), (uuid(4),), (uuid(5),)]
    assert archive.json("replay", "--verify")["verified"] is True


def test_d7_a_compaction_keeps_one_session_and_its_summary_is_no_prompt(archive: Archive) -> None:
    """A compact_boundary without parent and a dangling logical parent split nothing."""
    boundary = claude(3, S, "", type="system", subtype="compact_boundary", logicalParentUuid=uuid(77),
                      compactMetadata={"trigger": "auto", "preTokens": 9000, "postTokens": 300})
    archive.write(archive.claude_path(S), claude(1, S, "u1"), answer(2, S, "a1", "m1"), boundary,
                  claude(4, S, "the summary", isCompactSummary=True), claude(5, S, "u2"))
    archive.ingest()
    assert archive.sessions()[S]["turns"] == 2
    assert archive.rows("views.db", "SELECT trigger, pre_tokens, post_tokens FROM compactions") == [("auto", 9000, 300)]


def test_d8_the_project_comes_from_the_record_not_from_the_folder(archive: Archive) -> None:
    """Two sessions in one slug folder with different working directories have different projects."""
    archive.write(archive.claude_path(S, "-home-dev-a-b"), claude(1, S, "x", cwd="/home/dev/a-b"))
    archive.write(archive.claude_path(T, "-home-dev-a-b"), claude(2, T, "y", cwd="/home/dev/a/b"))
    archive.ingest()
    assert {s: row["project"] for s, row in archive.sessions().items()} == {S: "/home/dev/a-b", T: "/home/dev/a/b"}


def in_folders(archive: Archive, session: str, *cwds: str) -> None:
    """Write a Codex thread that begins in the first folder and goes on in the others."""
    later: list[tuple[str, dict[str, Any]]] = [("turn_context", {"cwd": cwd, "model": "gpt-5.5"}) for cwd in cwds]
    said = ("event_msg", {"type": "user_message", "message": f"hello {session}"})
    archive.write(archive.codex_path(session), codex(session, [*later[:1], said, *later[1:], said], {"cwd": cwds[0]}).replace(CWD.encode(), cwds[0].encode()))


def test_d11_letter_case_is_folded_only_under_mnt(archive: Archive) -> None:
    """`/mnt/c/Users` and `/mnt/c/users`, in one session or two, are one project; other paths, also other folders of /mnt, keep their case."""
    ids = [S.replace("a", letter) for letter in "abcdef"]
    in_folders(archive, ids[0], "/mnt/c/Users/x", "/mnt/c/users/x")
    in_folders(archive, ids[1], "/mnt/c/users/x")
    for session, cwd in zip(ids[2:], ("/home/Dev/x", "/home/dev/x", "/mnt/data/X", "/mnt/data/x"), strict=True):
        in_folders(archive, session, cwd)
    archive.ingest()
    projects = {session: row["project"] for session, row in archive.sessions().items()}
    assert projects == dict(zip(ids, ("/mnt/c/users/x", "/mnt/c/users/x", "/home/Dev/x", "/home/dev/x", "/mnt/data/X", "/mnt/data/x"), strict=True))
    assert archive.rows("views.db", f"SELECT DISTINCT project FROM session_folders WHERE session_id = '{ids[0]}'") == [("/mnt/c/users/x",)]
    assert archive.rows("views.db", f"SELECT cwd FROM sessions WHERE session_id = '{ids[0]}'") == [("/mnt/c/Users/x",)]


def test_d12_a_path_and_a_link_to_it_are_one_project(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One session in a folder and one in a link to it have one project, keep the path as recorded, and both places list both."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    archive.write(archive.claude_path(S, "-real"), claude(1, S, "x", cwd=str(real)))
    archive.write(archive.claude_path(T, "-link"), claude(2, T, "y", cwd=str(link)))
    archive.ingest()
    assert {session: row["project"] for session, row in archive.sessions().items()} == {S: str(real), T: str(real)}
    assert archive.rows("views.db", "SELECT session_id, cwd FROM sessions ORDER BY 1") == [(S, str(real)), (T, str(link))]
    for place in (real, link):
        monkeypatch.chdir(place)
        monkeypatch.setenv("PWD", str(place))
        assert sorted(row["session_id"] for row in archive.json("sessions")["sessions"]) == [S, T]


def test_d12_a_link_to_what_is_gone_keeps_its_own_path(archive: Archive) -> None:
    """Where no folder is left to follow to, the recorded string is the project."""
    archive.write(archive.claude_path(S), claude(1, S, "x", cwd="/a/link"))
    archive.write(archive.claude_path(T), claude(2, T, "y", cwd="/a/real"))
    archive.ingest()
    assert {session: row["project"] for session, row in archive.sessions().items()} == {S: "/a/link", T: "/a/real"}


def test_d14_worktrees_fold_into_their_repository(archive: Archive) -> None:
    """A removed `.claude/worktrees/NAME` belongs to the repository above it."""
    archive.write(archive.claude_path(S), claude(1, S, "x", cwd="/r/.claude/worktrees/elastic-x"))
    archive.ingest()
    assert archive.sessions()[S]["project"] == "/r"
    assert archive.rows("views.db", "SELECT cwd, project FROM session_folders") == [("/r/.claude/worktrees/elastic-x", "/r")]
    archive.write(archive.claude_path(T), claude(2, T, "y", cwd="/r"))
    archive.ingest()
    assert {row["project"] for row in archive.sessions().values()} == {"/r"}


def test_d16_a_root_named_twice_counts_once(archive: Archive) -> None:
    """The same home under two names, one of them a symlink, is read once."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    (archive.folder / "alias").symlink_to(archive.folder / ".claude")
    report = archive.json("ingest", "--root", f"claude={archive.folder / '.claude'}", "--root", f"claude={archive.folder / 'alias'}")
    assert report["events"] == 1


def test_i4_times_that_run_backwards_keep_file_order(archive: Archive) -> None:
    """A later line with an earlier time stays later."""
    archive.write(archive.claude_path(S), claude(9, S, "laterfirst"), claude(3, S, "earliersecond"))
    archive.ingest()
    assert archive.sessions()[S]["turns"] == 2


def test_i4_the_last_usage_is_the_last_by_position(archive: Archive) -> None:
    """The later answer has the earlier time: what it used is in the context."""
    usage = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 7}
    archive.write(archive.claude_path(S), claude(1, S, "go"), answer(9, S, "first", "m1", {"input_tokens": 100, **usage}),
                  answer(3, S, "second", "m2", {"input_tokens": 9000, **usage}))  # fmt: skip
    archive.ingest()
    assert archive.rows("views.db", "SELECT used_tokens FROM context_state") == [(9007,)]
    assert [text for (text,) in archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position")] == ["go", "first", "second"]


def test_two_logs_of_the_same_files_agree(archive: Archive) -> None:
    """Live tailing in any order and one import of the finished files give the same digests."""
    rng = random.Random(5)
    files = {archive.claude_path(s): [line(claude(n, s, f"prompt {n} {s[:4]}")) if n % 2 else line(answer(n, s, f"answer {n}", f"m{s[:2]}{n}"))
                                      for n in range(start, start + 12)] for s, start in ((S, 1), (T, 50))}
    files[archive.codex_path(S[::-1])] = codex("c" * 8 + "-0000-4000-8000-000000000003",
                                               [("event_msg", {"type": "user_message", "message": "hey"}),
                                                token_count((10, 0, 5, 0), (10, 0, 5, 0))]).splitlines(keepends=True)
    archive.home = archive.folder / "live"
    left = {path: list(lines) for path, lines in files.items()}
    while any(left.values()):
        path = rng.choice([path for path, lines in left.items() if lines])
        for _ in range(min(len(left[path]), rng.randrange(1, 4))):
            archive.write(path, left[path].pop(0), append=True)
        archive.ingest()
    live = archive.digests()
    archive.home = archive.folder / "import"
    archive.ingest()
    assert archive.digests() == live
    assert archive.json("replay", "--verify")["verified"] is True


def test_a_move_that_changes_the_order_of_a_sessions_files_leaves_the_views_as_a_replay_makes_them(archive: Archive) -> None:
    """Two files of one session disagree; the first by name is moved behind the other: the other's words count now, live and replayed."""
    session = "5b0e6f1c-0000-4000-8000-0000000000aa"
    first = archive.write(archive.claude_path(session, "-a"), claude(1, session, "first words"))
    archive.write(archive.claude_path(session, "-b"), claude(1, session, "other words"))
    archive.ingest()
    said = "SELECT text FROM messages WHERE kind = 'prompt'"
    assert archive.rows("views.db", said) == [("first words",)]
    moved = archive.claude_path(session, "-c")
    moved.parent.mkdir(parents=True)
    first.rename(moved)
    archive.ingest()
    assert archive.rows("views.db", said) == [("other words",)]
    assert archive.run("replay", "--verify")[0] == 0


def test_the_list_is_of_a_project_a_host_and_a_time(archive: Archive) -> None:
    """--project, --host, --since and --until narrow the list, with --all or without; a project that there is not is an error."""
    archive.write(archive.claude_path(S), claude(1, S, "early"), claude(2, S, "late", timestamp="2026-12-01T10:00:00.000Z"))
    archive.write(archive.codex_path(T), codex(T, [("event_msg", {"type": "user_message", "message": "hello"})]))
    archive.ingest()

    def listed(*words: str) -> list[str]:
        return [row["session_id"] for row in archive.json("sessions", *words)["sessions"]]

    assert listed("--all") == listed("--project", "proj") == listed("--project", CWD, "--all") == [S, T]
    assert listed("--all", "--host", "codex") == listed("--project", "proj", "--host", "codex") == [T]
    assert listed("--all", "--since", "2026-12-01", "--timezone", "UTC") == [S]
    assert listed("--all", "--until", "2026-11-29") == []
    assert listed("--all", "--since", "2026-11-30T10:00", "--until", "2026-11-30", "--timezone", "UTC") == [S, T]
    assert archive.run("sessions", "--project", "nowhere")[0] == 4
    assert "no sessions of that host and time" in archive.run("sessions", "--all", "--host", "gemini")[2]
