"""What became of a handoff's evidence: a status for each anchor, and what follows for statements and the whole. Pure.

The rules stand in docs/reference/drift.md; files and git are asked through what is passed in.
"""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from journal.ranges import Shape, hash_of, places_of, shape_of, starts_of

CHECKED = ("verified", "ok", "moved", "changed", "gone")
LOST = ("changed", "gone")
MOST_FILES_SEARCHED = 50
MOST_LINES_SEARCHED = 100_000
"""Of all files together in which lines are looked for that left their own."""
SHORTEST_SEARCHED = 20
"""So many characters a range needs to be looked for in other files; a brace stands everywhere."""
DIFF_LINES = 12


Starts = dict[str, dict[str, list[int]]]
"""Path to the hash of a line to where it stands, for each file that was looked through."""


class Anchor(NamedTuple):
    """An anchor as it was saved."""

    statement_id: str
    locator: str
    kind: str
    path: str
    start: int | None
    end: int | None
    symbol: str | None
    reason: str | None
    shape: Shape | None


class World(NamedTuple):
    """What is so now."""

    lines: Callable[[str], "list[str] | None"]
    is_folder: Callable[[str], bool]
    symbol_line: Callable[[list[str], str], "int | None"]
    is_here: bool
    """Whether the project's folder is there at all."""
    commits: Collection[str] | None
    """Those of the anchors' commits that git has; None where there is no git."""
    renamed: Mapping[str, str]
    """Old to new path, as git follows them since the saved commit."""
    changed: Sequence[str]
    """Files that changed since then, in which a block may stand now."""
    untracked: Sequence[str] = ()
    """Files that git does not have, where something is lost: the others in which it may stand."""


class Judged(NamedTuple):
    """An anchor now."""

    anchor: Anchor
    status: str
    """`verified`, `ok`, `moved`, `changed`, `gone` or `n/a`."""
    now: str | None
    """Where it stands now, where that is known."""
    why: str
    diff: tuple[str, ...] = ()


def judge_all(anchors: Sequence[Anchor], world: World) -> list[Judged]:
    """Return what became of each anchor."""
    starts: Starts = {}
    return [_judge(anchor, world, starts) for anchor in anchors]


def _judge(anchor: Anchor, world: World, starts: Starts) -> Judged:
    if anchor.reason:
        return Judged(anchor, "n/a", None, f"refused when it was saved: {anchor.reason}")
    if anchor.kind in ("url", "command"):
        return Judged(anchor, "n/a", None, f"a {anchor.kind} is not checked")
    if not world.is_here:
        return Judged(anchor, "n/a", None, "the project's folder is not there")
    if anchor.kind == "commit":
        if world.commits is None:
            return Judged(anchor, "n/a", None, "there is no git here")
        has = anchor.path in world.commits
        return Judged(anchor, "verified" if has else "gone", None, "git has the commit" if has else "git has no such commit any more")
    path, lines = _file(anchor.path, world)
    if anchor.kind == "folder":
        is_there = world.is_folder(anchor.path)
        return Judged(anchor, "ok" if is_there else "gone", None, "the folder is there" if is_there else "the folder is gone")
    if lines is None:
        found = _same_file(anchor, world) if anchor.kind == "file" else _elsewhere(anchor, world, starts)
        return found or Judged(anchor, "gone", None, "the file is gone")
    renamed = path if path != anchor.path else None
    if anchor.kind == "symbol" and anchor.symbol:
        return _symbol(anchor, lines, renamed, world, starts)
    if anchor.shape is None:
        return Judged(anchor, "ok", renamed, "the file is there")
    if anchor.start is None or anchor.end is None:
        if hash_of(lines) == anchor.shape.hash:
            return Judged(anchor, "moved" if renamed else "verified", renamed, f"renamed to {renamed}" if renamed else "the file is as it was")
        return Judged(anchor, "changed", renamed, "the file changed")
    return _range(anchor, path, lines, world, starts)


def _file(path: str, world: World) -> tuple[str, list[str] | None]:
    """Return the path that the file has now, with its lines; git's renames are followed where the old path is empty."""
    lines = world.lines(path)
    if lines is None and path in world.renamed:
        return world.renamed[path], world.lines(world.renamed[path])
    return path, lines


