"""Changes of a JSONC text that leave every other character alone: insert into a container, remove from it, replace."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ingest.install.jsonc import Node, parse

REST_OF_LINE = re.compile(r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n\r]*)?(?=\r?\n)")
"""What may follow a value on its line before the line ends."""
BLANK = " \t\r\n"


class Edit(NamedTuple):
    """Characters *start* up to *end* become *text*."""

    start: int
    end: int
    text: str


class Style(NamedTuple):
    """How the file at hand is written."""

    newline: str
    unit: str
    is_multiline: bool
    colon: str


def style_of(text: str, root: Node) -> Style:
    """Return line ends, indentation and spacing of *text*; two spaces where nothing tells."""
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    if not root.members:
        return Style(newline, "  ", True, ": ")
    first = root.members[0]
    lead = text[root.start + 1 : first.start]
    is_multiline = "\n" in lead
    colon = text[first.start : first.node.start].partition('":')[2] if root.kind == "object" else " "
    return Style(newline, lead.rpartition("\n")[2] if is_multiline and not lead.rpartition("\n")[2].strip() else "  ", is_multiline, ": " if colon else ":")


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return *text* with all *edits*, none of which overlap; those at one place are made in their order."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def document(value: Any, text: str) -> str:
    """Return a new file with *value* after the blank or commented *text* that stands there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline if text.lstrip("\ufeff") and not text.endswith("\n") else ""
    return text + gap + _rendered(value, Style(newline, "  ", True, ": "), "", is_multiline=True) + newline


def replaced(text: str, node: Node, value: Any, style: Style) -> Edit:
    """Return the edit that puts *value* in the place of *node*."""
    is_multiline = "\n" in text[node.start : node.end]
    return Edit(node.start, node.end, _rendered(value, style, _indent(text, node.start), is_multiline=is_multiline))


def inserted(text: str, node: Node, entries: Sequence[tuple[str, Any]], style: Style) -> list[Edit]:
    """Return the edits that add *entries* (key and value, or an empty key in an array) at the end of the container *node*."""
    if not node.members:
        return [_filled(text, node, entries, style)]
    last = node.members[-1]
    starts_line = [member for member in node.members if not text[text.rfind("\n", 0, member.start) + 1 : member.start].strip(" \t\ufeff")]
    is_multiline = "\n" in text[node.start : node.members[0].start] and bool(starts_line)
    if not is_multiline:
        gap = " " if style.colon == ": " else ""
        new = [_entry(key, value, style, "", is_multiline=False) for key, value in entries]
        if last.comma is None:
            return [Edit(last.node.end, last.node.end, "".join(f",{gap}{each}" for each in new))]
        return [Edit(last.comma + 1, last.comma + 1, "".join(f"{gap}{each}," for each in new))]
    indent = _indent(text, starts_line[-1].start)
    lines = [style.newline + indent + _entry(key, value, style, indent, is_multiline=True) for key, value in entries]
    end = last.node.end if last.comma is None else last.comma + 1
    rest = REST_OF_LINE.match(text, end)
    line_end = end + len(rest[0].rstrip(" \t")) if rest else end
    if last.comma is None:
        return [Edit(last.node.end, last.node.end, ","), Edit(line_end, line_end, ",".join(lines))]
    return [Edit(line_end, line_end, "".join(f"{line}," for line in lines))]


def removed(text: str, node: Node, gone: Sequence[int]) -> list[Edit]:
    """Return the edits that take the members numbered *gone* out of the container *node*, with their commas and the blanks before them."""
    kept = [index for index in range(len(node.members)) if index not in gone]
    edits = [_without(text, node, index, is_alone=not kept) for index in gone]
    if not kept and leaves_nothing(text, node):
        return [Edit(node.start + 1, node.end - 1, "")]  # back to {} or []
    if kept and node.members[-1].comma is None and kept[-1] < len(node.members) - 1:
        comma = node.members[kept[-1]].comma
        if comma is not None:
            edits.append(Edit(comma, comma + 1, ""))
    return edits


def _without(text: str, node: Node, index: int, *, is_alone: bool) -> Edit:
    """Return the edit that takes out one member, the comma after it and the blanks before it."""
    member = node.members[index]
    end = member.node.end if member.comma is None else member.comma + 1
    start = member.start
    while text[start - 1] in BLANK:
        start -= 1
    rest = text[end : (text + "\n").index("\n", end)].strip(BLANK)
    if ("\n" in text[start : member.start] and rest) or (start == node.start + 1 == member.start and not is_alone):
        start = member.start  # a comment may stand before the line break; the first of a line leaves its place to the next
        while text[end] in " \t":
            end += 1
    return Edit(start, end, "")


def leaves_nothing(text: str, node: Node) -> bool:
    """Tell whether the container *node* without all its members is blank: a comment in it is a reason to keep it."""
    edits = [_without(text, node, index, is_alone=True) for index in range(len(node.members))]
    return not apply(text[: node.end - 1], edits)[node.start + 1 :].strip(BLANK)


def reparsed(text: str) -> Node:
    """Return the tree of *text*, which was parsed before and edited since."""
    root = parse(text)
    if root is None:
        raise AssertionError("an edit left no value")
    return root


def _filled(text: str, node: Node, entries: Sequence[tuple[str, Any]], style: Style) -> Edit:
    """Return the edit that fills an empty container; comments in it stay before what is added."""
    inside = text[node.start + 1 : node.end - 1]
    if not style.is_multiline and not inside.strip(BLANK):
        comma = ", " if style.colon == ": " else ","
        return Edit(node.start + 1, node.end - 1, comma.join(_entry(key, value, style, "", is_multiline=False) for key, value in entries))
    outer = _indent(text, node.start)
    inner = outer + style.unit
    lines = [style.newline + inner + _entry(key, value, style, inner, is_multiline=True) for key, value in entries]
    return Edit(node.start + 1, node.end - 1, inside.rstrip(BLANK) + ",".join(lines) + style.newline + outer)


def _entry(key: str, value: Any, style: Style, indent: str, *, is_multiline: bool) -> str:
    name = json.dumps(key, ensure_ascii=False) + style.colon if key else ""
    return name + _rendered(value, style, indent, is_multiline=is_multiline)


def _rendered(value: Any, style: Style, indent: str, *, is_multiline: bool) -> str:
    if not is_multiline:
        return json.dumps(value, ensure_ascii=False, separators=(", " if style.colon == ": " else ",", style.colon))
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit, separators=(",", style.colon)).split("\n")
    return (style.newline + indent).join(lines)


def _indent(text: str, at: int) -> str:
    """Return the blanks with which the line of *at* begins."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
