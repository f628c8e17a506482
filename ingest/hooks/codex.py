"""Codex CLI: what a record says about the context. Seen with 0.171.0: the window it tells is 95 % of the model's."""

from ingest.hooks import Measure, Payload, number

MARKS = (b'"token_count"', b'"compacted"')


def measure(record: dict[str, object]) -> Measure | None:
    """Return what the last response of a `token_count`, or a compaction, says; never the cumulative total."""
    payload = record.get("payload")
    if record.get("type") == "compacted":
        return Measure(None, is_compaction=True)
    if record.get("type") != "event_msg" or not isinstance(payload, dict) or payload.get("type") != "token_count":
        return None
    info = payload.get("info")
    last = info.get("last_token_usage") if isinstance(info, dict) else None
    if not isinstance(info, dict) or not isinstance(last, dict):
        return None
    used = number(last.get("total_tokens")) or number(last.get("input_tokens")) + number(last.get("output_tokens"))
    return Measure(used, window=number(info.get("model_context_window")) or None) if used else None


def transcript(payload: Payload, home: str) -> str | None:
    """Return the transcript of the payload's session: the payload names it."""
    return payload.transcript_path
