"""A transcript as one page: self-contained, escaped, with outline, search, dark and light; no other file, no network.

Text of a transcript reaches the page by two ways only: through the template's escaping, or through the Markdown parser
with HTML off. The page's policy allows its own script and style, named by their hashes, and pictures in the page itself.
"""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup

from cli.amounts import counted
from cli.transcripts import words
from cli.transcripts.words import LONGEST_PART, SAFE_SCHEMES, one_line, plain
from projections.transcript import Called, Closed, Compacted, Copied, Edited, Faulty, Item, Noted, Opened, Said, Skipped

FOLDER = os.path.join(os.path.dirname(__file__), "page")
DEEPEST = 20
"""Nested quotes and lists in one text; what lies deeper is shown as text."""
LONGEST_OUTLINE = 5_000


class Entry(NamedTuple):
    """One line of the outline."""

    kind: str
    anchor: str
    text: str


def pieces(items: Iterable[Item]) -> Iterator[str]:
    """Yield the page; memory grows with its outline only."""
    return Page().pieces(items)


def contents(heading: str, entries: Sequence[Any]) -> str:
    """Return a page that links to others beside it: *entries* have a file, a title and facts."""
    environment = _environment()
    style = Markup(_asset("transcript.css"))  # noqa: S704 # a file of this package
    policy = f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    return environment.get_template("contents.html").render(policy=policy, heading=heading, style=style, entries=entries)


def _environment() -> Environment:
    """Return the templates; what they are given is escaped, and what they lack is an error."""
    return Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


class Page:
    """One page while it is written."""

    def __init__(self) -> None:
        environment = _environment()
        environment.globals["words"] = words
        self.frame = environment.get_template("transcript.html")
        self.macros: Any = environment.get_template("items.html").module
        self.markdown = _markdown()
        self.outline: list[Entry] = []
        self.count = 0

    def pieces(self, items: Iterable[Item]) -> Iterator[str]:
        """Yield the page piece by piece."""
        style, script = Markup(_asset("transcript.css")), Markup(_asset("transcript.js"))  # noqa: S704 # files of this package
        waiting = iter(items)
        first = next(waiting)
        heading = words.title(first) if isinstance(first, Opened) else "transcript"
        policy = (f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'")
        yield from self.frame.generate(policy=policy, heading=heading, style=style, script=script,
                                       pieces=self._items(first, waiting), outline=self.outline)  # fmt: skip

    def _items(self, first: Item, rest: Iterator[Item]) -> Iterator[Markup]:
        yield self._item(first)
        for item in rest:
            yield self._item(item)

    def _item(self, item: Item) -> Markup:
        self.count += 1
        found: Markup = SHOWN[type(item)](self, item, f"i{self.count}")
        return found

    def _list(self, kind: str, anchor: str, text: str) -> None:
        if len(self.outline) < LONGEST_OUTLINE:
            self.outline.append(Entry(kind, anchor, one_line(text, 80)))

    def opened(self, item: Opened, anchor: str) -> Markup:
        """Return the head of a session, or the beginning of a fold with a sub-agent in it."""
        self._list("agent" if item.level else "session", anchor, words.title(item))
        return self.macros.opened(item, anchor)  # type: ignore[no-any-return]  # a macro of a template

    def said(self, item: Said, anchor: str) -> Markup:
        """Return one text; answers and asides are read as Markdown."""
        if item.kind == "prompt":
            self._list("prompt" if item.level == 0 else "agent", anchor, f"{item.turn or ''} {item.text[:400]}")
        text = plain(item.text)
        body = Markup(self.markdown.render(text)) if len(text) <= LONGEST_PART else Markup("<pre>{}</pre>").format(text)  # noqa: S704 # rendered without HTML
        return self.macros.said(item, anchor, body)  # type: ignore[no-any-return]  # a macro of a template

    def compacted(self, item: Compacted, anchor: str) -> Markup:
        """Return the mark of a compaction."""
        self._list("compacted", anchor, "context compacted")
        return self.macros.compacted(item, anchor)  # type: ignore[no-any-return]  # a macro of a template


SHOWN: dict[type, Any] = {
    Opened: Page.opened, Said: Page.said, Compacted: Page.compacted,
    Called: lambda page, item, anchor: page.macros.called(item, anchor),
    Edited: lambda page, item, _: page.macros.edited(item),
    Closed: lambda page, item, _: page.macros.closed(item),
    Faulty: lambda page, item, anchor: page.macros.told(f"{item.fault} record at position {item.position}: {one_line(item.what)}", item.fault, anchor),
    Noted: lambda page, item, anchor: page.macros.told(f"note {words.clock(item.occurred_at)}\n{plain(item.text)}", "note", anchor),
    Copied: lambda page, item, anchor: page.macros.told(f"{counted(item.records, 'record')} copied from the session before left out", "copied", anchor),
    Skipped: lambda page, item, anchor: page.macros.told(f"{counted(item.records, 'item')} {item.where} left out", "skipped", anchor),
}  # fmt: skip


def _markdown() -> MarkdownIt:
    """Return a parser that knows no HTML, loads no pictures and follows no scheme that could run anything."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline"])
    parser.validateLink = lambda url: url.strip().lower().startswith(SAFE_SCHEMES)  # type: ignore[method-assign]  # its documented way
    parser.add_render_rule("link_open", _link_open)
    return parser


def _link_open(self: RendererHTML, tokens: Any, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)


def _asset(name: str) -> str:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


