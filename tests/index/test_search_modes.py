"""`journal search` and `journal similar`: modes, filters, provenance, and what is asked of a search that nothing was installed for."""

import subprocess
import sys
from pathlib import Path

import pytest
from archive import Archive, answer, claude, codex, moment
from bags import S1, S2, S3
from test_index_cases import needs_weights

from cli.index import building, onnx
from journal.home import Home
from projections import fusion
from projections.fusion import is_code

CX = "cccccccc-0000-7000-8000-000000000001"


def told(archive: Archive) -> None:
    """Ingest sessions of two projects and two hosts: a lock, a greeting, a Japanese bug, a folder count."""
    call = answer(3, S1, "", "m9")
    call["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "python acquire_lock --path=/var/lib/x9/state.db"}}]
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "ERR_LOCK_0x51"}
    failed = claude(4, S1, "", message={"role": "user", "content": [result]})
    archive.write(archive.claude_path(S1), claude(1, S1, "Why does the build hang after a crash?"), call, failed,
                  answer(5, S1, "A lock file of the dead process was never released, so the next one waits for ever.", "m1"))  # fmt: skip
    archive.write(archive.claude_path(S2), *({**record, "cwd": "/home/dev/other"} for record in (
        claude(11, S2, "Make the greeting louder"), answer(12, S2, "It shouts in capitals now.", "m2"))))  # fmt: skip
    archive.write(archive.claude_path(S3), claude(21, S3, "キャッシュの期限切れが無視される"),
                  answer(22, S3, "The expiry of the cache was compared as text.", "m3"))
    archive.write(archive.codex_path(CX), codex(CX, [
        ("event_msg", {"type": "user_message", "message": "How many files are in the folder?"}),
        ("event_msg", {"type": "agent_message", "message": "There are seventeen files in it."}),
    ]))  # fmt: skip
    archive.ingest()


def sessions(found: dict) -> list[str]:
    """Return the sessions of an answer, each once."""
    return list(dict.fromkeys(hit["session_id"] for hit in found["hits"]))


def indexed(archive: Archive) -> None:
    """Ingest and index."""
    told(archive)
    archive.json("index", "update")


@needs_weights
def test_kw6_meaning_and_letters_are_both_found(archive: Archive) -> None:
    """A paraphrase, a path, an error code, an identifier and a CJK substring: each first, with the mode that found it."""
    indexed(archive)
    assert sessions(archive.json("search", "compilation stuck forever since the program died", "--all"))[0] == S1
    for query in ("/var/lib/x9/state.db", "acquire_lock", "state.db"):
        found = archive.json("search", query, "--all")
        assert (sessions(found)[:1], found["mode"]) == ([S1], "lexical"), query
    assert sessions(archive.json("search", "期限切れ", "--all"))[0] == S3
    assert archive.json("search", "ERR_LOCK_0x51 broken", "--all", "--mode", "semantic")["hits"][0]["role"] == "tool"


@needs_weights
def test_the_mode_that_ran_is_told_with_coverage_and_provenance(archive: Archive) -> None:
    """`mode`, `why`, `coverage`, and for each hit by what it was found and how near it is."""
    indexed(archive)
    hybrid = archive.json("search", "why does it hang", "--all")
    assert (hybrid["mode"], hybrid["why"], hybrid["coverage"]) == ("hybrid", "", 1.0)
    best = hybrid["hits"][0]
    assert (best["session_id"], best["host"], best["project"], best["role"], best["occurred_at"]) == (
        S1, "claude", "/home/dev/proj", "user", moment(1).replace(".000Z", ".000000Z"))  # fmt: skip
    assert set(best["by"]) <= {"words", "meaning"}
    assert best["similarity"] > 0.4
    semantic = archive.json("search", "why does it hang", "--all", "--mode", "semantic")
    assert (semantic["mode"], {word for hit in semantic["hits"] for word in hit["by"]}) == ("semantic", {"meaning"})
    assert archive.json("search", "hang", "--all", "--mode", "lexical")["mode"] == "lexical"


FILTERS: list[tuple[list[str], set[str]]] = [
    (["--all", "--host", "codex"], {CX}), (["--all", "--host", "claude"], {S1, S2, S3}), (["--all", "--tool", "bash"], {S1}), (["--project", "other"], {S2}),
    (["--all", "--since", "2026-11-30T10:00:21Z"], {S3}), (["--all", "--file", "nowhere.py"], set()),
]  # fmt: skip


@needs_weights
def test_filters_come_before_ranking(archive: Archive) -> None:
    """With a limit of one, the best hit of the filtered places is found, not a place among the best of all."""
    indexed(archive)
    for words, expected in FILTERS:
        for mode in ("hybrid", "semantic"):
            found = archive.json("search", "build lock file greeting cache", *words, "--mode", mode, "--limit", "50")["hits"]
            assert {hit["session_id"] for hit in found} <= expected, words
            assert archive.json("search", "build lock file greeting cache", *words, "--mode", mode, "--limit", "1")["hits"] == found[:1], words


@pytest.mark.parametrize(("words", "expected"), [
    (["--host", "codex"], {CX}), (["--host", "gemini"], set()), (["--tool", "Bash"], {S1}), (["--since", "2026-11-30T10:00:05Z"], {S1}),
])  # fmt: skip
def test_filters_hold_by_words_too(archive: Archive, words: list[str], expected: set[str]) -> None:
    """The same filters without an index."""
    told(archive)
    query = "files" if "codex" in words else "lock"
    assert set(sessions(archive.json("search", query, "--all", *words))) == expected


