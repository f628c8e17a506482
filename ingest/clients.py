"""What is known of each host's client, as data: the newest version tested, and how long it keeps transcripts.

Source of the facts: docs/reference/hosts.md. Only the user's own settings file is read: a project's or a company's may say less.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from journal.errors import SourceError

DURATION = re.compile(r"^\s*([0-9]{1,6})\s*([hdwm])\s*$")
DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


class Client(NamedTuple):
    """One host's client."""

    tested: str
    """The newest version whose transcripts were read in tests."""
    keeps_days: float | None
    """How long it keeps a transcript where nothing else is set; None where it deletes none."""
    setting: tuple[str, ...] = ()
    """The keys, from the outside in, of the setting in `settings.json` that changes this."""


class Retention(NamedTuple):
    """How long a host keeps transcripts, and who says so."""

    days: float | None
    """None: it deletes none."""
    because: str


CLIENTS: Mapping[str, Client] = {
    "claude": Client("2.1.332", 30, ("cleanupPeriodDays",)),
    "codex": Client("0.171.0", None),
    "gemini": Client("0.61.0", 30, ("general", "sessionRetention", "maxAge")),
    "copilot": Client("1.0.102", None),
}


def is_newer(version: str, tested: str) -> bool:
    """Tell whether *version* is newer than the one tested; a version that has no numbers is not."""
    return _numbers(version) > _numbers(tested)


def retention(host: str, root: str) -> Retention:
    """Return how long *host* keeps the transcripts below its home *root*.

    Raises: SourceError: its settings cannot be read, so that nobody knows.
    """
    client = CLIENTS[host]
    if client.keeps_days is None:
        return Retention(None, "deletes none by itself")
    folder = os.path.dirname(root) if os.path.basename(root) == "projects" else root
    path, name = os.path.join(folder, "settings.json"), ".".join(client.setting)
    value: object = _settings(path)
    for key in client.setting:
        value = value.get(key) if isinstance(value, dict) else None
        if key == "sessionRetention" and isinstance(value, dict) and value.get("enabled") is False:
            return Retention(None, f"{path}: sessionRetention is switched off")
    if value is None:
        return Retention(client.keeps_days, f"the default of {name}")
    return Retention(_days(value, f"{path}: {name}"), f"{path}: {name} = {value}")


def _settings(path: str) -> object:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.loads(COMMENT.sub("", file.read()) or "{}")
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: {error}", hint="correct the file: its host may not read it either") from error


def _days(value: object, where: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    found = DURATION.match(value) if isinstance(value, str) else None
    if found is None:
        raise SourceError(f"{where} is no duration: {value!r}", hint="correct the setting")
    return int(found[1]) * DAYS[found[2]]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"[0-9]{1,9}", version.partition("-")[0])]
