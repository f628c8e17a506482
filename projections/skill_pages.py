"""Pages of a skill: items with their sources, put into sections, and brought up to date without touching what a person wrote. Pure.

Each item is one line that ends with a mark: ten characters of the hash of the line, and where it has one its name. A line whose text no
longer fits its mark was changed by a person and stays as it is; so does everything without a mark. What was ever written is known by
its mark, so that a line that a person took out does not come back.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from projections.registry import STOP

ALIKE = 0.6
"""Share of words from which an item speaks of the same thing as an older one."""
ALL = 0.8
"""Share of an older item's words that a newer one must have to take its place."""
MARK_CHARS = 10
LONGEST_ITEM = 400
MOST_CHANGES = 200
_MARK = re.compile(r"^- (?P<text>.*) <!-- journal:(?P<mark>[0-9a-f]{10})(?: (?P<name>[^>]*?))? -->$")
_KNOWN = re.compile(r"^<!-- journal:known (?P<marks>[0-9a-f ]*)-->$")
_SECTION = re.compile(r"^<!-- journal:(?P<edge>begin|end) (?P<section>[a-z-]+) -->$")
_SOURCE = re.compile(r" \((?:session|learning) [^()]*\)$")
_WORD = re.compile(r"\w[\w.-]*", re.UNICODE)
_TURNED = re.compile(r"\b(?:no longer|not any ?more|instead of|rather than|replaced|reverted|wrong|actually|in fact|turned out|never|stop(?:ped)? using|"
                     r"switched|moved from|deprecated|removed)\b", re.IGNORECASE)  # fmt: skip
_FRAME = frozenset("we i the a an and or of in on at to for by is are was it its as do because decided chose chosen choose went go going use uses using"
                   " not no longer instead rather than now never always please keep".split())  # fmt: skip
"""Words that say that something is decided, and not what."""
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
CHANGES = ("NEW", "UPDATE", "CORRECTION", "KEPT")


class Item(NamedTuple):
    """One thing that a skill says."""

    section: str
    text: str
    source: str
    """Such as `session 03d02093, 2026-11-30`."""
    at: str
    name: str = ""
    """Its identity where its words change, such as a folder; empty where its words are it."""

    @property
    def line(self) -> str:
        """The text with its source."""
        return f"{flat(self.text)} ({self.source})"


class Change(NamedTuple):
    """What became of a page by one item."""

    kind: str
    """`NEW`, `UPDATE` (the same thing, said anew), `CORRECTION` (the older word no longer holds) or `KEPT` (a person's line stands against it)."""
    section: str
    text: str
    before: str
    """The older line that it replaces, corrects or leaves."""


class _Line(NamedTuple):
    number: int
    section: str
    text: str
    mark: str
    name: str
    is_intact: bool


def flat(text: str) -> str:
    """Return *text* on one line, short, and unable to pass for a mark, a heading or a host's tag."""
    one = " ".join(text.split()).replace("<!--", "<\u200b!--").replace("-->", "--\u200b>").replace("</", "<\u200b/").replace("<system", "<\u200bsystem")
    return one if len(one) <= LONGEST_ITEM else one[: LONGEST_ITEM - 1] + "…"


def mark_of(text: str) -> str:
    """Return the mark of a line's text."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:MARK_CHARS]


def marked(text: str, name: str = "") -> str:
    """Return an item's line with its mark."""
    return f"- {text} <!-- journal:{mark_of(text)}{f' {name}' if name else ''} -->"


def section_of(name: str, heading: str, items: Sequence[Item]) -> list[str]:
    """Return the lines of a section: its heading, and between two marks its items."""
    return [heading, "", f"<!-- journal:begin {name} -->", *(marked(item.line, item.name) for item in items), f"<!-- journal:end {name} -->", ""]


def known_line(marks: Sequence[str]) -> str:
    """Return the line that says what was ever written."""
    return f"<!-- journal:known {' '.join(dict.fromkeys(marks))}{' ' if marks else ''}-->"


def known_in(text: str) -> set[str]:
    """Return the marks of all that was ever written to a page."""
    found = {match["mark"] for line in text.splitlines() if (match := _MARK.match(line))}
    for line in text.splitlines():
        if match := _KNOWN.match(line):
            found |= set(match["marks"].split())
    return found


def sections_in(text: str) -> set[str]:
    """Return the sections that a page still has; one without both its marks was taken out by a person."""
    edges: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := _SECTION.match(line):
            edges.setdefault(match["section"], set()).add(match["edge"])
    return {section for section, found in edges.items() if found == {"begin", "end"}}


