"""A transcript as Markdown that GitHub renders: turns as headings, tools folded, nothing in a text can break out."""

import html
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from cli.amounts import counted
from cli.transcripts.words import SAFE_SCHEMES, change, clock, cut, facts, input_of, one_line, outcome, plain, title, told_by, used
from projections.transcript import Called, Closed, Compacted, Copied, Edited, Faulty, Item, Noted, Opened, Said, Skipped

TAG = re.compile(r"<(?=[A-Za-z/!?])")
CODE = re.compile(r"(?<![\\`])(`+)(?!`)[^`](?:.*?[^`])?\1(?!`)")
TARGET = re.compile(r"\](\(|:)\s*<?([^\s>]*)")
"""Where a link or the definition of one names its target; a bare end of a line is one that goes on on the next."""
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
PICTURE = re.compile(r"!(?=\[)")
SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")


def pieces(items: Iterable[Item]) -> Iterator[str]:
    """Yield the document block by block."""
    for item in items:
        yield from (f"{block}\n\n" for block in SHOWN[type(item)](item))


def escaped(text: str) -> str:
    """Return one line of plain text with nothing in it that Markdown would read."""
    return SPECIAL.sub(r"\\\1", one_line(text, 400))


def fenced(text: str, language: str = "") -> str:
    """Return *text* in a fence longer than any inside."""
    text, left_out = cut(plain(text))
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    told = f"\n\n*… {left_out:,} characters more; `--format json` has all*" if left_out else ""
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}{told}"


def contained(text: str) -> str:
    """Return a text's own Markdown, but tags escaped, headings below ours and every fence closed.

    Pictures become links, since to look at a page must not tell anyone; a link of a scheme that could run something is no link.
    """
    lines = plain(text).split("\n")
    tokens = _blocks().parse("\n".join(lines))
    code = {number for token in tokens if token.type in ("fence", "code_block") and token.map for number in range(*token.map)}
    lines = [line if number in code else _tags_escaped(line) for number, line in enumerate(lines)]
    for token in tokens:
        if token.type == "heading_open" and token.map:
            _lower(lines, token.map, token.markup, token.level)
    last = max((token for token in tokens if token.type == "fence" and token.map), key=lambda token: token.map[1], default=None)
    if last and last.map[1] == len(lines) and not (len(lines) - 1 > last.map[0] and lines[-1].strip().startswith(last.markup)):
        lines.append(last.markup)
    return "\n".join(lines)


def _lower(lines: list[str], place: list[int], markup: str, level: int) -> None:
    """Put a heading of a text below those of the document; one of two lines loses its rule, unless it stands in a list."""
    if markup.startswith("#"):
        lines[place[0]] = lines[place[0]].replace(markup, "#" * min(6, len(markup) + 3), 1)
    elif level == 0:
        lines[place[0]] = f"#### {lines[place[0]].strip()}" if place[1] - place[0] == 2 else lines[place[0]]
        lines[place[1] - 1] = ""


@cache
def _blocks() -> Any:
    """Return a parser of block structure alone, by the rules that GitHub follows."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _tags_escaped(line: str) -> str:
    pieces, end = [], 0
    for span in CODE.finditer(line):
        pieces += [_plain_escaped(line[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*pieces, _plain_escaped(line[end:])])


def _plain_escaped(text: str) -> str:
    """Return a stretch outside code with its tags, pictures and unsafe links escaped."""
    return PICTURE.sub("! ", TARGET.sub(_target, TAG.sub("&lt;", text)))


def _target(found: re.Match[str]) -> str:
    """Return the start of a link as it is, or with another scheme where its own is not known to be harmless."""
    target = re.sub(r"[\\\x00-\x20]", "", html.unescape(found[2]))
    is_safe = bool(target) and (SCHEME.match(target) is None or target.lower().startswith(SAFE_SCHEMES))
    return found[0] if is_safe else f"{found[0][: found.start(2) - found.start()]}unsafe:{found[2]}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in contained(text).split("\n"))


def _folded(summary: str, *blocks: str) -> list[str]:
    """Return blocks that stand folded under a summary, which is HTML."""
    return [f"<details><summary>{summary}</summary>", *(block for block in blocks if block), "</details>"]


def _opened(item: Opened) -> list[str]:
    about = " · ".join(escaped(fact) for fact in facts(item))
    if item.level:
        return [f"<details><summary>sub-agent <b>{html.escape(title(item))}</b></summary>", f"`{item.session['session_id']}` · {about}"]
    return [f"# {escaped(title(item))}", f"`{item.session['session_id']}` · {about}"]


def _said(item: Said) -> list[str]:
    marks = "".join(f" ({word})" for word, is_so in (("copied", item.is_copy), ("rewound", item.is_dropped)) if is_so)
    if item.kind == "prompt":
        level = "#" * min(6, 2 + item.level)
        heading = f"{level} {f'{item.turn}. ' if item.turn else ''}{escaped(one_line(item.text, 80))}{marks}"
        return [heading, _quoted(item.text), f"<sub>{clock(item.occurred_at)}</sub>"]
    if item.kind == "answer":
        return [f"*{marks.strip()}*", contained(item.text)] if marks else [contained(item.text)]
    return _folded(f"{item.kind}{marks}, {len(item.text):,} characters", contained(cut(item.text)[0]))


def _called(item: Called) -> list[str]:
    ended = outcome(item)
    summary = f"{'❌' if item.is_error else '🔧'} <b>{html.escape(one_line(item.name or '(call not seen)', 60))}</b> <code>{html.escape(told_by(item))}</code>"
    diffs = [block for edit in item.edits for block in _edit(edit)]
    given = fenced(input_of(item)) if item.input_text else ""
    return _folded(summary + (f" — {ended}" if ended else ""), given, *diffs, fenced(item.output, "text") if item.output else "")


def _edit(edit: Edited) -> list[str]:
    return [escaped(change(edit)), *([fenced(edit.diff, "diff")] if edit.diff else [])]


def _compacted(item: Compacted) -> list[str]:
    sizes = f": {item.pre_tokens:,} → {item.post_tokens or 0:,} tokens" if item.pre_tokens is not None else ""
    return [f"---\n\n**Context compacted** ({escaped(item.trigger or 'trigger unknown')}){sizes}"]


def _closed(item: Closed) -> list[str]:
    told = "\n".join(f"- {escaped(line)}" for line in used(item.models)) or "- no usage recorded"
    return [told, "</details>"] if item.level else ["---", told]


SHOWN: dict[type, Any] = {
    Opened: _opened, Said: _said, Called: _called, Compacted: _compacted, Closed: _closed, Edited: _edit,
    Faulty: lambda item: [f"⚠️ {item.fault} record at position {item.position}: {escaped(item.what)}"],
    Noted: lambda item: [f"**Note** {clock(item.occurred_at)}:", _quoted(item.text)],
    Copied: lambda item: [f"*{counted(item.records, 'record')} copied from the session before left out*"],
    Skipped: lambda item: [f"*{counted(item.records, 'item')} {item.where} left out*"],
}  # fmt: skip
