"""What lies on disk: the files below the hosts' roots that an adapter wants, each once."""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ingest.adapter import Adapter, Candidate
from ingest.tail import COMPRESSED


class Found(NamedTuple):
    """A file on disk that an adapter wants, with the path that names its source."""

    host: str
    key: str
    """The path without `.zst`: what the source is known by."""
    path: str
    candidate: Candidate


def discover(roots: Sequence[tuple[str, str]], adapters: Mapping[str, Adapter], warnings: list[str]) -> tuple[list[Found], list[tuple[str, str]]]:
    """Return all files that the adapters want, in a fixed order, and the roots that could be read; adds what could not to *warnings*."""
    found: dict[tuple[str, str], Found] = {}
    readable, seen = [], set()
    for host, root in roots:
        real = os.path.realpath(root)
        if (host, real) in seen:
            continue
        seen.add((host, real))
        try:
            for candidate in adapters[host].discover(real):
                if not _is_text(candidate.path):
                    warnings.append(f"{os.fsencode(candidate.path)!r}: the name is not UTF-8, not read")
                    continue
                key = candidate.path.removesuffix(COMPRESSED)
                if (host, key) not in found or not candidate.path.endswith(COMPRESSED):
                    found[host, key] = Found(host, key, candidate.path, candidate)
            readable.append((host, real))
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                warnings.append(f"{root}: {error.strerror}")
    return [found[key] for key in sorted(found)], readable


def _is_text(path: str) -> bool:
    """Tell whether *path* can be stored: a name that is no UTF-8 comes with lone surrogates, which SQLite refuses."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
