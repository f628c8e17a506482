"""The settings of the index, table `[index]` of `config.toml`."""

from typing import NamedTuple

DEVICES = ("auto", "cpu", "cuda", "mps")


class IndexSettings(NamedTuple):
    """What a user can set of search by meaning."""

    model: str = "auto"
    """`auto`, `minilm-int8` (the extra `search`), `minilm-onnx` (`journal index model fetch`), or what sentence-transformers loads: an id or a folder."""
    device: str = "auto"
    """Where the model and a large index run: `auto`, `cpu`, `cuda` or `mps`."""
    threads: int = 2
    """Threads that embedding takes at most."""
    slice_s: float = 10.0
    """Seconds that `journal watch` embeds at a stretch before it looks at the transcripts again; 0 leaves the index to `journal index update`."""


def from_table(given: object) -> IndexSettings:
    """Return the settings that the table `[index]` gives.

    Raises: ValueError: a name or a value cannot be used, with both.
    """
    if not isinstance(given, dict):
        raise ValueError("index must be a table")  # noqa: TRY004  one error for all that a file can have wrong
    for name, value in given.items():
        if name not in IndexSettings._fields:
            raise ValueError(f"index.{name}: no such setting; known are {', '.join(IndexSettings._fields)}")
        if name == "model" and not (isinstance(value, str) and value):
            raise ValueError(f"index.model = {value}: give a model's id or folder, or auto")
        if name == "device" and value not in DEVICES:
            raise ValueError(f"index.device = {value}: give one of {', '.join(DEVICES)}")
        if name == "threads" and not (type(value) is int and 1 <= value <= 64):
            raise ValueError(f"index.threads = {value}: give a number from 1 to 64")
        if name == "slice_s" and not (type(value) in (int, float) and 0 <= value <= 600):
            raise ValueError(f"index.slice_s = {value}: give seconds from 0 to 600")
    return IndexSettings(**given)
