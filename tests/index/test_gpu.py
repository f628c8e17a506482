"""The index on a GPU finds what it finds on a CPU; only where faiss-gpu and a GPU are."""

from contextlib import closing
from typing import Any

import numpy
import pytest
from archive import Archive
from bags import Bags, updated
from test_index_cases import filled, settings

from cli.index import flat, semantic
from journal.database import open_readonly
from journal.errors import IndexUnusable
from projections.search_filters import Filters


def gpus() -> int:
    """Return how many GPUs FAISS sees."""
    faiss = pytest.importorskip("faiss", reason="FAISS is not installed")
    return int(faiss.get_num_gpus()) if hasattr(faiss, "StandardGpuResources") else 0


def test_the_gpu_gives_the_same_results(archive: Archive) -> None:
    """The same ids in the same order, and similarities within half precision."""
    if not gpus():
        pytest.skip("no GPU that FAISS can use on this machine")
    home, embedder = filled(archive), Bags()
    updated(archive, embedder)
    opened = semantic.Search(settings(archive), embedder)
    assert opened.on_gpu
    on_cpu = flat.load(home, flat.read_head(home))
    query = embedder.queries(["The lock was never released."])[0]
    for (one, near), (other, near_too) in zip(flat.find(opened.index, query, 6), flat.find(on_cpu, query, 6), strict=True):
        assert one == other
        assert numpy.isclose(near, near_too, atol=2e-3)


def test_a_gpu_that_is_asked_for_and_not_there_is_said(archive: Archive) -> None:
    """`device = "cuda"` without one is no silent CPU."""
    if gpus():
        pytest.skip("this machine has a GPU")
    filled(archive)
    updated(archive, Bags())
    (archive.home / "config.toml").write_text('[index]\ndevice = "cuda"\n')
    with pytest.raises(IndexUnusable, match="FAISS sees no GPU"):
        semantic.Search(settings(archive), Bags())
    (archive.home / "config.toml").write_text('[index]\ndevice = "auto"\n')
    assert semantic.Search(settings(archive), Bags()).on_gpu is False


class LikeGpu:
    """An index that takes no parameters, as those of `faiss.GpuIndexFlat` do."""

    def __init__(self, index: Any) -> None:
        self.inner, self.ntotal, self.asked = index, index.ntotal, 0

    def search(self, query: Any, most: int) -> Any:
        """Search all vectors."""
        self.asked += 1
        return self.inner.search(query, most)


def test_what_a_gpu_cannot_do_is_done_on_the_cpu(archive: Archive) -> None:
    """A search among some texts goes to the index of the CPU, one among all to that of the GPU; the results are the same."""
    filled(archive)
    embedder = Bags()
    updated(archive, embedder)
    opened = semantic.Search(settings(archive), embedder)
    with closing(open_readonly(str(archive.home / "views.db"))) as views:
        here = Filters(host="claude")
        expected = [opened.find(views, "The lock was never released."), opened.find(views, "The lock was never released.", here)]
        gpu = opened.index = LikeGpu(opened.index)
        assert [opened.find(views, "The lock was never released."), opened.find(views, "The lock was never released.", here)] == expected
    assert gpu.asked == 1
