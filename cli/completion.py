"""`journal completion`: what a shell needs to complete commands, options and their values, made from the parser by shtab (docs/adr/0030)."""

import argparse

from cli.render import print_json, write
from journal.settings import Settings

SHELLS = ("bash", "zsh", "fish")
FILES = {"FILE": "FILE", "FILE|DIR": "FILE", "DIR": "DIRECTORY", "PATH": "FILE"}
"""Metavar to the shtab word for what is completed there."""


def completion(settings: Settings, asked: argparse.Namespace) -> int:
    """Print the completions for a shell."""
    text = script(asked.shell)
    if asked.json:
        print_json({"shell": asked.shell, "script": text})
    else:
        write((text,))
    return 0


def script(shell: str) -> str:
    """Return the completions for *shell*, of every command."""
    import shtab

    from cli.main import parser

    top = parser([])
    _name_files(top)
    return str(shtab.complete(top, shell=shell)).rstrip("\n") + "\n"


def _name_files(command: argparse.ArgumentParser) -> None:
    """Tell shtab which values are files, in *command* and below it."""
    import shtab

    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in set(action.choices.values()):
                _name_files(below)
        elif action.metavar in FILES:
            action.complete = getattr(shtab, FILES[str(action.metavar)])  # type: ignore[attr-defined]  # an attribute that shtab looks for
