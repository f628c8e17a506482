"""After a compaction in a host that starts no session for it: the session's own words, told once at the next prompt."""

import os

from cli import hook_restore
from cli.hook_roles import STATE, Call
from cli.hook_views import history
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
    if not _claimed(call, compaction):
        return ""
    restored = hook_restore.restored(call, own=True)
    if restored.text:
        call.append({"type": "journal.hook_answered", "role": call.role, "kind": "restore", "tokens": restored.tokens, "parts": restored.parts}, kind=STATE)
    return restored.text


def _claimed(call: Call, compaction: str) -> bool:
    """Write down that we are about to tell, and say whether we are the first of those who do so at the same time."""
    nonce = os.urandom(8).hex()
    call.append({"type": "journal.hook_answered", "role": call.role, "kind": KIND, "compaction": compaction, "nonce": nonce}, kind=STATE)
    call.lines = history(call.views, call.home, call.session_id, call.now)
    first = next((line for line in call.lines if line.get("kind") == KIND and line.get("compaction") == compaction), None)
    return first is not None and first.get("nonce") == nonce
