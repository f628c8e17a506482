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


def words(record: dict[str, object]) -> tuple[str, str] | None:
    """Return what a human or the agent said in a record, as (`prompt` or `answer`, text)."""
    payload = record.get("payload")
    if record.get("type") != "event_msg" or not isinstance(payload, dict):
        return None
    item, kind = payload.get("item"), payload.get("type")
    if kind == "item_completed" and isinstance(item, dict):
        told, content = SPEAKERS.get(str(item.get("type"))), item.get("content")
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)] if isinstance(content, list) else []
        return (told, "\n".join(texts)) if told and texts else None
    told, text = SPEAKERS.get(str(kind)), payload.get("message")
    return (told, text) if told and isinstance(text, str) else None


SPEAKERS = {"UserMessage": "prompt", "AgentMessage": "answer", "user_message": "prompt", "agent_message": "answer"}
