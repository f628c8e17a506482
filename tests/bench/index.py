"""Measure the index: embedding throughput, and build, size, memory and search with many synthetic vectors against exact search.

Usage: python tests/bench/index.py [VECTORS ...]   (default 10000 100000 1000000)
Each size runs in a process of its own. Vectors are random directions around a thousand centres, 384 wide, seeded.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2])]

WIDTH = 384
QUERIES = 20
AT_ONCE = 10_000


def throughput() -> dict[str, Any]:
    """Embed chunks of about 230 tokens and single queries; CPU and wall seconds."""
    from cli.index import embedding
    from journal.settings import load

    begun = time.perf_counter()
    embedder = embedding.open_embedder(load({"JOURNAL_HOME": "/nowhere"}))
    opened = time.perf_counter() - begun
    prose = "The lock file of a dead process was never released, so the next build waited for ever; it checks the pid before it waits. "
    texts = [f"{number} " + prose * 7 for number in range(64)]
    begun, used = time.perf_counter(), time.process_time()
    embedder.documents(texts)
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    begun = time.perf_counter()
    for number in range(50):
        embedder.queries([f"why does build {number} hang after a crash"])
    return {"model": embedder.model_id, "open_s": round(opened, 2), "chunks_per_s": round(64 / wall, 1), "chunks_per_cpu_s": round(64 / cpu, 1),
            "query_ms": round((time.perf_counter() - begun) * 20, 1)}  # fmt: skip


def measured(count: int) -> dict[str, Any]:
    """Fill a cache with synthetic vectors, build the index, search it; figures of this process."""
    import numpy

    from cli.index import building, flat, vectors
    from journal.home import open_home

    rng = numpy.random.default_rng(7)
    centres = rng.standard_normal((1000, WIDTH)).astype(numpy.float32)

    def some(number: int) -> Any:
        rows = centres[rng.integers(0, 1000, number)] + 0.7 * rng.standard_normal((number, WIDTH)).astype(numpy.float32)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)

    with tempfile.TemporaryDirectory() as folder:
        home = open_home(folder)
        queries = some(QUERIES)
        best = [[] for _ in range(QUERIES)]  # type: list[list[tuple[float, int]]]
        with contextlib.closing(vectors.connect(home)) as cache:
            model = vectors.entered(cache, "synthetic", WIDTH)
            begun = time.perf_counter()
            for start in range(0, count, AT_ONCE):
                rows = some(min(AT_ONCE, count - start))
                vectors.add(cache, model, range(start, start + len(rows)), rows)
                near = queries @ rows.T
                for number, line in enumerate(near):
                    top = numpy.argpartition(-line, min(10, len(line) - 1))[:10]
                    best[number] = sorted([*best[number], *((float(line[one]), start + int(one)) for one in top)], reverse=True)[:10]
            filled = time.perf_counter() - begun
        begun, used = time.perf_counter(), time.process_time()
        building.build(home, model)
        built, built_cpu = time.perf_counter() - begun, time.process_time() - used
        peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) // 1024  # ru_maxrss would be that of who started this
        begun = time.perf_counter()
        head = flat.read_head(home)
        index = flat.load(home, head)
        loaded = time.perf_counter() - begun
        list(flat.find(index, queries[0], 10))
        begun = time.perf_counter()
        found = [[identity for identity, _ in flat.find(index, query, 10)] for query in queries]
        search = (time.perf_counter() - begun) / QUERIES
        among = numpy.arange(0, count, 10, dtype=numpy.int64)
        begun = time.perf_counter()
        for query in queries[:5]:
            list(flat.find(index, query, 10, among))
        filtered = (time.perf_counter() - begun) / 5
        recall = sum(len({one for _, one in exact} & set(got)) for exact, got in zip(best, found, strict=True)) / (10 * QUERIES)
        return {"vectors": count, "cache_mb": os.path.getsize(home.cache_db) // 2**20, "index_mb": building.size_of(home) // 2**20,
                "fill_s": round(filled, 1), "build_s": round(built, 2), "build_cpu_s": round(built_cpu, 2), "load_ms": round(loaded * 1000, 1),
                "search_ms": round(search * 1000, 2), "filtered_ms": round(filtered * 1000, 2), "recall_at_10": round(recall, 3), "peak_mb": peak}  # fmt: skip


def archive(megabytes: int) -> dict[str, Any]:
    """Ingest a generated archive, cut its chunks, give each text a random vector, and search it as `journal search` does."""
    import numpy

    from cli.index import building, embedding, vectors
    from journal.home import open_home
    from journal.settings import load

    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "HOME": folder, "JOURNAL_HOME": f"{folder}/home", "PYTHONPATH": str(Path(__file__).parents[2])}

        def journal(*words: str) -> float:
            begun = os.times()
            subprocess.run([sys.executable, "-m", "journal", *words], env=environ, check=True, capture_output=True)
            ended = os.times()
            return round(ended.children_user - begun.children_user + ended.children_system - begun.children_system, 2)

        subprocess.run([sys.executable, str(Path(__file__).parent / "generate.py"), f"{folder}/tree", str(megabytes)], check=True, capture_output=True)
        journal("ingest", *(word for host in ("claude", "codex", "gemini", "copilot") for word in ("--root", f"{host}={folder}/tree/.{host}")))
        home, before = open_home(f"{folder}/home"), os.path.getsize(f"{folder}/home/views.db")
        words = {"search_by_words_cpu_s": journal("search", "--all", "xyzzy_nowhere")}
        begun = time.process_time()
        sessions, _ = building.cut(home)
        cut_s = time.process_time() - begun
        embedder = embedding.open_embedder(load(environ))
        rng = numpy.random.default_rng(7)
        with contextlib.closing(vectors.connect(home)) as cache:
            model = vectors.entered(cache, embedder.model_id, embedder.dimensions)
            with building.beside(home) as views:
                hashes = [row[0] for row in views.execute("SELECT DISTINCT text_hash FROM chunks")]
            for start in range(0, len(hashes), AT_ONCE):
                some = hashes[start : start + AT_ONCE]
                rows = rng.standard_normal((len(some), embedder.dimensions)).astype(numpy.float32)
                vectors.add(cache, model, some, rows / numpy.linalg.norm(rows, axis=1, keepdims=True))
        building.build(home, model)
        query = "why does the parser raise an error in the cache handler"
        alone = {"hybrid_cpu_s": journal("search", "--all", query), "semantic_cpu_s": journal("search", "--all", "--mode", "semantic", query),
                 "identifier_cpu_s": journal("search", "--all", "parser_17"), "status_cpu_s": journal("index")}  # fmt: skip
        return {"megabytes": megabytes, "sessions": sessions, "texts": len(hashes), "cut_cpu_s": round(cut_s, 1),
                "views_growth": round((os.path.getsize(home.views_db) - before) / (megabytes * 1e6), 3), **words,
                **alone, **beside_watch(journal, environ, query)}  # fmt: skip


def beside_watch(journal: Callable[..., float], environ: dict[str, str], query: str) -> dict[str, Any]:
    """Ask a running watch: CPU of the command, and how long each takes; the first question loads model and index."""
    Path(environ["JOURNAL_HOME"], "config.toml").write_text("[index]\nslice_s = 0\n")
    watch = subprocess.Popen([sys.executable, "-m", "journal", "watch"], env=environ, stderr=subprocess.DEVNULL)
    try:
        while not Path(environ["JOURNAL_HOME"], "search.sock").exists():
            time.sleep(0.2)
        time.sleep(10)
        took, used = [], _cpu_of(watch.pid)
        for _ in range(7):
            begun = time.perf_counter()
            cpu = journal("search", "--all", query)
            took.append((round(time.perf_counter() - begun, 2), cpu, round(_cpu_of(watch.pid) - used, 3)))
            used = _cpu_of(watch.pid)
    finally:
        watch.terminate()
        watch.wait(60)
    wall, cpu, watcher = sorted(took[1:])[3]
    return {"first_beside_watch_s": took[0][0], "beside_watch_s": wall, "beside_watch_cpu_s": cpu, "watch_first_cpu_s": took[0][2], "watch_cpu_s": watcher}


def _cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print one JSON line for the throughput and one for each size."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("vectors", type=int, nargs="*")
    arguments.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments.add_argument("--archive", type=int, metavar="MB", help="search a generated archive of this size instead")
    asked = arguments.parse_args()
    if asked.archive:
        print(json.dumps(archive(asked.archive)))
        return
    if asked.one:
        print(json.dumps(measured(asked.one)))
        return
    print(json.dumps(throughput()))
    for count in asked.vectors or (10_000, 100_000, 1_000_000):
        print(subprocess.run([sys.executable, __file__, "--one", str(count)], capture_output=True, text=True, check=True).stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
