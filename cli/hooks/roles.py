"""What a hook does in each role: write down what was seen, fold it with what is known, decide, answer, write that down too."""

import os

from cli.hooks import handoff
from cli.hooks.call import Call
from cli.hooks.history import STATE
from cli.hooks.views import start_ingest
from ingest import tailend
from ingest.facts import TOOL_ROLES
from ingest.hooks import Measure, Payload
from journal import hook_settings, jsontext, texts, windows
from journal.home import Home
from journal.moments import written
from projections import context

FRESH_BYTES = 200
SILENT_TURNS = 4
"""After so many turns without a figure the host's version tells none."""
FRESH_FOR_S = 600
"""A handoff so young is not asked for again at the end of every turn."""


def parsed(data: bytes) -> dict[str, object] | None:
    """Return the payload, or None where it is no JSON object."""
    try:
        raw = jsontext.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def answer(role: str, host: str, payload: Payload, home: Home, now: float) -> str:
    """Return what the hook prints."""
    call = Call(role, host, payload, home, now)
    if _is_ours(call) or (role in call.facts.idle_roles and payload.trigger != "manual"):
        return ""
    call.can_write = _make_home(home)
    if role in TOOL_ROLES:
        from cli.hooks import tools

        text = tools.told_of(call)
        return jsontext.dumps(_context_for(call, text)) if text else ""
    transcript = call.adapter.transcript(payload, call.facts.home_of(dict(os.environ)))
    call.append(_seen(call, transcript))
    if payload.agent_id or not call.session_id:
        return ""  # a sub-agent's hook: its parent is the one who is told
    call.settings, wrong = hook_settings.load(home.config)
    if wrong:
        call.append({"type": "journal.hook_failed", "role": role, "error": wrong})
    call.open_views()
    try:
        call.look()
        if call.settings.adaptive:
            call.settings.thresholds = context.adapted(call.settings.thresholds, call.lines)
        said = ROLES[role](call, transcript)
    finally:
        call.views.close()
    if call.can_write:
        start_ingest(home, call.now)
    return jsontext.dumps(said) if said else ""


def _is_ours(call: Call) -> bool:
    """Tell whether the session is one of our own processes, by where it runs."""
    cwd = call.payload.cwd
    if not cwd:
        return False
    real, own = os.path.realpath(cwd), os.path.realpath(call.home.root)
    return real == own or real.startswith(own + os.sep)


