"""How much of what a session knew reaches the next one: planted facts in restores of at most 800 tokens.

Usage: python tests/bench/continuity.py [SESSIONS] [--misses]
Without a handoff the restore is what the log knows; with one, an agent has written the facts down under the usual
headings. Afterwards a commit changes the file of every second project: what is said of it must be flagged.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from planted import Planted, plant

BUDGET = 800
GIT = ("git", "-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")
HEADINGS = {"edit": "Current task", "open": "Remaining", "decision": "Decisions", "figure": "Status", "failure": "Risks", "wish": "Open questions"}


class World:
    """Projects, transcripts and a journal below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        self.environment = {"HOME": str(root), "JOURNAL_HOME": str(root / "journal"), **inherited}

    def git(self, session: Planted, *words: str, date: str | None = None) -> None:
        """Run git in a session's project, at another time where *date* is given."""
        dated = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date} if date else {}
        subprocess.run([*GIT, *words], cwd=session.project, check=True, capture_output=True, env={**os.environ, **dated})

    def journal(self, *words: str, cwd: Path | None = None) -> str:
        """Run a command of the journal."""
        done = subprocess.run([sys.executable, "-m", "journal", *words], cwd=cwd or self.root, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout

    def restore(self, session: Planted) -> dict[str, Any]:
        """Return what a new session in the project would be told."""
        found: dict[str, Any] = json.loads(self.journal("restore", "--budget", str(BUDGET), "--json", cwd=session.project))
        return found


def make_project(world: World, session: Planted) -> None:
    """Make the repository that the session worked in."""
    (session.project / "src").mkdir(parents=True)
    (session.project / session.file).write_text("a = 2\n")
    world.git(session, "init", "-q", "-b", "main")
    world.git(session, "add", ".")
    world.git(session, "commit", "-qm", "start", date="2026-01-01T00:00:00Z")


def kept(session: Planted, text: str) -> dict[str, bool]:
    """Return for each kind of fact whether the restore holds it."""
    return {fact.kind: all(sign in text for sign in fact.signs) for fact in session.facts}


def write_handoff(session: Planted) -> None:
    """Write the handoff that an agent would write when asked."""
    folder = session.project / ".journal"
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    lines = [f"## {HEADINGS[fact.kind]}\n- {fact.text}" for fact in session.facts]
    (folder / "handoff.md").write_text("\n".join(lines) + "\n")


def record_handoff(world: World, session: Planted) -> None:
    """Have a hook see the handoff file, as at the end of a session."""
    payload = json.dumps({"session_id": session.session, "cwd": str(session.project), "hook_event_name": "SessionEnd", "reason": "other"})
    command = [sys.executable, "-m", "journal", "hook", "session-end", "--host", session.host]
    subprocess.run(command, input=payload, env=world.environment, text=True, check=True, cwd=world.root)


def measure(sessions: int) -> dict[str, Any]:
    """Return shares of kept facts without and with handoff, shares of flagged stale ones, and what was missed."""
    # The ingest that the last hook started may still write there at the end.
    with tempfile.TemporaryDirectory(prefix="journal-continuity-", ignore_cleanup_errors=True) as folder:
        world = World(Path(folder))
        planted = plant(world.root, sessions)
        for session in planted:
            make_project(world, session)
        world.journal("ingest")
        without = [(session, kept(session, world.restore(session)["text"])) for session in planted]
        stale = planted[::2]
        for session in stale:
            (session.project / session.file).write_text("a = 3\n")
            world.git(session, "commit", "-qam", "another way")
        flagged = [_is_flagged(session, world.restore(session)["text"]) for session in stale]
        for session in planted:
            write_handoff(session)
            record_handoff(world, session)
        world.journal("ingest")
        answers = [(session, world.restore(session)) for session in planted]
        with_handoff = [(session, kept(session, answer["text"])) for session, answer in answers]
        tokens = max(answer["tokens"] for _, answer in answers)
    return {"without": _share(without), "with": _share(with_handoff), "flagged": sum(flagged) / len(flagged), "tokens": tokens,
            "misses": [(s.host, kind, next(f.text for f in s.facts if f.kind == kind)) for s, found in without for kind, is_in in found.items() if not is_in],
            "by_kind": {kind: _share([(s, {kind: found[kind]}) for s, found in without]) for kind in HEADINGS},
            "by_host": {host: _share([(s, found) for s, found in without if s.host == host]) for host in ("claude", "codex", "gemini", "copilot")}}  # fmt: skip


def _is_flagged(session: Planted, text: str) -> bool:
    """Tell whether the changed file is named as changed, and the decision about it is marked, where it is told."""
    marked = [line for line in text.splitlines() if session.file in line and line.startswith("- ")]
    return f"changed: {session.file}" in text and all("changed since]" in line for line in marked)


def _share(found: list[tuple[Planted, dict[str, bool]]]) -> float:
    values = [is_in for _, kinds in found for is_in in kinds.values()]
    return sum(values) / len(values)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="measure what reaches the next session")
    parser.add_argument("sessions", type=int, nargs="?", default=60)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    found = measure(asked.sessions)
    print(f"| restore of at most {BUDGET} tokens, {asked.sessions} sessions | share |\n| --- | ---: |")
    for name, label in (("with", "facts kept, with a handoff"), ("without", "facts kept, without"), ("flagged", "stale ones flagged")):
        print(f"| {label} | {found[name]:.0%} |")
    for group in ("by_kind", "by_host"):
        print(", ".join(f"{kind} {share:.0%}" for kind, share in found[group].items()))
    print(f"largest restore {found['tokens']} tokens; missed without handoff:", dict(collections.Counter(kind for _, kind, _ in found["misses"])))
    if asked.misses:
        for miss in found["misses"]:
            print("  ", *miss)


if __name__ == "__main__":
    main()
