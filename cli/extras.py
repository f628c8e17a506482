"""How an optional part is installed; imported only to say that it is missing."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit

NAME = "agent-session-journal"


def command(extra: str) -> str:
    """Return the command that installs *extra* into the Python that runs, from where the journal itself came."""
    try:
        origin = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        origin = None
    return f"{shlex.quote(sys.executable)} -m pip install {requirement(extra, origin)}"


def requirement(extra: str, origin: str | None) -> str:
    """Return the words for pip: the folder that *origin* names (PEP 610, the text of `direct_url.json`), else the name on an index.

    A journal that came from a folder is not looked for on an index: what stands there under its name need not be it.
    """
    told = json.loads(origin) if origin else {}
    url = str(told.get("url", ""))
    if not url.startswith("file:"):
        return shlex.quote(f"{NAME}[{extra}]")
    is_editable = bool(told.get("dir_info", {}).get("editable"))
    return ("-e " if is_editable else "") + shlex.quote(f"{unquote(urlsplit(url).path)}[{extra}]")
