"""Chains of sessions, resuming them, and what they were about: `chain`, `tree`, `resume`, `annotate` and `registry`."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from archive import CWD, Archive, answer, claude, codex

from cli.wiring import now
from journal import inbox
from journal.home import Home
from projections.lineage import Lineage, Link

A, B, C = (f"aaaaaaaa-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
X = "bbbbbbbb-0000-4000-8000-000000000001"


def three(archive: Archive) -> None:
    """Write A, its fork B, and B's fork C, with the history copied as Claude Code does."""
    old = [claude(1, A, "implement the lock"), answer(2, A, "done with the lock", "m1")]
    more = [claude(3, B, "now test it"), answer(4, B, "tested", "m2")]
    archive.write(archive.claude_path(A), *old)
    archive.write(archive.claude_path(B), *[row | {"sessionId": B} for row in old], *more)
    archive.write(archive.claude_path(C), *[row | {"sessionId": C} for row in (*old, *more)], claude(5, C, "document it"), answer(6, C, "written", "m3"))
    archive.ingest()


def test_kw1_of_a_chain_the_newest_is_the_head_and_the_oldest_the_tail(archive: Archive) -> None:
    """A→B→C: A is the tail, B the middle, C the head; a session without links is alone."""
    three(archive)
    archive.write(archive.claude_path(X), claude(20, X, "something else"), answer(21, X, "yes", "m9"))
    archive.ingest()
    found = archive.json("chain", B)
    assert [(one["session_id"], one["position"]) for one in found["chain"]] == [(A, "tail"), (B, "middle"), (C, "head")]
    assert found["heads"] == [C]
    assert [(one["continued_from"], one["continued_as"]) for one in found["chain"]] == [([], [B]), ([A], [C]), ([B], [])]
    assert [one["position"] for one in archive.json("chain", X)["chain"]] == ["alone"]


def test_kw1_a_session_that_was_forked_twice_has_two_heads() -> None:
    """Both copies are the newest of their way; sessions that name each other in a circle end it."""
    lineage = Lineage([Link("b", "a", "fork", "e", "2"), Link("c", "a", "fork", "e", "1"), Link("s", "a", "subagent", "e", "1")])
    assert lineage.heads("a") == ["c", "b"] or lineage.heads("a") == ["b", "c"]
    assert [(one.session_id, one.position) for one in lineage.chain("b")] == [("a", "tail"), ("c", "head"), ("b", "head")]
    circle = Lineage([Link("x", "y", "resume", "e", None), Link("y", "x", "resume", "e", None)])
    assert sorted(one.session_id for one in circle.chain("x")) == ["x", "y"]


def test_the_tree_shows_each_session_below_the_one_it_came_from(archive: Archive) -> None:
    """One line per session, indented by its links."""
    three(archive)
    found = archive.json("tree", C)["trees"]
    assert [(one["session_id"], one["depth"]) for one in found[0]["sessions"]] == [(A, 0), (B, 1), (C, 2)]
    assert archive.json("tree", "--all")["trees"] == found
    _, out, _ = archive.run("tree", C)
    assert out.splitlines()[2].startswith(f"    {C} fork: ")


@pytest.mark.parametrize(("host", "words"), [
    ("claude", ["claude", "--resume", A]), ("codex", ["codex", "resume", X]),
])  # fmt: skip
def test_k15_resume_prints_the_hosts_own_command(archive: Archive, host: str, words: list[str]) -> None:
    """Ready to paste: into the session's folder, then the host's words."""
    archive.write(archive.claude_path(A), claude(1, A, "hello"), answer(2, A, "yes", "m1"))
    archive.write(archive.codex_path(X), codex(X, [("event_msg", {"type": "user_message", "message": "hello"})]))
    archive.ingest()
    found = archive.json("resume", words[-1])
    assert (found["host"], found["words"], found["command"]) == (host, words, f"cd {CWD} && {shlex.join(words)}")
    assert archive.rows("views.db", "SELECT * FROM session_links") == []


def test_k15_a_host_without_forks_is_said_with_what_helps(archive: Archive) -> None:
    """A copy of a Gemini session cannot be continued; its context can be loaded."""
    from cli.forks.resuming import way

    assert way("claude", A, None, fork=True) == (("claude", "--resume", A, "--fork-session"), None)
    assert way("codex", A, None, fork=True) == (("codex", "fork", A), None)
    assert way("gemini", A, None, fork=True) is None
    assert way("copilot", A, None, fork=True) is None
    assert way("claude", f"{A}:agent", None) is None