def _make_home(home: Home) -> bool:
    """Tell whether lines can be written; the home is made where it is missing."""
    try:
        os.makedirs(home.inbox, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(home.inbox, os.W_OK)


def _seen(call: Call, transcript: str | None) -> dict[str, object]:
    """Return the line of what the host said, with the transcript's size and the checkout at this moment."""
    place = call.place
    return {
        "type": "journal.hook", "role": call.role, "host": call.host, "payload": call.payload.raw,
        "transcript": {"path": transcript, "size": tailend.size_of(transcript)},
        "checkout": {"root": place.repository, "branch": place.branch, "head": place.head} if place else None,
    }  # fmt: skip


def _session_start(call: Call, transcript: str | None) -> dict[str, object]:
    from cli.hooks import restore

    source = call.facts.sources.get(call.payload.source or "", "startup")
    version = handoff.record(call)
    call.append({"type": "journal.context", "role": call.role, "source": source, "handoff": version, "model": call.payload.model}, kind=STATE)
    is_lost = source == "resume" and call.facts.resume_drops_start and any(line.get("kind") == "restore" for line in call.lines)
    if not call.settings.restore or (source in ("resume", "fork") and not is_lost):
        return {}  # the context is intact
    restored = restore.restored(call, own=source == "compact" or is_lost)
    if not restored.text:
        return {}
    call.append({"type": "journal.hook_answered", "role": call.role, "kind": "restore", "tokens": restored.tokens, "parts": restored.parts,
                 "learnings": restored.learnings}, kind=STATE)  # fmt: skip
    return _context_for(call, restored.text)


def _prompt(call: Call, transcript: str | None) -> dict[str, object]:
    version = handoff.record(call)
    measured, window = _measure(call, transcript, version, pending=context.prompt_estimate(call.payload.prompt))
    from cli.hooks import recall

    alert = _alert(call, measured, window)
    said = {"systemMessage": alert[0]} if alert else _ask_for_window(call, measured, window)
    texts_told = [text for text in (_compacted(call, transcript), alert[1] if alert else "", recall.recalled(call)) if text]
    return {**said, **(_context_for(call, "\n\n".join(texts_told)) if texts_told else {})}


def _compacted(call: Call, transcript: str | None) -> str:
    """Return the session's own words after a compaction for which the host starts no session."""
    if "compact" in call.facts.sources.values():
        return ""
    from cli.hooks import compacted

    return compacted.told(call, transcript)


def _pre_compact(call: Call, transcript: str | None) -> dict[str, object]:
    _measure(call, transcript, handoff.record(call))
    return {}


def _stop(call: Call, transcript: str | None) -> dict[str, object]:
    version = handoff.record(call)
    measured, window = _measure(call, transcript, version)
    if call.settings.on_complete != "off":
        from cli.hooks import complete

        if opened := complete.opened(call):
            return opened
    threshold = _ask_at(call, measured, window)
    path = handoff.path_to_write(call) if threshold is not None else None
    if threshold is None or path is None or not _claim(call, "ask", threshold):
        return {}  # a crossing that nothing is asked for is told at the next prompt, where the agent reads it too
    alert = _alert(call, measured, window)
    reason = f"[journal] {texts.handoff_request(path, handoff.identity_block(call))} Then end your turn; nothing else is asked of you."
    return {**({"systemMessage": alert[0]} if alert else {}), "decision": call.facts.block_word, "reason": reason}


def _session_end(call: Call, transcript: str | None) -> dict[str, object]:
    call.append({"type": "journal.context", "role": call.role, "handoff": handoff.record(call)}, kind=STATE)
    return {}


ROLES = {"session-start": _session_start, "prompt": _prompt, "pre-compact": _pre_compact, "stop": _stop, "session-end": _session_end}


def _measure(call: Call, transcript: str | None, version: list[int] | None, *, pending: int = 0) -> tuple[Measure | None, context.Window]:
    """Return how full the context is and of what, and write it down."""
    measure = _newest_measure(call, transcript)
    used = measure.used + pending if measure and measure.used is not None else None
    model = call.payload.model or context.full_name((measure.model if measure else None) or call.views.model_of(call.session_id), call.lines)
    reported = measure.window if measure else None
    known = None if call.settings.context_limit or reported else windows.refreshed(model, windows.catalog_path(os.environ))
    window = context.window(call.settings.context_limit, reported, model, used, catalog=known)
    call.compacts_at = call.views.compact_point(call.host, (measure.model if measure else None) or model)
    call.settings.thresholds = context.before_compaction(call.settings.thresholds, call.compacts_at, window.tokens)
    call.append({
        "type": "journal.context", "role": call.role, "used": used, "window": window.tokens, "window_source": window.source, "model": model,
        "compacted": bool(measure and measure.is_compaction), "handoff": version, "thresholds": list(call.settings.thresholds),
        "interval_s": call.settings.interval_min * 60, **({"estimated": True} if measure and measure.is_estimated else {}),
    }, kind=STATE)  # fmt: skip
    if call.can_write:
        call.look()
    if measure is None or used is None:
        return None, window
    return Measure(used, window=window.tokens, model=model, is_estimated=measure.is_estimated), window


def _newest_measure(call: Call, transcript: str | None) -> Measure | None:
    """Return what the end of the transcript says, else what the views know of the session."""
    if tailend.size_of(transcript) and transcript:
        try:
            tail = tailend.read(transcript, call.adapter.MARKS, call.adapter.measure)
        except OSError:
            return call.views.measure_of(call.session_id)
        if tail.measure is not None or tail.is_enough:
            return tail.measure or _estimate(call)
    return call.views.measure_of(call.session_id) or _estimate(call)


def _estimate(call: Call) -> Measure | None:
    """Return what the prompts so far are taken to use, of a host whose older versions tell no figures; None while it may yet tell them."""
    turns = context.prompts(call.lines) + (call.role == "prompt")
    if call.facts.tokens_per_turn is None or turns < SILENT_TURNS:
        return None
    return Measure(turns * call.facts.tokens_per_turn, is_estimated=True)


def _alert(call: Call, measured: Measure | None, window: context.Window) -> tuple[str, str] | None:
    """Return what to tell user and agent where a threshold is newly crossed, once per crossing."""
    if measured is None or measured.used is None or window.tokens is None:
        return None
    threshold = context.crossed(measured.used, window.tokens, call.settings.thresholds)
    if threshold is None or threshold not in context.fold(call.lines, call.settings.thresholds).armed or not _claim(call, "alert", threshold):
        return None
    clause = texts.fullness(measured.used, window.tokens, window.source, is_estimated=measured.is_estimated, compacts_at=call.compacts_at)
    path = handoff.path_to_write(call)
    return texts.alert_for_user(clause, path), texts.alert_for_agent(clause, path, handoff.identity_block(call))


def _ask_for_window(call: Call, measured: Measure | None, window: context.Window) -> dict[str, object]:
    """Say once in a session that no window is known."""
    if measured is None or window.tokens is not None or context.fold(call.lines, call.settings.thresholds).has_asked_for_window:
        return {}
    if not call.is_first("window", threshold=0.0):
        return {}
    return {"systemMessage": texts.unknown_window(measured.model)}


def _ask_at(call: Call, measured: Measure | None, window: context.Window) -> float | None:
    """Return the threshold under which a handoff is to be asked for now, or None."""
    mode = call.settings.stop_mode
    if call.payload.stop_hook_active or mode == "never":
        return None
    if mode == "every-turn":
        threshold: float | None = context.EVERY_TURN
    else:
        threshold = context.crossed(measured.used if measured else None, window.tokens, call.settings.thresholds[:1])
    if threshold is None or threshold in context.fold(call.lines, call.settings.thresholds).asked or _is_fresh(call, mode):
        return None
    return threshold


def _is_fresh(call: Call, mode: str) -> bool:
    """Tell whether the handoff file was written in this session: after its last alert, or within ten minutes."""
    path = handoff.existing(call.place)
    if path is None:
        return False
    status = os.stat(path)
    alerts = [str(line.get("at")) for line in call.lines if line.get("kind") == "alert"]
    since = alerts[-1] if alerts and mode == "threshold" else written(call.now - FRESH_FOR_S)
    return status.st_size >= FRESH_BYTES and written(status.st_mtime) > since


def _claim(call: Call, kind: str, threshold: float) -> bool:
    """Write down that we are about to speak at a threshold, and tell whether we are the first in its cycle."""
    if not call.can_write:
        return False  # what cannot be written down would be said at every turn
    nonce = call.announce(kind, threshold=threshold)
    return context.first_claim(call.lines, kind, threshold, nonce, call.settings.thresholds)


def _context_for(call: Call, text: str) -> dict[str, object]:
    """Return the answer that puts *text* into the model's context, in the host's dialect."""
    if call.facts.dialect == "flat":
        return {"additionalContext": text}
    return {"hookSpecificOutput": {"hookEventName": call.facts.event_of(call.role).name, "additionalContext": text}}
