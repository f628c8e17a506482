"""Bundle directories on disk: read whole and without leaving them, written all at once, private, and listed in their store."""

import json
import os
import shutil
import stat
from collections.abc import Mapping
from typing import Any

from journal.errors import NotFound, SettingInvalid

LARGEST_BYTES = 8 * 1024 * 1024
MOST_FILES = 64
INDEX = "index.json"
GLOBAL_VARIABLE, GLOBAL, LOCAL = "CONTEXT_HANDOFF_HOME", "~/.context-handoff-bundles", ".context-handoffs"
ENCODED = "base64:"
"""Before the content of a file that is no UTF-8."""


def stores(root: str | None, environ: Mapping[str, str]) -> list[str]:
    """Return the stores that exist: the one in the work tree *root*, and the user's own."""
    wanted = [os.path.join(root, LOCAL)] if root else []
    wanted.append(os.path.expanduser(environ.get(GLOBAL_VARIABLE) or GLOBAL))
    return [path for path in dict.fromkeys(wanted) if os.path.isdir(path)]


def bundles(path: str) -> list[str]:
    """Return the bundle directories that *path* is or holds, in order; what the store's index says of them does not matter.

    Raises: NotFound: there is none.
    """
    if not os.path.isdir(path):
        raise NotFound(f"{path} is no folder", hint="name a bundle directory, or a store of them")
    if _is_bundle(path):
        return [path]
    found = sorted(entry.path for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False) and _is_bundle(entry.path))
    if not found:
        raise NotFound(f"{path} holds no bundle", hint="a bundle has at least a summary.json or a bundle_metadata.json")
    return found


def _is_bundle(path: str) -> bool:
    return any(os.path.isfile(os.path.join(path, name)) for name in ("summary.json", "bundle_metadata.json", "CONTEXT_HANDOFF.md"))


def read(path: str) -> dict[str, str]:
    """Return name to content of the plain files of a bundle; what is no UTF-8 is encoded and marked.

    Raises: SettingInvalid: too many or too large files, or one that cannot be read.
    """
    files: dict[str, str] = {}
    size = 0
    for entry in sorted(os.scandir(path), key=lambda one: one.name):
        if not entry.is_file(follow_symlinks=False):
            continue
        try:
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:
                told = os.fstat(descriptor)
                size += told.st_size
                if not stat.S_ISREG(told.st_mode) or size > LARGEST_BYTES or len(files) >= MOST_FILES:
                    raise SettingInvalid(f"{path}: more than {MOST_FILES} files or 8 MiB", hint="this is no bundle of a handoff")
                files[entry.name] = _text(file.read())
        except OSError as error:
            raise SettingInvalid(f"{entry.path}: {error.strerror}", hint="make it readable, or leave it out") from error
    return files


def entry_of(path: str) -> dict[str, Any] | None:
    """Return what the index of its store says of a bundle, unknown keys and all."""
    name = os.path.basename(os.path.realpath(path))
    return next((one for one in _index(os.path.dirname(os.path.realpath(path))) or () if one.get("id") == name), None)


def write(store: str, name: str, files: Mapping[str, str], entry: Mapping[str, Any]) -> tuple[str, bool]:
    """Write a bundle into *store* and enter it into the index there; return its path and whether anything had to be written.

    Raises: SettingInvalid: another bundle, or something else, has that place.
    """
    if os.path.basename(name) != name or name in ("", ".", "..") or "\0" in name:
        raise SettingInvalid(f"{name!r} is no name of a folder", hint="give the handoff another title")
    _make_store(store)
    path = os.path.join(store, name)
    if os.path.lexists(path):
        if not os.path.isdir(path) or os.path.islink(path) or read(path) != dict(files):
            raise SettingInvalid(f"{path} is there already, with other content", hint="give another --output, or move it away")
        _enter(store, {**entry, "path": path})
        return path, False
    making = os.path.join(store, f".{name}.{os.getpid()}")
    os.mkdir(making, 0o700)
    try:
        for file_name, text in files.items():
            _write(os.path.join(making, _plain(file_name)), _bytes(text))
        os.rename(making, path)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    _enter(store, {**entry, "path": path})
    return path, True


def _make_store(store: str) -> None:
    try:
        os.makedirs(store, mode=0o700, exist_ok=True)
        if not os.path.lexists(os.path.join(store, ".gitignore")) and not os.listdir(store):
            _write(os.path.join(store, ".gitignore"), b"*\n")
    except OSError as error:
        raise SettingInvalid(f"{store}: {error.strerror}", hint="give another --output") from error


def _plain(name: str) -> str:
    if os.path.basename(name) != name or name in ("", ".", "..") or "\0" in name:
        raise SettingInvalid(f"{name!r} is no name of a file in a bundle", hint="the bundle that it came from is not to be trusted")
    return name


def _enter(store: str, entry: Mapping[str, Any]) -> None:
    """Enter a bundle into the index with the path that it has now, or anew; an index that does not read is made again of what the directories say."""
    entries = _index(store)
    if entries is None:
        entries = [told for path in sorted(os.scandir(store), key=lambda one: one.name) if path.is_dir() and (told := _told(path.path))]
    before = next((one for one in entries if one.get("id") == entry["id"]), {})
    entries = [one for one in entries if one.get("id") != entry["id"]] + [{**entry, **before, "path": entry["path"]}]
    entries.sort(key=lambda one: str(one.get("created_at", "")), reverse=True)
    making = os.path.join(store, f".{INDEX}.{os.getpid()}")
    _write(making, (json.dumps(entries, ensure_ascii=False, indent=2) + "\n").encode())
    try:
        os.replace(making, os.path.join(store, INDEX))
    except OSError as error:
        os.unlink(making)
        raise SettingInvalid(f"{os.path.join(store, INDEX)}: {error.strerror}", hint="move away what stands there") from error


def _index(store: str) -> list[dict[str, Any]] | None:
    value = _json(os.path.join(store, INDEX), missing=[])
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else None


def _json(path: str, missing: object = None) -> Any:
    """Return what a plain file holds as JSON; None where it does not read, or is a pipe that would wait for a writer."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, encoding="utf-8") as file:
            return json.loads(file.read(LARGEST_BYTES)) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except FileNotFoundError:
        return missing
    except (OSError, ValueError, RecursionError):
        return None


def _told(path: str) -> dict[str, Any] | None:
    """Return the entry that a bundle's own metadata makes."""
    value = _json(os.path.join(path, "bundle_metadata.json"))
    if not isinstance(value, dict):
        return None
    names = ("title", "slug", "repo_root", "branch", "head_commit", "tags")
    made = str(value.get("stored_at") or value.get("generated_at") or "")
    return {"id": os.path.basename(path), **{name: value[name] for name in names if name in value}, "created_at": made, "updated_at": made, "path": path}


def _text(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ENCODED
    if text.startswith(ENCODED):
        import base64  # noqa: PLC0415  rarely needed

        return ENCODED + base64.b64encode(data).decode()
    return text


def _bytes(text: str) -> bytes:
    if not text.startswith(ENCODED):
        return text.encode("utf-8", "replace")
    import base64  # noqa: PLC0415  rarely needed

    return base64.b64decode(text[len(ENCODED) :])


def _write(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
