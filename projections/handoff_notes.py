"""Notes of a handoff: Markdown under headings, read into statements. Pure; the structure is markdown-it-py's reading of it."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt

KINDS = {
    "finding": ("findings", "finding", "key findings", "what i found", "what we found", "learned", "decisions", "facts"),
    "recommendation": ("recommendations", "recommendation", "advice"),
    "question": ("open questions", "open question", "questions", "unknowns", "uncertainties"),
    "move": ("next moves", "next move", "next steps", "next step", "next", "todo", "todos", "next actions"),
    "evidence": ("evidence", "anchors", "evidence anchors", "sources", "files", "key files"),
    "purpose": ("purpose", "goal", "context", "summary", "state", "task"),
}
BY_HEADING = {heading: kind for kind, headings in KINDS.items() for heading in headings}
NOTHING = {"", "none", "n/a", "na", "tbd", "todo", "-", "nothing", "keine", "..."}


class Item(NamedTuple):
    """A statement with what stands below it."""

    text: str
    details: tuple[str, ...]


class Section(NamedTuple):
    """A heading that has no meaning to the journal, with its text as it was."""

    heading: str
    text: str


class Notes(NamedTuple):
    """What notes say."""

    title: str | None
    purpose: str
    items: dict[str, list[Item]]
    """Kind (`finding`, `recommendation`, `question`, `move`, `evidence`) to its statements."""
    others: list[Section]
    headings: int


class _Open:
    """A section while it is read."""

    def __init__(self, kind: str, heading: str, level: int, line: int) -> None:
        self.kind = kind
        self.heading = heading
        self.level = level
        self.line = line
        self.items: list[tuple[str, list[str]]] = []


def read(text: str) -> Notes:
    """Return what the Markdown *text* says: lists of every style, nested lists, tables, paragraphs and sub-headings."""
    lines = text.split("\n")
    title, sections = _sections(text)
    items: dict[str, list[Item]] = {kind: [] for kind in KINDS if kind != "purpose"}
    others: list[Section] = []
    purpose: list[str] = []
    for number, section in enumerate(sections):
        following = sections[number + 1].line if number + 1 < len(sections) else len(lines)
        raw = "\n".join(lines[section.line + 1 if section.heading else section.line : following]).strip()
        found = [Item(_flat(said), tuple(_flat(detail) for detail in details)) for said, details in section.items]
        if section.kind in items:
            items[section.kind] += [item for item in found if item.text.casefold().strip(" .*_") not in NOTHING]
        elif section.kind == "purpose":
            purpose.append(raw)
        elif raw:
            others.append(Section(section.heading, raw))
    return Notes(title, "\n\n".join(purpose), items, others, len(sections))


def _sections(text: str) -> tuple[str | None, list[_Open]]:  # the walk over tokens is one table of cases
    title: str | None = None
    sections: list[_Open] = []
    depth, under_heading, fresh = 0, False, False
    cells: list[str] | None = None
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for at, token in enumerate(tokens):
        here = sections[-1] if sections else None
        if token.type == "heading_open" and depth == 0:
            heading, level, line = tokens[at + 1].content, int(token.tag[1]), token.map[0] if token.map else 0
            kind = BY_HEADING.get(re.sub(r"[^\w/ ]", "", heading).strip().casefold())
            if level == 1 and title is None and kind is None and here is None:
                title = _flat(heading)
            elif kind or here is None or level <= here.level:
                sections.append(_Open(kind or "other", heading, level, line))
                under_heading = False
            else:
                here.items.append((heading, []))
                under_heading = True
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            fresh = True
        elif token.type == "tbody_open":
            cells = []
        elif token.type == "tbody_close":
            cells = None
        elif token.type == "tr_close" and cells is not None and here:
            here.items.append((" | ".join(cells), list(cells)))
            cells = []
        elif (token.type == "inline" and tokens[at - 1].type != "heading_open") or token.type in ("fence", "code_block"):
            if tokens[at - 1].type == "th_open":
                continue
            if here is None:
                here = _Open("purpose", "", 7, token.map[0] if token.map else 0)
                sections.append(here)
            if cells is not None:
                cells.append(token.content)
            elif token.type == "inline" and (depth == 0 or (depth == 1 and fresh)) and not under_heading:
                here.items.append((token.content, []))
            elif here.items:
                here.items[-1][1].append(token.content)
            else:
                here.items.append((token.content, []))
            fresh = False
    return title, sections


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
