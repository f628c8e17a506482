"""Tables on a terminal that is too narrow for them."""

from collections.abc import Sequence

import pytest

from cli import layout
from cli.layout import is_wider, lines, width_of

SESSION = "01a22e53-2b83-75c0-b132-a87f592bbf9e"
TABLE = [["session", "last", "turns made", "title"],
         [SESSION, "2026-11-30 21:18", "3", "Please fix add() in calc.py and add a test of it"],
         ["9d482481-a21b-490d-bbaf-db07511b169b:afbe", "2026-11-30 21:16", "12", "日本語のタイトルはとても長いので切られる"]]  # fmt: skip


def test_where_no_width_is_given_or_it_suffices_nothing_is_cut() -> None:
    """What goes into a file or a pipe is whole."""
    whole = lines(TABLE)
    assert whole[1] == "01a22e53-2b83-75c0-b132-a87f592bbf9e       2026-11-30 21:18  3           Please fix add() in calc.py and add a test of it"
    assert lines(TABLE, width=200) == whole


def test_ids_become_short_heads_break_and_the_longest_text_is_cut() -> None:
    """Times and figures stay whole; a wide character counts two."""
    assert lines(TABLE, width=60) == [
        "                                 turns",
        "session        last              made   title",
        "01a22e53-2b83  2026-11-30 21:18  3      Please fix add() in…",
        "9d482481-a21b  2026-11-30 21:16  12     日本語のタイトルは…",
    ]


@pytest.mark.parametrize("width", range(20, 130))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Whatever the way it is made to fit, at 20 columns and more."""
    for table in (TABLE, [["path", "n"], ["/home/dev/some/where/far/away/calc.py", "1,184,400"]]):
        for prose in (False, True):
            assert max(map(width_of, lines(table, width=width, prose=prose))) <= width


def test_a_path_keeps_its_end_and_an_id_of_ours_is_never_cut() -> None:
    """The beginning of a path says least; a part of a snapshot's id names nothing."""
    table = [["snapshot", "path"], ["SNAP_20261130_211902_54bea5", "/home/dev/some/where/calc.py"]]
    assert lines(table, width=46)[1] == "SNAP_20261130_211902_54bea5  …me/where/calc.py"


def test_a_row_that_does_not_fit_goes_on_in_a_second_line_and_else_becomes_a_list() -> None:
    """The columns stay below each other."""
    table = [["snapshot", "reason", "branch"], ["SNAP_20261130_211902_54bea5", "pre_compact", "main"]]
    assert lines(table, width=42) == ["snapshot                     reason", "    branch", "SNAP_20261130_211902_54bea5  pre_compact", "    main"]
    assert lines(table, width=24) == ["snapshot  SNAP_20261130…", "reason    pre_compact", "branch    main"]


def test_prose_is_wrapped_under_itself_and_below_the_row_where_there_is_little_room() -> None:
    """No word of an explanation is lost."""
    table = [["check", "looked at"], ["inbox", "two files in the inbox of this journal and nothing else"]]
    assert lines(table, width=40, prose=True) == ["check  looked at", "inbox  two files in the inbox of this", "       journal and nothing else"]
    assert lines(table, width=30, prose=True) == [
        "check", "    looked at", "inbox", "    two files in the inbox of", "    this journal and nothing", "    else",
    ]


def test_figures_are_set_to_the_right() -> None:
    """From the column that is named."""
    assert lines([["model", "total"], ["a", "7"], ["b", "1,000"]], right_from=1) == ["model  total", "a          7", "b      1,000"]


@pytest.mark.parametrize(("width", "wider"), [(None, False), (20, False), (12, False), (11, True)])
def test_a_table_of_figures_is_too_wide_only_where_no_cut_makes_it_fit(width: int | None, wider: bool) -> None:
    """Its heads may break: `cache read` takes five columns."""
    heads: Sequence[str] = ["day", "cache read"]
    assert is_wider(heads, [["12-01", "9,999"]], width) is wider
    assert layout.natural([heads, ["12-01", "9,999"]]) == [5, 10]
