"""Cases F5 and F7: what a hook leaves behind it is one ingest at most, and the archive is never read by a hook."""

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from world import S, World

from cli.hooks.views import _is_first

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="children are looked for in /proc")


def children(world: World) -> set[int]:
    """Return the groups of processes that hooks of this home have started and that still run."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                environment = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
                if f"JOURNAL_HOME={world.home}".encode() in environment and b"JOURNAL_CHILD=1" in environment:
                    found.add(os.getpgid(int(name)))  # each has its own group, with the git that it asks
    return found


@contextmanager
def watched(world: World) -> Iterator[set[int]]:
    """Collect every child that is seen, until the block has ended and none is left."""
    seen: set[int] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set() or children(world):
            seen.update(children(world))
            time.sleep(0.02)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        time.sleep(0.3)  # a child that was just started is in the table of processes by then
        done.set()
        thread.join(60)
    assert not thread.is_alive(), "a child outlived its work"


def ten_hooks(world: World) -> list[int]:
    """Call ten hooks at once; return how they ended."""
    payload = json.dumps(world.payload(prompt="x")).encode()
    command = [sys.executable, "-m", "journal", "hook", "prompt", "--host", "claude"]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=world.environment, cwd=world.folder) for _ in range(10)]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
    return [process.wait(60) for process in running]


@pytest.mark.parametrize("stamp", ["none", "old"])
def test_f5_ten_hooks_at_once_start_one_ingest(world: World, stamp: str) -> None:
    """Without a stamp and with an old one: one child, which ends by itself, and a stamp of now; ten more start none; all payloads are written down."""
    world.answered(1000)
    if stamp == "none":
        (world.home / "ingest.stamp").unlink()
    else:
        os.utime(world.home / "ingest.stamp", (0, 0))
    begun = time.time()
    with watched(world) as seen:
        assert ten_hooks(world) == [0] * 10
    assert (len(seen), (world.home / "ingest.stamp").stat().st_mtime > begun - 1) == (1, True)
    world.still()
    with watched(world) as seen:
        assert ten_hooks(world) == [0] * 10
    assert len(seen) == 0
    assert len([line for line in world.lines() if line["type"] == "journal.hook"]) == 20


def test_f5_beside_a_writer_no_ingest_is_started(world: World) -> None:
    """While something holds the writer's lock, which is the system's and no file's content, hooks start nothing."""
    (world.home / "ingest.stamp").unlink()
    with (world.home / "writer.lock").open("w") as held, watched(world) as seen:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert ten_hooks(world) == [0] * 10
    assert seen == set()


@pytest.mark.parametrize("role", ["session-start", "prompt", "stop", "session-end"])
def test_f7_a_hook_reads_no_archive(world: World, role: str) -> None:
    """With 300 transcripts and no journal yet a hook opens its own session's at most, and makes no database."""
    world.answered(1000)
    for number in range(300):
        (world.transcript.parent / f"22222222-0000-4000-8000-{number:012d}.jsonl").write_bytes(world.transcript.read_bytes())
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "opened = []; sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "from cli.hooks.edge import main; main(sys.argv[1:]); print(*opened, sep='\\n', file=sys.stderr)"
    )
    payload = json.dumps(world.payload(source="startup", prompt="x")).encode()
    done = subprocess.run([sys.executable, "-I", "-c", script, role, "--host", "claude"], input=payload, capture_output=True, env=world.environment, check=True)
    opened = {Path(path).name for path in done.stderr.decode().splitlines() if path.endswith(".jsonl") and "/projects/" in path}
    assert opened <= {f"{S}.jsonl"}
    assert not (world.home / "journal.db").exists()


@pytest.mark.parametrize("stamp", ["none", "old"])
def test_f5_of_hooks_at_the_same_moment_one_may_start_it(tmp_path: Path, stamp: str) -> None:
    """Sixteen that have all seen the stamp missing or old claim it at once, thirty times over: one gets it."""
    path, barrier = tmp_path / "ingest.stamp", threading.Barrier(16)
    for _ in range(30):
        path.unlink(missing_ok=True)
        if stamp == "old":
            path.touch(0o600)
            os.utime(path, (0, 0))
        told: list[bool] = []

        def claim(told: list[bool] = told) -> None:
            barrier.wait()
            told.append(_is_first(str(path), time.time()))

        threads = [threading.Thread(target=claim) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(told) == [False] * 15 + [True]
        assert path.stat().st_mode & 0o777 == 0o600
