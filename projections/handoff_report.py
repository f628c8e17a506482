"""What a handoff tells a later session: its state, what drifted, and what to look at first. Pure."""

import difflib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from journal.moments import age, seconds_of
from projections import drift, handoff_facts
from projections.restore import CLOSING, OPENING, neutral, tokens_of

SECTIONS = {
    "scope": "Scope", "finding": "Findings", "recommendation": "Recommendations", "question": "Open questions", "move": "Next moves", "evidence": "Evidence",
    "entity": "Entities", "relation": "Relations", "section": "Other",
}  # fmt: skip
OLD_S, STALE_S = 24 * 3600, 7 * 24 * 3600
MOST_GONE = 2
ALIKE = 0.75
"""Two statements of one kind are the same one reworded from this share of common text on, or where they share an anchor."""
Row = tuple[str, str, str, list[str]]


UNCOUNTED = (-1, -1)
"""There are commits since, and git was asked too often already to count them: files that it does not have come first."""


class Seen(NamedTuple):
    """What the checkout shows now."""

    world: drift.World
    branch: str | None
    head: str | None
    distance: tuple[int, int] | None
    """Commits of the saved commit that HEAD has not, and the other way; None where git knows it no more."""
    now_s: float | None = None
    """The present, in seconds after 1970."""
    facts: dict[str, Any] | None = None
    """What is so now of what was kept at save, such as failing tests."""
    count: Callable[[str], int] = tokens_of
    """Counts the tokens of a text."""
    method: str = "four bytes each"
    """How it counts."""


class Report(NamedTuple):
    """The answer as data and as text."""

    answer: dict[str, Any]
    text: str


class _Lines:
    """Lines of sections that are cut, and what was left out of each."""

    def __init__(self, shown: int) -> None:
        self.shown = shown
        self.lines: list[str] = []
        self.cut: dict[str, list[int]] = {}

    def section(self, heading: str, said: Sequence[str]) -> None:
        """Add a section; an empty one is left out."""
        if not said:
            return
        kept = said[: self.shown]
        count = f" ({len(kept)} of {len(said)} shown; all: journal handoff load --deep)" if len(kept) < len(said) else ""
        if count:
            self.cut[heading] = [len(kept), len(said)]
        self.lines += [f"## {heading}{count}", *(f"- {neutral(line)}" for line in kept)]


