"""What a hook could not write into the home, kept beside it: in the folder for temporary files, for its user alone.

The hook path imports this: no typing, no pathlib. `journal doctor` tells what stands there.
"""

import os

LONGEST_BYTES = 64 * 1024
"""A home that stays unwritable for weeks fills no disk."""


def path(environ: dict[str, str]) -> str:
    """Return the file of this user's errors."""
    return os.path.join(environ.get("TMPDIR") or "/tmp", f"journal-{os.getuid()}", "hook-errors")  # noqa: S108  the folder is made for this user alone


def append(environ: dict[str, str], line: str) -> bool:
    """Append one line and tell whether that was possible: not into a folder or file of somebody else, nor through a link."""
    file = path(environ)
    folder = os.path.dirname(file)
    try:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if not _is_own(folder):
                return False
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            status = os.fstat(handle)
            if status.st_uid != os.getuid() or status.st_mode & 0o170000 != 0o100000 or status.st_size > LONGEST_BYTES:
                return False
            os.write(handle, (line.replace("\n", " ") + "\n").encode("utf-8", "replace"))
        finally:
            os.close(handle)
    except OSError:
        return False
    return True


def lines(environ: dict[str, str]) -> list[str]:
    """Return what was kept, oldest first; nothing where the folder is not this user's alone."""
    file = path(environ)
    try:
        if not _is_own(os.path.dirname(file)):
            return []
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(handle, 2 * LONGEST_BYTES).decode("utf-8", "replace").splitlines()
        finally:
            os.close(handle)
    except OSError:
        return []


def _is_own(folder: str) -> bool:
    """Tell whether *folder* is a folder, no link, of this user, open to nobody else."""
    status = os.lstat(folder)
    return status.st_mode & 0o170000 == 0o040000 and status.st_uid == os.getuid() and not status.st_mode & 0o077
