"""The command `next`: start the host's next session with the prompt to go on, once the last one said that it is complete."""

import argparse
import os
import shlex
import time

from cli.hooks.complete import FLAG
from cli.render import print_json, print_text, say
from journal.errors import NotFound
from journal.settings import Settings

PROMPT = "Go on with what the last session left: the journal has put it into the context of this one. Begin with its next steps."
POLL_S = 1.0


def start(settings: Settings, asked: argparse.Namespace) -> int:
    """Start the next session, or print the command that would.

    Raises: NotFound: no session said that it is complete, or the host's program is not on PATH.
    """
    from ingest import checkout
    from ingest.hooks import facts_of

    place = checkout.find(os.getcwd())
    root = place.root if place else os.getcwd()
    words = [PROMPT if word == "{prompt}" else word for word in facts_of(asked.host).continuing.start]
    flag = os.path.join(root, FLAG)
    if asked.json:
        print_json({"command": shlex.join(words), "cwd": root, "complete": os.path.isfile(flag)})
        return 0
    if asked.dry_run:
        print_text(shlex.join(words))
        return 0
    if not asked.now:
        _take(flag, wait=asked.wait)
    os.chdir(root)
    try:
        os.execvp(words[0], words)  # noqa: S606  the host's own program, with words of this file
    except FileNotFoundError as error:
        raise NotFound(f"{words[0]} is not on PATH", hint=f"start it yourself: {shlex.join(words)}") from error


def _take(flag: str, *, wait: bool) -> None:
    """Take the flag away, so that one command starts one session; with *wait* until there is one."""
    if wait:
        say(f"waiting for {flag}; end with Ctrl-C")
    while not _taken(flag):
        if not wait:
            raise NotFound(f"no session here said that it is complete: there is no {flag}", hint="run: journal next --now")
        time.sleep(POLL_S)


def _taken(flag: str) -> bool:
    try:
        os.unlink(flag)
    except FileNotFoundError:
        return False
    return True
