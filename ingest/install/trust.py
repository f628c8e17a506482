"""What a host wrote down about the trust that it was given, as far as that says that our hooks do not run. Read, never written.

Codex CLI 0.171.0: `[hooks.state."FILE:event:group:handler"]` with a `trusted_hash` in config.toml; without it `codex exec` skips the hook
without a word. Gemini CLI 0.61.0: `DO_NOT_TRUST` of a folder in trustedFolders.json.
"""

import os
import re
from typing import Any

from ingest.facts import Facts
from ingest.install import file
from ingest.install.conditions import load, setting
from ingest.install.handlers import ours
from ingest.install.jsonc import parse
from ingest.install.manifest import Manifest

MOST_FOLDERS = 3


def doubts(facts: Facts, home: str, config: str, known: Manifest) -> list[str]:
    """Return a sentence for each thing that the host's own files say against our hooks in *config*."""
    if facts.trust_form == "each hook":
        return _untrusted(home, config, known)
    return _distrusted(facts, home) if facts.trust_form == "folders" else []


def _untrusted(home: str, config: str, known: Manifest) -> list[str]:
    path = os.path.join(home, "config.toml")
    states = setting(load(path), ("hooks", "state"))
    text = file.read(config).text
    root = parse(text)
    never, off = [], []
    for found in ours(text, root, known.programs) if root else ():
        event = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", found.event).lower()
        keys = [":".join((name, event, *map(str, found.position))) for name in dict.fromkeys((config, os.path.realpath(config)))]
        state: dict[str, Any] = next((states[key] for key in keys if isinstance(states, dict) and isinstance(states.get(key), dict)), {})
        if not state.get("trusted_hash"):
            never.append(found.event)
        elif state.get("enabled") is False:
            off.append(found.event)
    return [f"{path}: {', '.join(events)} {what}" for events, what in ((never, "was never trusted"), (off, "is switched off")) if events]


def _distrusted(facts: Facts, home: str) -> list[str]:
    path = os.path.join(home, "trustedFolders.json")
    value = load(path)
    folders = sorted(folder for folder, word in value.items() if word == "DO_NOT_TRUST") if isinstance(value, dict) else []
    more = f" and {len(folders) - MOST_FOLDERS} more" if len(folders) > MOST_FOLDERS else ""
    return [f"{path}: {facts.title} runs no hooks in {', '.join(folders[:MOST_FOLDERS])}{more}"] if folders else []
