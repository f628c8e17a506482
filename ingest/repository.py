"""A journal's home inside a git repository: git must never take it along, since transcripts hold secrets."""

import os

from ingest.observation import git


def ignore_itself(home: str) -> None:
    """Write the `.gitignore` by which *home* ignores all that lies in it, where there is none."""
    path = os.path.join(home, ".gitignore")
    if not os.path.lexists(path):
        with open(path, "w", encoding="ascii") as file:
            file.write("*\n")


def is_tracked(home: str) -> bool:
    """Tell whether git tracks a file in *home*; outside a repository, where git is not asked, none is."""
    above = os.path.realpath(home)
    while not os.path.lexists(os.path.join(above, ".git")):
        if (parent := os.path.dirname(above)) == above:
            return False
        above = parent
    return git(home, "ls-files", "--", ".") is not None
