"""Links and pictures of a transcript in its Markdown: what a careless viewer would follow or load is harmless."""

import pytest
from archive import Archive, answer, claude
from markdown_it import MarkdownIt

S = "aaaaaaaa-0000-4000-8000-000000000001"


def targets(document: str) -> tuple[list[str], int]:
    """Return the targets of all links, and the number of pictures, as a parser reads them that refuses no scheme."""
    parser = MarkdownIt("commonmark", {"html": True})
    parser.validateLink = lambda url: True
    inline = [child for token in parser.parse(document) for child in token.children or ()]
    return [str(token.attrs["href"]) for token in inline if token.type == "link_open"], sum(token.type == "image" for token in inline)


@pytest.mark.parametrize(("text", "links"), [
    ("see [a](https://example.org/x) and [b](notes.md#one)", ["https://example.org/x", "notes.md#one"]),
    ("[a](javascript:alert(1))", ["unsafe:javascript:alert(1)"]),
    ("[a]( <JaVaScRiPt:alert(1)>)", ["%3CJaVaScRiPt:alert(1)%3E"]),
    ("[a](java&#115;cript&colon;x)", ["unsafe:javascript:x"]),
    (r"[a](javascript\:x)", ["unsafe:javascript:x"]),
    (r"\\[a\\](javascript:x)", ["unsafe:javascript:x"]),
    ("[a](data:text/html,x)", ["unsafe:data:text/html,x"]),
    ("[a](vbscript:x) [b](file:///etc/passwd)", ["unsafe:vbscript:x", "unsafe:file:///etc/passwd"]),
    ("[a]\n\n[a]: javascript:x", ["unsafe:javascript:x"]),
    ("[a]\n\n> - [a]: javascript:x", ["unsafe:javascript:x"]),
    ("[a]\n\n[a]:\njavascript:x", ["unsafe:"]),
    ("[a](\njavascript:x)", []),
    ("![a](https://tracker.example/p.png)", ["https://tracker.example/p.png"]),
    ("\\![a](https://tracker.example/p.png)", ["https://tracker.example/p.png"]),
    ("<javascript:alert(1)>", []),
    ("`[a](javascript:x)` stays code", []),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["prompt", "answer"])
def test_only_harmless_targets_are_left(archive: Archive, kind: str, text: str, links: list[str]) -> None:
    """A scheme that could run or open something is marked unsafe, pictures are links, and code is as it was."""
    archive.write(archive.claude_path(S), *([claude(1, S, text)] if kind == "prompt" else [claude(1, S, "go"), answer(2, S, text, "m1")]))
    archive.ingest()
    target = archive.folder / "s.md"
    archive.run("export", S, "--format", "md", "--output", str(target))
    document = target.read_text()
    found, pictures = targets(document)
    assert ([target for target in found if target], pictures) == (links, 0)
    if text.startswith("`"):
        assert text in document
