"""Run a client with a throw-away HOME, an empty environment and no network.

`enter_netns()` starts the current script again in a new network namespace where
only loopback is up: neither the client nor the mock server can reach anything
outside this process tree.  Needs root or the right to `unshare -n`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_MARK = "RECORD_IN_NETNS"


def enter_netns() -> None:
    """Re-exec this script under `unshare -n` with loopback up (once)."""
    if os.environ.get(_MARK) == "1":
        return
    inner = 'ip link set lo up && exec "$@"'
    argv = ["unshare", "-n", "sh", "-c", inner, "sh", sys.executable, *sys.argv]
    os.execvpe("unshare", argv, {**os.environ, _MARK: "1", "PYTHONUNBUFFERED": "1"})


def clean_env(home: Path, tmp: Path, **extra: str) -> dict[str, str]:
    """The whole environment of a client: nothing is inherited."""
    return {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "USER": "tester", "SHELL": "/bin/bash", "TMPDIR": str(tmp),
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", **extra}


def make_project(path: Path, env: dict[str, str], branch: str = "main") -> Path:
    """A small git repository for the client to work in."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    (path / "README.md").write_text("# Demo project\n\nIt greets people.\n")
    (path / "app.py").write_text('def greet(name):\n    return "Hello " + name\n')
    git = ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.com"]
    for args in (["init", "-q", "-b", branch], ["add", "."], ["commit", "-qm", "start"]):
        subprocess.run(git + args, cwd=path, env=env, check=True)
    return path


def run(argv: list[str], cwd: Path, env: dict[str, str], log: Path, timeout: float = 120,
        kill_when: Callable[[], bool] | None = None) -> tuple[int, str]:
    """Run a client to its end and return (exit code, stdout).

    stdout and stderr go to LOG.out and LOG.err.  With `kill_when` the process
    group gets SIGKILL as soon as that is true.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    out, err = log.with_suffix(".out"), log.with_suffix(".err")
    with out.open("wb") as so, err.open("wb") as se:
        proc = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                stdout=so, stderr=se, start_new_session=True)
        end = time.monotonic() + timeout
        while proc.poll() is None:
            late = time.monotonic() > end
            if late or (kill_when is not None and kill_when()):
                os.killpg(proc.pid, 9)
                code = proc.wait()
                return (124 if late else code), out.read_text(errors="replace")
            time.sleep(0.05)
    return proc.returncode, out.read_text(errors="replace")
