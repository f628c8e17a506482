"""The evidence of a handoff: what its words name in the checkout now, and how good that makes it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.anchoring import Files, Git
    from projections.handoff_notes import Notes
    from projections.handoff_quality import Quality

LETTERS = {"scope": "C", "finding": "F", "recommendation": "R", "question": "Q", "move": "M", "evidence": "E", "entity": "N", "relation": "L"}
UNPROVED = ("url", "command", "folder")


def resolved(notes: "Notes", files: "Files", here: str, git: "Git | None") -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return statements, anchors and those that were refused; one git process knows all commits."""
    from projections import anchors as words

    statements: list[dict[str, Any]] = []
    named: list[tuple[str, list[words.Locator]]] = []
    for kind, letter in LETTERS.items():
        for number, item in enumerate(notes.items.get(kind, ()), 1):
            statements.append({"id": f"{letter}{number}", "kind": kind, "text": item.text, "details": list(item.details), "origin": item.origin})
            found = words.of_detail(item.text) if kind == "evidence" else words.of_text(item.text)
            found += [locator for detail in item.details for locator in words.of_detail(detail)]
            named.append((f"{letter}{number}", list(dict.fromkeys(found))))
    statements += [{"id": f"S{number}", "kind": "section", "text": section.heading, "details": [section.text], "origin": section.origin}
                   for number, section in enumerate(notes.others, 1)]  # fmt: skip
    commits = sorted({locator.path for _, found in named for locator in found if locator.kind == "commit"})
    known = git.commits(commits) if git else set()
    rows = [row for name, found in named for row in anchors_of(name, found, files, here, known if git else None)]
    return statements, rows, [row for row in rows if row["reason"]]


def anchors_of(name: str, found: list[Any], files: "Files", here: str, known: set[str] | None) -> list[dict[str, Any]]:
    """Return the anchors of one statement; what may be no locator counts only where it exists."""
    from ingest.anchoring import NO_PLAIN_FILE, resolve

    rows: list[dict[str, Any]] = []
    for locator in found:
        row: dict[str, Any] = {"statement": name, "locator": locator.raw, "kind": locator.kind, "path": locator.path, "start": None, "end": None,
                               "symbol": locator.symbol, "reason": None, "shape": None}  # fmt: skip
        if locator.kind == "commit":
            if known is None or locator.path not in known:
                if not locator.is_certain:
                    continue
                row["reason"] = "git has no such commit" if known is not None else "there is no git here"
        elif locator.kind == "file":
            there = resolve(files, here, locator.path, locator.start, locator.end, locator.symbol)
            if there.reason not in (None, NO_PLAIN_FILE) and not locator.is_certain and (there.kind == "file" and there.start == locator.start):
                continue
            row |= {"kind": there.kind, "path": there.path, "start": there.start, "end": there.end, "reason": there.reason, "shape": there.shape}
        rows.append(row)
    good = [row["locator"] for row in rows if not row["reason"]]
    return [row for row in rows if not row["reason"] or not any(row["locator"] != other and row["locator"] in other for other in good)]


def quality(title: str, notes: "Notes", text: str, anchors: list[dict[str, Any]]) -> "Quality":
    """Return how good notes are, by the evidence that was found."""
    from projections import handoff_quality

    verified = [row for row in anchors if not row["reason"] and row["kind"] not in UNPROVED]
    findings = notes.items["finding"]
    said = handoff_quality.Measured(
        title, notes.purpose, [" ".join([item.text, *item.details]) for item in findings],
        [sum(row["statement"] == f"F{number}" for row in verified) for number in range(1, len(findings) + 1)],
        len({(row["kind"], row["path"], row["start"], row["end"]) for row in verified}),
        [row["locator"] for row in anchors if row["reason"]], len({row["path"] for row in verified if row["kind"] != "commit"}),
        [item.text for item in notes.items["question"]], [item.text for item in notes.items["move"]], text, notes.headings,
    )  # fmt: skip
    return handoff_quality.measure(said)
