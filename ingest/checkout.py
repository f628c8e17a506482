"""A checkout as its files show it, without a git process: root, branch and HEAD, in worktrees and submodules as well."""

import os
import stat


class Checkout:
    """Where a folder stands in git."""

    __slots__ = ("branch", "head", "repository", "root")

    def __init__(self, root: str, repository: str, branch: str | None, head: str | None) -> None:
        self.root = root
        """The top folder of this work tree."""
        self.repository = repository
        """The folder that all work trees of the repository share, as project observations have it."""
        self.branch = branch
        """None while HEAD is detached."""
        self.head = head
        """The commit in hex; None before the first commit."""


def find(folder: str | None) -> Checkout | None:
    """Return the checkout that *folder* lies in, or None outside git or where the folder is gone."""
    if not folder or not os.path.isdir(folder):
        return None
    here = os.path.realpath(folder)
    while True:
        git = os.path.join(here, ".git")
        if os.path.isdir(git) or os.path.isfile(git):
            return _read(here, git)
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def remote_of(place: Checkout) -> str | None:
    """Return the address of the remote `origin` as the repository's own settings have it, without credentials; None where there is none."""
    config = _opened(os.path.join(place.repository, ".git", "config"))
    if config is None:
        return None
    with open(config, encoding="utf-8", errors="replace") as file:
        is_origin = False
        for line in file:
            text = line.strip()
            if text.startswith("["):
                is_origin = text == '[remote "origin"]'
            elif is_origin and text.partition("=")[0].strip() == "url":
                scheme, found, rest = text.partition("=")[2].strip().partition("://")
                host, slash, path = rest.partition("/")
                return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if found else scheme
    return None


def _read(root: str, git: str) -> Checkout:
    folder = git if os.path.isdir(git) else os.path.join(root, _line(git).removeprefix("gitdir:").strip())
    common = _line(os.path.join(folder, "commondir"))
    common = os.path.realpath(os.path.join(folder, common)) if common else os.path.realpath(folder)
    is_worktree = os.path.basename(common) == ".git"
    head = _line(os.path.join(folder, "HEAD"))
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None
    commit = _commit(folder, common, head.removeprefix("ref: ")) if head.startswith("ref: ") else head
    # What stands there is given to git, and may be anything in a folder that somebody else packed.
    is_hash = commit.isascii() and commit.isalnum()
    return Checkout(root, os.path.dirname(common) if is_worktree else root, branch, commit if is_hash else None)


def _commit(folder: str, common: str, ref: str) -> str:
    for place in (folder, common):
        found = _line(os.path.join(place, ref))
        if found:
            return found
    packed = _opened(os.path.join(common, "packed-refs"))
    if packed is None:
        return ""
    with open(packed, encoding="utf-8", errors="replace") as file:
        return next((line.split(" ", 1)[0] for line in file if line.rstrip().endswith(" " + ref)), "")


def _line(path: str) -> str:
    """Return the first line of a small file; nothing where it cannot be read."""
    descriptor = _opened(path)
    if descriptor is None:
        return ""
    with open(descriptor, encoding="utf-8", errors="replace") as file:
        return file.readline(4096).strip()


def _opened(path: str) -> int | None:
    """Return a descriptor of a plain file; a pipe in its place is not waited for, and is as good as nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None
