"""What a hook does in each role: write down what was seen, fold it with what is known, decide, answer, write that down too."""

import os
from importlib import import_module

from cli.hook_views import Views, history, start_ingest
from ingest import checkout, hooks, tailend
from ingest.facts import Facts
from ingest.hooks import Measure, Payload
from journal import hook_settings, inbox, jsontext, texts, windows
from journal.home import Home
from journal.hook_settings import HookSettings
from journal.moments import written
from projections import context, identity

HANDOFF = ".journal/handoff.md"
OTHER_HANDOFFS = (".bookmark/bookmark.context.md",)
"""Handoff files of other tools that are read where ours is missing."""
LONGEST_HANDOFF_BYTES = 64 * 1024
FRESH_BYTES = 200
FRESH_FOR_S = 600
"""A handoff so young is not asked for again at the end of every turn."""
STATE = ".state"
NOT_SENT = {"hook_event_name"}


class Call:
    """One hook call with all that its role needs."""

    __slots__ = ("adapter", "at", "can_write", "facts", "home", "host", "lines", "now", "payload", "place", "role", "session_id", "settings", "views")

    def __init__(self, role: str, host: str, payload: Payload, home: Home, now: float) -> None:
        self.role = role
        self.host = host
        self.facts: Facts = hooks.facts_of(host)
        self.adapter = import_module(f"ingest.hooks.{host}")
        self.payload = payload
        self.home = home
        self.now = now
        self.at = written(now)
        self.session_id = payload.session_id if payload.session_id and inbox.is_safe_id(payload.session_id) else ""
        self.settings = HookSettings()
        self.place = checkout.find(payload.cwd)
        self.can_write = False
        self.views = Views("")
        self.lines: list[dict[str, object]] = []
        """The history of this session's hooks, oldest first."""

    def append(self, record: dict[str, object], *, kind: str = "") -> None:
        """Append a line about this session to the inbox."""
        if self.can_write:
            inbox.append(self.home, self.session_id, self.at[:10], {**record, "at": self.at, "session_id": self.session_id}, kind=kind)


def parsed(data: bytes) -> dict[str, object] | None:
    """Return the payload, or None where it is no JSON object."""
    try:
        raw = jsontext.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def answer(role: str, host: str, payload: Payload, home: Home, now: float) -> str:
    """Return what the hook prints."""
    call = Call(role, host, payload, home, now)
    if _is_ours(call) or (role == "pre-compact" and host == "gemini" and payload.trigger != "manual"):
        # Gemini's PreCompress fires before every request, compression or not.
        return ""
    call.can_write = _make_home(home)
    transcript = call.adapter.transcript(payload, call.facts.home_of(dict(os.environ)))
    call.append(_seen(call, transcript))
    if payload.agent_id or not call.session_id:
        return ""  # a sub-agent's hook: its parent is the one who is told
    call.settings, wrong = hook_settings.load(home.config)
    if wrong:
        call.append({"type": "journal.hook_failed", "role": role, "error": wrong})
    call.views = Views(home.views_db)
    try:
        call.lines = history(call.views, home, call.session_id, call.now)
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
    from cli import hook_restore

    source = call.facts.sources.get(call.payload.source or "", "startup")
    version = _record_handoff(call)
    call.append({"type": "journal.context", "role": call.role, "source": source, "handoff": version}, kind=STATE)
    if not call.settings.restore or source in ("resume", "fork"):
        return {}  # the context is intact
    restored = hook_restore.restored(call, own=source == "compact")
    if not restored.text:
        return {}
    call.append({"type": "journal.hook_answered", "role": call.role, "kind": "restore", "tokens": restored.tokens, "parts": restored.parts,
                 "learnings": restored.learnings}, kind=STATE)  # fmt: skip
    return _context_for(call, restored.text)


