"""All commands, as the parser knows them: what a new command owes is asked of it without anybody thinking of it."""

import argparse
from collections.abc import Iterator

from cli.main import parser


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return every command that can be run by its words (`ingest`, `backup restore`), in the order of the help."""
    return dict(_below(parser([]), ()))


def _below(parent: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    subs = [action for action in parent._actions if isinstance(action, argparse._SubParsersAction)]
    if words and parent.get_default("runs") and not any(action.required for action in subs):
        yield " ".join(words), parent
    for action in subs:
        for name, child in action.choices.items():
            yield from _below(child, (*words, name))


def least(command: argparse.ArgumentParser) -> list[str]:
    """Return the fewest further words that the command's parser takes."""
    words = []
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction) or "--help" in action.option_strings:
            continue
        value = str(next(iter(action.choices))) if action.choices else "latest" if action.metavar == "SESSION" else "1"
        if action.option_strings and action.required:
            words += [action.option_strings[-1], value]
        elif not action.option_strings and action.nargs not in ("?", "*"):
            words.append(value)
    return words
