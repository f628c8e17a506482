"""Gemini CLI: what a record says about the context. Seen with 0.61.0; the window is a constant of the client by model."""

from ingest.hooks import Measure, Payload, number

MARKS = (b'"tokens"', b"<state_snapshot>")


def measure(record: dict[str, object]) -> Measure | None:
    """Return what an answer's tokens, or a replaced history with a state snapshot, say."""
    tokens, model = record.get("tokens"), record.get("model")
    if record.get("type") == "gemini" and isinstance(tokens, dict):
        used = number(tokens.get("total")) or number(tokens.get("input")) + number(tokens.get("output")) + number(tokens.get("thoughts"))
        return Measure(used, model=model if isinstance(model, str) else None) if used else None
    replaced = record.get("$set")
    messages = replaced.get("messages") if isinstance(replaced, dict) else None
    if isinstance(messages, list) and messages and "<state_snapshot>" in str(messages[:2]):
        return Measure(None, is_compaction=True)
    return None


COMPACTION_MARKS = (b"<state_snapshot>",)


def compaction(record: dict[str, object]) -> str | None:
    """Return the name of a compression, the id of its state snapshot: a resume lists the same one again."""
    replaced = record.get("$set")
    messages = replaced.get("messages") if isinstance(replaced, dict) else None
    for message in messages[:3] if isinstance(messages, list) else ():
        if isinstance(message, dict) and "<state_snapshot>" in str(message.get("content"))[:200]:
            return str(message.get("id"))
    return None


def transcript(payload: Payload, home: str) -> str | None:
    """Return the transcript of the payload's session: the payload names it, after a resume perhaps a stub."""
    return payload.transcript_path


def words(record: dict[str, object]) -> tuple[str, str] | None:
    """Return what a human or the agent said in a record, as (`prompt` or `answer`, text)."""
    told, content = SPEAKERS.get(str(record.get("type"))), record.get("content")
    if isinstance(content, list):
        content = "\n".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    if not told or not isinstance(content, str) or not content.strip() or (told == "prompt" and content.startswith("<")):
        return None
    return told, content


SPEAKERS = {"user": "prompt", "gemini": "answer"}
