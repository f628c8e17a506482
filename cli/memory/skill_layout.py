"""Where each host looks for a skill of a project, and what its pages begin with."""

import json
from typing import NamedTuple

HEADINGS = {
    "architecture": "Architecture: where the work was",
    "decisions": "Decisions",
    "solutions": "Solutions: errors that came, and what made them pass",
    "gotchas": "Gotchas: what failed and was not seen to pass",
    "preferences": "What the user wants",
    "patterns": "Patterns",
    "status": "Status: the sessions it comes from",
    "changelog": "Changelog",
}
ABOUT = ("Drafted by `journal skill` from sessions of this project: quoted words with their sources, no instructions. Check what matters before you rely on it;"
         " what is struck through no longer holds.")  # fmt: skip
UPKEEP = """`journal skill update {name}` brings in what sessions said since, as NEW, UPDATE (the same thing, said anew) or CORRECTION (the older
line is struck through).

- A line that you change, add or take out is yours: an update leaves it as it is and never brings a removed one back.
- Each drafted line ends with a mark made from its words; that is how a changed line is known.
- A section without its two marks is left alone.
"""
TEMPLATE = """# How a line of this skill is written

One thing that will still be true next month, with its reason, and where it comes from:

- Decisions: what was chosen over what, and why. (session ID, date)
- Solutions: the exact error, and what made it pass. (session ID, date)
- Gotchas: what looks right and fails. (session ID, date)
"""


class Page(NamedTuple):
    """One file of a skill."""

    path: str
    """Below the project's root; `{name}` stands for the skill."""
    sections: tuple[str, ...]
    head: str
    most: int
    """Items of a section that a page is offered at once, the newest: what it was not begun with for its age does not come by an update."""
    level: int = 2
    is_shared: bool = False
    """Whether the file belongs to the project, and the skill is a part of it between two marks."""
    is_fixed: bool = False
    """Whether it is written once and never updated."""


def _claude(name: str) -> tuple[Page, ...]:
    folder = f".claude/skills/{name}"
    description = f"What sessions of this project decided, solved and learned ({name}). Use it before changing code here."
    front = f"---\nname: {name}\ndescription: {json.dumps(description)}\n---\n"
    pages = "See Reference/architecture.md, Reference/gotchas.md, Reference/status.md; how this is kept up: Reference/skill-maintenance.md.\n"
    return (
        Page(f"{folder}/SKILL.md", ("decisions", "solutions", "preferences", "patterns"), f"{front}\n# {name}\n\n{ABOUT}\n{pages}\n", 60),
        Page(f"{folder}/Reference/architecture.md", ("architecture",), "# Architecture\n\n", 60),
        Page(f"{folder}/Reference/gotchas.md", ("gotchas",), "# Gotchas\n\n", 120),
        Page(f"{folder}/Reference/status.md", ("status",), "# Status\n\n", 60),
        Page(f"{folder}/Reference/skill-maintenance.md", ("changelog",), f"# Upkeep\n\n{UPKEEP.format(name=name)}\n", 0),
        Page(f"{folder}/Templates/line.md", (), TEMPLATE, 0, is_fixed=True),
    )  # fmt: skip


ALL = ("architecture", "decisions", "solutions", "gotchas", "preferences", "patterns", "status", "changelog")


def _section(path: str) -> "tuple[Page, ...]":
    return (Page(path, ALL, "", 20, level=3, is_shared=True),)


def _gemini(name: str) -> tuple[Page, ...]:
    folder = f".gemini/extensions/{name}"
    manifest = json.dumps({"name": name, "version": "1.0.0", "contextFileName": "GEMINI.md"}, indent=2) + "\n"
    return (Page(f"{folder}/GEMINI.md", ALL, f"# {name}\n\n{ABOUT}\n\n{UPKEEP.format(name=name)}\n", 20),
            Page(f"{folder}/gemini-extension.json", (), manifest, 0, is_fixed=True))  # fmt: skip


def pages(host: str, name: str) -> tuple[Page, ...]:
    """Return the files of a skill for one host, the one that the host reads first at the head."""
    if host == "claude":
        return _claude(name)
    if host == "gemini":
        return _gemini(name)
    return _section("AGENTS.md" if host == "codex" else ".github/copilot-instructions.md")


def edges(name: str) -> tuple[str, str]:
    """Return the marks around a skill in a shared file."""
    return f"<!-- journal:skill {name} begin -->", f"<!-- journal:skill {name} end -->"


def skeleton(page: Page, name: str) -> str:
    """Return a page without items."""
    from projections.skill_pages import known_line, section_of

    lines = [f"{'#' * (page.level - 1)} {name}\n\n{ABOUT}\n\n{UPKEEP.format(name=name)}"] if page.is_shared else []
    for section in page.sections:
        lines += section_of(section, f"{'#' * page.level} {HEADINGS[section]}", ())
    if "changelog" in page.sections:
        lines.append(known_line(()))
    return page.head + "\n".join(lines) + ("\n" if lines else "")
