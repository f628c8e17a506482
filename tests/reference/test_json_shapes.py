"""What `--json` prints has a shape that scripts rely on: keys may be added, never renamed or given another type.

The shapes stand in tests/reference/shapes. A new command, or a key or type that is added on purpose, is added there by
    UPDATE_SHAPES=1 python -m pytest tests/reference/test_json_shapes.py
"""

import argparse
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMANDS, HANDOFFS, NETWORK, UNTIL_STOPPED

from cli.main import main

SHAPES = Path(__file__).parent / "shapes"
DIALECTS = {"hook"}
"""Commands that speak a host's dialect."""
CALLS = {
    "ingest": ["ingest"],
    "catalog": ["catalog", "list"],
    "config": ["config"],
    "sessions": ["sessions", "--all"],
    "decisions": ["decisions", "--all"],
    "search": ["search", "calc.py", "--all"],
    "fork prime": ["fork", "prime", "01a22e50-6369"],
    "skill create": ["skill", "create", "calc-notes", "--session", "03d02093", "--dry-run"],
    "skill update": ["skill", "update", "calc-notes", "--session", "03d02093"],
    "migrate": ["migrate", "--no-index"],
    "fork detect": ["fork", "detect", "calc.py", "--all"],
    "index": ["index"],
    "similar": ["similar", "latest", "--all"],
    "status": ["status"],
    "sql": ["sql", "SELECT session_id, turns, title FROM sessions"],
    "sql --schema": ["sql", "--schema"],
    "sql --schema VIEW": ["sql", "--schema", "usage"],
    "sql --examples": ["sql", "--examples"],
    "forget": ["forget", "--match", "calc.py", "--yes"],
    "export --format parquet": ["export", "--format", "parquet", "--out", "parquet"],
    "replay": ["replay"],
    "replay --verify": ["replay", "--verify"],
}
"""Calls beside, or in place of, the example in a command's help."""
NOTES = """## Findings
- The finding stands in `notes.md:1` and in `nowhere.py:3`.
## Recommendations
- Read it.
## Open questions
- Who reads it?
## Next moves
1. Read `notes.md`.
"""
BARE_LISTS = {"sql"}
"""What prints the rows that were asked for and nothing else."""
BY_NAME = {"views", "files", "before", "after"}
"""Keys whose value is an object by name of something, all of one shape."""


def calls() -> dict[str, list[str]]:
    """Return a call for every command, from its help's example where none is given here."""
    found = dict(CALLS)
    for full, command in COMMANDS.items():
        name = full.removeprefix("journal ")
        is_group = any(isinstance(action, argparse._SubParsersAction) for action in command._actions)
        if not is_group and name not in found and name.split()[0] not in DIALECTS | UNTIL_STOPPED | NETWORK:
            words = shlex.split((command.epilog or full).removeprefix("example: "))[1:]
            found[name] = words[: words.index(">")] if ">" in words else words
    return found


