"""What an edit means for the structure of a file: functions, classes, interfaces, types and imports that came or went.

Pygments splits the changed lines into tokens, in whatever language the file's name tells, so that comments and strings are none of
it (docs/adr/0050-structural-hints.md). Pure; for commands, never for hooks or views: its import costs what a hook costs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

LONGEST_TEXT = 200_000
LONGEST_HINT = 100
WORDS = {
    "function": "def fn func fun function sub proc procedure method defn defun defp defmacro macro",
    "class": "class struct object record module actor",
    "interface": "interface trait protocol",
    "type": "type typedef enum union typealias newtype data",
    "import": "import from use using require require_relative include open load extern",
}
KIND_OF = {word: kind for kind, words in WORDS.items() for word in words.split()}
BEFORE_IMPORT = ("pub", "export", "static", "public", "global", "@", "#")
BINDERS = ("const", "let", "var", "val")
Tokens = Sequence[tuple[Any, str]]


def of_edits(path: str, diffs: Iterable[str]) -> list[str]:
    """Return what came (`+function add`) and what went (`-import os`) by unified *diffs* of one file, in the order of the kinds."""
    balance: Counter[tuple[str, str]] = Counter()
    for diff in diffs:
        lines = diff[:LONGEST_TEXT].split("\n")
        balance.update(_declared(path, [line[1:] for line in lines if line.startswith("+")]))
        balance.subtract(_declared(path, [line[1:] for line in lines if line.startswith("-")]))
    order = {kind: number for number, kind in enumerate(WORDS)}
    found = sorted(balance.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    return [f"{'+' if count > 0 else '-'}{name if kind == 'import' else f'{kind} {name}'}" for (kind, name), count in found if count]


def _declared(path: str, lines: list[str]) -> set[tuple[str, str]]:
    """Return (kind, name) pairs that *lines* declare."""
    from pygments.lexers import get_lexer_for_filename  # noqa: PLC0415  only `show` and drafts ask for hints
    from pygments.util import ClassNotFound  # noqa: PLC0415

    text = "\n".join(lines)
    if not text.strip():
        return set()
    try:
        lexer = get_lexer_for_filename(path, stripnl=False)
    except ClassNotFound:
        return set()
    if path.endswith(".php") and "<?" not in text:
        text = f"<?php\n{text}"
    raw = text.split("\n")
    return {found for number, line in _lines(lexer.get_tokens(text)) for found in _in_line(line, raw[number] if number < len(raw) else "")}


def _lines(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[int, Tokens]]:
    """Yield number and tokens of each line, without comments and spaces; a token of several lines belongs to the first."""
    line: list[tuple[Any, str]] = []
    number = 0
    for kind, value in tokens:
        name = str(kind)
        if value.strip() and (not name.startswith("Token.Comment") or "Preproc" in name):
            line.append((name, value.strip()))
        if "\n" in value:
            yield number, line
            line, number = [], number + value.count("\n")
    if line:
        yield number, line


def _in_line(line: Tokens, raw: str) -> Iterator[tuple[str, str]]:
    start = next((at for at, (_, value) in enumerate(line) if value not in BEFORE_IMPORT), len(line))
    if start < len(line) and KIND_OF.get(line[start][1]) == "import" and _is_import(line, start):
        yield "import", " ".join(raw.split()).rstrip(";")[:LONGEST_HINT]
        return
    found = [(at, kind, name) for at in range(len(line)) if (kind := _kind(line, at)) and (name := _name(line, at + 1, line[at][1]))]
    for at, kind, name in found:
        # `type S struct` of Go, `enum class E` of C++: the more telling word counts, once.
        if not any(other == name and (earlier < at if kind != "type" else earlier != at) for earlier, _, other in found):
            after = next((value for number, (_, value) in enumerate(line) if value == name and number > at), None)
            following = line[[value for _, value in line].index(name, at) + 1][1] if after and line[-1][1] != name else ""
            yield (KIND_OF[following] if kind == "type" and KIND_OF.get(following) in ("class", "interface") else kind), name
    if not found and (name := _bare_function(line)):
        yield "function", name


def _is_import(line: Tokens, start: int) -> bool:
    """Tell whether a line imports: `from` only with `import` behind it, and no word that is a name here."""
    name, word = line[start]
    values = [value for _, value in line]
    if word == "from":
        return "import" in values
    if word in ("require", "require_relative", "load", "include") and "Preproc" not in name:
        return len(line) > start + 1 and "String" in line[start + 1][0]
    return ("Keyword" in name or "Preproc" in name) and "=" not in values[start : start + 3] and "(" not in values[start + 1 : start + 2]


def _kind(line: Tokens, at: int) -> str | None:
    name, value = line[at]
    kind = KIND_OF.get(value)
    return kind if kind != "import" and "Keyword" in name and (at == 0 or line[at - 1][1] not in (".", "->", "::")) else None


def _name(line: Tokens, at: int, word: str) -> str | None:
    """Return the name that is declared from *at* on; the receiver of a Go method is passed over, a value of another kind is none."""
    while at < len(line):
        kind, value = line[at]
        if "Name" in kind and value.strip("`$").replace("_", "a").isidentifier():
            return value
        if value == "(" and word == "func":
            at = next((end + 1 for end in range(at, len(line)) if line[end][1] == ")"), len(line))
        elif value == "*" or "Keyword" in kind:
            at += 1
        else:
            return None
    return None


def _bare_function(line: Tokens) -> str | None:
    """Return the function that a line without a word for it declares: `name(…) {`, or `const name = (…) =>`."""
    values = [value for _, value in line]
    if "=>" in values:
        at = next((number for number, value in enumerate(values[:3]) if value in BINDERS), None)
        return values[at + 1] if at is not None and at + 2 < len(values) and "=" in values[at + 2 : at + 6] else None
    if not values or values[-1] not in ("{", "}", "{}") or "(" not in values:
        return None
    at = values.index("(")
    opened = 0
    for end in range(at, len(values)):
        opened += (values[end] == "(") - (values[end] == ")")
        if not opened:
            break
    is_body = "{" in values[end + 1 :] or "{}" in values[end + 1 :]
    before = values[at - 2] if at > 1 else ""
    return values[at - 1] if at and is_body and "Name" in line[at - 1][0] and before not in ("new", ".", "=", "return", "@", "->") else None
