"""What stands in the way of hooks that are installed: switches of the host, a second place that runs them as well."""

import os
import tomllib
from typing import Any

from ingest.facts import Facts
from ingest.install import file
from ingest.install.handlers import ours
from ingest.install.jsonc import Node, parse
from ingest.install.manifest import Manifest
from journal.errors import SettingInvalid


def warnings(facts: Facts, home: str, config: str, known: Manifest) -> list[str]:
    """Return one sentence for everything that keeps our hooks in *config* from running, or makes them run twice."""
    found = []
    for name, keys, off in facts.off_switches:
        if setting(load(os.path.join(home, name)), keys) is off:
            found.append(f"{os.path.join(home, name)}: {'.'.join(keys)} is {str(off).lower()}, so {facts.title} runs no hooks")
    plugins = setting(load(os.path.join(home, facts.plugin_list[0])), facts.plugin_list[1:]) if facts.plugin_list else None
    if isinstance(plugins, dict) and any(plugin.startswith("journal@") and _is_on(value) for plugin, value in plugins.items()):
        found.append(f"the journal's plugin is on in {facts.title} as well: every hook runs twice; keep one of the two")
    if facts.second_config and config.startswith(home):
        name, key, other = facts.second_config
        if set(setting(load(os.path.join(home, name)), (key,)) or {}) - {other}:
            found.append(f"{os.path.join(home, name)} has [{key}] as well: {facts.title} runs both and warns at every start")
    for path, added in known.files.items():
        if added.host == facts.host and added.kind == "config" and path != config and _is_around(path, config, home) and has_handlers(path, known):
            found.append(f"{path} has our hooks as well, so every hook runs twice there: journal uninstall --host {facts.host} --project")
    return found


def has_handlers(path: str, known: Manifest) -> bool:
    """Tell whether a file has handlers of ours; one that cannot be read has none that a host would run."""
    try:
        text = file.read(path).text
        root = parse(text)
        return root is not None and any(True for _ in ours(text, root, known.programs))
    except SettingInvalid:
        return False


def _is_around(path: str, config: str, home: str) -> bool:
    """Tell whether one of the two configures the whole host, whose hooks run beside those of every project."""
    return path.startswith(home + os.sep) or config.startswith(home + os.sep)


def _is_on(value: Any) -> bool:
    return value is True or (isinstance(value, dict) and value.get("enabled", True) is True)


def setting(value: Any, keys: tuple[str, ...]) -> Any:
    """Return what the keys lead to; None where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def load(path: str) -> Any:
    """Return a settings file of the host as plain values; an empty one where it cannot be read."""
    try:
        with open(path, "rb") as opened:
            content = opened.read()
        if path.endswith(".toml"):
            return tomllib.loads(content.decode())
        root = parse(content.decode())
        return {} if root is None else _plain(root)
    except (OSError, ValueError, SettingInvalid):
        return {}


def _plain(node: Node) -> Any:
    if node.kind == "object":
        return {member.key: _plain(member.node) for member in node.members}
    return [_plain(member.node) for member in node.members] if node.kind == "array" else node.value