def of(bundle: dict[str, Any], rows: Sequence[Row], anchors: Sequence[drift.Anchor], seen: Seen, *, is_own: bool, shown: int) -> Report:
    """Return what to tell of *bundle*; without *is_own* it is another project's and labelled so."""
    judged = drift.judge_all(anchors, seen.world)
    statements = drift.statements_of([row[:3] for row in rows], judged)
    severity, why = drift.severity_of(statements, judged)
    by_kind = {kind: [one for one in statements if one.kind == kind] for kind in SECTIONS}
    confidence = {kind: drift.confidence_of(statements, kind) for kind in ("finding", "recommendation", "question", "move")}
    first = drift.open_first(judged, bundle["dirty"])
    risky = [one for one in statements if one.at_risk]
    changed = {path for path, reason in first if reason != "evidence"} | {one.anchor.path for one in judged if one.status in ("changed", "moved")}
    moves = sorted((one.text for one in by_kind["move"]), key=lambda text: not any(path in text for path in changed))
    cautions = _cautions(bundle, seen, judged, is_own)
    state = _state(bundle, cautions)
    semantic = handoff_facts.notes(bundle["facts"], seen.facts, [path for path in seen.world.changed if path not in bundle["dirty"]])
    out = _Lines(shown)
    out.section("State", state)
    out.section("Scope", [one.text for one in by_kind["scope"]])
    out.section("Drift", [f"severity {severity}: {why}", *(_told(one) for one in judged if one.status not in ("verified", "ok", "n/a"))])
    out.section("What else changed", semantic)
    for one in judged if shown > len(judged) else ():
        out.lines += [f"    {neutral(line)}" for line in ((f"{one.anchor.locator}:", *one.diff) if one.diff else ())]
    out.section("Section confidence", [f"{SECTIONS[kind]}: {level}" for kind, level in confidence.items() if by_kind[kind]])
    out.section("Open first", [f"{path} ({reason})" for path, reason in first])
    out.section("Must reverify", [f"{one.statement_id} {one.text} [{one.reason}]" for one in risky])
    for kind in ("finding", "recommendation", "question"):
        out.section(SECTIONS[kind], [f"{one.statement_id} {one.text}{_statuses(one)}" for one in by_kind[kind]])
    out.section("Next moves", moves)
    for kind in ("entity", "relation"):
        out.section(SECTIONS[kind], [one.text for one in by_kind[kind]])
    out.section("Other", [f"{text}: {' '.join(details)}" if text else " ".join(details) for _, kind, text, details in rows if kind == "section"])
    body = "\n".join([OPENING, f"# {neutral(bundle['title'])}", *out.lines])
    named = [drift.path_of(one) for one in judged if one.anchor.kind in ("file", "range", "symbol") and not one.anchor.reason]
    sources = {path: seen.count("\n".join(lines)) for path in sorted(set(named)) if (lines := seen.world.lines(path)) is not None}
    resume, reading = seen.count(body) + 30, sum(sources.values())
    spared = f", {round(100 * (1 - resume / reading))} % less" if reading > resume else ""
    line = f"{resume} tokens to resume, {reading} to read the {len(sources)} named file{'' if len(sources) == 1 else 's'} again{spared} ({seen.method})"
    answer = {
        "handoff_id": bundle["handoff_id"], "title": bundle["title"], "project": bundle["root"], "is_own": is_own, "saved_at": bundle["saved_at"],
        "session_id": bundle["session_id"], "severity": severity, "reason": why, "fresh": _is_fresh(bundle, seen, judged, cautions), "warnings": cautions,
        "state": state, "semantic": semantic,
        "findings": [{"id": one.statement_id, "text": one.text, "at_risk": one.at_risk, "reason": one.reason,
                      "anchors": [_anchor(a) for a in one.anchors]} for one in by_kind["finding"]],
        "recommendations": [{"id": one.statement_id, "text": one.text, "at_risk": one.at_risk, "reason": one.reason} for one in by_kind["recommendation"]],
        "anchors": [_anchor(one) for one in judged], "confidence": confidence, "open_first": [path for path, _ in first],
        "must_reverify": [one.statement_id for one in risky], "open_questions": [one.text for one in by_kind["question"]], "next_moves": moves,
        "cut": [{"section": name, "shown": kept, "of": total} for name, (kept, total) in out.cut.items()],
        "tokens": {"resume": resume, "sources": reading, "files": len(sources), "method": seen.method}, "resume": "\n".join([body, line, CLOSING]),
    }  # fmt: skip
    return Report(answer, str(answer["resume"]))


def _state(bundle: dict[str, Any], cautions: Sequence[str]) -> list[str]:
    found = [f"Caution: {caution}" for caution in cautions]
    found.append(f"handoff {bundle['handoff_id']} of {(bundle['saved_at'] or '')[:16].replace('T', ' ')} UTC, quality {bundle['rating']}")
    if bundle["purpose"]:
        found.append(" ".join(bundle["purpose"].split()))
    if dirty := bundle["dirty"]:
        found.append(f"work in progress when it was saved: {', '.join(dirty[:5])}" + (f" (5 of {len(dirty)})" if dirty[5:] else ""))
    return found


def _cautions(bundle: dict[str, Any], seen: Seen, judged: Sequence[drift.Judged], is_own: bool) -> list[str]:
    """Return what speaks against relying on a handoff as a whole."""
    found = [] if is_own else [f"this is a handoff of another project, {bundle['root']}"]
    at = seconds_of(bundle["saved_at"] or "")
    if at is not None and seen.now_s is not None and seen.now_s - at > OLD_S:
        found.append(f"it is {age(seen.now_s - at)} old")
    if not seen.world.is_here:
        return [*found, f"the project's folder {bundle['root']} is not there; its evidence cannot be checked"]
    if bundle["branch"] and seen.branch and bundle["branch"] != seen.branch:
        found.append(f"saved on branch {bundle['branch']}, the checkout is on {seen.branch}")
    if bundle["head"] and seen.head:
        base = bundle["head"][:10]
        if seen.distance is None:
            found.append(f"the base is lost: git does not know commit {base} any more; contents are compared, renames cannot be followed")
        elif seen.distance == UNCOUNTED:
            found.append(f"commits came since {base}, or it is not in the history of HEAD any more; they were not counted")
        elif seen.distance[0]:
            found.append(f"the base {base} is not in the history of HEAD any more: amended, rebased or another branch")
        elif seen.distance[1]:
            found.append(f"{seen.distance[1]} commit{'s' if seen.distance[1] > 1 else ''} came since {base}")
    gone = {one.anchor.path for one in judged if one.status == "gone"}
    if len(gone) > MOST_GONE:
        found.append(f"{len(gone)} places of its evidence are gone")
    return found


