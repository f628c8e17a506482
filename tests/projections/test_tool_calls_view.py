"""The `tool_calls` and `file_changes` views: what was called, how it ended, and which files changed."""

from itertools import permutations
from pathlib import Path

from view_tables import Source, Tables, Told, digests_after

from journal.domain import FileChanged, PromptSubmitted, ToolCalled, ToolReturned

PROMPT = Told(1, "p", (PromptSubmitted("go"),), turn_id="p")


def test_a_call_and_its_result_are_one_row(tmp_path: Path) -> None:
    """The row holds the input, the outcome and both times."""
    tables = Tables(tmp_path)
    called = Told(2, "c", (ToolCalled("t1", "Bash", '{"command":"ls"}'),), turn_id="p")
    tables.feed(Source(1, "s", [PROMPT, called, Told(4, "r", (ToolReturned("t1", True, "no such file", 2, 1500),), turn_id="p")]))
    query = """SELECT tool_call_id, name, input_text, turn_id, is_error, exit_code, output_excerpt, output_chars, duration_ms,
        substr(occurred_at, 18, 2), substr(returned_at, 18, 2) FROM tool_calls"""
    assert tables.rows(query) == [("t1", "Bash", '{"command":"ls"}', "p", 1, 2, "no such file", 12, 1500, "02", "04")]


def test_an_excerpt_of_a_long_output_has_at_most_1000_characters(tmp_path: Path) -> None:
    """The head and the tail of an output stay, and its true length."""
    tables = Tables(tmp_path)
    output = "a" * 5000 + "z" * 5000
    tables.feed(Source(1, "s", [PROMPT, Told(2, "c", (ToolCalled("t1", "Bash", "x"), ToolReturned("t1", False, output)))]))
    excerpt, chars, length = tables.rows("SELECT output_excerpt, output_chars, length(output_excerpt) FROM tool_calls")[0]
    assert (excerpt[0], excerpt[-1], chars) == ("a", "z", 10000)
    assert length <= 1000


def test_input_and_output_are_redacted(tmp_path: Path) -> None:
    """A token that stands in a call or its output enters no row (H1)."""
    tables = Tables(tmp_path)
    token = "ghp_" + "a1B2" * 9
    told = Told(2, "c", (ToolCalled("t1", "Bash", f"echo {token}"), ToolReturned("t1", False, f"out {token}")))
    tables.feed(Source(1, "s", [PROMPT, told]))
    assert [text for text in tables.rows("SELECT input_text, output_excerpt FROM tool_calls")[0] if token in text] == []


def test_a_token_across_the_cut_of_an_excerpt_is_redacted(tmp_path: Path) -> None:
    """No part of a token survives where an output is cut inside it (H1)."""
    tables = Tables(tmp_path)
    token = "ghp_" + "a1B2" * 9
    output = "x" * 679 + " " + token + " " + "y" * 5000
    tables.feed(Source(1, "s", [PROMPT, Told(2, "c", (ToolCalled("t1", "Bash", "x"), ToolReturned("t1", False, output)))]))
    assert token[:12] not in tables.rows("SELECT output_excerpt FROM tool_calls")[0][0]


def test_paths_are_relative_to_the_project(tmp_path: Path) -> None:
    """Absolute and relative paths below the project are cut to it; others stay absolute."""
    tables = Tables(tmp_path)
    changes = (FileChanged("/w/src/a.py", "edit", 3, 1, "t1"), FileChanged("b.py", "add", 5, 0, "t2"), FileChanged("/etc/hosts", "write", None, None, "t3"))
    tables.feed(Source(1, "s", [PROMPT, Told(2, "c", changes, turn_id="p")]))
    query = "SELECT path, operation, lines_added, lines_removed FROM file_changes ORDER BY path"
    assert tables.rows(query) == [("/etc/hosts", "write", None, None), ("b.py", "add", 5, 0), ("src/a.py", "edit", 3, 1)]


def test_paths_differ_by_letter_case(tmp_path: Path) -> None:
    """A folder whose name differs from the project's by letter case alone lies outside it."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [PROMPT, Told(2, "c", (FileChanged("/W/a.py", "edit", 1, 1, "t1"),))]))
    assert tables.rows("SELECT path FROM file_changes") == [("/W/a.py",)]


def test_a_path_below_a_wsl_drive_is_relative_whatever_its_case(tmp_path: Path) -> None:
    """Where the project's letter case is folded, so is that of the paths compared with it (D11)."""
    tables = Tables(tmp_path)
    prompt = PROMPT._replace(cwd="/mnt/c/Users/A")
    tables.feed(Source(1, "s", [prompt, Told(2, "c", (FileChanged("/mnt/c/Users/A/x.py", "edit", 1, 1, "t1"),), cwd="/mnt/c/Users/A")]))
    assert tables.rows("SELECT path FROM file_changes") == [("x.py",)]


def test_a_result_tells_the_lines_that_its_call_did_not(tmp_path: Path) -> None:
    """A call and its result that tell one change are one row with the figures of the result."""
    tables = Tables(tmp_path)
    told = [Told(2, "c", (FileChanged("/w/a", "write", None, None, "t1"),)), Told(3, "r", (FileChanged("/w/a", "edit", 2, 1, "t1"),))]
    tables.feed(Source(1, "s", [PROMPT, *told]))
    assert tables.rows("SELECT path, operation, lines_added, lines_removed FROM file_changes") == [("a", "edit", 2, 1)]


def test_sources_that_tell_a_call_differently_agree_in_any_order(tmp_path: Path) -> None:
    """Two sources of one session give the same calls and changes whichever is read first."""
    sources = [
        Source(n, "s", [PROMPT, Told(2 + n, f"c{n}", (ToolCalled("t1", "Bash", f"x{n}"), ToolReturned("t1", False, f"out {n}"),
                                                   FileChanged("/w/a", "edit", n, 0, "t1")), turn_id="p")])
        for n in (1, 2)
    ]  # fmt: skip
    found = [digests_after(tmp_path, f"{n}.db", order) for n, order in enumerate(permutations(sources))]
    assert {view for view in found[0] if found[0][view] != found[1][view]} == set()
