"""The only place that prints: tables and JSON on stdout, diagnostics on stderr, all of it through the exit that takes secrets out."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from cli.layout import lines
from cli.outlet import clean, cleaned
from journal.errors import Ambiguous, JournalError

SCHEMA_VERSION = 1
NO_SUCH_COMMAND = 127
CONTROL = dict.fromkeys([*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""What a terminal may obey: control characters of both sets, and those that turn the direction of writing."""
ESCAPED = {code: f"\\u{code:04x}" for code in CONTROL if code >= 32}
DIAGNOSTIC = {code: None for code in CONTROL if code != ord("\n")}


def print_json(answer: dict[str, Any], *, reveal: bool = False) -> None:
    """Print one JSON object with the version of its schema; secrets in it only when told to *reveal* them."""
    print(json_text({"schema_version": SCHEMA_VERSION, **(answer if reveal else cleaned(answer))}))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[object]], *, reveal: bool = False, right_from: int | None = None, prose: bool = False) -> None:
    """Print aligned columns, on a terminal no wider than it is; wide characters count two, control characters are left out.

    *right_from* and *prose* as for `cli.layout.lines`.
    """
    rows = list(rows) if reveal else cleaned(list(rows))
    cells = [[_cell(value) for value in row] for row in [heads, *rows]]
    for line in lines(cells, width=terminal_width(), right_from=right_from, prose=prose):
        print(line)


def terminal_width() -> int | None:
    """Return the columns of the terminal that stdout is; None where it is none."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def print_text(text: str) -> None:
    """Print lines of text, without secrets and without what a terminal obeys."""
    print(clean(text).translate(DIAGNOSTIC))


def print_csv(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a head and rows as RFC 4180 has it; None is an empty field, control characters are left out."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\r\n")
    writer.writerows([heads, *([_cell(value) for value in row] for row in cleaned(list(rows)))])


def write(pieces: Iterable[str], *, page: bool = False) -> None:
    """Write text piece by piece; with *page*, on a terminal, through the user's pager. What comes here was cleaned before."""
    if page and sys.stdout.isatty() and (command := _pager()):
        _through_pager(pieces, command)
        return
    for piece in pieces:
        sys.stdout.write(piece)


def _pager() -> str | None:
    """Return the user's pager, else `less -R`; None on a machine that has neither."""
    import shutil

    return os.environ.get("PAGER") or ("less -R" if shutil.which("less") else None)


def _through_pager(pieces: Iterable[str], command: str) -> None:
    """Hand the text to the pager; one that is left early or cannot be had is no error."""
    import subprocess

    environment = {"LESS": "FRX", **os.environ}
    pager = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, text=True, errors="replace", env=environment)  # noqa: S602 # the user's own words
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt), pager:
        for piece in pieces:
            pager.stdin.write(piece)  # type: ignore[union-attr]  # stdin is a pipe
    if pager.returncode == NO_SUCH_COMMAND:
        say(f"there is no pager {command}; name one in $PAGER or use --no-pager")


def say(text: str) -> None:
    """Print a diagnostic."""
    print(clean(text).translate(DIAGNOSTIC), file=sys.stderr)


def fail(error: JournalError, *, as_json: bool) -> int:
    """Print an error with its hint and return the exit status."""
    if as_json:
        envelope: dict[str, Any] = {"error": str(error), "hint": error.hint, "next_command": _command(error.hint), "retryable": error.retryable}
        if isinstance(error, Ambiguous):
            envelope["candidates"] = error.candidates
        say(json_text(envelope))
        return error.exit_code
    say(f"journal: {error}")
    if isinstance(error, Ambiguous):
        say("\n".join(f"  {candidate}" for candidate in error.candidates))
    if error.hint:
        say(f"  {error.hint}")
    return error.exit_code


def take_any_text() -> None:
    """Print what a terminal's encoding does not have as an escape; without this a title in Japanese would be an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def close_quietly() -> None:
    """Write out what is left; where nobody reads it any more, or it cannot be written, say nothing."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def json_text(answer: object) -> str:
    """Return JSON with nothing in it that a terminal obeys."""
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(answer, ensure_ascii=not is_utf8).translate(ESCAPED)


def _command(hint: str) -> str | None:
    return hint[hint.index("journal ") :] if "journal " in hint else None


def _cell(value: object) -> str:
    return "" if value is None else str(value).translate(CONTROL)
