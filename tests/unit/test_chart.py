"""Charts of characters: the largest fills the width, something is never nothing, days without use are there."""

from cli.chart import bar, bars, chart, heat_map, short, sparks


def test_bars_fill_the_width() -> None:
    """The largest bar ends where its figure fits with a column to spare; half of it is half as long, a trace is one eighth."""
    assert bars([("a", 1000), ("bb", 500), ("c", 1), ("d", 0)], 20) == [
        "a  ███████████ 1.0K", "bb █████▌ 500", "c  ▏ 1", "d   0"]  # fmt: skip
    assert bar(0.5, 5) == "██▌"


def test_sparks_run_from_lowest_to_highest() -> None:
    """Nothing is the lowest, the largest the highest character."""
    assert sparks([0, 1, 4, 7]) == "▁▂▅█"
    assert sparks([0, 0]) == "▁▁"


def test_figures_stay_short() -> None:
    """Never six characters."""
    assert [short(value) for value in (0, 999, 1000, 9_949, 99_500, 999_499, 999_500, 10**9, 10**15)] == [
        "0", "999", "1.0K", "9.9K", "100K", "999K", "1.0M", "1.0G", "1000T"]  # fmt: skip


def test_days_without_use_show_in_the_sparks() -> None:
    """Three days of which the middle one has no row are three sparks."""
    rows = [{"key": "2026-01-01", "total_tokens": 7}, {"key": "2026-01-03", "total_tokens": 7}, {"key": "unknown", "total_tokens": 1}]
    assert chart("day", rows)[-1] == "2026-01-01 █▁█ 2026-01-03"


def test_keys_that_are_no_days_go_by_size() -> None:
    """The largest stands first, and a key of several models is one bar."""
    rows = [{"key": "a", "total_tokens": 1}, {"key": "b", "total_tokens": 2}, {"key": "a", "total_tokens": 3}]
    assert [line.split()[0] for line in chart("model", rows)] == ["a", "b"]


def test_heat_map_has_a_line_for_each_weekday() -> None:
    """Two columns for each hour; the largest is full, one is never blank."""
    grid = [[0] * 24 for _ in range(7)]
    grid[0][23], grid[6][0] = 100, 1
    lines = heat_map(grid)
    assert (len(lines), lines[1], lines[7]) == (8, "Mon  " + "·" * 46 + "██  100", "Sun  ░░" + "·" * 46 + "  1")
