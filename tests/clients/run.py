"""Real clients, scripted models: does what the journal says reach user and model, in the place the host gives it?

Usage: python tests/clients/run.py [HOST...] [--clients FOLDER] [--only SCENARIO]
`make test-hosts` installs the clients from npm and runs this. Each client runs in a network namespace with loopback
only, with a throw-away HOME and an environment built from nothing.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memory
import sandbox
import tools
from bench import Options
from checks import RESTORED, Failed, between, expect

PROGRAMS = {  # below the folder that npm installed into
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
    "gemini": "@google/gemini-cli/bundle/gemini.js",
    "copilot": "@github/copilot-*/copilot",
}
CLASSES = {"claude": "Claude", "codex": "Codex", "gemini": "Gemini", "copilot": "Copilot"}
DECISION = "We decided to greet with Salut because the users are French."
OPEN = "Still open: the plural form."


def fenced(request: str) -> bool:
    """Tell whether a request holds restored context; Gemini escapes the fence and puts its own around it."""
    return "<journal-restored-context" in request or "<hook_context>&lt;journal-restored-context" in request


def work(bench: Any) -> None:
    """Have one session edit, fail, decide and leave something open."""
    bench.mock.script(
        {"text": "I will change it.", "calls": [bench.edit("Salut")]},
        {"calls": [bench.shell("python3 -m no_such_module_xyz")]},
        {"text": f"{DECISION} {OPEN}"},
    )
    bench.new("Greet in French please, and never touch README.md")


def restore(bench: Any) -> None:
    """What session 1 did, decided and left open reaches the model in session 2, fenced."""
    work(bench)
    time.sleep(WAIT_S)
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I know where we are."})
    bench.new("What is left to do?")
    told = between(bench.at_start(bench.bodies(since)[0], "What is left to do?"), RESTORED)
    for text in (DECISION, OPEN, "never touch README.md", "no_such_module_xyz", "app.py"):
        expect(text in told, f"session 2's first request lacks: {text}")
    expect(bench.said(since)[-1].count("/journal-restored-context") == 1, "the fence is not closed once")


def threshold(bench: Any) -> None:
    """At a crossing a stop asks for the handoff once, in this turn or, where the host writes figures late, in the next; then there is silence."""
    bench.settings("[hooks]\ncontext_limit = 100000\n")
    usage = {"input": 80_000, "cached": 1_000, "output": 50}
    asked = []
    for number, turn in enumerate((bench.new, bench.again, bench.again)):
        since = len(bench.mock.requests)
        bench.mock.script({"text": f"Answer {number}.", "usage": usage}, {"text": "The handoff is written.", "usage": usage})
        turn(f"Read everything, part {number}")
        asked.append(len(bench.said(since)) - 1)
    expect(asked in ([1, 0, 0], [0, 1, 0]), f"further requests after the answers: {asked}")
    expect("[journal] Write or update the handoff file" in bench.said(0)[-1], "the model was not asked for the handoff")


def handed(bench: Any) -> None:
    """The handoff that the agent writes when a stop asks for it is what session 2 is told, and git does not see it."""
    bench.settings("[hooks]\ncontext_limit = 100000\n")
    usage = {"input": 80_000, "cached": 1_000, "output": 50}
    text = "## Current task\\nRename greet to salute\\n\\n## Next steps\\nThe callers in app.py, then 3 tests\\n"
    write = {"calls": [bench.shell(f"mkdir -p .journal && printf '{text}' > .journal/handoff.md")], "usage": usage}
    bench.mock.script({"text": "Half done.", "usage": usage}, write, {"text": "Written.", "usage": usage})
    bench.new("Rename it everywhere")
    if "[journal] Write or update the handoff file" not in bench.said(0)[-1]:  # the host writes figures late: the next turn's stop asks
        bench.mock.script({"text": "More done.", "usage": usage}, write, {"text": "Written.", "usage": usage})
        bench.again("Go on")
    expect(".journal/handoff.md" in bench.said(0)[-1], "the model was not asked for the handoff")
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I know."})
    bench.new("Where are we?")
    told = between(bench.at_start(bench.bodies(since)[0], "Where are we?"), RESTORED)
    expect("Rename greet to salute" in told and "The callers in app.py, then 3 tests" in told, "session 2 is not told the handoff")
    seen = subprocess.run(["git", "status", "--porcelain"], cwd=bench.project, env=bench.env(), capture_output=True, text=True, check=True).stdout
    expect(seen == "", f"git sees: {seen}")


def alert(bench: Any) -> None:
    """Each crossing is in the request of the next prompt, once, and in no later one again; the user is shown it once."""
    bench.settings('[hooks]\ncontext_limit = 100000\nstop_mode = "never"\nthresholds = [0.5, 0.75]\n')
    bench.mock.script({"text": "Half full.", "usage": {"input": 60_000, "output": 50}})
    bench.new("Read a lot")
    for number, expected in enumerate(((1, 0), (1, 1), (1, 1))):
        since = len(bench.mock.requests)
        bench.mock.script({"text": f"Answer {number}.", "usage": {"input": 80_000, "output": 50}})
        bench.watched(f"Go on, {number}")
        # What was told before is part of the conversation that is sent again.
        found = tuple(bench.said(since)[-1].count(f"[journal] The context is {percent} % full") for percent in (60, 80))
        expect(found == expected, f"prompt {number}: alerts {found} in the request, not {expected}")
    expect("advise the user to start a new session" in bench.said(0)[-1], "the model is not asked to tell the user")
    shown = bench.shown()
    if shown is not None:
        found = tuple(sum(f"the context is {percent} % full" in text for text in shown) for percent in (60, 80))
        expect(found == (1, 1), f"alerts {found} are shown to the user, not one of each: {shown}")
    bench.journal("ingest")
    history = bench.journal("context", "latest")
    expect("80k" in history, f"`journal context` does not say 80k: {history}")


def killed(bench: Any) -> None:
    """After SIGKILL in the middle of an answer the next session still knows what was asked."""
    bench.mock.script({"text": "Reading first.", "calls": [bench.shell("echo before")]}, {"text": "This long answer never gets finished.", "stall": 60})
    bench.new("Find the race in the lock module", kill=True)
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I know."})
    bench.new("What did I ask before?")
    first = bench.said(since)[0]
    expect(fenced(first), "the session after the kill is told nothing")
    expect(first.count("Find the race in the lock module") >= 1, "the killed session's prompt is not told")


def compact(bench: Any) -> None:
    """A compaction is a snapshot, and the session gets its own words back."""
    work(bench)
    bench.compact()
    since = len(bench.mock.requests)
    bench.mock.script({"text": "After the compaction."})
    bench.again("Go on")
    expect(any(DECISION in text and fenced(text) for text in bench.said(since)), "after the compaction the decision is not told again")
    bench.journal("ingest")
    expect("pre_compact" in bench.journal("snapshots", "--all"), "no pre_compact snapshot")


def counted(bench: Any) -> None:
    """What the hooks wrote and the transcripts say are one session each, and replay agrees."""
    work(bench)
    bench.journal("ingest")
    listed = bench.journal("sessions", "--all")
    expect("Greet in French" in listed, f"the session is not listed by its prompt: {listed}")
    expect("empty" not in listed, "a session of hooks alone is left beside the real one")
    bench.journal("replay", "--verify")


def primed(bench: Any) -> None:
    """What `journal fork prime` prints in a tool of session 2 reaches the model, and the link from the one to the other is there."""
    work(bench)
    bench.journal("ingest")
    session = json.loads(bench.journal("fork", "detect", "greet in French", "--json"))["results"][0]["session_id"]
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I load it.", "calls": [bench.shell(f"{bench.wrapper()} fork prime {session} --into here")]}, {"text": "I know it."})
    bench.new("Load what the French session knew")
    last = bench.said(since)[-1]
    expect("Type: full, never compacted" in last and "This is context only." in last, "the report does not reach the model")
    expect(last.count(DECISION) >= 2, "the decision is not in the report")  # once restored at the start, once primed
    bench.journal("ingest")
    chain = json.loads(bench.journal("chain", session, "--json"))["chain"]
    expect([one["position"] for one in chain] == ["tail", "head"], "the link is not written")


def trusted(bench: Any) -> None:
    """Without the host's trust our hooks run, are skipped or the client refuses, as our pages say; `doctor` names it; with the trust they run."""
    work(bench)
    time.sleep(WAIT_S)
    bench.distrust()
    since = len(bench.mock.requests)
    bench.mock.script({"text": "Nothing."})
    bench.new("What is left to do?")
    bodies = bench.bodies(since)
    expect(bool(bodies) == (bench.without_trust != "refuses"), f"{len(bodies)} requests, and the client {bench.without_trust}")
    told = any(RESTORED in text or "&lt;journal-restored-context" in text for text in bench.said(since))
    expect(told == (bench.without_trust == "runs them"), f"the hooks {'ran' if told else 'did not run'}, and the client {bench.without_trust}")
    if bench.without_trust == "runs them":
        return
    expect("hooks that were installed are not trusted" in bench.doctor(), "doctor does not say that the hooks are not trusted")
    bench.trust()
    expect("hooks that were installed are not trusted" not in bench.doctor(), "doctor says that the hooks are not trusted, and they are")
    bench.install()  # keeps every command as it is, so that the trust stays
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I know where we are."})
    bench.new("What is left to do?")
    expect(DECISION in between(bench.at_start(bench.bodies(since)[0], "What is left to do?"), RESTORED), "with the trust the hooks do not tell")


