"""An embedder of the tests: a bag of hashed words, of any width, that counts the texts it is given."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy
from numpy import float32
from numpy.typing import NDArray

from cli.index.embedding import Embedder
from journal.home import Home

S1, S2, S3 = (f"aaaaaaaa-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))


class Bags:
    """Vectors of words; two texts with the same words have the same one."""

    device = "cpu"

    def __init__(self, name: str = "bags", dimensions: int = 64) -> None:
        self.model_id = name
        self.dimensions = dimensions
        self.given: list[str] = []

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return a row for each text."""
        self.given += texts
        rows = numpy.zeros((len(texts), self.dimensions), dtype=numpy.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % self.dimensions] += 1
        return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    queries = documents


def updated(archive: Any, embedder: Embedder) -> Any:
    """Bring the index up to date with an embedder."""
    from cli.index import building

    return building.update(Home(str(archive.home)), lambda: embedder)
