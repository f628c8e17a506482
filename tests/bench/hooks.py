"""What hooks cost: CPU of the whole process as a multiple of a bare interpreter's, in one run.

Usage: python tests/bench/hooks.py [SESSIONS] [LEARNINGS]
For transcripts of 1 MB and 50 MB, with no session and with SESSIONS (default 10,000) in the views; then a prompt of a session that had 300 of them today
already; then prompts against LEARNINGS
learnings of the project, one that none fits and one that some fit, without and with a running `journal watch` that has a model loaded; then how long the
watcher takes to answer, at rest and while it reads new transcripts.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
from bytecode import compiled
from planted import Turn, _claude

RUNS = 15
ROLES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "pre-compact": "PreCompact", "stop": "Stop", "session-end": "SessionEnd"}
GIT = ("git", "-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


def multiple(command: list[str], environment: dict[str, str], data: bytes = b"") -> float:
    """Return the CPU of a command as a multiple of a bare interpreter's: medians of runs that alternate, since other work comes and goes."""
    found: dict[str, list[float]] = {"bare": [], "command": []}
    for _ in range(RUNS):
        found["bare"].append(cpu([sys.executable, "-I", "-c", "pass"], environment))
        found["command"].append(cpu(command, environment, data))
    return statistics.median(found["command"]) / statistics.median(found["bare"])


