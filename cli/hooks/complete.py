"""A session that says it is complete: the stop hook opens a tmux window in which the next one starts. Off by default."""

import os
import sys

from cli.hooks.call import Call

FLAG = ".journal/session-complete"
"""Written by agent or person when the work is done and the handoff stands."""
TOLD = "journal: this session is complete; the next one starts in a new tmux window"


def opened(call: Call) -> dict[str, object]:
    """Return what to tell the user where a window was opened, else nothing."""
    flag = os.path.join(call.place.root, FLAG) if call.place else ""
    if call.settings.on_complete != "tmux" or not os.environ.get("TMUX") or call.place is None or not os.path.isfile(flag):
        return {}
    taken = f"{flag}.{os.getpid()}"
    try:
        os.rename(flag, taken)  # of two hooks one gets it
    except OSError:
        return {}
    words = ["tmux", "new-window", "-d", "-n", "journal", "-c", call.place.root, sys.executable, "-I", "-m", "journal", "next", "--now", "--host", call.host]
    is_open = _ran(words)
    if is_open:
        os.unlink(taken)
    else:
        os.rename(taken, flag)
    return {"systemMessage": TOLD} if is_open else {}


def _ran(words: list[str]) -> bool:
    """Run a command that ends at once, its output on the null device, and tell whether it succeeded."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        process = os.posix_spawnp(words[0], words, dict(os.environ), file_actions=[(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)])
    except OSError:
        return False
    finally:
        os.close(null)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
