"""The help of the whole command line: every command with its sentence, by what somebody wants to do."""

import shutil
from collections.abc import Mapping, Sequence

from cli.layout import lines, wrapped

WIDEST = 110
TITLES = {
    "log": "Read the transcripts into the log",
    "reading": "See what there is",
    "meaning": "Find",
    "transcripts": "Read, share, look for secrets",
    "figures": "Count",
    "analysts": "Ask with SQL and other tools",
    "hosts": "Let the agents' clients run the hooks",
    "hooks": "Keep the context from one session to the next",
    "handoffs": "Hand work over",
    "memory": "Remember what was learned",
    "forks": "Go on from an earlier session",
    "keeping": "Forget, back up, make small",
    "health": "See whether all is well",
}
"""What the groups of cli/arguments are for, in the order in which a newcomer needs them."""
FIRST = "First steps: journal ingest, journal sessions --all, journal show latest, journal search WORD --all. Each command: journal COMMAND --help"


def text(groups: Mapping[str, Sequence[str]], sentences: Mapping[str, str], before: Sequence[str], after: Sequence[str]) -> str:
    """Return the commands of *groups* below their titles, each with its sentence, between two texts."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    left = max(map(len, sentences))
    found = [line for part in before for line in (*wrapped(part, width), "")]
    for group in sorted(groups, key=list(TITLES).index):
        rows = [(f"  {name:<{left}}", sentences[name]) for name in groups[group] if name in sentences]
        found += [TITLES[group] + ":", *lines(rows, width=width, prose=True), ""]
    return "\n".join([*found, *(line for part in after for line in wrapped(part, width))])
