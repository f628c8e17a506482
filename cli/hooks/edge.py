"""The command that hosts call: `journal hook ROLE --host ID`. It reads, writes one line, perhaps says something, and exits 0.

Nothing heavy is imported on this path (a test holds the list): SQLite is reached through its C module, JSON through the
interpreter's scanner, and what runs longer than the deadline is given up, whatever it was.
"""

import _signal
import _thread
import os
import time

from ingest import hooks
from journal.home import Home, default_home, private_umask

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    from typing import NoReturn

ROLES = ("session-start", "prompt", "pre-compact", "stop", "session-end", "before-tool", "after-tool")
DEADLINE_S = {"session-start": 8.0, "prompt": 5.0, "pre-compact": 5.0, "stop": 5.0, "session-end": 1.2, "before-tool": 1.5, "after-tool": 1.5}
"""After so long the process is over; hosts give 10 s and more, Claude Code's session end 1.5 s."""
LATE_S = 0.1
STDIN_S = 3.0
QUIET_S = 0.2
LONGEST_STDIN_BYTES = 4 * 1024 * 1024
CHILD = "JOURNAL_CHILD"
"""Set in the environment of every process that the journal starts: what runs below it is none of the user's sessions."""


def run(words: list[str]) -> "NoReturn":
    """Answer one hook and end the process.

    Together a third of a bare interpreter's time is saved: what is read has a limit, so that no cycle need be looked for, and the
    interpreter is not taken down piece by piece.
    """
    import gc

    gc.disable()
    main(words)
    os._exit(0)


def main(words: list[str]) -> int:
    """Answer one hook; the exit status is 0 whatever happens, since a host may take another one for a refusal."""
    role = words[0] if words and words[0] in ROLES else ""
    named = words[words.index("--host") + 1] if "--host" in words[:-1] else ""
    if not role or os.environ.get(CHILD):
        if not role:
            _complain(f"journal hook: name a role of {', '.join(ROLES)}", named)
        return 0
    try:
        _signal.signal(_signal.SIGALRM, _give_up)
        _signal.setitimer(_signal.ITIMER_REAL, DEADLINE_S[role])
        # A signal's handler waits for the call that runs; one that SQLite hangs in, on a file system that does not answer, may never end.
        _thread.start_new_thread(_give_up_after, (DEADLINE_S[role] + LATE_S,))
        answer = _run(role, named)
        if answer:
            os.write(1, answer.encode("ascii"))
    except BaseException as error:  # noqa: BLE001  the outer edge of the hook: an error of ours must never cost the user a turn
        _complain(f"journal hook {role}: {type(error).__name__}: {error}", named)
    return 0


def _run(role: str, named: str) -> str:
    """Return what to print: one JSON object in the host's dialect, or nothing."""
    from cli.hooks import roles

    raw = roles.parsed(_stdin())
    if raw is None:
        return ""
    host = named if hooks.is_host(named) else hooks.detect(raw)
    private_umask()
    home = Home(default_home(os.environ))
    answer = roles.answer(role, host, hooks.Payload(raw), home, time.time())
    if role == "session-start" and not os.access(home.inbox, os.W_OK) and _is_hindered(home.root):
        # Once in a session: later hooks of it have nothing new to say.
        from journal import aside
        from journal.moments import written

        told = f"{home.root} cannot be written, so that nothing of this session is kept"
        aside.append(dict(os.environ), f"{written(time.time())} {host} {role}: {told}")
        _complain(f"journal: {told}; run: journal doctor", host)
    return answer


def _is_hindered(root: str) -> bool:
    """Tell whether a home that has no inbox is there, or cannot be made: something else stands in its way, or its folder is closed."""
    if os.path.lexists(root):
        return True
    above = os.path.dirname(root)
    while above != os.path.dirname(above) and not os.path.lexists(above):
        above = os.path.dirname(above)
    return not (os.path.isdir(above) and os.access(above, os.W_OK))


def _stdin() -> bytes:
    """Return stdin up to a limit of size and time; a host that leaves it open ends it by a pause after a whole object."""
    import select

    if os.isatty(0):
        return b""
    waiting = select.poll()
    waiting.register(0, select.POLLIN | select.POLLHUP)
    data, end = b"", time.monotonic() + STDIN_S
    while len(data) < LONGEST_STDIN_BYTES:
        left = (QUIET_S if data.rstrip().endswith(b"}") else end - time.monotonic()) * 1000
        if left <= 0 or not waiting.poll(left):
            break
        piece = os.read(0, 65536)
        if not piece:
            break
        data += piece
    return data


def _give_up(*_: object) -> None:
    os._exit(0)


def _give_up_after(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _complain(text: str, host: str) -> None:
    """Write one line for the user; not where the host shows a hook's stderr in the conversation."""
    if hooks.is_host(host) and hooks.facts_of(host).shows_stderr:
        return
    try:
        os.write(2, (text.replace("\n", " ")[:400] + "\n").encode("ascii", "backslashreplace"))
    except OSError:
        return  # stderr is closed, or nobody reads it
