"""Two handoffs become one: what both say stands once, and what they say differently stands twice and is named. Pure."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from projections.drift import Anchor
from projections.handoff_report import ALIKE, Row, likeness


class Side(NamedTuple):
    """One of the handoffs; the later one comes second."""

    name: str
    rows: Sequence[Row]
    anchors: Sequence[Anchor]


class Merged(NamedTuple):
    """The union, with new ids, and where the sides do not agree."""

    statements: list[dict[str, Any]]
    anchors: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]


def unite(first: Side, second: Side) -> Merged:
    """Return the union of two handoffs: statements of both by kind, those of the first before what only the second has."""
    left = list(second.rows)
    pairs: list[tuple[Row | None, Row | None]] = []
    conflicts: list[dict[str, Any]] = []
    for row in first.rows:
        twin = max(left, key=lambda other: likeness(row, other, first.anchors, second.anchors), default=None)
        if twin is None or likeness(row, twin, first.anchors, second.anchors) < ALIKE:
            pairs.append((row, None))
            continue
        left.remove(twin)
        if (row[2], row[3]) == (twin[2], twin[3]):
            pairs.append((row, twin))
            continue
        pairs += [(row, None), (None, twin)]
        conflicts.append({"kind": row[1], "about": "words", first.name: _said(row), second.name: _said(twin)})
    pairs += [(None, row) for row in left]
    conflicts += _places(first, second)
    statements: list[dict[str, Any]] = []
    anchors: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    for one, other in sorted(pairs, key=lambda pair: ORDER.get((pair[0] or pair[1] or ("", "", "", []))[1], 9)):
        chosen = other or one
        if chosen is None:
            continue
        side = second if other else first
        letter = chosen[0].rstrip("0123456789.")
        numbers[letter] = numbers.get(letter, 0) + 1
        name = f"{letter}{numbers[letter]}"
        origin = " and ".join(f"{told.name} {was[0]}" for told, was in ((first, one), (second, other)) if was is not None)
        statements.append({"id": name, "kind": chosen[1], "text": chosen[2], "details": chosen[3], "origin": origin})
        anchors += [_anchor(name, anchor) for anchor in side.anchors if anchor.statement_id == chosen[0]]
    return Merged(statements, anchors, conflicts)


ORDER = {kind: number for number, kind in enumerate(
    ("scope", "finding", "recommendation", "question", "move", "evidence", "entity", "relation", "section"))}  # fmt: skip


def _said(row: Row) -> str:
    return " ".join([row[2], *row[3]])


def _places(first: Side, second: Side) -> list[dict[str, Any]]:
    """Return the places that had other content when each of the two was saved."""
    mine = {(one.path, one.start, one.end, one.symbol): one for one in first.anchors if one.shape}
    found = {}
    for other in second.anchors:
        one = mine.get((other.path, other.start, other.end, other.symbol))
        if one and one.shape and other.shape and one.shape.hash != other.shape.hash:
            found[one.locator] = {"kind": one.kind, "about": f"the content of {one.locator}",
                                  first.name: one.shape.text[:200], second.name: other.shape.text[:200]}  # fmt: skip
    return list(found.values())


def _anchor(name: str, anchor: Anchor) -> dict[str, Any]:
    told = anchor._asdict()
    del told["statement_id"]
    return {"statement": name, **told, "shape": list(anchor.shape) if anchor.shape else None}
