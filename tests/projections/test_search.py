"""Full text: what a user types finds what a session said."""

from pathlib import Path

import pytest
from views_world import World

from projections.search import match_expression, search, snippet


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Views of one session."""
    made = World(tmp_path)
    made.write(
        "s",
        {"kind": "prompt", "id": "p1", "text": "please fix src/auth/token_store.py now"},
        {"kind": "answer", "id": "a1", "text": "我们修复了数据库的错误"},
        {"kind": "answer", "id": "a2", "text": "The C++ build calls get_user_by_id() twice"},
    )
    made.catch_up()
    return made


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("token_store.py", ["p1"]),
        ("src/auth", ["p1"]),
        ("数据库", ["a1"]),
        ("get_user_by_id", ["a2"]),
        ('"fix src"', ["p1"]),
        ("absent", []),
        ("fix twice", []),
        ('AND OR "', []),
        ("*", []),
        ("", []),
    ],
)
def test_words_are_phrases(world: World, query: str, found: list[str]) -> None:
    """Identifiers, paths and unspaced scripts match as typed; operators of the engine are mere words."""
    assert [hit.record_id for hit in search(world.views, query)] == found


def test_a_changed_text_is_found_by_its_new_words_only(world: World) -> None:
    """The index follows an update of a message."""
    world.write("s", {"kind": "answer", "id": "a2", "text": "entirely 新的 words"})
    world.catch_up()
    assert [hit.record_id for hit in search(world.views, "新的")] == ["a2"]
    assert search(world.views, "get_user_by_id") == []


def test_a_limit_below_one_finds_nothing(world: World) -> None:
    """SQLite would read a negative limit as none."""
    assert search(world.views, "fix", limit=-1) == []


def test_a_query_becomes_phrases() -> None:
    """Every word is quoted, so that no character is an operator."""
    assert match_expression('a.b "c d" x* -') == '"a.b" "c d" "x*"'


def test_a_snippet_is_cut_around_the_word() -> None:
    """The stretch begins before the word and says that there is more."""
    cut = snippet("a " * 200 + "needle" + " b" * 200, ["needle"])
    assert "needle" in cut and cut.startswith("…") and cut.endswith("…")
