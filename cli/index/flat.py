"""The index file: FAISS, flat, half-precision codes with the text hashes as ids, and a line at its end that says what it is.

Written to a temporary file, synced and renamed, so that a reader has the old one or the new one, whole. The line at the end has model,
dimensions, the number of vectors, the last row of `cache.db` that is in it, and a hash of some of its bytes; FAISS reads past it.
"""

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from journal.errors import IndexUnusable
from journal.home import Home

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy import int64
    from numpy.typing import NDArray

    from cli.index.embedding import Vectors

VERSION = 1
FILE = "vectors.faiss"
MOST_TRAILER = 4096
SAMPLE = 1024 * 1024
"""Bytes at the beginning and at the end of the codes that the hash covers: all of a small file, the torn part of any."""


class Head(NamedTuple):
    """What an index file says of itself."""

    version: int
    model_id: str
    dimensions: int
    vectors: int
    position: int
    """The last row of the cache that is in it."""
    cache_id: int
    """The number of the model in the cache that it was made from."""
    bytes: int
    """The length of FAISS's own part."""
    sample: str
    """SHA-256 of its first and last bytes."""


def path_of(home: Home) -> str:
    """Return where the index lies."""
    return os.path.join(home.index, FILE)


def identity(home: Home) -> tuple[int, int, int] | None:
    """Return what tells one index file from another; None where there is none."""
    try:
        found = os.stat(path_of(home))
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def is_installed() -> bool:
    """Tell whether FAISS can be had."""
    import importlib.util

    return importlib.util.find_spec("faiss") is not None


def read_head(home: Home) -> Head:
    """Return what the file says of itself, checked against its length and its bytes.

    Raises: IndexUnusable: there is none, or it is damaged.
    """
    path = path_of(home)
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_TRAILER))
            line = file.read().rpartition(b"\n")[2]
            head = Head(**json.loads(line))
            is_whole = head.version == VERSION and head.bytes + 1 + len(line) == size and head.sample == _sample(file, head.bytes)
    except FileNotFoundError as error:
        raise IndexUnusable("there is no index yet", hint="run: journal index update") from error
    except OSError as error:
        raise IndexUnusable(f"the index cannot be read: {error}", hint="run: journal index update") from error
    except (ValueError, TypeError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise IndexUnusable("the index is damaged", hint="run: journal index update")
    return head


def _sample(file: Any, length: int) -> str:
    file.seek(0)
    digest = hashlib.sha256(file.read(min(SAMPLE, length)))
    if length > SAMPLE:
        file.seek(max(SAMPLE, length - SAMPLE))
        digest.update(file.read(length - file.tell()))
    return digest.hexdigest()


def load(home: Home, head: Head, *, mapped: bool = True) -> Any:
    """Return the index, mapped into memory where it is only searched.

    Raises: IndexUnusable: what FAISS reads is not what the head says.
    """
    import faiss

    try:
        index = faiss.read_index(path_of(home), faiss.IO_FLAG_MMAP_IFC if mapped and hasattr(faiss, "IO_FLAG_MMAP_IFC") else 0)
    except RuntimeError as error:
        raise IndexUnusable("the index is damaged", hint="run: journal index update") from error
    if index.ntotal != head.vectors or index.d != head.dimensions:
        raise IndexUnusable(f"the index says {head.vectors} vectors of {head.dimensions} dimensions and has {index.ntotal} of {index.d}",
                            hint="run: journal index update")  # fmt: skip
    return index


def empty(dimensions: int) -> Any:
    """Return an index without vectors."""
    import faiss

    return faiss.IndexIDMap(faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT))


def write(home: Home, index: Any, *, model_id: str, position: int, cache_id: int) -> Head:
    """Put *index* in place of the one there is; a crash leaves the old one.

    Raises: OSError: there is no space, or the folder cannot be written.
    """
    import faiss

    os.makedirs(home.index, mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=home.index, prefix="new-")
    os.close(handle)
    try:
        try:
            faiss.write_index(index, temporary)
        except RuntimeError as error:
            raise OSError(errno.ENOSPC, f"the index cannot be written: {str(error).splitlines()[0]}") from error
        with open(temporary, "r+b") as file:
            length = file.seek(0, os.SEEK_END)
            head = Head(VERSION, model_id, index.d, index.ntotal, position, cache_id, length, _sample(file, length))
            file.seek(0, os.SEEK_END)
            file.write(b"\n" + json.dumps(head._asdict()).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path_of(home))
    finally:  # after a success there is nothing of that name
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    folder = os.open(home.index, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return head


def tidy(home: Home) -> None:
    """Delete what a crash left beside the index; the caller holds the indexer's lock."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(home.index):
            if name.startswith("new-"):
                os.unlink(os.path.join(home.index, name))


def remove(home: Home) -> None:
    """Delete the index."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path_of(home))


def find(index: Any, query: "Vectors", most: int, among: "NDArray[int64] | None" = None) -> "Iterable[tuple[int, float]]":
    """Yield ids and similarities, nearest first, of at most *most* vectors, only *among* those where given."""
    import faiss

    if index.ntotal == 0 or most <= 0 or (among is not None and not len(among)):
        return
    selector = faiss.IDSelectorBatch(among) if among is not None else None
    named: dict[str, Any] = {}
    if selector is not None:  # an index on a GPU takes no parameters at all
        named["params"] = faiss.SearchParameters()
        named["params"].sel = selector
    similarities, ids = index.search(query.reshape(1, -1), min(most, index.ntotal), **named)
    for identity, similarity in zip(ids[0].tolist(), similarities[0].tolist(), strict=True):
        if identity >= 0:
            yield identity, similarity
