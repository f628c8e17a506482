"""Asking a running `journal watch`, which keeps model and index loaded, over a socket in the home; hooks use it, so that nothing is imported.

One line of JSON each way. The socket is the user's alone (mode 0600, in a folder of mode 0700), and who does not answer in time is done without.
"""

import os
import sys
import time

from journal import jsontext

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import _socket
    import socket
    from collections.abc import Mapping
    from typing import Any

    from journal.home import Home

FILE = "search.sock"
LONGEST_REQUEST = 64 * 1024
LONGEST_ANSWER = 8 * 1024 * 1024
LONGEST_PATH = 100
"""What fits the address of a socket everywhere (104 bytes on macOS, 108 on Linux)."""
PIECE = 65536
SOCKET = 0o140000
KINDS = 0o170000


class Address:
    """The address of the socket; where its path is too long, on Linux, by way of its open folder."""

    __slots__ = ("folder", "path")

    def __init__(self, home: "Home") -> None:
        self.path = path_of(home)
        self.folder: int | None = None
        if len(self.path.encode()) > LONGEST_PATH and sys.platform == "linux":
            self.folder = os.open(home.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self.path = f"/proc/self/fd/{self.folder}/{FILE}"

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            os.close(self.folder)


def path_of(home: "Home") -> str:
    """Return where the socket lies."""
    return os.path.join(home.root, FILE)


def is_there(home: "Home") -> bool:
    """Tell whether a socket of this user lies there, whoever is behind it."""
    try:
        status = os.lstat(path_of(home))
    except OSError:
        return False
    return status.st_mode & KINDS == SOCKET and status.st_uid == os.geteuid()


def ask(home: "Home", request: "Mapping[str, object]", timeout_s: float) -> "dict[str, Any] | None":
    """Return what the watcher answers, None where there is none, the whole answer takes longer than *timeout_s*, or it cannot."""
    if not is_there(home):
        return None
    import _socket

    deadline = time.monotonic() + timeout_s
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(timeout_s)
        with Address(home) as where:
            line.connect(where)
        line.sendall(jsontext.dumps(request).encode() + b"\n")
        answer = jsontext.loads(received(line, LONGEST_ANSWER, deadline).decode())
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        line.close()
    return answer if isinstance(answer, dict) and "error" not in answer else None


def received(line: "socket.socket | _socket.socket", most: int, deadline: float) -> bytes:
    """Return the bytes up to a newline; *deadline* is a moment of the monotonic clock.

    Raises: ValueError: more than *most* came, or no newline. OSError: also where it takes too long, however steadily bytes come.
    """
    data = bytearray()
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = line.recv(PIECE)
        data += part
        if not part or len(data) > most:
            raise ValueError("no whole line")
    return bytes(data)
