"""Hooks around tools in real clients."""

from __future__ import annotations

import json
from typing import Any

from checks import RECALLED, expect

RULE = "The quota_sweeper constant in app.py stays above 41"
COMMAND = "python3 -c 'import ledger_core_xyz'"
ERROR = "No module named 'ledger_core_xyz'"


def around(bench: Any) -> None:
    """What fixed an error reaches the model with the failure, and what was decided about a file with its edit; each once, and no tool is hindered."""
    bench.settings("[hooks]\nrestore = false\n")  # so that only the hooks around tools can tell it
    bench.journal("install", "--host", bench.host, "--tools")
    bench.trust()
    bench.mock.script({"text": "I try it.", "calls": [bench.shell(COMMAND)]}, {"calls": [bench.shell("touch ledger_core_xyz.py")]},
                      {"calls": [bench.shell(COMMAND)]}, {"text": "It passes."})  # fmt: skip
    bench.new("Run it")
    bench.journal("learn", RULE, "--kind", "decision")
    bench.journal("ingest")
    fixes = json.loads(bench.journal("fix", f"ModuleNotFoundError: {ERROR}", "--json"))["fixes"]
    expect(fixes and "touch ledger_core_xyz.py" in fixes[0]["fix"], f"no fix is known: {fixes}")
    (bench.project / "ledger_core_xyz.py").unlink()

    since = len(bench.mock.requests)
    bench.mock.script({"text": "I try it.", "calls": [bench.shell(COMMAND)]}, {"calls": [bench.shell(COMMAND)]}, {"calls": [bench.edit("Salut")]},
                      {"text": "Done."})  # fmt: skip
    bench.new("Go on")
    bodies = bench.bodies(since)
    expect(len(bodies) >= 4, f"the turn ended early: {len(bodies)} requests")
    said = [json.dumps(body, ensure_ascii=False).replace("&lt;", "<") for body in bodies]
    expect(not any(RECALLED in text for text in said[:1]), "something is told before any tool was called")
    expect(RECALLED in said[1] and "it passed after: `touch ledger_core_xyz.py`" in said[1], "the fix does not reach the model with the failure")
    expect(said[2].count("it passed after:") == 1, "the fix is told again")
    expect(RULE in said[-1] and said[-1].count(RECALLED) == 2, "what was decided about the file does not reach the model with the edit")
    expect("Salut" in (bench.project / "app.py").read_text(), "the edit was hindered")
