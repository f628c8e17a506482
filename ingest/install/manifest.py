"""What was added to the hosts' folders, kept in the journal's home, so that uninstall takes out exactly that."""

import hashlib
import json
from typing import Any, NamedTuple

from ingest.install.file import read, write
from journal.errors import SettingInvalid
from journal.home import Home

VERSION = 1


class Added(NamedTuple):
    """A file that was written or changed."""

    host: str
    kind: str
    """`config` or `wrapper`."""
    sha256: str
    """Of what was written."""
    is_new: bool
    """Whether there was no file before."""
    original: str | None
    """The backup of a config as it was before the first install, where that had nothing of ours."""
    folders: list[str]
    """Folders made for it, the outer first."""


class Manifest(NamedTuple):
    """All that was added, by path, and the programs that `--bin` named."""

    files: dict[str, Added]
    programs: list[list[str]]


def fingerprint(content: bytes) -> str:
    """Return the SHA-256 of *content* in hex."""
    return hashlib.sha256(content).hexdigest()


def load(home: Home) -> Manifest:
    """Return the manifest, empty where nothing was installed yet.

    Raises: SettingInvalid: the file is damaged.
    """
    found = read(home.installed)
    if found.content is None:
        return Manifest({}, [])
    try:
        value: dict[str, Any] = json.loads(found.text)
        files = {path: Added(**added) for path, added in value["files"].items()}
        return Manifest(files, [[str(word) for word in program] for program in value["programs"]])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SettingInvalid(f"{home.installed} is damaged: {error}", hint="move it away; install again to make a new one") from error


def save(home: Home, manifest: Manifest) -> None:
    """Write the manifest where it differs from what stands there."""
    files = {path: added._asdict() for path, added in sorted(manifest.files.items())}
    content = (json.dumps({"version": VERSION, "files": files, "programs": manifest.programs}, indent=2) + "\n").encode()
    existing = read(home.installed)
    if existing.content != content:
        write(existing, content, None)