def cpu(command: list[str], environment: dict[str, str], data: bytes = b"") -> float:
    """Return the CPU seconds of one run."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def many(root: Path, project: Path, sessions: int) -> None:
    """Write so many small sessions of one project."""
    from datetime import UTC, datetime

    for number in range(sessions):
        _claude(root, f"{number:08d}-0000-4000-8000-000000000001", project, [Turn(f"prompt {number}", "We decided to wait.")], datetime.now(UTC))


def transcript(path: Path, megabytes: int) -> None:
    """Write a transcript of about the size given, whose end tells a use of the context."""
    line = json.dumps({"type": "assistant", "isSidechain": False, "message": {"id": "m", "model": "claude-haiku-4-5", "content": [
        {"type": "text", "text": "x" * 4000}], "usage": {"input_tokens": 1000, "output_tokens": 10}}}) + "\n"  # fmt: skip
    path.write_text(line * (megabytes * 1_000_000 // len(line)))


def learned(root: Path, project: Path, learnings: int) -> None:
    """Write so many learnings of one project to the inbox, a tenth of them about the same."""
    with (root / "journal/inbox/2026-12-01_journal.jsonl").open("a") as inbox:
        for number in range(learnings):
            about = "the ledger lock of the transfer" if number % 10 == 0 else f"module mod_{number} and its neighbour mod_{number * 7}"
            inbox.write("\n" + json.dumps({"v": 1, "type": "journal.learning", "at": "2026-12-01T10:00:00.000000Z", "session_id": None, "kind": "gotcha",
                                           "learning_id": f"l{number:010d}", "scope": "project", "text": f"Remember {about}: shard {number} is read only.",
                                           "root": str(project), "anchors": []}) + "\n")  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="measure what hooks cost")
    parser.add_argument("sessions", type=int, nargs="?", default=10_000)
    parser.add_argument("learnings", type=int, nargs="?", default=1000)
    asked = parser.parse_args()
    compiled()
    with tempfile.TemporaryDirectory(prefix="journal-hooks-") as folder:
        root, project = Path(folder), Path(folder) / "proj"
        project.mkdir()
        environment = {**os.environ, "HOME": folder, "JOURNAL_HOME": str(root / "journal")}
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
            subprocess.run([*GIT, *words], cwd=project, check=True)
        print("| role | " + " | ".join(f"{size} MB, {count} sessions" for count in (0, asked.sessions) for size in (1, 50)) + " |")
        rows: dict[str, list[float]] = {role: [] for role in ROLES}
        for count in (0, asked.sessions):
            many(root, project, count)
            subprocess.run([sys.executable, "-m", "journal", "ingest"], env=environment, check=True, capture_output=True)
            (root / "journal" / "ingest.stamp").touch()
            os.utime(root / "journal" / "ingest.stamp", (2e9, 2e9))
            for size in (1, 50):
                transcript(root / "t.jsonl", size)
                for role, event in ROLES.items():
                    payload = {"session_id": f"hook-{count}-{size}", "transcript_path": str(root / "t.jsonl"), "cwd": str(project), "hook_event_name": event,
                               "source": "startup", "prompt": "go on"}  # fmt: skip
                    command = [sys.executable, "-m", "journal", "hook", role, "--host", "claude"]
                    rows[role].append(multiple(command, environment, json.dumps(payload).encode()))
        rows["prompt, the 301st of a session's day"] = [late(root, project, environment)]
        learned(root, project, asked.learnings)
        subprocess.run([sys.executable, "-m", "journal", "ingest"], env=environment, check=True, capture_output=True)
        os.utime(root / "journal" / "ingest.stamp", (2e9, 2e9))
        prompts(rows, asked.learnings, root, project, environment, "alone")
        with watching(root, environment) as ready:
            if ready:
                prompts(rows, asked.learnings, root, project, environment, "beside a watch")
        for role, ratios in rows.items():
            print(f"| {role} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
        if ready:
            print("\n".join(ready))


def late(root: Path, project: Path, environment: dict[str, str]) -> float:
    """Measure a prompt of a session whose hooks wrote down 300 prompts and 300 stops before."""
    from datetime import UTC, datetime

    session, today = "hook-late", datetime.now(UTC).strftime("%Y-%m-%d")
    with (root / f"journal/inbox/{today}_{session}.state.jsonl").open("a") as inbox:
        for role in ("prompt", "stop") * 300:
            line = {"v": 1, "type": "journal.context", "role": role, "used": 1000, "window": 200_000, "window_source": "table", "model": "claude-haiku-4-5",
                    "compacted": False, "handoff": None, "thresholds": [0.75], "interval_s": 300, "at": f"{today}T00:00:00.000000Z",
                    "session_id": session}  # fmt: skip
            inbox.write("\n" + json.dumps(line, separators=(",", ":")) + "\n")
    payload = {"session_id": session, "transcript_path": str(root / "t.jsonl"), "cwd": str(project), "prompt": "go on"}
    return multiple([sys.executable, "-m", "journal", "hook", "prompt", "--host", "claude"], environment, json.dumps(payload).encode())


def prompts(rows: dict[str, list[float]], learnings: int, root: Path, project: Path, environment: dict[str, str], way: str) -> None:
    """Measure prompts against many learnings."""
    for name, text in (("none fits", "what is the weather of the gallery like today"), ("some fit", "take the ledger lock in the transfer too")):
        payload = {"session_id": f"hook-{way}".replace(" ", "-"), "transcript_path": str(root / "t.jsonl"), "cwd": str(project), "prompt": text}
        command = [sys.executable, "-m", "journal", "hook", "prompt", "--host", "claude"]
        rows[f"prompt, {learnings} learnings, {name}, {way}"] = [multiple(command, environment, json.dumps(payload).encode())]
    around: dict[str, tuple[str, dict[str, object]]] = {
        "before-tool, nothing known": ("before-tool", {"tool_input": {"file_path": str(project / "unknown_file.py")}}),
        "after-tool, an unknown error": ("after-tool", {"error": "Exit code 1\nModuleNotFoundError: No module named 'gallery'"}),
    }
    for name, (role, told) in around.items() if way == "alone" else ():
        payload = {"session_id": "hook-tools", "cwd": str(project), **told}
        rows[name] = [multiple([sys.executable, "-m", "journal", "hook", role, "--host", "claude"], environment, json.dumps(payload).encode())]


@contextlib.contextmanager
def watching(root: Path, environment: dict[str, str]) -> Iterator[list[str]]:
    """Run `journal watch` until it answers, and give what its answers take in milliseconds; nothing where it has no model."""
    from cli.index import warm
    from journal.home import Home

    home = Home(str(root / "journal"))
    watch = subprocess.Popen([sys.executable, "-m", "journal", "watch"], env=environment, stderr=subprocess.DEVNULL)
    told: list[str] = []

    def took(text: str) -> float:
        began = time.perf_counter()
        request = {"ask": "recall", "prompt": text, "root": str(root / "proj"), "by_words": []}
        return 1000 * (time.perf_counter() - began) if warm.ask(home, request, 5.0) else float("inf")

    try:
        ends = time.monotonic() + 300
        while took("are you there") == float("inf") and time.monotonic() < ends:
            time.sleep(0.5)
        if time.monotonic() < ends:
            while json.loads(subprocess.run([sys.executable, "-m", "journal", "index", "status", "--json"], env=environment, check=True,
                                            capture_output=True).stdout)["state"] != "ready" and time.monotonic() < ends:  # fmt: skip
                time.sleep(5)
            for name, text in (("short prompt", "why does the transfer hang"), ("long prompt", "why does the transfer of the ledger hang " * 50)):
                times = sorted(took(text) for _ in range(50))
                told.append(f"{name}: median {times[25]:.1f} ms, 45 of 50 within {times[44]:.1f} ms")
            (root / ".claude/projects/-new").mkdir(parents=True)
            for number in range(40):
                transcript(root / f".claude/projects/-new/{number:08d}-0000-4000-8000-000000000009.jsonl", 1)
            times = sorted(took("why does the transfer hang") for _ in range(50))
            told.append(f"short prompt while 40 MB are read: median {times[25]:.1f} ms, 45 of 50 within {times[44]:.1f} ms")
        yield told
    finally:
        watch.terminate()
        watch.wait(60)


if __name__ == "__main__":
    main()