def _symbol(anchor: Anchor, lines: list[str], renamed: str | None, world: World, starts: Starts) -> Judged:
    at = world.symbol_line(lines, anchor.symbol or "")
    if at is None:
        return _elsewhere(anchor, world, starts) or Judged(anchor, "gone", renamed, f"the file has no {anchor.symbol} any more")
    now = f"{renamed or anchor.path}:{at}"
    if anchor.shape and hash_of(lines[at - 1 : at]) != anchor.shape.hash:
        return Judged(anchor, "changed", now, f"the line of {anchor.symbol} changed", _diff(anchor, lines, at, at))
    if renamed:
        return Judged(anchor, "moved", now, f"renamed to {renamed}")
    return Judged(anchor, "verified" if at == anchor.start else "ok", now, f"{anchor.symbol} stands in line {at}")


def _range(anchor: Anchor, path: str, lines: list[str], world: World, starts: Starts) -> Judged:
    start, end, shape = anchor.start or 1, anchor.end or 1, anchor.shape
    if shape is None:
        return Judged(anchor, "n/a", None, "nothing was kept of it")
    is_renamed = path != anchor.path
    here = end <= len(lines) and hash_of(lines[start - 1 : end]) == shape.hash
    if here and (not shape.first or shape_of(lines, start, end) == shape):
        return Judged(anchor, "moved" if is_renamed else "verified", _place(path, start, end) if is_renamed else None,
                      f"renamed to {path}" if is_renamed else "the lines are as they were")  # fmt: skip
    places = places_of(lines, _starts(path, lines, starts), shape, end - start + 1)
    if not places:
        found = _elsewhere(anchor, world, starts)
        return found or Judged(anchor, "changed", path if is_renamed else None, "the lines changed", _diff(anchor, lines, start, end))
    at = start if here and _is_as_likely(lines, shape, start, places[0], end - start) else places[0]
    if at == start and not is_renamed:
        return Judged(anchor, "verified", None, "the lines are as they were")
    now = _place(path, at, at + end - start)
    return Judged(anchor, "moved", now, f"the same lines stand in {now}")


def _is_as_likely(lines: list[str], shape: Shape, start: int, other: int, length: int) -> bool:
    """Tell whether nothing speaks for *other* against the place at which the same lines stood before."""
    def alike(at: int) -> int:
        here = shape_of(lines, at, at + length)
        return sum(a == b for a, b in zip(reversed(here.before), reversed(shape.before), strict=False)) + sum(
            a == b for a, b in zip(here.after, shape.after, strict=False)
        )

    return other == start or alike(start) >= alike(other)


def _elsewhere(anchor: Anchor, world: World, starts: Starts) -> Judged | None:
    """Return the anchor where its lines stand in another file that changed since, or None."""
    shape = anchor.shape
    if shape is None or anchor.start is None or anchor.end is None or len("".join(shape.text.split())) < SHORTEST_SEARCHED:
        return None
    left = MOST_LINES_SEARCHED
    for path in (*world.changed[:MOST_FILES_SEARCHED], *world.untracked[:MOST_FILES_SEARCHED]):
        lines = world.lines(path) if path != anchor.path else None
        if lines is None or len(lines) > left:
            continue
        left -= len(lines)
        places = places_of(lines, _starts(path, lines, starts), shape, anchor.end - anchor.start + 1)
        if places:
            now = _place(path, places[0], places[0] + anchor.end - anchor.start)
            return Judged(anchor, "moved", now, f"the same lines stand in {now}")
    return None


def _same_file(anchor: Anchor, world: World) -> Judged | None:
    """Return the anchor where a file with its whole content has another name now, or None."""
    for path in (*world.changed[:MOST_FILES_SEARCHED], *world.untracked[:MOST_FILES_SEARCHED]):
        lines = world.lines(path) if anchor.shape else None
        if lines and anchor.shape and hash_of(lines) == anchor.shape.hash:
            return Judged(anchor, "moved", path, f"the same content stands in {path}")
    return None


def _starts(path: str, lines: list[str], starts: Starts) -> dict[str, list[int]]:
    if path not in starts:
        starts[path] = starts_of(lines)
    return starts[path]


def _place(path: str, start: int, end: int) -> str:
    return f"{path}:{start}" if start == end else f"{path}:{start}-{end}"


