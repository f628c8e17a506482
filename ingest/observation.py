"""What git and the file system say about a working directory, observed once and then a fact of the log."""

import os
import re
import subprocess
from collections.abc import Iterable
from typing import Any

TIMEOUT_S = 3
SUBMODULES = f"{os.sep}.git{os.sep}modules{os.sep}"
CREDENTIALS = re.compile(r"(://)[^/@]+@")


def observe(path: str, known: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """Return the inbox record of an observation of *path*; outside git, or where it is gone, `root` is null.

    *known* are (first commit, root) of repositories without a remote that were observed before: where one with the same
    first commit is still on disk elsewhere, this one is a copy of it, not the same repository moved.
    """
    record: dict[str, Any] = {"type": "journal.project_observed", "path": path, "real_path": None, "root": None,
                              "root_commit": None, "remote": None, "copied_from": None}  # fmt: skip
    if not os.path.isdir(path):
        return record
    record["real_path"] = os.path.realpath(path)
    common = git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if common:
        record["root"] = _root(path, common)
        commits = git(path, "rev-list", "--max-parents=0", "HEAD")
        record["root_commit"] = min(commits.split()) if commits else None
        remote = git(path, "config", "--get", "remote.origin.url")
        record["remote"] = CREDENTIALS.sub(r"\1", remote) if remote else None
        if not remote:
            same = (root for commit, root in sorted(known) if commit == record["root_commit"] and root != record["root"])
            record["copied_from"] = next((root for root in same if os.path.exists(os.path.join(root, ".git"))), None)
    return record


def _root(path: str, common: str) -> str:
    """Return the folder that all worktrees of a repository share; a submodule keeps its git folder inside its parent's."""
    if SUBMODULES in common:
        return git(path, "rev-parse", "--show-toplevel") or common
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def git(path: str, *words: str) -> str | None:
    """Return what one git command prints, or None when it fails or takes too long.

    Variables such as GIT_DIR, which git sets for its own hooks, would answer for another repository than *path*.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", path, *words], capture_output=True, timeout=TIMEOUT_S, check=False,  # noqa: S603,S607  fixed words; git is found on PATH as the user has it
                              env={**inherited, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"})  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.decode(errors="replace").strip()
    return text if done.returncode == 0 and text else None
