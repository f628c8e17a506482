"""Every command of the parser, for the tests that walk them all."""

import argparse
from collections.abc import Iterator

from cli.main import parser

UNTIL_STOPPED = {"watch", "datasette", "mcp"}
"""Commands that run until they are stopped; their own tests start them."""
NETWORK = {"catalog"}
"""Commands that say that they use the network, which a test must not."""


def below(top: argparse.ArgumentParser, name: str = "journal") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command with its full name."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield f"{name} {word}", command
                yield from below(command, f"{name} {word}")


COMMANDS = dict(below(parser([])))
HANDOFFS = ("h5f1c2d3e4f60", "h6a7b8c9d0e1f")
"""The ids in the examples of help, which a test replaces by those of handoffs that it saved."""
