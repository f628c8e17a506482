"""What git says happened in a checkout since a commit or a time, by one process."""

import os
import select
import time

from ingest.checkout import Checkout

TYPE_CHECKING = False  # hooks import this, and `collections.abc` is for the reader only
if TYPE_CHECKING:
    from collections.abc import Sequence

GIT_S = 1.5
MOST_COMMITS = 200
MARK = "\x01"


def changes(place: Checkout, head: str | None, at: str) -> tuple[int | None, tuple[str, ...]]:
    """Return the number of commits since *head* (else since the time *at*) and the files that they changed.

    The number is None where git does not know *head* any more, or does not answer in time.
    """
    if place.head is None or not (head is None or (head.isascii() and head.isalnum())):
        return None, ()
    if head == place.head:
        return 0, ()
    span = [f"{head}..HEAD"] if head else [f"--since={at}", "HEAD"]
    # A repository's own settings may name a program to check signatures with.
    options = ["-c", "core.quotePath=false", "-c", "log.showSignature=false"]
    words = ["git", "-C", place.root, *options, "log", f"-n{MOST_COMMITS}", "--format=%x01", "--name-only", *span, "--"]
    output = _output(words)
    if output is None:
        return None, ()
    files = dict.fromkeys(line for line in output.splitlines() if line and line != MARK)
    return output.count(MARK), tuple(files)


def known_commits(place: Checkout, commits: "Sequence[str]") -> set[str]:
    """Return those of the commits that this repository has, by one process."""
    named = [commit for commit in commits if commit.isascii() and commit.isalnum()]
    output = _output(["git", "-C", place.root, "rev-list", "--no-walk", "--ignore-missing", *named, "--"]) if named else None
    return set((output or "").split())


def is_dirty(place: Checkout, seconds: float) -> bool | None:
    """Tell whether tracked files of the work tree differ from HEAD, as `git describe --dirty` has it; None where git does not say so in time.

    The plumbing compares sizes and times and opens no file, so that no filter that a repository names is run.
    """
    if place.head is None:
        return None
    output = _output(["git", "-C", place.root, "-c", "core.fsmonitor=false", "diff-index", "--name-only", "--ignore-submodules", "HEAD", "--"], seconds)
    return None if output is None else output != ""


def _output(words: list[str], seconds: float = GIT_S) -> str | None:
    """Return what a process prints within the *seconds* that it is given, or None.

    The package `subprocess` takes longer to import than git to run.
    """
    reader, writer = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    # Variables such as GIT_DIR, which git sets for its own hooks, would answer for another repository.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    try:
        process = os.posix_spawnp(words[0], words, {**inherited, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}, file_actions=actions)
    except OSError:
        os.close(reader)
        return None
    finally:
        os.close(writer)
        os.close(null)
    data, is_whole = _read(reader, seconds)
    os.close(reader)
    if not is_whole:
        os.kill(process, 9)
    _, status = os.waitpid(process, 0)
    return data.decode("utf-8", "replace") if is_whole and status == 0 else None


def _read(reader: int, seconds: float) -> tuple[bytes, bool]:
    """Return what came through a pipe, and whether it came to its end in time."""
    waiting = select.poll()
    waiting.register(reader, select.POLLIN | select.POLLHUP)
    data, end = b"", time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and waiting.poll(left * 1000):
        piece = os.read(reader, 65536)
        if not piece:
            return data, True
        data += piece
    return data, False
