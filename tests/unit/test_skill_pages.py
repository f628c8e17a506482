"""Pages of skills: what is new, what is said anew, what takes an older word back, and what a person wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.skill_pages import Item, known_in, known_line, marked, section_of, updated, with_changelog

TODAY = "2026-12-03"


def item(text: str, *, section: str = "decisions", name: str = "", session: str = "aaaaaaaa", at: str = "2026-11-30") -> Item:
    """Return an item of a session."""
    return Item(section, text, f"session {session}, {at}", at, name)


def page(*items: Item) -> str:
    """Return a page with one section."""
    return "\n".join(section_of("decisions", "## Decisions", items))


OLD = item("Retries of the uploader wait 5 seconds because the server throttles.")


@pytest.mark.parametrize(("text", "kind"), [
    ("The cache lives in SQLite because it is one file.", "NEW"),
    ("Retries of the uploader wait 5 seconds because the server throttles uploads above ten a minute.", "UPDATE"),
    ("Retries of the uploader wait 30 seconds because the server throttles.", "CORRECTION"),
    ("Retries of the uploader no longer wait 5 seconds; the server does not throttle.", "CORRECTION"),
])  # fmt: skip
def test_k30_a_change_is_new_an_update_or_a_correction(text: str, kind: str) -> None:
    """By likeness, by numbers, and by words that turn."""
    new = item(text, session="bbbbbbbb", at="2026-12-02")
    after, changes = updated(page(OLD), [new], known_in(page(OLD)), TODAY)
    assert [change.kind for change in changes] == [kind]
    assert marked(new.line) in after.splitlines()
    assert (marked(OLD.line) in after.splitlines()) == (kind == "NEW")
    assert (f"- ~~{OLD.line}~~ superseded {TODAY} " in after) == (kind == "CORRECTION")


def test_k30_the_superseded_line_stands_above_what_took_its_place() -> None:
    """Struck through, with the day; later updates leave it."""
    new = item("Retries of the uploader wait 30 seconds because the server throttles.")
    known = known_in(page(OLD))
    after, _ = updated(page(OLD), [new], known, TODAY)
    lines = after.splitlines()
    struck = next(number for number, line in enumerate(lines) if line.startswith("- ~~"))
    assert lines[struck + 1] == marked(new.line)
    assert updated(after, [new, OLD], known, TODAY) == (after, [])


def test_a_line_that_a_person_changed_stays_and_is_said() -> None:
    """A newer word against it is KEPT out; the bytes of the page are the same."""
    edited = page(OLD).replace("5 seconds", "5 s (do not touch!)")
    new = item("Retries of the uploader wait 30 seconds because the server throttles.")
    after, changes = updated(edited, [new], known_in(edited), TODAY)
    assert (after, [change.kind for change in changes]) == (edited, ["KEPT"])
    assert "do not touch" in changes[0].before


def test_what_a_person_took_out_does_not_come_back_and_what_they_added_stays() -> None:
    """A removed line is known by its mark; a line or a section without marks is nobody's business."""
    text = page(OLD) + known_line(["0000000000"])
    text = with_changelog(text, "changelog", [], TODAY, known_in(page(OLD)))
    without = text.replace(marked(OLD.line) + "\n", "- my own words\n")
    assert updated(without, [OLD], known_in(without), TODAY) == (without, [])
    no_section = without.replace("<!-- journal:begin decisions -->\n", "")
    assert updated(no_section, [item("Something else altogether was decided.")], known_in(no_section), TODAY) == (no_section, [])


def test_an_item_with_a_name_is_updated_by_it() -> None:
    """A folder's line is replaced when its files change, however unlike."""
    old, new = item("`cli/`: `a.py`", name="cli/"), item("`cli/`: `x.py`, `y.py`", name="cli/")
    after, changes = updated(page(old), [new], known_in(page(old)), TODAY)
    assert ([change.kind for change in changes], after.count("`cli/`")) == (["UPDATE"], 1)


@pytest.mark.parametrize(("one", "other"), [
    ("The upload worker uses threads.", "The upload worker retries failed uploads."),
    ("We decided that the cache lives in SQLite.", "We decided that the cache of images lives on disk."),
])  # fmt: skip
def test_what_is_said_beside_an_older_line_takes_its_place_never(one: str, other: str) -> None:
    """On the same matter, but another thing: both stand."""
    after, changes = updated(page(item(one)), [item(other)], known_in(page(item(one))), TODAY)
    assert [change.kind for change in changes] == ["NEW"]
    assert marked(item(one).line) in after.splitlines()


def test_the_same_words_from_a_later_session_change_nothing() -> None:
    """A source alone is no news."""
    again = item(OLD.text, session="cccccccc", at="2026-12-02")
    assert updated(page(OLD), [again], known_in(page(OLD)), TODAY) == (page(OLD), [])


def test_the_changelog_has_the_newest_change_first_with_what_was_there() -> None:
    """Dated, classified, with the older line."""
    text = "\n".join(section_of("changelog", "## Changelog", ())) + known_line(())
    _, changes = updated(page(OLD), [item("Retries of the uploader wait 30 seconds because the server throttles.")], known_in(page(OLD)), TODAY)
    once = with_changelog(text, "changelog", changes, TODAY, {"1111111111"})
    line, was = once.splitlines()[3], "[was: Retries of the uploader wait 5 seconds"
    assert line.startswith(f"- {TODAY} CORRECTION decisions: Retries of the uploader wait 30 seconds") and was in line
    assert "<!-- journal:known 1111111111 -->" in once


@given(st.lists(st.text(max_size=80), max_size=8))
def test_no_text_breaks_a_page(texts: list[str]) -> None:
    """Whatever was said is one line; bringing it in twice changes nothing."""
    items = [item(text) for text in texts]
    known: set[str] = set()
    once, _ = updated(page(), items, known, TODAY)
    assert once.count("<!-- journal:begin decisions -->") == once.count("<!-- journal:end decisions -->") == 1
    assert updated(once, items, known, TODAY) == (once, [])


@given(own=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60), max_size=6), words=st.lists(st.text(max_size=60), max_size=6))
def test_every_line_of_a_person_is_there_after_an_update(own: list[str], words: list[str]) -> None:
    """In their order, wherever they stand."""
    mine = [f"{number} mine: {line}" for number, text in enumerate(own) for line in text.split("\n")]
    lines = page(OLD).split("\n")
    lines[3:3] = mine
    after, _ = updated("\n".join(lines), [item(text) for text in words], set(), TODAY)
    assert [line for line in after.split("\n") if " mine: " in line] == mine