def updated(text: str, items: Sequence[Item], known: set[str], today: str) -> tuple[str, list[Change]]:
    """Return a page with *items* brought in, and what each did; items that are *known*, and sections that are not there, do nothing."""
    lines, changes = text.split("\n"), list[Change]()
    for item in items:
        if mark_of(item.line) in known or item.section not in sections_in("\n".join(lines)):
            continue
        known.add(mark_of(item.line))
        standing = [one for one in _standing(lines) if one.section == item.section]
        older = _older(item, standing)
        if older is None:
            lines.insert(_end_of(lines, item.section), marked(item.line, item.name))
            changes.append(Change("NEW", item.section, item.line, ""))
        elif _bare(older.text) == _bare(item.line):
            continue  # the same words from another session say nothing new
        elif not older.is_intact:
            changes.append(Change("KEPT", item.section, item.line, older.text))
        elif not item.name and is_correction(older.text, item.line):
            lines[older.number] = marked(f"~~{older.text}~~ superseded {today}", older.name)
            known |= {older.mark, mark_of(f"~~{older.text}~~ superseded {today}")}
            lines.insert(older.number + 1, marked(item.line, item.name))
            changes.append(Change("CORRECTION", item.section, item.line, older.text))
        else:
            lines[older.number] = marked(item.line, item.name)
            known.add(older.mark)
            changes.append(Change("UPDATE", item.section, item.line, older.text))
    return "\n".join(lines), changes


def with_changelog(text: str, section: str, changes: Sequence[Change], today: str, known: set[str]) -> str:
    """Return a page with the changes at the head of its changelog, and what was ever written noted."""
    lines = text.split("\n")
    place = next((number for number, line in enumerate(lines) if line == f"<!-- journal:begin {section} -->"), None)
    if place is not None and changes:
        told = [f"- {today} {change.kind} {change.section}: {change.text}" + (f" [was: {change.before}]" if change.before else "") for change in changes]
        lines[place + 1 : place + 1] = told[:MOST_CHANGES] + ([f"- {today} and {len(told) - MOST_CHANGES} more"] if len(told) > MOST_CHANGES else [])
    for number, line in enumerate(lines):
        if match := _KNOWN.match(line):
            lines[number] = known_line([*match["marks"].split(), *sorted(known - set(match["marks"].split()))])
            break
    return "\n".join(lines)


def is_correction(before: str, after: str) -> bool:
    """Tell whether a later word takes an older one back: other numbers, or words that turn."""
    old, new = _bare(before), _bare(after)
    if set(_NUMBER.findall(old)) != set(_NUMBER.findall(new)) and _NUMBER.search(old) and _NUMBER.search(new):
        return True
    return bool(_TURNED.search(new)) and {found.casefold() for found in _TURNED.findall(new)} != {found.casefold() for found in _TURNED.findall(old)}


def _standing(lines: Sequence[str]) -> list[_Line]:
    """Return the items of a page that are not superseded."""
    found, section = [], ""
    for number, line in enumerate(lines):
        if edge := _SECTION.match(line):
            section = edge["section"] if edge["edge"] == "begin" else ""
        elif section and (match := _MARK.match(line)) and not match["text"].startswith("~~"):
            found.append(_Line(number, section, match["text"], match["mark"], match["name"] or "", mark_of(match["text"]) == match["mark"]))
    return found


def _older(item: Item, standing: Sequence[_Line]) -> _Line | None:
    """Return the standing line that the item says anew or takes back: by its name, else the most alike of which that holds.

    Of a line that a person changed it is enough that it is alike: what stands beside it is for the person to say.
    """
    if item.name:
        return next((one for one in standing if one.name == item.name), None)
    best, share = None, ALIKE
    for one in standing:
        found = alike(one.text, item.line)
        if found >= share and not one.name and (not one.is_intact or is_correction(one.text, item.line) or _says_all(one.text, item.line)):
            best, share = one, found
    return best


def _says_all(before: str, after: str) -> bool:
    """Tell whether a later text says what an earlier one says, and perhaps more; a text beside it on the same matter does not."""
    old = _telling(before)
    return len(old & _telling(after)) >= ALL * len(old)


def alike(one: str, other: str) -> float:
    """Return the share of telling words that two items have in common, sources left out; two words at least have to be."""
    left, right = (_telling(text) for text in (one, other))
    common = left & right
    return len(common) / min(len(left), len(right)) if len(common) > 1 else 0.0


def _telling(text: str) -> set[str]:
    words = (word.casefold().strip(".") for word in _WORD.findall(_bare(text)))
    return {word for word in words if word not in STOP and word not in _FRAME and not _NUMBER.fullmatch(word)}


def _bare(text: str) -> str:
    return _SOURCE.sub("", text)


def _end_of(lines: Sequence[str], section: str) -> int:
    return next(number for number, line in enumerate(lines) if line == f"<!-- journal:end {section} -->")
