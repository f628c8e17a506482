"""Cases C whose views are still to come: what the log and the present views hold for them is right already."""

from archive import Archive, answer, claude, codex, token_count

from ingest.codex import decode
from journal.domain import SourceFacts, UsageTotalReported

S = "aaaaaaaa-0000-4000-8000-000000000001"


def test_c14_the_last_usage_is_kept_apart_from_the_total(archive: Archive) -> None:
    """Total 962,000 counts as cost, last 12,000 stands beside it for the context, whose view follows."""
    archive.write(archive.codex_path(S), codex(S, [token_count((962_000, 0, 0, 0), (12_000, 0, 0, 0))]))
    archive.ingest()
    assert archive.sessions()[S]["input_tokens"] == 962_000
    assert archive.rows("views.db", "SELECT total_input_tokens, last_input_tokens FROM usage_totals") == [(962_000, 12_000)]


def test_c15_each_usage_brings_the_window_of_its_moment() -> None:
    """Two windows in one rollout are reported with the usage that they stood beside; the context's view follows."""
    windows = []
    for window in (121_600, 258_400):
        kind, payload = token_count((1000, 0, 0, 0), (1000, 0, 0, 0))
        payload["info"]["model_context_window"] = window
        (occurrence,) = decode(SourceFacts("codex", "/rollout-x.jsonl", S), {"type": kind, "payload": payload})
        windows += [event.window_tokens for event in occurrence.events if isinstance(event, UsageTotalReported)]
    assert windows == [121_600, 258_400]


def test_c17_a_model_is_its_exact_id(archive: Archive) -> None:
    """Ids that share a beginning are three models, in sessions and usage; the table of windows follows."""
    models = ["claude-opus-4-20250514", "claude-opus-4-8", "kimi-k2"]
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *(answer(n + 2, S, "x", f"m{n}", model=model) for n, model in enumerate(models)))
    archive.ingest()
    assert archive.sessions()[S]["models"] == models
    assert [row["key"] for row in archive.json("usage", "--by", "model")["rows"]] == models


def test_c18_a_compaction_keeps_what_it_replaced(archive: Archive) -> None:
    """After usage of 180k and a compaction without an answer, the last fact is the compaction; that the context is then unknown follows."""
    usage = {"input_tokens": 180_000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
    boundary = claude(3, S, "", type="system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 180_005})
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "x", "m1", usage), boundary)
    archive.ingest()
    assert archive.rows("views.db", "SELECT pre_tokens, post_tokens, occurred_at > (SELECT max(occurred_at) FROM usage) FROM compactions") == [
        (180_005, None, 1)]  # fmt: skip
    assert archive.sessions()[S]["input_tokens"] == 180_000


def test_c19_output_and_cache_are_part_of_a_response(archive: Archive) -> None:
    """Input 90k, cache 7k read and 3k written, output 12k total 112k, which the next turn's context begins with."""
    usage = {"input_tokens": 90_000, "cache_creation_input_tokens": 3_000, "cache_read_input_tokens": 7_000, "output_tokens": 12_000}
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "x", "m1", usage))
    archive.ingest()
    assert [row["total_tokens"] for row in archive.json("usage")["rows"]] == [112_000]