def _prompt(call: Call, transcript: str | None) -> dict[str, object]:
    version = _record_handoff(call)
    measured, window = _measure(call, transcript, version, pending=context.prompt_estimate(call.payload.prompt))
    from cli import hook_recall

    alert = _alert(call, measured, window)
    said = {"systemMessage": alert[0]} if alert else _ask_for_window(call, measured, window)
    texts_told = [text for text in (_compacted(call, transcript), alert[1] if alert else "", hook_recall.recalled(call)) if text]
    return {**said, **(_context_for(call, "\n\n".join(texts_told)) if texts_told else {})}


def _compacted(call: Call, transcript: str | None) -> str:
    """Return the session's own words after a compaction for which the host starts no session."""
    if "compact" in call.facts.sources.values():
        return ""
    from cli import hook_compacted

    return hook_compacted.told(call, transcript)


def _pre_compact(call: Call, transcript: str | None) -> dict[str, object]:
    _measure(call, transcript, _record_handoff(call))
    return {}


def _stop(call: Call, transcript: str | None) -> dict[str, object]:
    version = _record_handoff(call)
    measured, window = _measure(call, transcript, version)
    if call.settings.on_complete != "off":
        from cli import hook_complete

        if opened := hook_complete.opened(call):
            return opened
    threshold = _ask_at(call, measured, window)
    path = _handoff_path(call) if threshold is not None else None
    if threshold is None or path is None or not _claim(call, "ask", threshold):
        return {}  # a crossing that nothing is asked for is told at the next prompt, where the agent reads it too
    alert = _alert(call, measured, window)
    reason = f"[journal] {texts.handoff_request(path, _identity(call))} Then end your turn; nothing else is asked of you."
    return {**({"systemMessage": alert[0]} if alert else {}), "decision": call.facts.block_word, "reason": reason}


def _session_end(call: Call, transcript: str | None) -> dict[str, object]:
    call.append({"type": "journal.context", "role": call.role, "handoff": _record_handoff(call)}, kind=STATE)
    return {}


ROLES = {"session-start": _session_start, "prompt": _prompt, "pre-compact": _pre_compact, "stop": _stop, "session-end": _session_end}


def _measure(call: Call, transcript: str | None, version: list[int] | None, *, pending: int = 0) -> tuple[Measure | None, context.Window]:
    """Return how full the context is and of what, and write it down."""
    measure = _newest_measure(call, transcript)
    used = measure.used + pending if measure and measure.used is not None else None
    model = call.payload.model or (measure.model if measure else None) or call.views.model_of(call.session_id)
    reported = measure.window if measure else None
    known = None if call.settings.context_limit or reported else windows.refreshed(model, windows.catalog_path(os.environ))
    window = context.window(call.settings.context_limit, reported, model, used, catalog=known)
    call.append({
        "type": "journal.context", "role": call.role, "used": used, "window": window.tokens, "window_source": window.source, "model": model,
        "compacted": bool(measure and measure.is_compaction), "handoff": version, "thresholds": list(call.settings.thresholds),
        "interval_s": call.settings.interval_min * 60,
    }, kind=STATE)  # fmt: skip
    if call.can_write:
        call.lines = history(call.views, call.home, call.session_id, call.now)
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
            return tail.measure
    return call.views.measure_of(call.session_id)


def _alert(call: Call, measured: Measure | None, window: context.Window) -> tuple[str, str] | None:
    """Return what to tell user and agent where a threshold is newly crossed, once per crossing."""
    if measured is None or measured.used is None or window.tokens is None:
        return None
    threshold = context.crossed(measured.used, window.tokens, call.settings.thresholds)
    if threshold is None or threshold not in context.fold(call.lines, call.settings.thresholds).armed or not _claim(call, "alert", threshold):
        return None
    clause = texts.fullness(measured.used, window.tokens, window.source, is_estimated=measured.is_estimated)
    path = _handoff_path(call)
    return texts.alert_for_user(clause, path), texts.alert_for_agent(clause, path, _identity(call))


