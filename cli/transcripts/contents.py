"""The table of contents of a folder of exported sessions: `index.md` or `index.html`, with a link to each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from cli.amounts import counted
from cli.transcripts.markdown import escaped
from cli.transcripts.words import one_line, plain


class Entry(NamedTuple):
    """One session of the folder."""

    file: str
    """Its file beside the table, as a link has it."""
    title: str
    facts: str


def entries(sessions: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each file name and row of `sessions`."""
    return [Entry(quote(name), one_line(row["title"] or "(no title)", 200), _facts(row)) for name, row in sessions]


def as_markdown(heading: str, found: Sequence[Entry]) -> str:
    """Return the table as a list of links."""
    return f"# {escaped(heading)}\n\n" + "".join(f"- [{escaped(entry.title)}]({entry.file})  \n  {escaped(entry.facts)}\n" for entry in found)


def as_html(heading: str, found: Sequence[Entry]) -> str:
    """Return the table as a page without any script."""
    from cli.transcripts import webpage

    return webpage.contents(heading, found)


def _facts(row: Mapping[str, Any]) -> str:
    when = (row["last_at"] or "no time known")[:16].replace("T", " ")
    return " · ".join(plain(part) for part in (row["host"], f"{when} UTC" if row["last_at"] else when, counted(row["turns"], "turn"), row["project"]) if part)


AS = {"md": as_markdown, "html": as_html}
