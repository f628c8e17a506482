"""One fixture laid out on disk as a host's settings file, and the whole way of install and uninstall over it."""

import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from ingest.facts import Facts
from ingest.install import installation
from ingest.install.installation import Outcome, Request
from journal.home import Home

FIXTURES = Path(__file__).parent / "fixtures"
PROGRAM = ["/opt/journal/bin/python", "-I", "-m", "journal"]


class Laid(NamedTuple):
    """A fixture on disk."""

    facts: Facts
    request: Request
    config: Path
    """As the host names it."""
    real: Path
    """Where the bytes lie."""

    def install(self, moment: str = "2026-11-30T10:00:00Z") -> Outcome:
        """Install with the program that the fixtures expect."""
        return installation.install(self.facts, PROGRAM, self.request._replace(moment=moment))

    def uninstall(self, moment: str = "2026-11-30T11:00:00Z") -> list[Outcome]:
        """Take it out again."""
        return installation.uninstall(self.facts, self.request._replace(moment=moment))

    def content(self) -> bytes | None:
        """Return the bytes of the settings file, None where there is none."""
        return self.real.read_bytes() if self.real.is_file() else None


def lay(name: str, folder: Path) -> Laid:
    """Lay the fixture *name* out below *folder*."""
    case = json.loads((FIXTURES / name / "case.json").read_bytes())
    user, project = folder / "user", folder / "project"
    user.mkdir()
    project.mkdir()
    facts = installation.facts_of(case["host"])
    request = Request(Home(str(folder / "journal")), {"HOME": str(user)}, "", str(project) if case.get("level") == "project" else None)
    config = Path(installation.config_path(facts, request))
    before = FIXTURES / name / "before"
    real = config
    link = case.get("link")
    if link or before.exists() or case.get("folder"):
        config.parent.mkdir(parents=True, exist_ok=True)
    if case.get("folder"):
        config.mkdir()
    if link:
        real = folder / "dotfiles" / "settings.json"
        real.parent.mkdir()
        target = real
        if link == "chain":
            target = folder / "dotfiles" / "link.json"
            target.symlink_to("settings.json")
        config.symlink_to(config if link == "loop" else target)
    if before.exists():
        shutil.copyfile(before, real)
        os.chmod(real, int(case.get("mode", "600"), 8))
    return Laid(facts, request, config, real)
