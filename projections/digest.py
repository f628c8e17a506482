"""One sha256 per view over what it says, without positions, row numbers and times of recording."""

import hashlib
import sqlite3
from collections.abc import Iterable

from projections.catalog import PROJECTIONS
from projections.projection import Projection


def digests(views: sqlite3.Connection, projections: Iterable[Projection] = PROJECTIONS) -> dict[str, str]:
    """Give the digest of every view that declares one, in catalog order."""
    return {
        table: digest_of(views, select) for projection in projections for table, select in projection.digest.items()
    }


def digest_of(views: sqlite3.Connection, select: str) -> str:
    """Hash the rows of one SELECT; repr keeps NULL, numbers and text apart and quotes what could run together."""
    hashed = hashlib.sha256()
    for row in views.execute(select):
        hashed.update(repr(row).encode("utf-8", "backslashreplace"))
        hashed.update(b"\n")
    return hashed.hexdigest()
