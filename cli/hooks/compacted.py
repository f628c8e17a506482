"""After a compaction in a host that starts no session for it: the session's own words, told once at the next prompt."""

from cli.hooks import restore
from cli.hooks.call import Call
from cli.hooks.history import STATE
from ingest import tailend

KIND = "compacted"


def told(call: Call, transcript: str | None) -> str:
    """Return what the newest compaction may have dropped, the first time that a prompt follows it, else nothing."""
    if not call.settings.restore or not call.can_write or not transcript or tailend.size_of(transcript) is None:
        return ""
    try:
        compaction = tailend.newest(transcript, call.adapter.COMPACTION_MARKS, call.adapter.compaction)
    except OSError:
        return ""
    if compaction is None or any(line.get("kind") == KIND and line.get("compaction") == compaction for line in call.lines):
        return ""
    if not call.is_first(KIND, compaction=compaction):
        return ""
    restored = restore.restored(call, own=True)
    if restored.text:
        call.append({"type": "journal.hook_answered", "role": call.role, "kind": "restore", "tokens": restored.tokens, "parts": restored.parts}, kind=STATE)
    return restored.text
