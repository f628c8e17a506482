"""Claude Code: what a record says about the context. Seen with 2.1.332; the window stands in no record."""

import os

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
    """Return the transcript of the payload's session: the file that the payload names, or a newer one with the session's own name beside it.

    Claude Code was seen to name the file of before a resume (anthropics/claude-code#8564).
    """
    given, session_id = payload.transcript_path, payload.session_id
    if not given or not session_id or os.sep in session_id:
        return given
    own = os.path.join(os.path.dirname(given), f"{session_id}.jsonl")
    return own if own != given and _changed(own) > _changed(given) else given


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def words(record: dict[str, object]) -> tuple[str, str] | None:
    """Return what a human or the agent said in a record, as (`prompt` or `answer`, text)."""
    message = record.get("message")
    if record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary") or not isinstance(message, dict):
        return None
    content = message.get("content")
    if record.get("type") == "user" and isinstance(content, str) and not content.startswith(("<", "[Request interrupted")):
        return "prompt", content
    if record.get("type") == "assistant" and message.get("model") != SYNTHETIC_MODEL and isinstance(content, list):
        texts = [block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
        return ("answer", "\n".join(texts)) if texts else None
    return None
