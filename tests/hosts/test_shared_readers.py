"""Times, patches and command lines as the hosts write them."""

from ingest import claude, codex, fields, patch, shell
from journal.domain import FileChanged, RecordUnrecognised, SourceFacts
from journal.timestamps import normalise


def test_times_take_one_form() -> None:
    """ISO text with Z or offset, seconds and milliseconds give the same form; nonsense gives nothing."""
    assert normalise("2026-11-30T21:17:07.123Z") == "2026-11-30T21:17:07.123000Z"
    assert normalise("2026-11-30T22:17:07+01:00") == "2026-11-30T21:17:07.000000Z"
    assert normalise(0) == normalise(0.0) == "1970-01-01T00:00:00.000000Z"
    assert normalise(1_000_000_000_000) == normalise(1_000_000_000) == "2001-09-09T01:46:40.000000Z"
    assert [normalise(value) for value in ("", "x", None, True, 1e300, [])] == [None] * 6


def test_times_that_are_none_are_absent() -> None:
    """Text in the shape of a time is still no time, and a moment outside the calendar is none in UTC."""
    assert normalise("aaaa-bb-ccTdd:ee:ff.gggZ") is None
    assert normalise("2026-13-30T21:17:07.123Z") is None
    assert normalise("0001-01-01T00:00:00+23:59") is None
    assert normalise(-62135596800) == "0001-01-01T00:00:00.000000Z"


def test_diff_of_several_files() -> None:
    """Each file of a git diff has its own lines, whatever its path holds; a deleted file goes by its old name."""
    diff = ("\ndiff --git a/w/a b.py b/w/a b.py\n--- a/w/a b.py\n+++ b/w/a b.py\n@@ -1,2 +1,2 @@\n-x\n+y\n+++ b/not/a/header\n"
            "diff --git a/w/gone b/w/gone\n--- a/w/gone\n+++ b/dev/null\n@@ -1,1 +1,0 @@\n-z\n")
    assert patch.per_file(diff) == {"/w/a b.py": (1, 1), "/w/gone": (0, 1)}
    assert patch.per_file("no diff") == {}


def test_patch_envelope() -> None:
    """Each file of an apply_patch text is one change with its line counts."""
    text = "*** Begin Patch\n*** Add File: a\n+1\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch"
    assert patch.changes(text) == [
        FileChanged("a", "add", 1, 0, diff="+1"), FileChanged("b", "move", 1, 1, moved_to="c", diff="@@\n-x\n+y"), FileChanged("d", "delete"),
    ]  # fmt: skip


def test_shell_words() -> None:
    """Redirections, rm and mv are changes; descriptors and /dev/null are none."""
    found = shell.changes("echo a > x 2>/dev/null && rm -f y; mv p q")
    assert [(event.path, event.operation, event.moved_to) for event in found] == [("x", "write", None), ("y", "delete", None), ("p", "move", "q")]
    assert shell.changes("make 2>&1") == []


def test_git_moves_and_removes_files_too() -> None:
    """`git mv` and `git rm` change files; `git rm --cached` and other words of git do not."""
    found = shell.changes("git mv a b && git rm -f c; git rm --cached d; git commit -m 'mv e f'")
    assert [(change.operation, change.path, change.moved_to) for change in found] == [("move", "a", "b"), ("delete", "c", None)]


def test_sed_in_place_edits_its_files() -> None:
    """`sed -i` edits what stands after its script; without `-i` it only prints."""
    found = {command: [(event.path, event.operation) for event in shell.changes(command)] for command in (
        "sed -i 's/a/b/' x y", "sed -i.bak -e 's/a/b/' -e 's/c/d/' x", "sed --in-place --expression=s/a/b/ x", "sed -n '1,5p' x | sort > y", "sed 's/-i/j/' x",
    )}  # fmt: skip
    assert list(found.values()) == [[("x", "edit"), ("y", "edit")], [("x", "edit")], [("x", "edit")], [("y", "write")], []]


def test_odd_type_fields_raise_nothing() -> None:
    """Case B10: a `type` that is no text gives an unknown record, not an error."""
    for adapter in (claude.ADAPTER, codex.ADAPTER):
        source = SourceFacts(adapter.host, "x.jsonl", "x")
        for odd in ({"a": 1}, [1], 5, None):
            for record in ({"type": odd}, {"type": "event_msg", "payload": {"type": odd}}):
                events = adapter.decode(source, record)[0].events
                assert [type(event) for event in events] == [RecordUnrecognised]


def test_absurd_numbers_count_as_absent() -> None:
    """What SQLite could not hold, or not add up, never reaches a view."""
    assert [fields.number_of(value) for value in (2**53, 2**63, -(2**63), True)] == [2**53, None, None, None]
    assert [fields.count_of(value) for value in (10**12, 2**63 - 1, -1)] == [10**12, 0, 0]
    assert [fields.number_in(text) for text in ("7", "-1", "9" * 20, "9" * 5000, "²", "")] == [7, -1, None, None, None, None]