@needs_weights
def test_similar_sessions_are_about_the_same(archive: Archive) -> None:
    """A session about locks is most like another about locks, and never itself."""
    told(archive)
    other = "aaaaaaaa-0000-4000-8000-000000000009"
    archive.write(archive.claude_path(other), claude(31, other, "The compiler waits for ever when another one crashed"),
                  answer(32, other, "It waits for a lock that nobody releases.", "m8"))  # fmt: skip
    archive.ingest()
    archive.json("index", "update")
    found = archive.json("similar", S1, "--all")
    assert found["session_id"] == S1
    assert found["results"][0]["session_id"] == other
    assert S1 not in {result["session_id"] for result in found["results"]}
    assert found["coverage"] == 1.0
    archive.write(archive.claude_path(other), *(claude(40 + n, other, f"and another thing about zebra {n}") for n in range(5)), append=True)
    archive.ingest()
    building.cut(Home(str(archive.home)))
    assert 0.4 < archive.json("similar", S1, "--all")["coverage"] < 1
    assert "of the texts have a vector so far; run: journal index update" in archive.run("similar", S1, "--all")[2]


@needs_weights
def test_similar_embeds_no_text_again_and_leaves_out_what_is_about_something_else(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors of its texts come from the cache; another project's sessions come with --all, which the answer says, and a far one not at all."""
    told(archive)
    near, far = "aaaaaaaa-0000-4000-8000-000000000009", "aaaaaaaa-0000-4000-8000-000000000008"
    archive.write(archive.claude_path(near), claude(41, near, "The build waits for ever since another one crashed; which lock is it?"))
    archive.write(archive.claude_path(far, "-home-dev-kitchen"), claude(31, far, "Which flour do I need for a sourdough bread?", cwd="/home/dev/kitchen"))
    archive.ingest()
    archive.json("index", "update")
    embedded: list[str] = []
    embed = onnx.OnnxEmbedder.documents
    monkeypatch.setattr(onnx.OnnxEmbedder, "documents", lambda model, texts: embedded.extend(texts) or embed(model, texts))
    assert [result["session_id"] for result in archive.json("similar", S1, "--all")["results"]] == [near]
    assert embedded == ["one text to see what comes out"]  # the model's own trial
    status, out, err = archive.run("similar", S1, "--project", "/home/dev/kitchen")
    assert (status, out.splitlines()[1:], err) == (0, [], "nothing else in /home/dev/kitchen is about that; try --all\n")


def test_similar_without_an_index_says_what_to_do(archive: Archive) -> None:
    """Exit 7 with the command."""
    told(archive)
    status, _, err = archive.run("similar", S1, "--all")
    assert (status, "journal index update" in err) == (7, True)


def test_kw4_a_search_by_words_imports_nothing_heavy(archive: Archive) -> None:
    """Without an index, and for an identifier with one: no numpy, FAISS, onnxruntime or tokenizers."""
    told(archive)
    script = ("import sys\nfrom cli.main import main\nmain(['search', 'acquire_lock', '--all'])\n"
              "print([name for name in ('numpy', 'faiss', 'onnxruntime', 'tokenizers', 'cli.index.semantic') if name in sys.modules])")  # fmt: skip
    run = [sys.executable, "-c", script]
    before = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]).stdout
    assert before.splitlines()[-1] == "[]"
    (archive.home / "index").mkdir()
    (archive.home / "index" / "vectors.faiss").write_bytes(b"whatever")
    assert subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]).stdout == before


@pytest.mark.parametrize(("query", "code"), [
    ("acquire_lock", True), ("src/app.py", True), ("E1234", True), ("ENOENT", True), ("camelCase", True), ("std::move", True), ("--no-verify", True),
    ("lock", False), ("why does it hang", False), ("fix app.py please", False), ("", False),
])  # fmt: skip
def test_a_query_of_code_is_known(query: str, code: bool) -> None:
    """Identifiers, paths, codes and options: every word has a sign, a digit or an inner capital."""
    assert is_code(query) is code


def test_weak_hits_by_words_never_drown_good_vectors() -> None:
    """A place with less than 40 % of the query's weight is left out; a place of both lists goes first; far vectors are left out."""
    words = [("weak", 0.39), ("weaker", 0.1)]
    meaning = [("near", 0.6), ("far", 0.19)]
    assert [(one.key, one.by) for one in fusion.fused(words, meaning)] == [("near", ("meaning",))]
    both = fusion.fused([("a", 1.0), ("b", 1.0)], [("b", 0.5), ("c", 0.4)])
    assert [one.key for one in both] == ["b", "a", "c"]


@needs_weights
def test_a_question_that_nothing_here_is_near_to_is_answered_by_silence_and_why(archive: Archive) -> None:
    """The mode that ran, no hit, and what the nearest text had; by words it is found all the same."""
    indexed(archive)
    for mode in ("semantic", "hybrid"):
        found = archive.json("search", "what do whales eat", "--all", "--mode", mode)
        assert (found["mode"], found["hits"], found["coverage"]) == (mode, [], 1.0)
        assert found["why"].startswith("no text is near the question in meaning (the nearest has 0.")
    _, out, err = archive.run("search", "what do whales eat", "--all")
    assert (out, "no text is near the question in meaning" in err, "searched by words only" in err) == ("", True, False)
    near = archive.json("search", "compilation stuck forever", "--all", "--mode", "semantic")
    assert (near["why"], bool(near["hits"])) == ("", True)
