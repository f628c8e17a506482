"""Which hook commands are ours: those of exactly the shape that `install` writes or an older version wrote, and no others."""

import shlex
from collections.abc import Sequence

from ingest.facts import HOSTS, ROLES, TOOL_ROLES
from ingest.install.jsonc import Node

COMMAND_KEYS = ("command", "bash")
PROGRAMS = ("journal", "agent-session-journal")


def command(program: Sequence[str], role: str, host: str, fallback: str) -> str:
    """Return the shell line that runs our hook, quoted for a POSIX shell, through which every host runs it."""
    return shlex.join([*program, "hook", role, "--host", host]) + fallback


def is_ours(line: str, programs: Sequence[Sequence[str]] = ()) -> bool:
    """Tell whether *line* is a hook command of ours.

    The shape is PROGRAM hook ROLE [--host HOST] [|| true]; PROGRAM is an interpreter with `-m journal`, ends in `journal`, or
    is one of *programs*, which `--bin` named; then the host has to stand.
    """
    if " hook " not in line:
        return False  # most lines of others end here, without being taken apart
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    if words[-2:] == ["||", "true"]:
        words = words[:-2]
    has_host = words[-2:-1] == ["--host"] and words[-1] in HOSTS
    if has_host:
        words = words[:-2]
    if len(words) < 3 or words[-2] != "hook" or words[-1] not in (*ROLES, *TOOL_ROLES):
        return False
    program = words[:-2]
    return is_program(program) or (has_host and program in [list(each) for each in programs])


def command_of(handler: Node) -> str | None:
    """Return the command line of a handler as it stands in a settings file."""
    return next((line for key in COMMAND_KEYS if (line := handler.text_of(key)) is not None), None)


def is_program(words: Sequence[str]) -> bool:
    """Tell whether *words* run this program: `python -I -m journal`, `/some/where/journal`, `uvx --from agent-session-journal journal`."""
    name = words[0].rpartition("/")[2]
    if list(words[-2:]) == ["-m", "journal"]:
        return name.startswith("python") and all(word in {"-I", "-E", "-s", "-P"} for word in words[1:-2])
    return words[-1].rpartition("/")[2] in PROGRAMS and (len(words) == 1 or name in {"uvx", "uv", "pipx"})
