"""The exported page in a real headless browser: nothing of a transcript runs, nothing is loaded, search and themes work."""

import base64
import re
import shutil
import struct
import subprocess
import threading
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from archive import CWD, Archive, answer, claude

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser; CI installs chromium")
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
         " --window-size=1200,900").split()  # fmt: skip
S = "aaaaaaaa-0000-4000-8000-000000000001"
RUN = "document.documentElement.setAttribute('data-hacked','1')"
HOSTILE = (
    f"<script>{RUN}</script>", f"</script><script>{RUN}</script>", f"</style><script>{RUN}</script>", f'<img src=x onerror="{RUN}">',
    f'"><svg onload="{RUN}">', f"]]><script>{RUN}</script>", f"--><script>{RUN}</script>", f"</pre></details><script>{RUN}</script>",
    f"[click](javascript:{RUN})", f"[click](JaVaScRiPt&colon;{RUN})", f"<javascript:{RUN}>", f"[d](data:text/html,<script>{RUN}</script>)",
    f"![x](javascript:{RUN})", f'[t](https://example.com "a\\" onmouseover=\\"{RUN}")', f"`</code><script>{RUN}</script>`",
    f"```html onload={RUN}\n</code></pre><script>{RUN}</script>\n```", f"{{{{ {RUN} }}}}{{% raw %}}", f"<iframe srcdoc='<script>{RUN}</script>'>",
    f"\u2028<script>{RUN}</script>\u2029", f"\x1b[31m<script>{RUN}</script>\x1b[0m", f"\u202e<script>{RUN}</script>", "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>", "<form action='https://evil.example/'><input name=q><button>", "<!--",
    "<![CDATA[", "<title>",
)  # fmt: skip
NESTED = "> " * 3000 + "deep\n" + "\n".join("  " * n + "- x" for n in range(400)) + "\n" + "[" * 3000 + "(" * 3000


def picture(red: int) -> str:
    """Return a small PNG of one colour as base64."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((red, 0, 0)) * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


@pytest.fixture
def asked() -> Iterator[tuple[int, list[str]]]:
    """Give the port of a server on this machine and the requests that came to it."""
    seen: list[str] = []

    class Recorder(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Recorder)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, seen
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(archive: Archive, asked: tuple[int, list[str]]) -> Path:
    """Return the page of a session with hostile text in all places where text can stand, and one picture."""
    port, _ = asked
    texts = "\n\n".join([*HOSTILE, f"![leak](http://127.0.0.1:{port}/leak.png)", f"<img src='http://127.0.0.1:{port}/leak2.png'>"])
    records = [claude(1, S, f"{texts}\n\nneedle-of-the-prompt")]
    for number, text in enumerate((texts, *HOSTILE, NESTED)):
        records.append(answer(2 + number, S, text, f"m{number}"))
    call = answer(60, S, "", "m60")
    drawing = base64.b64encode(f"<svg onload='{RUN}'/>".encode()).decode()
    call["message"]["content"] = [{"type": "tool_use", "id": "toolu_1", "name": HOSTILE[0], "input": {"command": texts}}]
    shown = [{"type": "text", "text": texts}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture(200)}},
             {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": drawing}},
             {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": f"' onerror='{RUN}"}}]  # fmt: skip
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{text}" for text in HOSTILE] + ["+needle-of-the-diff"]}]
    back = claude(61, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": shown}]},
                  toolUseResult={"filePath": f"{CWD}/{HOSTILE[3]}.py", "structuredPatch": patch})  # fmt: skip
    title = {"type": "custom-title", "customTitle": HOSTILE[1] + HOSTILE[4], "sessionId": S}
    archive.write(archive.claude_path(S), *records, call, back, title, claude(62, S, "", type=HOSTILE[0]), {**claude(63, S, "x"), "gitBranch": HOSTILE[4]})
    archive.ingest()
    archive.run("note", HOSTILE[0], "--session", S)
    archive.ingest()
    target = archive.folder / "page.html"
    status, _, err = archive.run("export", S, "--format", "html", "--output", str(target))
    assert (status, err) == (0, f"{target}: session {S}, html, {target.stat().st_size:,} bytes\n")
    return target


class Elements(HTMLParser):
    """The elements of a document, in order, with their attributes."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.found.append((tag, {key: value or "" for key, value in attrs}))


