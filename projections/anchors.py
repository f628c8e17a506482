"""Where a handoff says that its evidence stands: locators read out of its words. Pure; whether they exist is asked elsewhere."""

import re
from typing import NamedTuple

URL = re.compile(r"https?://[^\s)>\]`]+")
SPAN = re.compile(r"(?<!`)`++([^`\n]++)`+")
LINK = re.compile(r"\[[^\]\n]{0,300}+\]\(<?([^)\n>]{1,500}+)>?\)")
BARE = re.compile(r"(?<![\w/.:`@+~-])((?:[\w.@+~-]++/){0,40}[\w.@+-]++(?::\d+(?:[-–]\d+|:\d+)?(?![\w:])|#L\d+(?:C\d+)?(?:-L?\d+)?|::[A-Za-z_][\w.]*))")
COMMIT = re.compile(r"(?<![\w/#-])((?:git )?commit )?([0-9a-f]{6,40})(?![\w/-])")
LOCATOR = re.compile(
    r"(?P<path>.+?)(?:#L(?P<line>\d+)(?:C\d+)?(?:-L?(?P<last>\d+)(?:C\d+)?)?|:(?P<start>\d+)(?:[-–](?P<end>\d+)|:\d+)?|::(?P<symbol>[A-Za-z_][\w.:]*))?"
)
LABEL = re.compile(r"^[A-Za-z][\w ]{0,30}:\s+")
NOTE = re.compile(r"\s+(?:—|–|--|-)\s+")
SEPARATOR = re.compile(r"[,;]\s+|\s+and\s+")
EXTENSION = re.compile(r"\.[A-Za-z]\w{0,11}$")
COMMAND = re.compile(r"^(?:\$ |(?:git|pytest|python3?|npm|npx|pnpm|yarn|make|cargo|go|docker|journal|ruff|mypy|curl|bash|sh|uv|tox) \S)")
SHORTEST_COMMIT = 7
"""Shorter hex counts as a commit only where the word `commit` stands before it."""


class Locator(NamedTuple):
    """One place that a statement names."""

    raw: str
    kind: str
    """`file` (also folders and symbols), `commit`, `url` or `command`."""
    path: str = ""
    """The path as written, or the commit in hex, the URL, the command."""
    start: int | None = None
    end: int | None = None
    symbol: str | None = None
    is_certain: bool = True
    """False where the word may be no locator at all: it counts only if it exists."""


def parse(word: str) -> Locator | None:
    """Return what *word* names as a file, or None where it cannot name one."""
    word = word.strip().strip("`").strip()
    match = LOCATOR.fullmatch(word)
    if not match or len(word) > 500 or "\n" in word or "\0" in word:
        return None
    path = match["path"].strip()
    start = match["line"] or match["start"]
    end = match["last"] or match["end"]
    has_place = bool(start or match["symbol"])
    has_name = bool(EXTENSION.search(path)) or path.endswith("/")
    certain = has_name + has_place + ("/" in path) >= 2 and not re.search(r"\s", path)
    first = int(start) if start else None
    return Locator(word, "file", path, first, int(end) if end else first, match["symbol"], certain)


def of_text(text: str) -> list[Locator]:
    """Return the locators inside a sentence: in code spans and links, and bare ones with a line or a symbol; URLs and commits."""
    found: list[Locator] = []
    rest = text
    for match in URL.finditer(text):
        url = match[0].rstrip(".,;:'\"")
        found.append(Locator(url, "url", url))
    rest = URL.sub(" ", rest)
    for pattern in (LINK, SPAN):
        for match in pattern.finditer(rest):
            word = match[1].strip()
            if COMMAND.match(word):
                found.append(Locator(word, "command", word.removeprefix("$ ")))
            elif re.fullmatch(r"[0-9a-f]{7,40}", word):
                found.append(Locator(word, "commit", word, is_certain=False))
            elif locator := parse(word):
                found.append(locator)
        rest = pattern.sub(" ", rest)
    found += [locator for match in BARE.finditer(rest) if (locator := parse(match[1]))]
    rest = BARE.sub(" ", rest)
    found += [Locator(match[0].strip(), "commit", match[2], is_certain=bool(match[1]))
              for match in COMMIT.finditer(rest) if match[1] or len(match[2]) >= SHORTEST_COMMIT]  # fmt: skip
    return _once(found)


def of_detail(text: str) -> list[Locator]:
    """Return the locators of a line that is there to name them: `locator — note`, with or without a label, several in one."""
    found = of_text(text)
    head = NOTE.split(LABEL.sub("", text.strip()), maxsplit=1)[0]
    for piece in [head, *SEPARATOR.split(head)]:
        word = re.split(r" \((?=`)", piece)[0].strip().strip("`")
        if not word or URL.match(word) or COMMIT.fullmatch(word) or COMMAND.match(word):
            continue
        if locator := parse(word):
            found.append(locator)
    return _once(found)


def _once(found: list[Locator]) -> list[Locator]:
    unique: dict[tuple[object, ...], Locator] = {}
    for locator in found:
        unique.setdefault((locator.kind, locator.path, locator.start, locator.end, locator.symbol), locator)
    return list(unique.values())
