"""GitHub Copilot CLI: what a record says about the context. Seen with 1.0.102; older versions tell no figure per request."""

from ingest.hooks import Measure, Payload, number

MARKS = (b'"session.usage_record"', b'"session.compaction_complete"')


def measure(record: dict[str, object]) -> Measure | None:
    """Return what a request of the main agent, or a compaction, says."""
    data, kind = record.get("data"), record.get("type")
    if record.get("agentId") or not isinstance(data, dict):
        return None
    if kind == "session.compaction_complete":
        return Measure(None, is_compaction=True)
    usage = data.get("usage")
    if kind != "session.usage_record" or not isinstance(usage, dict) or usage.get("interactionType", "conversation-agent") != "conversation-agent":
        return None
    used, model = number(usage.get("inputTokens")) + number(usage.get("outputTokens")), usage.get("model")
    return Measure(used, window=number(usage.get("maxPromptTokens")) or None, model=model if isinstance(model, str) else None) if used else None


COMPACTION_MARKS = (b'"session.compaction_complete"',)


def compaction(record: dict[str, object]) -> str | None:
    """Return the name of a compaction of the main agent that succeeded: the host starts no session after one."""
    data = record.get("data")
    if record.get("type") != "session.compaction_complete" or record.get("agentId") or not isinstance(data, dict) or data.get("success") is False:
        return None
    return str(record.get("id") or record.get("timestamp"))


def transcript(payload: Payload, home: str) -> str | None:
    """Return the transcript of the payload's session; most events do not name it."""
    if payload.transcript_path or not payload.session_id:
        return payload.transcript_path
    return f"{home}/session-state/{payload.session_id}/events.jsonl"


def words(record: dict[str, object]) -> tuple[str, str] | None:
    """Return what a human or the agent said in a record, as (`prompt` or `answer`, text)."""
    data, told = record.get("data"), SPEAKERS.get(str(record.get("type")))
    if not told or record.get("agentId") or not isinstance(data, dict) or (told == "prompt" and data.get("source")):
        return None
    content = data.get("content")
    return (told, content) if isinstance(content, str) and content.strip() else None


SPEAKERS = {"user.message": "prompt", "assistant.message": "answer"}
