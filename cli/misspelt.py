"""What somebody may have meant by a word that the command line does not know; imported only once there is one."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

CHOICE = re.compile(r"argument (?P<argument>\S+): invalid choice: '(?P<word>.*)' \(choose from (?P<choices>.*)\)")
UNKNOWN = "unrecognized arguments: "
MISSING = "the following arguments are required: COMMAND"


class Told(NamedTuple):
    """A message and the next command."""

    message: str
    hint: str


def told(message: str, prog: str, options: Iterable[str]) -> Told:
    """Return what to say where the parser of *prog*, which takes *options*, says *message* (the words of argparse)."""
    asks = f"run: {prog} --help"
    if message == MISSING:
        return Told("name a command", f"begin with: {prog} ingest, then {prog} sessions --all; all commands: {prog} --help")
    if message.startswith(UNKNOWN):
        near = _nearest(message.removeprefix(UNKNOWN).split(" ")[0].partition("=")[0], list(options))
        return Told(message, f"did you mean {near}? {asks}" if near else asks)
    found = CHOICE.fullmatch(message)
    if found is None:
        return Told(message, asks)
    near = _nearest(found["word"], [choice.strip("'") for choice in found["choices"].split(", ")])
    if found["argument"] in ("COMMAND", "VERB"):
        return Told(f"there is no command `{prog} {found['word']}`", f"did you mean: {prog} {near}" if near else asks)
    return Told(message, f"did you mean {near}? {asks}" if near else asks)


def _nearest(word: str, known: Sequence[str]) -> str | None:
    return next(iter(difflib.get_close_matches(word, known, n=1)), None)
