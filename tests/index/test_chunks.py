"""What is embedded: stretches that fit the model, none of the harness's words, commands known for what they are."""

import contextlib
import itertools
import sqlite3
from pathlib import Path

import pytest
from archive import Archive, answer, claude, uuid
from bags import S1, S2, Bags, updated
from hypothesis import given
from hypothesis import strategies as st

from cli.index.onnx import VOCABULARY
from projections import chunks
from projections.chunk_cutting import cut, has_substance, is_bare_command, readable, tokens_of

COMMAND = "<command-name>/fork</command-name>\n            <command-message>fork</command-message>\n            <command-args>{}</command-args>"
PARAGRAPH = "The command now copies the branch first, since a fork of a dirty tree lost the changes that were not committed; see fork.py."


def test_k6_a_chunk_is_down_weighted_only_if_short_a_command_and_without_substance() -> None:
    """Below 300 characters, with the command's mark, and with nothing else said: all three."""
    assert is_bare_command(COMMAND.format("the login page"))
    assert not is_bare_command("/fork the login page")
    assert not is_bare_command(COMMAND.format("x" * 300))
    assert not is_bare_command(COMMAND.format("x") + f"\n\n{PARAGRAPH}")


@pytest.mark.parametrize(("text", "substance"), [
    (COMMAND.format("a" * 150), False), (COMMAND.format("x") + "\n```\ncode\n```", True), (COMMAND.format("x") + "\n<details>why</details>", True),
    (PARAGRAPH, True), ("short", False), ("a\n\nb\n\n" + "c" * 100, False), ("c" * 101, True),
])  # fmt: skip
def test_k7_substance_is_code_thinking_or_a_long_paragraph_outside_the_arguments(text: str, substance: bool) -> None:
    """What stands in the arguments of a command is no substance."""
    assert has_substance(text) is substance


def test_k8_the_constants_are_those_of_the_tool() -> None:
    """300 characters of a command, 100 of a paragraph, and half the weight."""
    from cli.index.searching import BARE_WEIGHT
    from projections.chunk_cutting import COMMAND_CHUNK_MAX_LENGTH, SUBSTANCE_MIN_PARAGRAPH

    assert (COMMAND_CHUNK_MAX_LENGTH, SUBSTANCE_MIN_PARAGRAPH, BARE_WEIGHT) == (300, 100, 0.5)


def test_a_command_reads_as_it_was_typed() -> None:
    """The marks of the transcript are taken away before a text is embedded."""
    assert readable(COMMAND.format("the login page")) == "/fork the login page"
    assert readable("no command") == "no command"


@given(st.text(max_size=3000))
def test_every_character_but_blank_ends_stands_in_a_chunk(text: str) -> None:
    """Stretches are in order, overlap or touch but for blanks, and cover the text."""
    pieces = cut(text, most=40, overlap=8)
    covered = set()
    for before, piece in zip([None, *pieces], pieces, strict=False):
        assert piece.start < piece.end <= len(text)
        assert before is None or (before.start < piece.start and before.end < piece.end)
        covered |= set(range(piece.start, piece.end))
    assert all(text[place].isspace() for place in set(range(len(text))) - covered)


def test_a_chunk_repeats_the_end_of_the_one_before() -> None:
    """Some thirty tokens, so that a sentence on the border stands whole in one of them."""
    text = " ".join(f"The lock number {number} is held by the process that began first." for number in range(120))
    pieces = cut(text)
    repeated = [text[after.start : before.end] for before, after in itertools.pairwise(pieces)]
    assert len(pieces) >= 5
    assert all(part.endswith("is held by the process that began first.") and 90 <= len(part) <= 120 for part in repeated)


@pytest.mark.parametrize("text", [
    "The lock is held by the process that began first. " * 60, "def add(a: int, b: int) -> int:\n    return a + b\n\n\n" * 40,
    "日本語の文章をそのまま切ると長くなりすぎることがあります。" * 40, "x" * 5000, "0x7ffdeadbeef " * 200,
    "/usr/lib/python3.11/site-packages/x.py:17: E\n" * 60,
    "Überprüfung der Größenänderung fehlgeschlagen; " * 60, "{\"a\":[1,2,{\"b\":null}]}" * 80, "🙂🙃" * 300, "한국어 문장을 자르면 " * 100,
])  # fmt: skip
def test_kw5_a_chunk_fits_the_models_limit(text: str) -> None:
    """No stretch of prose, code, paths, numbers or CJK has more than the 254 tokens that MiniLM reads, by its own tokenizer."""
    tokenizer = pytest.importorskip("tokenizers", reason="the extra `search` is not installed").BertWordPieceTokenizer(VOCABULARY, lowercase=True)
    pieces = cut(text)
    assert len(pieces) > 1
    assert max(len(tokenizer.encode(text[piece.start : piece.end]).ids) for piece in pieces) <= 256


def test_words_are_never_counted_too_low_by_much() -> None:
    """The estimate of a word's tokens."""
    assert [tokens_of(word) for word in ("the", "authentication", "12345", "é", "(", " ")] == [1, 4, 3, 2, 1, 0]


