"""The checks of `journal doctor`, one function each; adding one is one entry of CHECKS (cli/checks/catalog.py) and a line of docs/reference/health.md.

A check returns what it looked at and what it found. One that cannot look raises, and that is a finding too: nothing is
taken for healthy that was not seen.
"""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeVar

from cli.survey import Survey
from journal.errors import JournalError
from journal.home import Home
from journal.settings import Settings

T = TypeVar("T")


class Finding(NamedTuple):
    """Something that is not as it should be."""

    id: str
    """The id of the check that found it."""
    severity: str
    """`error`: records are or may be lost, or the journal cannot be used; `warning`: it will get worse; `info`: good to know."""
    what: str
    evidence: str
    next_command: str | None


class Outcome(NamedTuple):
    """What a check saw."""

    looked_at: str
    findings: tuple[Finding, ...] = ()


class Scene(NamedTuple):
    """What every check may look at; a part that could not be had stands there as its error."""

    settings: Settings
    home: Home
    log_or_error: sqlite3.Connection | JournalError
    views_or_error: sqlite3.Connection | JournalError
    survey_or_error: Survey | JournalError
    moment: datetime
    deep: bool

    @property
    def log(self) -> sqlite3.Connection:
        """The log, read-only. Raises: JournalError: it cannot be opened."""
        return _had(self.log_or_error)

    @property
    def views(self) -> sqlite3.Connection:
        """The views, read-only. Raises: JournalError: they cannot be opened."""
        return _had(self.views_or_error)

    @property
    def survey(self) -> Survey:
        """The files on disk. Raises: JournalError: the survey could not be made."""
        return _had(self.survey_or_error)


class Check(NamedTuple):
    """One check."""

    id: str
    sentence: str
    """What it makes sure of."""
    run: Callable[[Scene], Outcome]
    """Raises JournalError, OSError or sqlite3.DatabaseError where it cannot look."""


class Checked(NamedTuple):
    """One check that was run, or could not."""

    id: str
    ok: bool
    looked_at: str
    findings: tuple[Finding, ...]


def run(check: Check, scene: Scene) -> Checked:
    """Run one check; what keeps it from looking is its finding."""
    try:
        outcome = check.run(scene)
    except (JournalError, OSError, sqlite3.DatabaseError) as error:
        hint = getattr(error, "hint", "")
        next_command = hint[hint.index("journal ") :] if "journal " in hint else None
        unseen = Finding(check.id, "error", f"could not check: {check.sentence}", f"{type(error).__name__}: {error}", next_command)
        return Checked(check.id, False, "nothing: the check could not run", (unseen,))
    return Checked(check.id, not outcome.findings, outcome.looked_at, outcome.findings)


def day(seconds: float) -> str:
    """Return the UTC minute of a file's time."""
    from datetime import UTC

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")


def age_days(scene: Scene, seconds: float) -> float:
    """Return how many days before the present a file's time lies."""
    return (scene.moment.timestamp() - seconds) / 86400


def _had(value: T | JournalError) -> T:
    if isinstance(value, JournalError):
        raise value
    return value
