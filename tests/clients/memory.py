"""Learnings, MCP tools and slash commands in real clients."""

from __future__ import annotations

import json
from typing import Any

from checks import QUOTED, RECALLED, between, expect

WISHES = ("Commit messages are one line here", "Tabs are never used for indentation here", "Type hints stand on every function", "Tests come before the code",
          "Names are spelled out, abbreviations are refused", "Docstrings are one sentence long")  # fmt: skip
"""As many as a session start tells at most, and of the kind that goes first."""
FINDING = "quota_sweeper drops rows older than 41 days, so reindex_quota has to run after it"
TOOLS = {"search", "recall", "learn", "restore", "handoff", "handoff_save", "fork", "sessions", "show", "snapshot", "context"}
PROMPT = "Rows are gone since quota_sweeper ran; what does reindex_quota need?"


def learned(bench: Any) -> None:
    """What session 1 learned reaches the model of session 2: the wishes at its start, the finding with the prompt that it fits, each once."""
    program = bench.wrapper()
    commands = [f"{program} learn '{wish}' --kind preference" for wish in WISHES]
    commands.append(f"{program} learn '{FINDING}' --kind gotcha")
    bench.mock.script({"text": "I note it.", "calls": [bench.shell(" && ".join(commands))]}, {"text": "Noted."})
    bench.new("Note how we work here")
    first = bench.last_id()
    bench.journal("ingest")
    stored = json.loads(bench.journal("learnings", "--json"))["learnings"]
    expect(sorted(one["text"] for one in stored) == sorted([*WISHES, FINDING]), f"not stored as said: {stored}")
    expect({one["session_id"] for one in stored} == {first}, f"not of session {first}: {[one['session_id'] for one in stored]}")

    since = len(bench.mock.requests)
    bench.mock.script({"text": "Run it."})
    bench.new(PROMPT)
    expect(bench.last_id() != first, "no second session was started")
    body = bench.bodies(since)[0]
    start = between(bench.at_start(body, PROMPT), RECALLED)
    for wish in WISHES:
        expect(wish in start, f"not told at the start of session 2: {wish}")
    expect(FINDING not in start, "the finding is told at the start already, so that the prompt proves nothing")
    told = between(bench.at_prompt(body, PROMPT), RECALLED)
    expect(FINDING in told, "the finding is not told with the prompt that it fits")
    expect(not any(wish in told for wish in WISHES), "a wish is told with a prompt that it does not fit")

    since = len(bench.mock.requests)
    bench.mock.script({"text": "Once more: run it."})
    bench.again(PROMPT)
    expect(json.dumps(bench.bodies(since)[-1]).count(FINDING) == 1, "the finding is told again in the same session")


def served(bench: Any) -> None:
    """The client starts our MCP server, shows its tools to the model, and the model gets the results of those it calls."""
    bench.journal("install", "--host", bench.host, "--mcp")
    calls = (("learn", {"text": FINDING, "kind": "gotcha"}), ("recall", {"query": "quota_sweeper"}), ("show", {"session": "nosuchsession"}))
    bench.mock.script(*bench.before_tools(), *({"calls": [(bench.tool(name), given)]} for name, given in calls), {"text": "That is known now."})
    bench.new("Note what quota_sweeper does")
    bodies = bench.bodies(0)
    offered = bench.offered(bodies[-1])
    expect(offered == TOOLS, f"the model is told of these tools: {sorted(offered)}")
    results = bench.results(bodies[-1])
    expect(len(results) >= 3, f"three tools were called, and there are {len(results)} results")
    stored, found, refused = results[-3:]
    name = json.loads(between(stored, QUOTED).split("\n", 1)[1])["learning_id"]
    recalled = json.loads(between(found, QUOTED).split("\n", 1)[1])["learnings"]
    expect([(one["learning_id"], one["text"]) for one in recalled] == [(name, FINDING)], f"recall does not give back what learn stored: {found}")
    expect("nosuchsession" in refused and QUOTED not in refused, f"an error does not reach the model as one: {refused}")
    bench.journal("ingest")
    stored = json.loads(bench.journal("learnings", "--json"))["learnings"]
    expect([(one["learning_id"], one["session_id"]) for one in stored] == [(name, bench.last_id())], f"not in the log as of this session: {stored}")

    since = len(bench.mock.requests)
    bench.mock.script({"text": "Run it."})
    bench.new(PROMPT)
    expect(FINDING in between(bench.at_start(bench.bodies(since)[0], PROMPT), RECALLED), "what was learned by the tool is not told in the next session")
    bench.journal("uninstall", "--host", bench.host)
    since = len(bench.mock.requests)
    bench.mock.script({"text": "Nothing."})
    bench.new("Is there a journal?")
    expect(not bench.offered(bench.bodies(since)[-1]), "after the uninstall the tools are still there")


def command(bench: Any) -> None:
    """Our slash command or skill reaches the model with the command line in it, and that line runs as it stands."""
    bench.settings("[hooks]\nrecall = false\n")  # so that only the command can tell it
    bench.journal("learn", FINDING, "--kind", "gotcha")
    line = f"{bench.options.python} -I -m journal recall"
    bench.mock.script(*bench.command_steps("recall"), {"calls": [bench.shell(f"{line} quota_sweeper")]}, {"text": "It drops rows."})
    bench.by_name("recall", "quota_sweeper")
    said = bench.said(0)
    expect(any(line in text and "quoted notes of earlier sessions" in text for text in said), "the words of the command do not reach the model")
    expect(FINDING in bench.results(bench.bodies(0)[-1])[-1], "what the command prints does not reach the model")
