"""Whether the command that a host will run works: the very line, run once with nothing on stdin."""

import os
import subprocess
import tempfile
from collections.abc import Mapping

from journal.errors import SettingInvalid

LIMIT_S = 20.0
"""A first start from a cold disk takes seconds; the hosts' own limits are 10 to 15."""


def prove(line: str, environ: Mapping[str, str]) -> None:
    """Run *line* by a shell as a host does, in an empty folder, with a throw-away journal and an empty stdin.

    Raises: SettingInvalid: it fails, takes too long, or says something although it has nothing to say.
    """
    with tempfile.TemporaryDirectory(prefix="journal-probe-") as folder:
        try:
            done = subprocess.run(  # noqa: S602  a host runs the line by a shell, so nothing else proves it
                line, shell=True, cwd=folder, env={**environ, "JOURNAL_HOME": os.path.join(folder, "journal")}, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise _failed(line, f"did not end within {LIMIT_S:.0f} s") from error
    said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    if done.returncode != 0:
        raise _failed(line, f"ended with {done.returncode}" + (f": {said}" if said else ""))
    if done.stdout:
        raise _failed(line, "printed something, which the host would show to the model")


def _failed(line: str, what: str) -> SettingInvalid:
    return SettingInvalid(f"the hook {what}; nothing was installed: {line}", hint="run that line yourself, or name another program with --bin")