def _is_fresh(bundle: dict[str, Any], seen: Seen, judged: Sequence[drift.Judged], cautions: Sequence[str]) -> bool:
    """Tell whether a handoff can be taken as it is: recent, its base and evidence there, with at most one caution."""
    at = seconds_of(bundle["saved_at"] or "")
    is_stale = at is not None and seen.now_s is not None and seen.now_s - at > STALE_S
    gone = {one.anchor.path for one in judged if one.status == "gone"}
    return not is_stale and seen.world.is_here and len(gone) <= MOST_GONE and len(cautions) <= 1


def _told(one: drift.Judged) -> str:
    return f"{one.anchor.locator}: {one.status}" + (f", {one.why}" if one.why else "")


def _statuses(one: drift.Statement) -> str:
    return f" [{', '.join(f'{a.anchor.locator} {a.status}' for a in one.anchors)}]" if one.anchors else ""


def _anchor(one: drift.Judged) -> dict[str, Any]:
    return {"locator": one.anchor.locator, "kind": one.anchor.kind, "status": one.status, "now": one.now, "why": one.why, "diff": list(one.diff)}


def as_saved(bundle: dict[str, Any], told: Sequence[dict[str, Any]]) -> str:
    """Return a handoff as Markdown, fenced."""
    lines = [OPENING, f"# {neutral(bundle['title'])}", f"{bundle['handoff_id']}, saved {bundle['saved_at']}, {bundle['rating']} ({bundle['score']:.2f})"]
    lines += [neutral(bundle["purpose"])] if bundle["purpose"] else []
    for kind, heading in SECTIONS.items():
        found = [one for one in told if one["kind"] == kind]
        lines += [f"## {heading}"] if found else []
        for one in found:
            lines.append(f"- {one['id']} {neutral(one['text'])}" + (f" ({one['origin']})" if one.get("origin") else ""))
            lines += [f"  - {neutral(detail)}" for detail in one["details"]]
            lines += [f"  - refused: {neutral(a['locator'])}: {a['reason']}" for a in one["anchors"] if a["reason"]]
    return "\n".join([*lines, CLOSING])


def compared(old: Sequence[Row], new: Sequence[Row], old_places: Sequence[drift.Anchor], new_places: Sequence[drift.Anchor]) -> dict[str, Any]:
    """Return which statements are new, changed in their words, gone or the same; a question that is gone is resolved."""
    answer: dict[str, Any] = {"new": [], "changed": [], "gone": [], "resolved": [], "kept": 0}
    left = [row for row in old if row[1] != "section"]
    for row in (row for row in new if row[1] != "section"):
        twin = max(left, key=lambda other: likeness(other, row, old_places, new_places), default=None)
        if twin is None or likeness(twin, row, old_places, new_places) < ALIKE:
            answer["new"].append({"kind": row[1], "text": row[2]})
            continue
        left.remove(twin)
        if twin[2] == row[2]:
            answer["kept"] += 1
        else:
            answer["changed"].append({"kind": row[1], "text": row[2], "before": twin[2]})
    for row in left:
        answer["resolved" if row[1] == "question" else "gone"].append({"kind": row[1], "text": row[2]})
    return answer


def as_difference(answer: dict[str, Any]) -> str:
    """Return what `compared` found, fenced."""
    lines = [f"- {name}: {one['kind']}: {neutral(one['text'])}" for name in ("new", "changed", "gone", "resolved") for one in answer[name]]
    return "\n".join([OPENING, *lines, f"{answer['kept']} statements are the same", CLOSING])


def likeness(one: Row, other: Row, places: Sequence[drift.Anchor], other_places: Sequence[drift.Anchor]) -> float:
    """Return how alike two statements of one kind are: 2 for the same words, else up to 1 by words and by places that both name."""
    if one[1] != other[1]:
        return 0.0
    if one[2] == other[2]:
        return 2.0
    mine = {(a.path, a.start, a.end) for a in places if a.statement_id == one[0]}
    theirs = {(a.path, a.start, a.end) for a in other_places if a.statement_id == other[0]}
    said = difflib.SequenceMatcher(None, one[2].casefold(), other[2].casefold(), autojunk=False).ratio()
    return max(said, 0.8 + said / 10) if mine & theirs else said
