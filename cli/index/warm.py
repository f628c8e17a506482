"""Asking a running `journal watch`, which keeps model and index loaded, over a socket in the home; imports nothing heavy.

One line of JSON each way. The socket is the user's alone (mode 0600, in a folder of mode 0700), and who does not answer in time is done without.
"""

import contextlib
import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from journal.home import Home

FILE = "search.sock"
LONGEST_REQUEST = 64 * 1024
LONGEST_ANSWER = 8 * 1024 * 1024
LONGEST_PATH = 100
"""What fits the address of a socket everywhere (104 bytes on macOS, 108 on Linux)."""


@contextlib.contextmanager
def address(home: Home) -> Iterator[str]:
    """Give the address of the socket; where its path is too long, on Linux, by way of its open folder."""
    path = os.path.join(home.root, FILE)
    if len(path.encode()) <= LONGEST_PATH or sys.platform != "linux":
        yield path
        return
    folder = os.open(home.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{FILE}"
    finally:
        os.close(folder)


def ask(home: Home, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any] | None:
    """Return what the watcher answers, None where there is none, it does not answer in time, or it cannot."""
    if not os.path.exists(os.path.join(home.root, FILE)):
        return None
    try:
        with address(home) as where, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s)
            line.connect(where)
            line.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(received(line, LONGEST_ANSWER))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and "error" not in answer else None


def received(line: socket.socket, most: int) -> bytes:
    """Return the bytes up to a newline.

    Raises: ValueError: more than *most* came, or no newline. OSError.
    """
    data = bytearray()
    while not data.endswith(b"\n"):
        part = line.recv(65536)
        data += part
        if not part or len(data) > most:
            raise ValueError("no whole line")
    return bytes(data)
