"""Notes of a handoff: Markdown under headings, read into statements. Pure; the structure is markdown-it-py's reading of it."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt

KINDS = {
    "finding": ("findings", "finding", "key findings", "what i found", "what we found", "learned", "decisions", "facts"),
    "recommendation": ("recommendations", "recommendation", "advice", "opportunities"),
    "question": ("open questions", "open question", "questions", "unknowns", "uncertainties"),
    "move": ("next moves", "next move", "next steps", "next step", "next", "todo", "todos", "next actions"),
    "evidence": ("evidence", "anchors", "evidence anchors", "sources", "files", "key files"),
    "scope": ("scope", "what was looked at"),
    "entity": ("entities", "entity", "projects mentioned", "projects", "components"),
    "relation": ("relations", "relation", "relationships"),
    "purpose": ("purpose", "goal", "context", "summary", "state", "task"),
}
BY_HEADING = {heading: kind for kind, headings in KINDS.items() for heading in headings}
NOTHING = {"", "none", "n/a", "na", "tbd", "todo", "-", "nothing", "keine", "..."}


class Item(NamedTuple):
    """A statement with what stands below it."""

    text: str
    details: tuple[str, ...]
    origin: str | None = None
    """Where it comes from."""


class Section(NamedTuple):
    """A heading that has no meaning to the journal, with its text as it was."""

    heading: str
    text: str
    origin: str | None = None


class Notes(NamedTuple):
    """What notes say."""

    title: str | None
    purpose: str
    items: dict[str, list[Item]]
    """Kind (`finding`, `recommendation`, `question`, `move`, `evidence`, `scope`, `entity`, `relation`) to its statements."""
    others: list[Section]
    headings: int


class _Open:
    """A section while it is read."""

    def __init__(self, kind: str, heading: str, level: int, line: int) -> None:
        self.kind = kind
        self.heading = heading
        self.level = level
        self.line = line
        self.items: list[tuple[str, list[str], int]] = []


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
        found = [Item(_flat(said), tuple(_flat(detail) for detail in details), f"line {line + 1} of the notes") for said, details, line in section.items]
        if section.kind in items:
            items[section.kind] += [item for item in found if item.text.casefold().strip(" .*_") not in NOTHING]
        elif section.kind == "purpose":
            purpose.append(raw)
        elif raw:
            others.append(Section(section.heading, raw, f"line {section.line + 1} of the notes"))
    return Notes(title, "\n\n".join(purpose), items, others, len(sections))


def _sections(text: str) -> tuple[str | None, list[_Open]]:  # the walk over tokens is one table of cases
    title: str | None = None
    sections: list[_Open] = []
    depth, under_heading, fresh = 0, False, False
    cells: list[str] | None = None
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    line = 0
    for at, token in enumerate(tokens):
        here = sections[-1] if sections else None
        line = token.map[0] if token.map else line
        if token.type == "heading_open" and depth == 0:
            heading, level = tokens[at + 1].content, int(token.tag[1])
            kind = BY_HEADING.get(re.sub(r"[^\w/ ]", "", heading).strip().casefold())
            if level == 1 and title is None and kind is None and here is None:
                title = _flat(heading)
            elif kind or here is None or level <= here.level:
                sections.append(_Open(kind or "other", heading, level, line))
                under_heading = False
            else:
                here.items.append((heading, [], line))
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
            here.items.append((" | ".join(cells), list(cells), line))
            cells = []
        elif (token.type == "inline" and tokens[at - 1].type != "heading_open") or token.type in ("fence", "code_block"):
            if tokens[at - 1].type == "th_open":
                continue
            if here is None:
                here = _Open("purpose", "", 7, line)
                sections.append(here)
            if cells is not None:
                cells.append(token.content)
            elif token.type == "inline" and (depth == 0 or (depth == 1 and fresh)) and not under_heading:
                here.items.append((token.content, [], line))
            elif here.items:
                here.items[-1][1].append(token.content)
            else:
                here.items.append((token.content, [], line))
            fresh = False
    return title, sections


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


HEADINGS = {"scope": "Scope", "finding": "Findings", "recommendation": "Recommendations", "question": "Open questions", "move": "Next moves",
            "evidence": "Evidence", "entity": "Entities", "relation": "Relations"}  # fmt: skip


def written(notes: Notes) -> str:
    """Return the Markdown that reads as *notes*."""
    blocks = [f"# {notes.title}"] if notes.title else []
    blocks += ["## Purpose", notes.purpose] if notes.purpose else []
    for kind, heading in HEADINGS.items():
        lines = [line for item in notes.items.get(kind, ()) for line in (f"- {item.text}", *(f"  - {detail}" for detail in item.details))]
        blocks += [f"## {heading}", "\n".join(lines)] if lines else []
    for section in notes.others:
        blocks += [f"## {section.heading}", section.text] if section.heading else [section.text]
    return "\n\n".join(blocks) + "\n"