def _diff(anchor: Anchor, lines: list[str], start: int, end: int) -> tuple[str, ...]:
    """Return a short diff between the beginning of the range as it was and what stands in its place."""
    if not anchor.shape or not anchor.shape.text:
        return ()
    before = anchor.shape.text.split("\n")
    is_whole = len(before) == end - start + 1
    after = lines[start - 1 : (end if is_whole else start - 1 + len(before))]
    found = [line for line in difflib.unified_diff(before, after, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    rest = len(found) - DIFF_LINES
    return (*found[:DIFF_LINES], *((f"[{rest} of {len(found)} lines left out]",) if rest > 0 else ()))


class Statement(NamedTuple):
    """A statement with what became of its anchors."""

    statement_id: str
    kind: str
    text: str
    anchors: tuple[Judged, ...]
    at_risk: bool
    reason: str


def statements_of(rows: Sequence[tuple[str, str, str]], judged: Sequence[Judged]) -> list[Statement]:
    """Return the statements (id, kind, text) with their own anchors; a finding is at risk through these alone.

    A recommendation without anchors is at risk where more than half of the findings are.
    """
    found = []
    for statement_id, kind, text in rows:
        own = tuple(one for one in judged if one.anchor.statement_id == statement_id)
        lost, checked = [one for one in own if one.status in LOST], [one for one in own if one.status in CHECKED]
        at_risk = bool(lost) if kind != "recommendation" else len(lost) * 2 > len(checked)
        found.append(Statement(statement_id, kind, text, own, at_risk, "; ".join(f"{one.anchor.locator} {one.status}" for one in lost) if at_risk else ""))
    findings = [one for one in found if one.kind == "finding"]
    risky = sum(one.at_risk for one in findings)
    if risky * 2 <= len(findings):
        return found
    reason = f"{risky} of {len(findings)} findings are at risk"
    return [one._replace(at_risk=True, reason=reason) if one.kind == "recommendation" and not one.anchors else one for one in found]


def severity_of(statements: Sequence[Statement], judged: Sequence[Judged]) -> tuple[str, str]:
    """Return `none`, `low`, `medium` or `high`, with the reason."""
    checked = [one for one in judged if one.status in CHECKED]
    if not checked:
        return "none", "no anchor can be checked"
    findings = [one for one in statements if one.kind == "finding" and any(a.status in CHECKED for a in one.anchors)]
    at_risk = sum(one.at_risk for one in findings)
    if at_risk and at_risk * 2 > len(findings):
        return "high", f"{at_risk} of {len(findings)} findings with evidence are at risk"
    if at_risk:
        return "medium", f"{at_risk} of {len(findings)} findings with evidence {'is' if at_risk == 1 else 'are'} at risk"
    drifted = sum(one.status not in ("verified", "ok") for one in checked)
    if drifted:
        return "low", f"{drifted} of {len(checked)} anchors moved, or changed beside the findings"
    return "none", f"all {len(checked)} anchors are as they were" if len(checked) != 1 else "the one anchor is as it was"


def confidence_of(statements: Sequence[Statement], kind: str) -> str:
    """Return how far the statements of a kind can be trusted: `high`, `medium`, `low`, or `unchecked` without evidence."""
    known = [one for one in statements if one.kind == kind and (one.at_risk or any(a.status in CHECKED for a in one.anchors))]
    at_risk = sum(one.at_risk for one in known)
    return "unchecked" if not known else "high" if not at_risk else "medium" if at_risk * 2 <= len(known) else "low"


def path_of(one: Judged) -> str:
    """Return the file in which an anchor stands now, as far as that is known."""
    if not one.now or one.anchor.kind == "file":
        return one.now or one.anchor.path
    return one.now.rpartition(":")[0] or one.now


def open_first(judged: Sequence[Judged], dirty: Sequence[str]) -> list[tuple[str, str]]:
    """Return (file, reason) pairs, what to look at first coming first: changed, work in progress, moved, then by anchors."""
    rank: dict[str, tuple[int, str]] = {}
    counts: dict[str, int] = {}
    for one in judged:
        if one.anchor.kind not in ("file", "range", "symbol") or one.status not in CHECKED or one.status == "gone":
            continue
        path = path_of(one)
        counts[path] = counts.get(path, 0) + 1
        found = (0, "changed since") if one.status == "changed" else (2, "moved") if one.status == "moved" else (3, "evidence")
        if one.anchor.path in dirty and found[0] > 1:
            found = (1, "was work in progress")
        rank[path] = min(rank.get(path, found), found)
    return [(path, rank[path][1]) for path in sorted(rank, key=lambda name: (rank[name][0], -counts[name], name))]
