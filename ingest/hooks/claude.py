"""Claude Code: what a record says about the context. Seen with 2.1.332; the window stands in no record."""

from ingest.hooks import Measure, Payload, number

MARKS = (b'"usage"', b'"compact_boundary"')
"""Bytes of which one stands in every record that `measure` reads."""
SYNTHETIC_MODEL = "<synthetic>"


def measure(record: dict[str, object]) -> Measure | None:
    """Return what a main-chain answer or a compaction says; None for any other record."""
    if record.get("isSidechain"):
        return None
    if record.get("subtype") == "compact_boundary":
        return Measure(None, is_compaction=True)
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict):
        return None
    usage, model = message.get("usage"), message.get("model")
    if not isinstance(usage, dict) or model == SYNTHETIC_MODEL:
        return None
    used = sum(number(usage.get(name)) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"))
    return Measure(used, model=model if isinstance(model, str) else None) if used else None


def transcript(payload: Payload, home: str) -> str | None:
    """Return the transcript of the payload's session: the payload names it."""
    return payload.transcript_path
