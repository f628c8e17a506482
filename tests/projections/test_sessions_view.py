"""The `sessions` view: what the sources said of a session, and totals over the other views."""

from pathlib import Path

from view_tables import Source, Tables, Told, digests_after

from journal.domain import MessageProduced, ProjectObserved, PromptSubmitted, SessionAnnotated, SessionEnded, SessionStarted, ToolCalled, UsageReported

TALK = [
    Told(1, "s0", (SessionStarted("headless", "2.1", resumed=True),), branch="main"),
    Told(2, "p1", (PromptSubmitted("Add  a\nparser"),), turn_id="p1", branch="main"),
    Told(3, "a1", (MessageProduced("assistant", "answer", "done", model="opus"), UsageReported("m1", "opus", 10, 4, 3, 2)), turn_id="p1"),
    Told(4, "a2", (ToolCalled("t1", "Bash", "ls"),), turn_id="p1"),
    Told(5, "e", (SessionEnded("exit"),)),
]


def test_a_session_row_holds_facts_and_totals(tmp_path: Path) -> None:
    """One prompt, one answer, one call and one response make this row."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", TALK))
    query = """SELECT host, project, title, branch, started_at, last_at, turns, messages, tool_calls, models, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, parent_session_id, kind, client_version, end_reason, resumed FROM sessions"""
    assert tables.rows(query) == [
        ("claude", "/w", "Add a parser", "main", "2026-01-01T00:00:02.000000Z", "2026-01-01T00:00:04.000000Z", 1, 2, 1,
         '["opus"]', 10, 4, 3, 2, None, "headless", "2.1", "exit", 1)
    ]  # fmt: skip


def test_a_host_title_wins_and_injected_text_is_never_one(tmp_path: Path) -> None:
    """The host's title stands before the first prompt; without either there is none."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [*TALK, Told(6, "n", (SessionAnnotated(title="Parser work"),))]))
    tables.feed(Source(2, "i", [Told(1, "x", (MessageProduced("user", "injected", "context"),))]))
    assert tables.rows("SELECT session_id, title FROM sessions ORDER BY 1") == [("i", None), ("s", "Parser work")]


def test_a_long_first_prompt_is_cut_at_80(tmp_path: Path) -> None:
    """A title is at most 80 characters and shows that it was cut."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [Told(1, "p", (PromptSubmitted("x" * 200),), turn_id="p")]))
    assert tables.rows("SELECT title FROM sessions") == [("x" * 79 + "…",)]


def test_a_session_that_went_on_after_its_end_has_not_ended(tmp_path: Path) -> None:
    """A prompt after an end takes the end back."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [*TALK, Told(6, "p2", (PromptSubmitted("more"),), turn_id="p2")]))
    assert tables.rows("SELECT end_reason, turns FROM sessions") == [(None, 2)]


def test_the_project_is_the_observed_repository(tmp_path: Path) -> None:
    """An observation that comes later moves the session to its repository, and its paths with it."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [Told(1, "p", (PromptSubmitted("hi"),), turn_id="p", cwd="/r/sub")]))
    tables.feed(Source(2, "", [Told(2, "o", (ProjectObserved("/r/sub", "/r/sub", "/r"),))], "journal"))
    assert tables.rows("SELECT project, cwd FROM sessions WHERE session_id = 's'") == [("/r", "/r/sub")]


def test_worktrees_and_wsl_paths_fold(tmp_path: Path) -> None:
    """Worktree folders belong to their repository, and letter case counts only outside /mnt/<letter>/ (D11, D14)."""
    tables = Tables(tmp_path)
    for number, cwd in enumerate(("/r/.claude/worktrees/x", "/r/.worktrees/y/src", "/mnt/c/Users/A", "/Home/A")):
        tables.feed(Source(number, f"s{number}", [Told(1, "p", (PromptSubmitted("hi"),), turn_id="p", cwd=cwd)]))
    assert tables.rows("SELECT project FROM sessions ORDER BY session_id") == [("/r",), ("/r",), ("/mnt/c/users/a",), ("/Home/A",)]


def test_facts_of_two_sources_agree_in_any_order(tmp_path: Path) -> None:
    """Between sources the latest fact wins, whichever source is read first."""
    later = Source(2, "s", [Told(9, "s1", (SessionStarted("interactive", "2.2"),), branch="dev")])
    first = digests_after(tmp_path, "a", [Source(1, "s", TALK), later])
    assert first == digests_after(tmp_path, "b", [later, Source(1, "s", TALK)])
    tables = Tables(tmp_path, "c")
    for source in (later, Source(1, "s", TALK)):
        tables.feed(source)
    assert tables.rows("SELECT kind, client_version, branch FROM sessions") == [("interactive", "2.2", "dev")]
