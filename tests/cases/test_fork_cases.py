"""`journal fork detect` over whole archives: found by words, explained, checked against the repository of today."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude, codex

A, B, C = (f"aaaaaaaa-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
X = "bbbbbbbb-0000-4000-8000-000000000001"
TASK = "modify the /fork command"
RAN = "<command-message>fork is running…</command-message>\n<command-name>/fork</command-name>\n<command-args>modify the fork command</command-args>"


def edited(number: int, session: str, path: str, text: str, **fields: Any) -> list[dict[str, Any]]:
    """Return an answer that edits a file, and the tool's result."""
    call = answer(number, session, "", f"e{number}", **fields)
    call["message"]["content"] = [{"type": "tool_use", "id": f"toolu_{number}", "name": "Edit",
                                   "input": {"file_path": path, "old_string": "a", "new_string": text}}]
    back = claude(number + 1, session, "", message={"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "ok"}]},
        toolUseResult={"filePath": path, "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", f"+{text}"]}]},
        **fields)  # fmt: skip
    return [call, back]


def two(archive: Archive) -> None:
    """Write a session that implemented /fork, and a newer one that only ran it, twice."""
    archive.write(archive.claude_path(A), claude(1, A, "Implement the /fork command: it copies a session and modifies its id."),
                  *edited(2, A, f"{CWD}/commands/fork.md", "The fork command copies the session"),
                  answer(4, A, "The fork command is implemented; I modified the parser of commands for it.", "m1"))  # fmt: skip
    archive.write(archive.claude_path(B), claude(100, B, RAN), claude(101, B, "/fork modify command"), answer(102, B, "Forked.", "m2"))
    archive.ingest()


@pytest.mark.parametrize("scoring", ["default", "classic"])
def test_k9_implementing_ranks_above_running_by_words_alone(archive: Archive, scoring: str) -> None:
    """Without any index the session that built /fork is first, and it is said that only words were looked for."""
    two(archive)
    found = archive.json("fork", "detect", TASK, "--all", "--scoring", scoring)
    assert found["results"][0]["session_id"] == A
    assert (found["scoring"], found["mode"]) == (scoring, "lexical")
    assert found["why"].startswith("only words were looked for: ")


def test_k1_a_line_per_session_with_what_to_paste(archive: Archive) -> None:
    """Score, session, title; the line that primes from it; the host's own fork."""
    two(archive)
    _, out, err = archive.run("fork", "detect", TASK, "--all", "--explain")
    lines = out.splitlines()
    assert lines[0].startswith("[0.") and f'] {A} - "Implement the /fork command' in lines[0]
    assert f"    journal fork prime {A}" in lines
    assert f"    cd {CWD} && claude --resume {A} --fork-session" in lines
    assert any("relevance 0." in line and "lexical 0." in line and "recency" in line for line in lines)
    assert any("by words (prompt): Implement the /fork command" in line for line in lines)
    assert "only words were looked for: " in err


def test_a_fork_is_told_with_its_parts_and_its_newest_session(archive: Archive) -> None:
    """Title, parts, drift and command of the contract; a session that was continued names the newest of its chain."""
    two(archive)
    archive.write(archive.claude_path(X), claude(200, X, "go on with the release"), answer(201, X, "yes", "m8"))
    archive.ingest()
    archive.json("resume", A, "--into", X)
    first = archive.json("fork", "detect", TASK, "--all")["results"][0]
    assert {"session_id", "title", "score", "parts", "drift", "command"} <= set(first)
    assert (first["session_id"], first["position"], first["heads"]) == (A, "tail", [X])
    assert first["context"] == {"used_tokens": 15, "window_tokens": 1000000, "left_tokens": 999985, "left_percent": 100.0}
    assert first["category"] == "feature"


def test_identifiers_paths_and_error_codes_are_found_by_words(archive: Archive) -> None:
    """A path, an error code and a name with underscores each lead to the session that has them; Japanese too."""
    texts = {A: "The retry in lock_holder.py raised EADDRINUSE", B: "日本語の検索を直した", C: "unrelated words of a summary"}
    for number, (session, text) in enumerate(texts.items()):
        archive.write(archive.claude_path(session), claude(10 * number, session, text), answer(10 * number + 1, session, "done", f"m{number}"))
    archive.ingest()
    for task, session in (("EADDRINUSE", A), ("lock_holder.py", A), ("検索", B)):
        assert [one["session_id"] for one in archive.json("fork", "detect", task, "--all")["results"]] == [session], task


