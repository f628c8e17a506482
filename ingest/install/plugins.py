"""The plugins of Claude Code and Codex, made from the same facts and wrappers as what `install` writes.

They lie in `ingest/plugins/` and ship in the wheel; `python -m ingest.install.plugins` writes them, a test compares. A plugin is
another way to the same hooks: it runs the `journal` of the search path. Layout: each host's plugin documents, docs/reference/hooks.md.
"""

import json
import os
from typing import Any

from ingest.facts import Facts
from ingest.install import wrappers
from ingest.install.handlers import fresh, wanted
from ingest.install.installation import facts_of
from journal import __version__

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "plugins")
PROGRAM = ("journal",)
MARKETPLACE = "agent-session-journal"
README = """# Session journal

A new session knows what the last one knew. The hooks of this plugin tell the journal when a session starts, gets a prompt, compacts, stops and
ends, and put what earlier sessions of the project decided, changed and left open into the context. The commands show and keep snapshots.

The plugin runs the command `journal` of your search path: install the package `agent-session-journal` first. Do not use it together with
`journal install`, which sets up the same hooks without a plugin.
"""
DESCRIPTION = "A new session knows what the last one knew: hooks and commands of the session journal."


def contents() -> dict[str, str]:
    """Return path below `ingest/plugins` to content."""
    claude, codex = facts_of("claude"), facts_of("codex")
    about: dict[str, Any] = {"name": "journal", "version": __version__, "description": DESCRIPTION}
    files = {
        ".claude-plugin/marketplace.json": {"name": MARKETPLACE, "owner": {"name": "agent-session-journal"},
                                            "metadata": {"description": DESCRIPTION},
                                            "plugins": [{"name": "journal", "source": "./claude", "description": DESCRIPTION}]},
        "claude/.claude-plugin/plugin.json": {**about, "author": {"name": "agent-session-journal"}, "license": "MIT"},
        "claude/hooks/hooks.json": _hooks(claude),
        ".agents/plugins/marketplace.json": {"name": MARKETPLACE, "interface": {"displayName": "Session journal"},
                                             "plugins": [{"name": "journal", "source": {"source": "local", "path": "./codex"},
                                                          "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                                                          "category": "Productivity"}]},
        "codex/.codex-plugin/plugin.json": {**about, "author": {"name": "agent-session-journal"}, "license": "MIT", "skills": "./skills/",
                                            "hooks": "./hooks/hooks.json",
                                            "interface": {"displayName": "Session journal", "shortDescription": DESCRIPTION, "category": "Productivity"}},
        "codex/hooks/hooks.json": _hooks(codex),
    }  # fmt: skip
    texts = {"claude/README.md": README, "codex/README.md": README}
    texts |= {path: json.dumps(value, indent=2) + "\n" for path, value in files.items()}
    # a plugin's own name is the namespace: commands/snapshot.md is /journal:snapshot
    texts |= {f"claude/{path.replace('commands/journal/', 'commands/')}": text for path, text in wrappers.files(claude, PROGRAM).items()}
    return texts | {f"codex/{path}": text for path, text in wrappers.files(codex, PROGRAM).items()}


def write() -> None:
    """Write all files."""
    for path, text in contents().items():
        target = os.path.join(FOLDER, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as opened:
            opened.write(text)


def _hooks(facts: Facts) -> dict[str, Any]:
    return fresh(wanted(facts, PROGRAM), facts.config_form)


if __name__ == "__main__":
    write()