def test_k15_a_resume_writes_the_link_down(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A→B→C by `--into`, one of them named by the host's own variable: the chain says continued_from and continued_as, after a replay too."""
    for number, session in ((1, A), (3, B), (5, C)):
        archive.write(archive.claude_path(session), claude(number, session, f"prompt {number}"), answer(number + 1, session, "yes", f"m{number}"))
    archive.ingest()
    assert archive.json("resume", A, "--into", B)["continued_as"] == B
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", C)
    assert archive.json("resume", B, "--into", "here")["continued_as"] == C
    archive.run("replay")
    found = archive.json("chain", A)["chain"]
    assert [(one["session_id"], one["continued_from"], one["continued_as"]) for one in found] == [(A, [], [B]), (B, [A], [C]), (C, [B], [])]
    assert {one["evidence"] for one in found[1:]} == {"journal resume --into"}
    status, _, err = archive.run("resume", C, "--into", C)
    assert (status, "cannot go on from itself" in err) == (2, True)


def test_k15_run_becomes_the_hosts_program_in_the_sessions_folder(archive: Archive, tmp_path: Path) -> None:
    """The program of the search path gets the words, in the folder, and its status is ours."""
    folder = tmp_path / "work tree"
    (tmp_path / "bin").mkdir()
    folder.mkdir()
    program = tmp_path / "bin/claude"
    program.write_text('#!/bin/sh\npwd\necho "$@"\nexit 7\n')
    program.chmod(0o755)
    archive.write(archive.claude_path(A), claude(1, A, "hello", cwd=str(folder)), answer(2, A, "yes", "m1", cwd=str(folder)))
    archive.ingest()
    environ = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-m", "journal", "resume", A, "--run"], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (7, f"{folder}\n--resume {A}\n")
    folder.rmdir()
    gone = subprocess.run([sys.executable, "-m", "journal", "resume", A, "--run"], env=environ, capture_output=True, text=True, check=False)
    assert (gone.returncode, "is gone" in gone.stderr, f"journal fork prime {A}" in gone.stderr) == (4, True, True)


def test_k16_kw8_summary_topics_and_category_are_derived_without_a_model(archive: Archive) -> None:
    """From the prompts, the files and the last answer; marked as derived, and never stale."""
    three(archive)
    found = archive.json("annotate", A)
    assert (found["title"], found["category"], found["source"], found["is_stale"]) == ("implement the lock", "feature", "derived", False)
    assert found["summary"] == "Asked: implement the lock\nEnded: done with the lock"
    assert found["topics"] == ["implement", "lock"]


@pytest.mark.parametrize(("prompt", "files", "category"), [
    ("Fix the crash in the parser when a line is empty", [("parser.py", 2), ("tests/test_parser.py", 1)], "bugfix"),
    ("Please fix add() in calc.py and add a test.", [("calc.py", 1), ("test_calc.py", 1)], "bugfix"),
    ("Rename Store to Archive everywhere and split the module", [("store.py", 5)], "refactor"),
    ("Document the settings in the README", [("README.md", 1), ("docs/settings.md", 2)], "docs"),
    ("Write tests for the lock", [("tests/test_lock.py", 4)], "test"),
    ("Why does the cache miss so often?", [], "research"),
    ("Set up the deploy pipeline", [(".github/workflows/deploy.yml", 3)], "ops"),
    ("Add an export to Markdown", [("export.py", 5), ("tests/test_export.py", 2)], "feature"),
])  # fmt: skip
def test_k16_the_category_follows_from_words_and_files(prompt: str, files: list[tuple[str, int]], category: str) -> None:
    """Each of the seven."""
    from projections.registry import Material, category_of

    assert category_of(Material(None, [prompt], None, files)) == category


def test_k17_an_annotation_goes_first_and_is_stale_once_the_session_went_on(archive: Archive) -> None:
    """Fields that were not annotated stay derived; `--stale` lists what is missing or outdated."""
    three(archive)
    said = archive.json("annotate", A, "--title", "The lock", "--category", "refactor")
    assert (said["title"], said["category"], said["source"], said["is_stale"]) == ("The lock", "refactor", "annotated", False)
    assert said["summary"].startswith("Asked: implement the lock")
    assert archive.sessions()[A]["title"] == "The lock"
    assert sorted(one["session_id"] for one in archive.json("registry", "--all", "--stale")["sessions"]) == [B, C]
    archive.json("annotate", A, "--summary", "Took it once.", "--topic", "locks")
    again = archive.json("annotate", A)
    assert (again["title"], again["summary"], again["topics"]) == ("The lock", "Took it once.", ["locks"])
    archive.write(archive.claude_path(A), claude(9, A, "more", timestamp="2999-01-01T00:00:00.000Z"), append=True)
    archive.ingest()
    stale = archive.json("registry", "--all", "--stale")["sessions"]
    assert (stale[0]["session_id"], stale[0]["source"], stale[0]["is_stale"]) == (A, "annotated", True)
    assert archive.json("registry", "--all")["total"] == 3


def test_kw7_annotations_at_the_same_time_lose_nothing(archive: Archive) -> None:
    """There is no shared file to write back: twelve annotations by twelve processes are twelve rows."""
    three(archive)
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    words = [sys.executable, "-m", "journal", "annotate", A, "--topic"]
    running = [subprocess.Popen([*words, f"topic{number}"], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(12)]
    for process in running:
        process.wait()
    archive.ingest()
    found = archive.rows("views.db", "SELECT topics FROM session_annotations")
    assert sorted(topics for (topics,) in found) == sorted(f'["topic{number}"]' for number in range(12))


def test_here_is_the_only_session_of_the_repository_whose_turn_is_open(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a host tells its tools nothing, the hooks do; two open turns are no answer, and no link is written."""
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    monkeypatch.delenv("CODEX_THREAD_ID", raising=False)
    folder = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    monkeypatch.chdir(folder)
    for number, session in ((1, A), (3, B), (5, C)):
        archive.write(archive.claude_path(session), claude(number, session, f"prompt {number}"), answer(number + 1, session, "yes", f"m{number}"))
    archive.ingest()

    def hook(session: str, role: str) -> None:
        place = {"root": str(folder), "branch": "main", "head": None}
        moment = now()
        inbox.append(Home(str(archive.home)), session, moment[:10], {"type": "journal.hook", "at": moment, "session_id": session, "role": role,
                                                                     "host": "gemini", "payload": {"cwd": str(folder)}, "checkout": place})  # fmt: skip

    for session, role in ((A, "prompt"), (A, "stop"), (B, "session-start"), (B, "prompt")):
        hook(session, role)
    assert archive.json("resume", A, "--into", "here")["continued_as"] == B
    hook(C, "prompt")
    _, _, err = archive.run("resume", A, "--into", "here")
    assert "several sessions of this folder can be the one" in err
    assert archive.rows("views.db", "SELECT child_session_id, parent_session_id FROM session_links") == [(B, A)]