def inside(bench: Any) -> None:
    """Hooks of a project alone run where the client trusts its folder; without that Codex and Copilot skip them."""
    bench.journal("uninstall", "--host", bench.host)
    bench.journal("install", "--host", bench.host, "--project")
    bench.enter_folder()
    work(bench)
    time.sleep(WAIT_S)
    since = len(bench.mock.requests)
    bench.mock.script({"text": "I know where we are."})
    bench.new("What is left to do?")
    expect(DECISION in between(bench.at_start(bench.bodies(since)[0], "What is left to do?"), RESTORED), "the project's hooks do not tell")
    if bench.leave_folder():
        since = len(bench.mock.requests)
        bench.mock.script({"text": "Nothing."})
        bench.new("What is left to do?")
        expect(bench.bodies(since), "the model was not asked")
        expect(not any(RESTORED in text for text in bench.said(since)), "the project's hooks ran in a folder that is not trusted")


WAIT_S = 8
"""The ingest that a hook started has read a session's end so long after it."""

SCENARIOS: dict[str, tuple[Callable[[Any], None], tuple[str, ...]]] = {
    "restore": (restore, ("claude", "codex", "gemini", "copilot")),
    "threshold": (threshold, ("claude", "codex", "gemini", "copilot")),
    "handed": (handed, ("claude", "codex", "gemini", "copilot")),
    "alert": (alert, ("claude", "codex", "gemini", "copilot")),
    "killed": (killed, ("claude", "codex", "gemini", "copilot")),
    "compact": (compact, ("claude", "codex", "gemini", "copilot")),
    "primed": (primed, ("claude", "codex", "gemini", "copilot")),
    "counted": (counted, ("claude", "codex", "gemini", "copilot")),
    "trusted": (trusted, ("claude", "codex", "gemini", "copilot")),
    "inside": (inside, ("claude", "codex", "gemini", "copilot")),
    "learned": (memory.learned, ("claude", "codex", "gemini", "copilot")),
    "served": (memory.served, ("claude", "codex", "gemini", "copilot")),
    "command": (memory.command, ("claude", "codex", "gemini", "copilot")),
    "around": (tools.around, ("claude", "codex", "gemini", "copilot")),
}


