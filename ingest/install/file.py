"""The edge to settings files: read with care, backed up, written through symlinks at once or not at all, read back.

A file that is not UTF-8, no plain file, read-only or behind a symlink to nothing is refused and stays as it is.
"""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from journal.errors import LogError, SettingInvalid

LARGEST = 16 * 1024 * 1024
"""Bytes; a settings file beyond this is taken for something else."""


class Existing(NamedTuple):
    """A settings file as it was found."""

    path: str
    """As the host names it."""
    real: str
    """Where the bytes lie, behind any symlink."""
    content: bytes | None
    """None where there is no file yet."""

    @property
    def text(self) -> str:
        """The content; a byte-order mark stays its first character.

        Raises: SettingInvalid: it is not UTF-8.
        """
        try:
            return (self.content or b"").decode()
        except UnicodeDecodeError as error:
            raise SettingInvalid(f"{self.path} is not UTF-8 (byte {error.start + 1})", hint="save it as UTF-8; it was left as it is") from error


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Say in every error about the content of a file which file it is."""
    try:
        yield
    except SettingInvalid as error:
        raise SettingInvalid(f"{path}: {error}", hint=error.hint) from error


def read(path: str) -> Existing:
    """Return what stands at *path*.

    Raises: SettingInvalid: it is a symlink to nothing or in a circle, no plain file, read-only or too large.
    """
    if os.path.islink(path) and not os.path.exists(path):
        raise SettingInvalid(f"{path} is a symlink to {os.readlink(path)}, which does not exist", hint="create that file, or remove the symlink")
    real = os.path.realpath(path)
    try:
        found = os.stat(real)
    except FileNotFoundError:
        return Existing(path, real, None)
    if not stat.S_ISREG(found.st_mode):
        raise SettingInvalid(f"{path} is no plain file", hint="move it away")
    if not found.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise SettingInvalid(f"{path} is read-only", hint=f"allow writing and run again: chmod u+w {path}")
    if found.st_size > LARGEST:
        raise SettingInvalid(f"{path} has {found.st_size} bytes, more than any settings file", hint="check what it is")
    with open(real, "rb") as file:
        return Existing(path, real, file.read())


def write(existing: Existing, content: bytes, backup: str | None) -> str | None:
    """Put *content* in the place of *existing*; return the path of the copy made before at *backup*, None where none was made.

    The file keeps its mode and owner; a new one gets 0600. It is replaced at once, then read back.
    Raises: SettingInvalid: it changed since it was read, or its folder refuses; LogError: what was read back is something else.
    """
    made = keep(existing, backup) if backup else None
    folder = os.path.dirname(existing.real)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(existing.real)}.", dir=folder)
    except OSError as error:
        raise SettingInvalid(f"{folder} cannot be written: {error.strerror}", hint="check its permissions; nothing was changed") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if existing.content is not None:
                found = os.stat(existing.real)
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
                with contextlib.suppress(PermissionError):
                    os.fchown(file.fileno(), found.st_uid, found.st_gid)
            file.flush()
            os.fsync(file.fileno())
        _same(existing)
        os.replace(temporary, existing.real)
    finally:  # after a success there is nothing of that name
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    _sync_folder(folder)
    if read(existing.path).content != content:
        raise LogError(f"{existing.path} does not hold what was written", hint=f"its former content is in {made}" if made else "run the same command again")
    return made


def delete(existing: Existing, backup: str | None) -> str | None:
    """Delete a file that holds nothing of the user; return the path of the copy made before.

    Raises: SettingInvalid: its folder refuses.
    """
    made = keep(existing, backup) if backup else None
    try:
        os.unlink(existing.real)
    except OSError as error:
        raise SettingInvalid(f"{existing.path} cannot be deleted: {error.strerror}", hint="check the permissions of its folder") from error
    return made


def keep(existing: Existing, backup: str) -> str | None:
    """Copy the file to *backup*, 0600 in folders of 0700, under a name that is still free; return that name."""
    if existing.content is None:
        return None
    folder = os.path.dirname(backup)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(folder, 0o700)
    name, number = backup, 1
    while True:
        try:
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:
            number += 1
            name = f"{backup}.{number}"
    with os.fdopen(descriptor, "wb") as file:
        file.write(existing.content)
        file.flush()
        os.fsync(file.fileno())
    return name


def missing_folders(path: str) -> list[str]:
    """Return the folders that have to be made for *path*, the outer first."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def remove_folders(folders: list[str]) -> None:
    """Remove those of *folders* that are empty, the inner first."""
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _same(existing: Existing) -> None:
    if read(existing.path) != existing:
        raise SettingInvalid(f"{existing.path} was changed by another program just now", hint="run the same command again")


def _sync_folder(folder: str) -> None:
    """Make the new name durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