def browse(folder: Path, url: str, *flags: str) -> str:
    """Open a page and return its document after its script ran."""
    assert BROWSER
    done = subprocess.run([BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, "--dump-dom", url], capture_output=True, timeout=120, check=True)
    return done.stdout.decode()


def corner(folder: Path, url: str, scheme: str) -> tuple[int, ...]:
    """Return the colour of the first pixel of a picture of the page."""
    assert BROWSER
    shot = folder / f"{scheme}.png"
    flag = f"--blink-settings=preferredColorScheme={ {'dark': 0, 'light': 1}[scheme] }"
    subprocess.run([BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", flag, f"--screenshot={shot}", url], capture_output=True, timeout=120, check=True)
    data = shot.read_bytes()
    packed = b"".join(re.findall(rb"IDAT(.*?)(?=.{4}.{4}(?:IDAT|IEND))", data, re.DOTALL))
    # The first pixel of the first row is the same under each of PNG's row filters.
    return tuple(zlib.decompressobj().decompress(packed, 4)[1:4])


def test_nothing_of_a_transcript_runs_or_is_loaded(page: Path, asked: tuple[int, list[str]], tmp_path: Path) -> None:
    """The page's own script ran and no other; no element that could run, load, redirect or send stands in it; one picture does."""
    document = browse(tmp_path, page.as_uri())
    assert 'data-ready="yes"' in document
    assert 'data-hacked="1"' not in document
    elements = Elements(document).found
    count = Counter(name for name, _ in elements)
    assert (count["script"], count["style"], count["meta"]) == (1, 1, 5)
    assert not count.keys() & {"iframe", "object", "embed", "svg", "base", "form", "link", "math", "template", "video", "audio", "frame"}
    assert [key for _, attributes in elements for key in attributes if key.startswith("on") or key in ("style", "srcdoc", "action", "formaction")] == []
    assert [attributes["src"] for name, attributes in elements if "src" in attributes] == [f"data:image/png;base64,{picture(200)}"]
    links = [attributes["href"] for name, attributes in elements if name == "a" and not attributes["href"].startswith("#")]
    assert {link.partition(":")[0] for link in links} == {"https", "http"}
    assert asked[1] == []


def test_the_policy_stops_a_script_that_is_not_the_pages_own(page: Path, tmp_path: Path) -> None:
    """A script put into the page by hand does not run: the policy names one script by its hash."""
    planted = tmp_path / "planted.html"
    planted.write_text(page.read_text().replace("<main ", f"<script>{RUN}</script><img src=x onerror=\"{RUN}\"><main ", 1))
    document = browse(tmp_path, planted.as_uri())
    assert 'data-ready="yes"' in document
    assert 'data-hacked="1"' not in document


def test_search_finds_in_folds_and_hides_the_rest(page: Path, tmp_path: Path) -> None:
    """A word that stands in one folded diff leaves one item, opened."""
    document = browse(tmp_path, f"{page.as_uri()}?find=needle-of-the-diff")
    assert ">1 found<" in document
    hits = re.findall(r"<(\w+) class=\"item[^\"]* hit\"[^>]*>", document)
    assert hits == ["details"]
    assert re.search(r"<details class=\"item tool hit\"[^>]* open=\"\"", document)
    assert len(re.findall(r"class=\"item[^\"]* hidden\"", document)) > 20


def test_the_outline_leads_to_every_prompt(page: Path, tmp_path: Path) -> None:
    """Each entry of the outline names an element that stands in the page."""
    document = browse(tmp_path, page.as_uri())
    outline = re.findall(r"<li class=\"to-[a-z]+\"><a href=\"#([^\"]+)\"", document)
    assert len(outline) == 3
    assert all(f'id="{anchor}"' in document for anchor in outline)


def test_dark_and_light_follow_the_reader(page: Path, tmp_path: Path) -> None:
    """The page is light for who prefers light and dark for who prefers dark."""
    assert (corner(tmp_path, page.as_uri(), "light"), corner(tmp_path, page.as_uri(), "dark")) == ((0xF6, 0xF8, 0xFA), (0x15, 0x1B, 0x23))
