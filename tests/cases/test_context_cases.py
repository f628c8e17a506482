"""Cases C14 to C19: how full the context is, by the host's own figures, as the views tell it."""

from archive import Archive, answer, claude, codex, token_count

S = "aaaaaaaa-0000-4000-8000-000000000001"


def context(archive: Archive) -> list[tuple[object, ...]]:
    """Return the tokens in the context and its window, of the one session."""
    return archive.rows("views.db", "SELECT used_tokens, window_tokens FROM context_state")


def test_c14_the_last_usage_is_kept_apart_from_the_total(archive: Archive) -> None:
    """Total 962,000 counts as cost, the context holds the last 12,000 and never the total."""
    archive.write(archive.codex_path(S), codex(S, [token_count((962_000, 0, 0, 0), (12_000, 0, 0, 0))]))
    archive.ingest()
    assert archive.sessions()[S]["input_tokens"] == 962_000
    assert archive.rows("views.db", "SELECT total_input_tokens, last_input_tokens FROM usage_totals") == [(962_000, 12_000)]
    assert context(archive) == [(12_000, 258_400)]


def test_c15_the_newest_window_goes_with_the_newest_usage(archive: Archive) -> None:
    """A rollout whose model is switched tells two windows; each stands beside its usage, and the context is that of the last."""
    counts = [token_count((1000, 0, 0, 0), (1000, 0, 0, 0)), token_count((3000, 0, 0, 0), (2000, 0, 0, 0))]
    counts[0][1]["info"]["model_context_window"] = 121_600
    archive.write(archive.codex_path(S), codex(S, counts))
    archive.ingest()
    assert archive.rows("views.db", "SELECT used_tokens, window_tokens FROM context_history ORDER BY offset_bytes") == [(1000, 121_600), (2000, 258_400)]
    assert context(archive) == [(2000, 258_400)]


def test_c17_a_model_is_its_exact_id(archive: Archive) -> None:
    """Ids that share a beginning are three models, in sessions and usage."""
    models = ["claude-opus-4-20250514", "claude-opus-4-8", "kimi-k2"]
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *(answer(n + 2, S, "x", f"m{n}", model=model) for n, model in enumerate(models)))
    archive.ingest()
    assert archive.sessions()[S]["models"] == models
    assert [row["key"] for row in archive.json("usage", "--by", "model")["rows"]] == models


def test_c18_a_compaction_keeps_what_it_replaced(archive: Archive) -> None:
    """After usage of 180k and a compaction without an answer, the context is unknown at once, and the compaction says what it was."""
    usage = {"input_tokens": 180_000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
    boundary = claude(3, S, "", type="system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 180_005})
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "x", "m1", usage), boundary)
    archive.ingest()
    assert archive.rows("views.db", "SELECT pre_tokens, post_tokens, occurred_at > (SELECT max(occurred_at) FROM usage) FROM compactions") == [
        (180_005, None, 1)]  # fmt: skip
    assert archive.sessions()[S]["input_tokens"] == 180_000
    assert context(archive) == [(None, None)]


def test_c19_output_and_cache_are_part_of_a_response(archive: Archive) -> None:
    """Input 90k, cache 7k read and 3k written, output 12k total 112k, which the next turn's context begins with."""
    usage = {"input_tokens": 90_000, "cache_creation_input_tokens": 3_000, "cache_read_input_tokens": 7_000, "output_tokens": 12_000}
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "x", "m1", usage))
    archive.ingest()
    assert [row["total_tokens"] for row in archive.json("usage")["rows"]] == [112_000]
    assert context(archive) == [(112_000, None)]
