"""What the last run of the tests left in a checkout: pytest's cache, or a JUnit report."""

import json
import os
import re
from typing import Any

LARGEST_BYTES = 1024 * 1024
MOST_NAMES = 50
LAST_FAILED = os.path.join(".pytest_cache", "v", "cache", "lastfailed")
NODE_IDS = os.path.join(".pytest_cache", "v", "cache", "nodeids")
REPORTS = ("test-results.xml", "junit.xml", "report.xml")


def read(root: str) -> dict[str, Any] | None:
    """Return how many tests failed last, their names and which file says so; None where nothing tells."""
    data = _small(os.path.join(root, LAST_FAILED))
    if data is not None or os.path.exists(os.path.join(root, NODE_IDS)):
        names = _names(data)
        return {"failing": len(names), "names": names[:MOST_NAMES], "source": ".pytest_cache"}
    for name in REPORTS:
        head = (_small(os.path.join(root, name)) or b"")[:4096].decode("utf-8", "replace")
        found = re.findall(r'\b(failures|errors)="(\d{1,9})"', head)
        if found:
            counts = dict(reversed(found))  # the outermost element stands first
            return {"failing": sum(map(int, counts.values())), "names": [], "source": name}
    return None


def _names(data: bytes | None) -> list[str]:
    try:
        value = json.loads(data) if data else {}
    except ValueError:
        return []
    return sorted(value) if isinstance(value, dict) else []


def _small(path: str) -> bytes | None:
    """Return the content of a plain file of at most 1 MiB."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if os.fstat(descriptor).st_size > LARGEST_BYTES or not os.path.isfile(path):
            return None
        try:
            return file.read(LARGEST_BYTES)
        except OSError:
            return None