def _ask_for_window(call: Call, measured: Measure | None, window: context.Window) -> dict[str, object]:
    """Say once in a session that no window is known."""
    if measured is None or window.tokens is not None or context.fold(call.lines, call.settings.thresholds).has_asked_for_window:
        return {}
    if not _claim(call, "window", 0.0):
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
    path = _existing_handoff(call)
    if path is None:
        return False
    status = os.stat(path)
    alerts = [str(line.get("at")) for line in call.lines if line.get("kind") == "alert"]
    since = alerts[-1] if alerts and mode == "threshold" else written(call.now - FRESH_FOR_S)
    return status.st_size >= FRESH_BYTES and written(status.st_mtime) > since


def _claim(call: Call, kind: str, threshold: float) -> bool:
    """Write down that we are about to speak, and tell whether we are the first of those who do so at the same time."""
    if not call.can_write:
        return False  # what cannot be written down would be said at every turn
    nonce = os.urandom(8).hex()
    call.append({"type": "journal.hook_answered", "role": call.role, "kind": kind, "threshold": threshold, "nonce": nonce}, kind=STATE)
    call.lines = history(call.views, call.home, call.session_id, call.now)
    if kind == "window":
        first = next((line for line in call.lines if line.get("kind") == "window"), None)
        return first is not None and first.get("nonce") == nonce
    return context.first_claim(call.lines, kind, threshold, nonce, call.settings.thresholds)


def _handoff_path(call: Call) -> str | None:
    """Return the path at which the agent is asked to write, its folder made and ignoring itself; None outside git."""
    if call.place is None or os.path.realpath(os.path.expanduser("~")) == call.place.root:
        return None
    folder = os.path.join(call.place.root, os.path.dirname(HANDOFF))
    if not _is_inside(folder, call.place.root):
        return None
    try:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.exists(ignore):
            with open(ignore, "w", encoding="ascii") as file:
                file.write("*\n")
    except OSError:
        return None
    return os.path.join(call.place.root, HANDOFF)


def _identity(call: Call) -> str:
    """Return the block that says where a handoff of now is written."""
    place = call.place
    if place is None:
        return ""
    root = place.repository
    named = {"scope": "repo", "repo_path": root, "repo_name": os.path.basename(root), "branch": place.branch, "head": place.head,
             "written": call.at, "written_by": call.host}  # fmt: skip
    return identity.block({key: value for key, value in named.items() if value})


def _existing_handoff(call: Call) -> str | None:
    if call.place is None:
        return None
    for name in (HANDOFF, *OTHER_HANDOFFS):
        path = os.path.join(call.place.root, name)
        if tailend.size_of(path) and _is_inside(path, call.place.root):
            return path
    return None


def _is_inside(path: str, root: str) -> bool:
    """Tell whether a path leads to a place in the work tree: a link out of it would bring another project's text, or a key, into this one."""
    return os.path.realpath(path).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)


def _record_handoff(call: Call) -> list[int] | None:
    """Write down the handoff file where it changed since this session or the views last saw it; return its version."""
    path = _existing_handoff(call)
    if path is None or call.place is None:
        return None
    status = os.stat(path)
    version = [status.st_mtime_ns // 1000, status.st_size]
    known = next((line["handoff"] for line in reversed(call.lines) if line.get("handoff")), None)
    if known == version or call.views.has_handoff(path, *version):
        return version
    with open(path, "rb") as file:
        text = file.read(LONGEST_HANDOFF_BYTES).decode("utf-8", "replace")
    call.append({
        "type": "journal.handoff", "text": text, "path": path, "root": call.place.repository, "branch": call.place.branch, "head": call.place.head,
        "is_dirty": None, "mtime_us": version[0], "size": version[1],
    }, kind=".handoff")  # fmt: skip
    return version


def _context_for(call: Call, text: str) -> dict[str, object]:
    """Return the answer that puts *text* into the model's context, in the host's dialect."""
    if call.facts.dialect == "flat":
        return {"additionalContext": text}
    return {"hookSpecificOutput": {"hookEventName": call.facts.events[call.role].name, "additionalContext": text}}
