"""How many tokens a text has: by a tokenizer where one is installed and its data lie on this machine, else by its bytes.

Nothing is fetched: tiktoken is asked only for an encoding that lies in its cache, `tokenizers` only for the file
`tokenizer.json` in the journal's home.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from projections.restore import tokens_of

HEURISTIC = "four bytes each"
FILE = "tokenizer.json"
ENCODINGS = ("o200k_base", "cl100k_base")
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""Where tiktoken has an encoding from; the cache names its files by the SHA-1 of it."""
LARGEST_BYTES = 2_000_000
"""A longer text is counted by its bytes: a tokenizer takes a second for some megabytes."""


class Counter(NamedTuple):
    """A way to count."""

    count: Callable[[str], int]
    method: str


def counter(home: str, environ: dict[str, str]) -> Counter:
    """Return the best way to count on this machine."""
    return _of_file(os.path.join(home, FILE)) or _of_cache(environ) or Counter(tokens_of, HEURISTIC)


def _of_file(path: str) -> Counter | None:
    if not _is_tokenizer(path):
        return None
    try:
        tokenizer: Any = import_module("tokenizers").Tokenizer.from_file(path)
    except ImportError:
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Counter(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids) if len(text) < LARGEST_BYTES else tokens_of(text), f"by {FILE}")


def _is_tokenizer(path: str) -> bool:
    """Tell whether a file has the shape of a tokenizer's; the library raises its bare `Exception` for any other."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError):
        return False
    model = value.get("model") if isinstance(value, dict) else None
    return isinstance(model, dict) and isinstance(model.get("vocab"), dict | list) and "added_tokens" in value


def _of_cache(environ: dict[str, str]) -> Counter | None:
    folder = environ.get("TIKTOKEN_CACHE_DIR") or environ.get("DATA_GYM_CACHE_DIR") or os.path.join(tempfile.gettempdir(), "data-gym-cache")
    there = [name for name in ENCODINGS if os.path.isfile(os.path.join(folder, hashlib.sha1(ADDRESS.format(name).encode()).hexdigest()))]  # noqa: S324  a file's name, not a secret
    if not there:
        return None
    try:
        encoding: Any = import_module("tiktoken").get_encoding(there[0])
    except (ImportError, OSError, ValueError):
        return None
    return Counter(lambda text: len(encoding.encode(text, disallowed_special=())) if len(text) < LARGEST_BYTES else tokens_of(text), f"by tiktoken {there[0]}")
