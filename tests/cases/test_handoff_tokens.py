"""What a load costs and spares: counted by a tokenizer where one lies on the machine, else by bytes, and each load is remembered."""

import json
from pathlib import Path

import pytest
from handoff_world import NOTES, Repository

from cli import tokens
from projections.restore import tokens_of

WORDS = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
         "post_processor": None, "decoder": None, "model": {"type": "WordLevel", "vocab": {"x": 0, "[UNK]": 1}, "unk_token": "[UNK]"}}  # fmt: skip


def test_the_heuristic_is_named_where_there_is_no_tokenizer(repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Four bytes each, of what is told and of every file that the evidence names, each file once."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "none"))
    repo.save()
    found = repo.load()["tokens"]
    expected = sum((Path(name).stat().st_size + 2) // 4 for name in ("calc.py", "other.py"))
    assert (found["sources"], found["files"], found["method"]) == (expected, 2, "four bytes each")
    assert found["resume"] > 100


def test_a_tokenizer_in_the_home_counts(repo: Repository) -> None:
    """`tokenizer.json` in the journal's home, here one token for a word or a sign; an unreadable one is passed over."""
    repo.save()
    (repo.archive.home / "tokenizer.json").write_text(json.dumps(WORDS))
    assert tokens.counter(str(repo.archive.home), {}).count("x, y x") == 4
    assert repo.load()["tokens"]["method"] == "by tokenizer.json"
    (repo.archive.home / "tokenizer.json").write_text("{}")
    assert repo.load()["tokens"]["method"].startswith("four bytes")


def test_nothing_is_fetched_for_counting(tmp_path: Path) -> None:
    """An encoding of tiktoken counts only where it lies in its cache."""
    assert tokens.counter(str(tmp_path), {"TIKTOKEN_CACHE_DIR": str(tmp_path)}).method == "four bytes each"


def test_text_without_spaces_is_not_counted_as_one_word() -> None:
    """Twelve characters of three bytes are nine tokens."""
    assert tokens_of("帳簿の鍵は一度だけ取る。") == 9


def test_each_load_is_remembered_with_what_it_cost_and_spared(repo: Repository) -> None:
    """Two loads are two rows after the next ingest, and a home that cannot be written does not stop one."""
    name = repo.save()["handoff_id"]
    first, _ = repo.load()["tokens"], repo.load("--deep")
    repo.archive.json("ingest")
    rows = repo.archive.rows("views.db", "SELECT handoff_id, tokens, source_tokens FROM handoff_loads ORDER BY loaded_at")
    assert len(rows) == 2
    assert rows[0] == (name, first["resume"], first["sources"])


def test_a_cut_is_counted_and_deep_shows_all(repo: Repository) -> None:
    """Five of twelve are told, with the way to the rest."""
    lines = "".join(f"- Finding number {number} is about the sum: `calc.py:{number % 3 + 4}`.\n" for number in range(12))
    repo.save(NOTES.replace("## Findings\n", f"## Findings\n{lines}"))
    loaded = repo.load()
    assert {"section": "Findings", "shown": 5, "of": 15} in loaded["cut"]
    assert "## Findings (5 of 15 shown; all: journal handoff load --deep)" in loaded["resume"]
    assert repo.load("--deep")["cut"] == []
