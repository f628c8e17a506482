"""JSON with comments: what is read, what is refused and where, and edits of any text that keep all the rest."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.install import handlers
from ingest.install.installation import facts_of
from ingest.install.jsonc import Node, parse
from journal.errors import SettingInvalid


def plain(node: Node | None) -> object:
    """Return a tree as plain values."""
    assert node is not None
    if node.kind == "object":
        return {member.key: plain(member.node) for member in node.members}
    return [plain(member.node) for member in node.members] if node.kind == "array" else node.value


@pytest.mark.parametrize(("text", "value"), [
    ("{}", {}),
    ('\ufeff{"a": 1}', {"a": 1}),
    ('{"a": 1, "a": 2}', {"a": 2}),
    ('// one\n{"a": [1, 2,], /* two */ "b": {"c": null,},}\n// three', {"a": [1, 2], "b": {"c": None}}),
    ('{"a": "// no comment /* either */", "b": "\\"\\u00e9\\n"}', {"a": "// no comment /* either */", "b": '"é\n'}),
    ('{"a": -1.5e3, "b": true, "c": false}', {"a": -1500.0, "b": True, "c": False}),
    ('{"a":/**/1/***/}', {"a": 1}),
])  # fmt: skip
def test_what_is_read(text: str, value: object) -> None:
    """Comments, trailing commas, a byte-order mark and repeated keys, of which the last counts."""
    assert plain(parse(text)) == value


@pytest.mark.parametrize(("text", "message"), [
    ('{"a" 1}', "a colon is missing (line 1, column 6)"),
    ('{"a": 1\n "b": 2}', "a comma or } is missing (line 2, column 2)"),
    ('{"a": 1,, "b": 2}', "a key in double quotes is missing (line 1, column 9)"),
    ("[1 2]", "a comma or ] is missing (line 1, column 4)"),
    ("[,]", "a value is missing (line 1, column 2)"),
    ('{"a": }', "a value is missing (line 1, column 7)"),
    ('{"a": 1', "the file ends before } (line 1, column 8)"),
    ('{"a":', "the file ends before } (line 1, column 6)"),
    ('{"a": 1}\n}', "something follows the end of the object (line 2, column 1)"),
    ("{'a': 1}", "a key in double quotes is missing (line 1, column 2)"),
    ('\ufeff{"a": nul}', "'n' begins no value (line 1, column 7)"),
    ('{"a": 01}', "a comma or } is missing (line 1, column 8)"),
    ('{"a": NaN}', "'N' begins no value (line 1, column 7)"),
    ('{"a": "x\ny"}', "a string does not end on its line, or holds an escape that JSON does not know (line 1, column 7)"),
    ('{"a": "\\x"}', "a string does not end on its line, or holds an escape that JSON does not know (line 1, column 7)"),
    ("{} /* open", "a comment does not end (line 1, column 4)"),
    ("# yaml", "'#' begins no value (line 1, column 1)"),
])  # fmt: skip
def test_what_is_refused(text: str, message: str) -> None:
    """Each fault is named with the line and column that an editor shows."""
    with pytest.raises(SettingInvalid) as refused:
        parse(text)
    assert str(refused.value) == message


words = st.text(alphabet='aé"\\/\n {}[],:', max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
foreign = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["other-tool", "journal-sync hook stop", "x && journal hook stop"])})
ours = st.builds(lambda role, program: {"type": "command", "command": f"{program} hook {role} --host claude", "timeout": 10},
                 st.sampled_from(["stop", "prompt"]), st.sampled_from(["/old/bin/journal", "/opt/j/bin/python -I -m journal"]))  # fmt: skip
groups = st.fixed_dictionaries({"hooks": st.lists(foreign | ours, min_size=1, max_size=3)}, optional={"matcher": st.sampled_from(["", "Bash"])})
hooks = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PostToolUse", "SessionEnd"]), st.lists(groups, min_size=1, max_size=3), max_size=4)
documents = st.builds(lambda rest, found, first: {**({"hooks": found} if first else {}), **rest, **({} if first else {"hooks": found})},
                      st.dictionaries(st.sampled_from(["model", "env", "a", "\u00e9"]), values, max_size=3), hooks, st.booleans())  # fmt: skip
layouts = st.sampled_from([(None, (", ", ": ")), (None, (",", ":")), (2, (",", ": ")), ("\t", (",", ": ")), (0, (",", ": "))])


def written(value: object, layout: tuple[object, tuple[str, str]], newline: str, comments: bool) -> str:
    """Return *value* as one of many programs would write it; *comments* end every line but those inside strings, which JSON keeps on one line."""
    text = json.dumps(value, indent=layout[0], separators=layout[1], ensure_ascii=False)  # type: ignore[arg-type]
    return text.replace("\n", " // note\n" if comments else "\n").replace("\n", newline)


OURS = tuple(f"{program} hook" for program in ("/old/bin/journal", "/opt/j/bin/python -I -m journal", "/new/bin/python -I -m journal"))
EMPTY = (None, {}, [])


def without_ours(value: object) -> object:
    """Return the plain value with our handlers and all that is empty taken out, by other code than the program's."""
    if isinstance(value, dict):
        if str(value.get("command")).startswith(OURS):
            return None
        kept = {key: inner for key, each in value.items() if (inner := without_ours(each)) not in EMPTY}
        return None if "hooks" not in kept and isinstance(value.get("hooks"), list) else kept
    return [inner for each in value if (inner := without_ours(each)) not in EMPTY] if isinstance(value, list) else value


@given(documents, layouts, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_file_keeps_what_is_not_ours(value: object, layout: tuple[object, tuple[str, str]], newline: str, comments: bool) -> None:
    """For any settings in any layout: merge is stable, remove takes all of ours, and both leave every foreign value and comment."""
    before = written(value, layout, newline, comments)
    wanted = handlers.wanted(facts_of("claude"), ["/new/bin/python", "-I", "-m", "journal"])
    after = handlers.merge(before, wanted, "nested")
    assert handlers.merge(after, wanted, "nested") == after
    removed = handlers.remove(after)
    assert handlers.remove(removed) == removed
    for text in (after, removed):
        assert without_ours(plain(parse(text))) == without_ours(value)
    root = parse(after)
    assert root is not None
    assert sorted(found.event for found in handlers.ours(after, root)) == sorted(wanted)
    root = parse(removed)
    assert root is not None
    assert list(handlers.ours(removed, root)) == []
    if newline == "\r\n" and "\n" in before:
        assert after.count("\n") == after.count("\r\n")


@given(st.text(alphabet='{}[]",:/*\\ \n1ahooksStp', max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text is read or refused, never anything else; what the standard reader takes is taken alike."""
    try:
        node = parse(text)
    except SettingInvalid:
        with pytest.raises(ValueError):
            json.loads(text)
        return
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert plain(node) == value