def shape(value: Any, key: str = "") -> Any:
    """Return what *value* is made of: an object's keys, a list's elements taken together, the type of anything else."""
    if isinstance(value, dict):
        return {"*": joined(shape(item) for item in value.values())} if key in BY_NAME else {name: shape(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [joined(shape(item) for item in value)]
    return {bool: "boolean", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]


def joined(shapes: Iterator[Any]) -> Any:
    """Return one shape that all *shapes* fit."""
    whole: Any = None
    for found in shapes:
        if whole is None or whole == found:
            whole = found
        elif isinstance(whole, dict) and isinstance(found, dict):
            whole = {name: joined(iter([part[name] for part in (whole, found) if name in part])) for name in {**whole, **found}}
        elif isinstance(whole, list) and isinstance(found, list):
            whole = [joined(part for part in (whole[0], found[0]) if part is not None)]
        else:
            whole = "|".join(sorted({*words(whole), *words(found)}))
    return whole


def words(found: Any) -> list[str]:
    """Return the types that a shape names."""
    return found.split("|") if isinstance(found, str) else ["object" if isinstance(found, dict) else "list"]


def missing(golden: Any, found: Any, where: str = "") -> list[str]:
    """Return what of *golden* is gone or of another type in *found*."""
    if isinstance(golden, dict) and isinstance(found, dict):
        return [lost for name, part in golden.items() for lost in (missing(part, found[name], f"{where}.{name}") if name in found else [f"{where}.{name}"])]
    if isinstance(golden, list) and isinstance(found, list):
        return [] if golden[0] is None or found[0] is None else missing(golden[0], found[0], f"{where}[]")
    return [] if set(words(found)) <= set(words(golden)) else [f"{where}: {golden} is {found}"]


@pytest.mark.parametrize("name", calls())
def test_json_has_the_shape_that_scripts_rely_on(name: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every key of the golden shape is there, with a type that it had; one object with schema_version 1."""
    asked = calls()[name]
    if name.startswith("handoff "):
        (home / "notes.md").write_text(NOTES)
        saved = {}
        for placeholder in HANDOFFS:
            main(["handoff", "save", "--notes", "notes.md", "--json"])
            saved[placeholder] = json.loads(capsys.readouterr().out)["handoff_id"]
        main(["handoff", "export", "--output", ".context-handoffs"])
        capsys.readouterr()
        asked = [saved.get(word, word) for word in asked]
    if name in ("recall", "learnings", "supersede", "confirm", "retire"):
        for text in ("the lock timeout is 30 seconds", "the lock timeout is 60 seconds"):
            main(["learn", text, "--json"])
        capsys.readouterr()
    if name == "skill update":
        main(["skill", "create", "calc-notes", "--session", "013aefe6", "--json"])
        capsys.readouterr()
    if name == "similar":
        main(["index", "update", "--json"])
        capsys.readouterr()
    status = main([*(os.path.expanduser(word) if "=" not in word else word for word in asked), "--json"])
    out, err = capsys.readouterr()
    assert status in (0, 1), err
    answer = json.loads(out)
    assert name in BARE_LISTS or answer["schema_version"] == 1
    path = SHAPES / f"{name.replace(' ', '_')}.json"
    if os.environ.get("UPDATE_SHAPES"):
        known = [json.loads(path.read_text())] if path.exists() else []
        path.write_text(json.dumps(joined(iter([*known, shape(answer)])), indent=1) + "\n")
    assert path.exists(), "a command without a golden shape: run this test with UPDATE_SHAPES=1"
    assert missing(json.loads(path.read_text()), shape(answer)) == []


@pytest.mark.parametrize("words", [["show", "no-such-session"], ["sql", "SELEC"], ["export", "0"], ["nonsense"]])
def test_an_error_has_the_shape_that_scripts_rely_on(words: list[str], home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object on standard error, nothing on standard output: what, what next, and whether to try again."""
    assert main([*words, "--json"]) in (2, 4)
    out, err = capsys.readouterr()
    envelope = shape(json.loads(err))
    assert out == ""
    assert missing({"error": "text", "hint": "text", "next_command": "null|text", "retryable": "boolean"}, envelope) == []


def test_no_shape_is_of_a_command_that_is_gone() -> None:
    """Each file belongs to a call."""
    assert {path.stem for path in SHAPES.iterdir()} == {name.replace(" ", "_") for name in calls()}


def test_a_renamed_key_and_another_type_are_noticed() -> None:
    """The comparison itself: added keys pass, lost ones and other types do not."""
    golden = shape({"rows": [{"a": 1, "b": None}, {"a": 2, "b": "x"}], "views": {"one": {"n": 1}}})
    assert golden == {"rows": [{"a": "number", "b": "null|text"}], "views": {"*": {"n": "number"}}}
    assert missing(golden, shape({"rows": [{"a": 1, "b": None, "c": 3}], "views": {"two": {"n": 1}}})) == []
    renamed = shape({"rows": [{"a": "1", "bb": None}], "views": {}})
    assert missing(golden, renamed) == [".rows[].a: number is text", ".rows[].b", ".views.*: {'n': 'number'} is None"]
