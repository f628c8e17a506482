"""The `usage` view: each response's tokens once, running totals by their differences."""

from pathlib import Path

from view_tables import Source, Tables, Told, digests_after

from journal.domain import SessionLinked, UsageReported, UsageTotalReported

USED = "SELECT session_id, input_tokens, output_tokens FROM usage WHERE counted AND NOT is_copy ORDER BY 1, occurred_at, 2"
Figures = tuple[int, int, int, int, int]


def total(second: int, figures: Figures, last: Figures | None = None) -> Told:
    """Tell a running total."""
    return Told(second, f"t{second}", (UsageTotalReported("gpt", figures, last),))


def test_streamed_reports_of_a_response_count_by_the_largest_of_each_field(tmp_path: Path) -> None:
    """9, 9 and 159 output tokens of one response are one row of 159, told at the first time (C1)."""
    tables = Tables(tmp_path)
    told = [Told(n, f"r{n}", (UsageReported("m1", "opus", 5, out, 7, 2),)) for n, out in ((1, 9), (2, 159), (3, 9))]
    tables.feed(Source(1, "s", told))
    query = "SELECT response_id, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, occurred_at FROM usage"
    assert tables.rows(query) == [("m1", "opus", 5, 159, 7, 2, "2026-01-01T00:00:01.000000Z")]


def test_all_zero_usage_makes_no_row(tmp_path: Path) -> None:
    """A report of nothing but zeros is ignored."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [Told(1, "r", (UsageReported("m1", None, 0, 0),))]))
    assert tables.rows("SELECT * FROM usage") == []


def test_equal_totals_add_nothing(tmp_path: Path) -> None:
    """Totals 1000, 1000, 1000, 3300 count 1000 and 2300 (C9)."""
    tables = Tables(tmp_path)
    totals = ((1, 1000), (2, 1000), (3, 1000), (4, 3300))
    tables.feed(Source(1, "s", [total(n, (value, 0, 0, 0, 0), (1000, 0, 0, 0, 0)) for n, value in totals], "codex"))
    assert tables.rows(USED) == [("s", 1000, 0), ("s", 2300, 0)]


def test_a_total_that_falls_began_anew(tmp_path: Path) -> None:
    """After a fall the last response's own figures count."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [total(1, (900, 90, 0, 0, 0)), total(2, (40, 4, 0, 0, 0), (30, 3, 0, 0, 0))], "codex"))
    assert tables.rows(USED) == [("s", 900, 90), ("s", 30, 3)]


def test_a_declared_fork_does_not_count_its_parents_total(tmp_path: Path) -> None:
    """The first total of a fork counts by its last response, the next by the difference."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "p", [total(1, (1000, 10, 0, 0, 0))], "codex"))
    link = Told(2, "0", (SessionLinked("fork", "c", "p", "forked_from_id"),))
    child = [link, total(3, (1200, 12, 0, 0, 0), (200, 2, 0, 0, 0)), total(4, (1500, 15, 0, 0, 0), (300, 3, 0, 0, 0))]
    tables.feed(Source(2, "c", child, "codex"))
    assert tables.rows(USED) == [("c", 200, 2), ("c", 300, 3), ("p", 1000, 10)]


def test_equal_totals_of_unrelated_sessions_both_count(tmp_path: Path) -> None:
    """Two sessions that start with the total 14,023 count it each (C13)."""
    tables = Tables(tmp_path)
    for number, session in ((1, "a"), (2, "b")):
        tables.feed(Source(number, session, [total(1, (14023, 0, 0, 0, 0))], "codex"))
    assert tables.rows(USED) == [("a", 14023, 0), ("b", 14023, 0)]


def test_a_history_copied_into_a_declared_fork_counts_once(tmp_path: Path) -> None:
    """Legacy Codex copied the parent's totals into the fork: only what the fork added is its own."""
    tables = Tables(tmp_path)
    history = [total(1, (1000, 0, 0, 0, 0), (1000, 0, 0, 0, 0)), total(2, (3300, 0, 0, 0, 0), (2300, 0, 0, 0, 0))]
    tables.feed(Source(1, "p", history, "codex"))
    link = Told(0, "0", (SessionLinked("fork", "c", "p", "forked_from_id"),))
    tables.feed(Source(2, "c", [link, *history, total(3, (5000, 0, 0, 0, 0), (1700, 0, 0, 0, 0))], "codex"))
    assert tables.rows(USED) == [("c", 1700, 0), ("p", 1000, 0), ("p", 2300, 0)]


def test_totals_do_not_count_beside_responses(tmp_path: Path) -> None:
    """Where a session's responses report their own usage, its totals stay as rows that do not count."""
    tables = Tables(tmp_path)
    tables.feed(Source(1, "s", [Told(1, "0", (UsageReported("resp", "gpt", 10, 1),)), total(2, (10, 1, 0, 0, 0))], "codex"))
    assert tables.rows("SELECT response_id, counted FROM usage ORDER BY 1") == [("resp", 1), ("total:10.1.0.0.0", 0)]


def test_two_sources_of_a_session_agree_in_any_order(tmp_path: Path) -> None:
    """Reports that differ between the sources of one session give the same rows whichever is read first."""
    one = Source(1, "s", [Told(1, "r", (UsageReported("m", "opus", 5, 9),), turn_id="t1")])
    two = Source(2, "s", [Told(2, "r", (UsageReported("m", "opus-5", 5, 7),), turn_id="t2")])
    assert digests_after(tmp_path, "a", [one, two])["usage"] == digests_after(tmp_path, "b", [two, one])["usage"]