def written(archive: Archive) -> sqlite3.Connection:
    """Write a session of every kind of record, index it, and return its views."""
    call = answer(4, S1, "", "m3")
    call["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}]
    failed = claude(5, S1, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "E42 lock"}]})
    fine = answer(6, S1, "", "m4")
    fine["message"]["content"] = [{"type": "tool_use", "id": "t2", "name": "Read", "input": {"path": "a.py"}}]
    read = claude(7, S1, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "whole file of no interest"}]})
    asked = answer(8, S1, "", "m5")
    asked["message"]["content"] = [{"type": "tool_use", "id": "t3", "name": "AskUserQuestion", "input": {"q": "which?"}}]
    chosen = claude(9, S1, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t3", "content": "User has answered: WAL"}]})
    archive.write(archive.claude_path(S1), claude(1, S1, "Why does the build hang?"), answer(2, S1, "I look at the lock.", "m1"),
                  claude(3, S1, "<system-reminder>never index this</system-reminder>"), call, failed, fine, read, asked, chosen,
                  answer(10, S1, "The lock was never released.", "m6"), claude(11, S1, COMMAND.format("")),
                  claude(12, S1, "skill text", isMeta=True))  # fmt: skip
    archive.ingest()
    updated(archive, Bags())
    return sqlite3.connect(archive.home / "views.db")


def test_chunks_are_prompts_answers_commands_errors_and_decisions(archive: Archive) -> None:
    """Harness text, what hooks and skills inject and outputs that went well are left out; each chunk has role, position and rank."""
    with contextlib.closing(written(archive)) as views:
        rows = views.execute("SELECT kind, role, rank, is_bare_command, start_char, end_char FROM chunks ORDER BY number").fetchall()
        assert rows == [("prompt", "user", 0, 0, 0, 24), ("answer", "assistant", 2, 0, 0, 19), ("answer", "assistant", 0, 0, 0, 28),
                        ("command", "user", 3, 1, 0, len(COMMAND.format(""))), ("error", "tool", 1, 0, 0, 8), ("decision", "tool", 1, 0, 0, 22)]  # fmt: skip
        texts = [chunks.text_of(views, row[0]) for row in views.execute("SELECT chunk_id FROM chunks ORDER BY number").fetchall()]
        assert texts == ["Why does the build hang?", "Why does the build hang?\nI look at the lock.", "Why does the build hang?\nThe lock was never released.",
                         "/fork", 'Why does the build hang?\nBash {"command":"make test"}\nE42 lock',
                         'Why does the build hang?\nAskUserQuestion {"q":"which?"}\nUser has answered: WAL']  # fmt: skip
        assert not [column for column in views.execute("SELECT * FROM chunks").fetchall() if "lock" in str(column)]


def test_what_tells_most_and_is_newest_is_embedded_first(archive: Archive) -> None:
    """Prompts, final answers and summaries, then errors and decisions, then other answers, then bare commands; newest first in each."""
    archive.write(archive.claude_path(S2), claude(101, S2, "A newer question about pens?"), answer(102, S2, "A newer answer.", "m9"))
    written(archive).close()
    embedder = Bags("another")
    updated(archive, embedder)
    assert [text.rpartition("\n")[2] for text in embedder.given] == [
        "A newer answer.", "A newer question about pens?", "The lock was never released.", "Why does the build hang?",
        "User has answered: WAL", "E42 lock", "I look at the lock.", "/fork",
    ]  # fmt: skip


def test_the_view_is_a_pure_function_of_the_log(archive: Archive) -> None:
    """After a replay the same chunks are cut again, and the hash of each is that of its text."""
    with contextlib.closing(written(archive)) as views:
        columns = "session_id, number, record_id, ordinal, tool_call_id, kind, turn_id, start_char, end_char, text_hash, rank, is_command, is_bare_command"
        before = views.execute(f"SELECT {columns} FROM chunks ORDER BY 1, 2").fetchall()
        archive.json("replay")
        assert views.execute("SELECT count(*) FROM chunks").fetchone() == (0,)
        updated(archive, Bags())
        assert views.execute(f"SELECT {columns} FROM chunks ORDER BY 1, 2").fetchall() == before
        for chunk_id, text_hash in views.execute("SELECT chunk_id, text_hash FROM chunks").fetchall():
            assert chunks.hash_of(chunks.text_of(views, chunk_id) or "") == text_hash


def test_an_ingest_cuts_no_chunks(archive: Archive) -> None:
    """A first ingest leaves the view empty and notes its sessions only."""
    archive.write(archive.claude_path(S1), claude(1, S1, "Why does the build hang?"))
    archive.ingest()
    assert archive.rows("views.db", "SELECT count(*) FROM chunks") == [(0,)]
    assert archive.rows("views.db", "SELECT session_id FROM chunks_waiting") == [(S1,)]


def test_a_rewound_prompt_has_no_chunk(archive: Archive) -> None:
    """What a person took back is not found by its meaning."""
    records = [claude(1, S1, "use threads"), answer(2, S1, "threads it is", "m1", parentUuid=uuid(1)),
               claude(3, S1, "use processes"), answer(4, S1, "processes it is", "m2", parentUuid=uuid(3))]  # fmt: skip
    archive.write(archive.claude_path(S1), *records)
    archive.ingest()
    updated(archive, Bags())
    told = {row[0] for row in archive.rows("views.db", "SELECT m.text FROM chunks AS c JOIN messages AS m USING (session_id, record_id, ordinal)")}
    dropped = {row[0] for row in archive.rows("views.db", "SELECT text FROM messages WHERE dropped_by IS NOT NULL")}
    assert not told & dropped
    assert "use processes" in told


@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "copilot"])
def test_every_host_has_chunks(archive: Archive, host: str) -> None:
    """The samples of each host are cut, and each chunk's text is the one that was hashed."""
    archive.run("ingest", "--root", f"{host}={Path(__file__).parents[2] / 'samples' / host}")
    updated(archive, Bags())
    with contextlib.closing(sqlite3.connect(archive.home / "views.db")) as views:
        found = views.execute("SELECT chunk_id, text_hash, kind FROM chunks").fetchall()
        assert {kind for _, _, kind in found} >= {"prompt", "answer"}
        assert [chunk_id for chunk_id, text_hash, _ in found if chunks.hash_of(chunks.text_of(views, chunk_id) or "") != text_hash] == []