def main() -> int:
    """Run the scenarios and print a line for each."""
    parser = argparse.ArgumentParser(description="run the journal's hooks in real clients")
    parser.add_argument("hosts", nargs="*", metavar="HOST", help="default: all four")
    parser.add_argument("--clients", type=Path, required=True, help="the folder that npm installed the clients into")
    parser.add_argument("--only", action="append", choices=SCENARIOS)
    parser.add_argument("--keep", type=Path, help="keep what was written here")
    asked = parser.parse_args()
    sandbox.enter_netns()
    out = asked.keep or Path(tempfile.mkdtemp(prefix="journal-clients-"))
    failures = 0
    for host in asked.hosts or CLASSES:
        found = sorted(asked.clients.resolve().glob(f"node_modules/{PROGRAMS[host]}"))
        if not found:
            print(f"{host}: no client below {asked.clients}; run: make test-hosts", file=sys.stderr)
            return 2
        options = Options(out / host, str(found[0]), (out / "cache").resolve(), sys.executable)
        for name, (scenario, hosts) in SCENARIOS.items():
            if host in hosts and (not asked.only or name in asked.only):
                failures += not _passed(host, name, scenario, options)
    if asked.keep is None:
        shutil.rmtree(out, ignore_errors=True)
    return 1 if failures else 0


def _passed(host: str, name: str, scenario: Callable[[Any], None], options: Options) -> bool:
    begun = time.monotonic()
    bench = getattr(importlib.import_module(f"host_{host}"), CLASSES[host])(name, options)
    try:
        scenario(bench)
    except Failed as failure:
        print(f"FAILED {host} {name}: {failure}", flush=True)
        return False
    finally:
        (bench.dir / "requests.json").write_text(json.dumps(bench.mock.requests, ensure_ascii=False))
    print(f"ok     {host} {name} ({time.monotonic() - begun:.0f} s)", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
