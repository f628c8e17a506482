"""The history of a session's hooks: from views and inbox, each line once, and a later look reads only what is new."""

from pathlib import Path

from world import S, World

from cli.hooks.history import History
from cli.hooks.views import Views
from journal import inbox
from journal.home import Home, open_home
from journal.moments import seconds_of

TODAY = "2026-12-03"


def _now() -> float:
    found = seconds_of(f"{TODAY}T10:59:00.000000Z")
    assert found is not None
    return found


def _tell(home: Home, nonce: str, minute: int, *, day: str = TODAY) -> None:
    line: dict[str, object] = {"type": "journal.hook_answered", "kind": "recall", "nonce": nonce, "at": f"{day}T10:{minute:02d}:00.000000Z", "session_id": S}
    inbox.append(home, S, day, line, kind=".state")


def _nonces(history: History) -> list[object]:
    return [line["nonce"] for line in history.lines(_now())]


def _file(home: Home) -> Path:
    return Path(inbox.file_of(home, S, TODAY, kind=".state"))


def test_a_later_look_reads_only_what_was_written_since(tmp_path: Path) -> None:
    """What was read once is not read again: it could be blanked in the file meanwhile."""
    home = open_home(str(tmp_path / "journal"))
    _tell(home, "one", 1)
    history = History(Views(""), home, S)
    assert _nonces(history) == ["one"]
    file = _file(home)
    file.write_bytes(b" " * (file.stat().st_size - 1) + b"\n")
    _tell(home, "two", 2)
    assert _nonces(history) == ["one", "two"]


def test_a_line_that_is_not_whole_yet_is_taken_when_it_is(tmp_path: Path) -> None:
    """A reader beside a writer sees half a line and leaves it; a line that stays torn costs only itself."""
    home = open_home(str(tmp_path / "journal"))
    _tell(home, "one", 1)
    history, file = History(Views(""), home, S), _file(home)
    whole = file.read_bytes()
    with file.open("ab") as written:
        written.write(b'\n{"nonce":"two"')
        written.flush()
        assert _nonces(history) == ["one"]
        written.write(b',"at":"2026-12-03T10:02:00.000000Z"}\n\n{"nonce":')
    _tell(home, "three", 3)
    assert _nonces(history) == ["one", "two", "three"]
    assert file.read_bytes().startswith(whole)


def test_lines_that_an_ingest_took_meanwhile_count_once(world: World) -> None:
    """The views and the inbox tell the same lines; those of days before come first, from the views alone."""
    home = open_home(str(world.home))
    _tell(home, "before", 5, day="2026-11-20")
    _tell(home, "one", 1)
    world.journal("ingest")
    assert not Path(inbox.file_of(home, S, "2026-11-20", kind=".state")).exists()
    _tell(home, "two", 2)
    views = Views(home.views_db)
    try:
        assert _nonces(History(views, home, S)) == ["before", "one", "two"]
    finally:
        views.close()


def test_of_a_long_file_the_end_is_read_and_the_views_tell_the_rest(world: World) -> None:
    """3,000 lines are more than is read of one file; those before come from the views, and none is told twice or left out."""
    home = open_home(str(world.home))
    for number in range(3000):
        _tell(home, f"n{number:04d}", number // 60)
    world.journal("ingest")
    views = Views(home.views_db)
    try:
        assert sorted(str(nonce) for nonce in _nonces(History(views, home, S))) == [f"n{number:04d}" for number in range(3000)]
    finally:
        views.close()


def test_two_values_in_one_line_are_no_two_lines(tmp_path: Path) -> None:
    """Glued lines say nothing, as when each is read by itself."""
    home = open_home(str(tmp_path / "journal"))
    file = _file(home)
    file.write_bytes(b'{"nonce":"one","at":"2026-12-03"},{"nonce":"two","at":"2026-12-03"}\n{"nonce":"three","at":"2026-12-03"}\n')
    assert _nonces(History(Views(""), home, S)) == ["three"]