def test_what_a_sub_agent_did_speaks_for_its_session_and_copies_count_once(archive: Archive) -> None:
    """The sub-agent's own session is no result; a fork does not double what it copied."""
    old = [claude(1, A, "Look into the parser"), answer(2, A, "Asked an agent.", "m1")]
    archive.write(archive.claude_path(A), *old)
    side = archive.claude_path(A).parent / A / "subagents" / "agent-a1.jsonl"
    archive.write(side, claude(3, A, "find the zebra migration", isSidechain=True, agentId="a1"),
                  answer(4, A, "The zebra migration is in db.py", "m2", isSidechain=True, agentId="a1"))  # fmt: skip
    archive.write(archive.claude_path(B), *[row | {"sessionId": B} for row in old], claude(5, B, "other things"), answer(6, B, "yes", "m3"))
    archive.ingest()
    assert [one["session_id"] for one in archive.json("fork", "detect", "zebra migration", "--all")["results"]] == [A]
    assert [one["session_id"] for one in archive.json("fork", "detect", "look into parser", "--all")["results"]] == [A]


def test_the_asking_session_and_another_project_are_left_out(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session that asks holds the words of the task itself; other projects come with --all."""
    two(archive)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", A)
    assert A not in [one["session_id"] for one in archive.json("fork", "detect", TASK, "--all")["results"]]
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    _, out, err = archive.run("fork", "detect", TASK)
    assert (out, "try: journal fork detect --all" in err) == ("", True)


def test_the_question_itself_put_to_an_agent_is_no_evidence(archive: Archive) -> None:
    """A prompt of this minute that holds the task is left out whatever the host; the same words of an earlier day are not."""
    from cli.wiring import now

    task = "tame the zebra lock"
    archive.write(archive.claude_path(A), claude(1, A, f"Please {task} today"), answer(2, A, "Tamed.", "m1"))
    archive.write(archive.claude_path(B), claude(3, B, f"Which session knows how to {task}?", timestamp=now()))
    archive.ingest()
    assert [one["session_id"] for one in archive.json("fork", "detect", task, "--all")["results"]] == [A]


def git(folder: Path, *words: str) -> None:
    """Run git in *folder* as nobody in particular."""
    environ = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_DATE": "2026-12-01T10:00:00Z", "GIT_COMMITTER_DATE": "2026-12-01T10:00:00Z"}
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True, capture_output=True, env=environ)


def test_kw9_drift_tells_which_of_its_files_changed_or_are_gone(archive: Archive, tmp_path: Path) -> None:
    """A commit after the session that changes one of its three files and removes another: high; before any commit: none."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    for name in ("lock.py", "gone.py", "same.py"):
        (repo / name).write_text("a\n")
    git(repo, "add", ".")
    environ = {"GIT_COMMITTER_DATE": "2026-11-30T09:00:00Z", "GIT_AUTHOR_DATE": "2026-11-30T09:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"], check=True, env=os.environ | environ)
    rows = [row for number, name in enumerate(("lock.py", "gone.py", "same.py")) for row in edited(2 + 2 * number, A, str(repo / name), "b", cwd=str(repo))]
    archive.write(archive.claude_path(A), claude(1, A, "Take the zebra lock once", cwd=str(repo)), *rows, answer(9, A, "Done.", "m9", cwd=str(repo)))
    archive.ingest()
    drift = archive.json("fork", "detect", "zebra lock", "--all")["results"][0]["drift"]
    assert (drift["status"], drift["commits"], drift["files"]) == ("none", 0, 3)
    (repo / "lock.py").write_text("c\n")
    (repo / "gone.py").unlink()
    git(repo, "commit", "-qam", "two")
    drift = archive.json("fork", "detect", "zebra lock", "--all")["results"][0]["drift"]
    assert drift == {"status": "high", "why": "1 commit since; 2 of its 3 files changed or gone", "commits": 1, "files": 3,
                     "changed": ["lock.py"], "gone": ["gone.py"]}  # fmt: skip


def test_a_session_of_each_host_is_told_with_its_own_command(archive: Archive) -> None:
    """Codex forks by its own command."""
    archive.write(archive.codex_path(X), codex(X, [("event_msg", {"type": "user_message", "message": "tame the zebra lock"})]))
    archive.ingest()
    first = archive.json("fork", "detect", "zebra lock", "--all")["results"][0]
    assert (first["command"], first["resume"]) == (f"cd {CWD} && codex fork {X}", f"cd {CWD} && codex resume {X}")
