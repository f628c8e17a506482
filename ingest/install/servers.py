"""The journal as an MCP server in a host's settings: put in, brought up to date, taken out; every other character stays.

Where the four hosts keep their servers, seen with the clients that `make test-hosts` runs: Claude Code `.claude.json` beside its
home (inside it where CLAUDE_CONFIG_DIR moves it), Codex `config.toml`, Gemini CLI `settings.json`, Copilot CLI `mcp-config.json`.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.facts import Facts
from ingest.install import edit, file, manifest
from ingest.install.handlers import Programs
from ingest.install.jsonc import Node, parse, wrong
from ingest.install.manifest import Added, Manifest
from ingest.install.ownership import is_program
from journal.errors import SettingInvalid

NAME = "journal"
KEY = "mcpServers"
HEAD = f"[mcp_servers.{NAME}]"
WORD = "mcp"
PREFIX = "mcp:"
"""Before a path in the manifest: a host may keep hooks and servers in one file."""


def path_of(facts: Facts, environ: Mapping[str, str]) -> str:
    """Return the file in which a host keeps its servers."""
    home = os.path.abspath(facts.home_of(dict(environ)))
    if facts.host == "claude":
        return os.path.join(home if environ.get(facts.home_variable) else os.path.dirname(home), ".claude.json")
    return os.path.join(home, {"codex": "config.toml", "gemini": "settings.json", "copilot": "mcp-config.json"}[facts.host])


def entry_of(facts: Facts, program: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what a host is to know of the server; a JOURNAL_HOME that is set now goes with it, since some hosts give servers no environment."""
    entry: dict[str, Any] = {"command": program[0], "args": [*program[1:], WORD]}
    kinds = {"claude": {"type": "stdio"}, "copilot": {"type": "local"}}
    moved = {"env": {"JOURNAL_HOME": environ["JOURNAL_HOME"]}} if environ.get("JOURNAL_HOME") else {}
    return {**kinds.get(facts.host, {}), **entry, **({"tools": ["*"]} if facts.host == "copilot" else {}), **moved}


def merge(text: str, entry: Mapping[str, Any], *, is_toml: bool, programs: Programs = ()) -> str:
    """Return *text* with our server as *entry* says; equal to *text* where it stands already.

    Raises: SettingInvalid: the text does not parse, or has a server `journal` of somebody else.
    """
    if is_toml:
        return _merge_toml(text, entry, programs)
    root = parse(text)
    if root is None:
        return edit.document({KEY: {NAME: dict(entry)}}, text)
    servers = _servers(text, root)
    style = edit.style_of(text, root)
    if servers is None:
        return edit.apply(text, edit.inserted(text, root, [(KEY, {NAME: dict(entry)})], style))
    known = servers.get(NAME)
    if known is None:
        return edit.apply(text, edit.inserted(text, servers, [(NAME, dict(entry))], style))
    if not _is_ours(_plain(known), programs):
        raise SettingInvalid(f"there is a server {NAME} of somebody else", hint="rename it, or leave --mcp out")
    return text if _plain(known) == dict(entry) else edit.apply(text, [edit.replaced(text, known, dict(entry), style)])


def remove(text: str, *, is_toml: bool, programs: Programs = ()) -> str:
    """Return *text* without our server.

    Raises: SettingInvalid: the text does not parse.
    """
    if is_toml:
        return _remove_toml(text, programs)
    root = parse(text)
    servers = _servers(text, root) if root else None
    known = servers.get(NAME) if servers else None
    if root is None or servers is None or known is None or not _is_ours(_plain(known), programs):
        return text
    if len(servers.members) == 1 and edit.leaves_nothing(text, servers):
        return edit.apply(text, edit.removed(text, root, [index for index, member in enumerate(root.members) if member.node is servers]))
    return edit.apply(text, edit.removed(text, servers, [index for index, member in enumerate(servers.members) if member.node is known]))


def install(facts: Facts, program: Sequence[str], environ: Mapping[str, str], known: Manifest, backup: str, *, is_dry: bool) -> tuple[str, bool]:
    """Put our server into the host's settings; return the file and whether it had to change.

    Raises: SettingInvalid: the settings do not parse, cannot be written or have another server of that name.
    """
    path = path_of(facts, environ)
    existing = file.read(path)
    with file.naming(path):
        after = merge(existing.text, entry_of(facts, program, environ), is_toml=path.endswith(".toml"), programs=known.programs)
    content = after.encode()
    if existing.content == content:
        return path, False
    if not is_dry:
        folders = file.missing_folders(path)
        before, added = existing.content, known.files.get(PREFIX + path)
        with file.naming(path):
            had_ours = remove(existing.text, is_toml=path.endswith(".toml"), programs=known.programs) != existing.text
        made = file.write(existing, content, backup)
        is_new = before is None or (added is not None and added.is_new)
        original = added.original if had_ours and added else None if had_ours else made
        known.files[PREFIX + path] = Added(facts.host, "server", manifest.fingerprint(content), is_new, original, [*(added.folders if added else []), *folders])
    return path, True


def uninstall(facts: Facts, environ: Mapping[str, str], known: Manifest, backup: str, *, is_dry: bool) -> list[str]:
    """Take our server out of the host's settings; return the files that had to change.

    Raises: SettingInvalid: a file does not parse or cannot be written.
    """
    ours = [path.removeprefix(PREFIX) for path, added in known.files.items() if added.host == facts.host and added.kind == "server"]
    changed = []
    for path in dict.fromkeys([path_of(facts, environ), *ours]):
        existing, added = file.read(path), known.files.get(PREFIX + path)
        if existing.content is None:
            known.files.pop(PREFIX + path, None)
            continue
        with file.naming(path):
            after: str | None = remove(existing.text, is_toml=path.endswith(".toml"), programs=known.programs)
        if added and added.original and added.sha256 == manifest.fingerprint(existing.content) and os.path.exists(added.original):
            after = file.read(added.original).text  # nobody touched it since: the bytes from before
        if added and added.is_new and not (after or "").strip().strip("{}").strip():
            after = None
        if after != existing.text:
            changed.append(path)
            if not is_dry:
                file.delete(existing, backup) if after is None else file.write(existing, after.encode(), backup)
        if not is_dry:
            known.files.pop(PREFIX + path, None)
            file.remove_folders(added.folders if added else [])
    return changed


def _servers(text: str, root: Node) -> Node | None:
    if root.kind != "object":
        raise wrong(text, root.start, "the file holds no object")
    servers = root.get(KEY)
    if servers is not None and servers.kind != "object":
        raise wrong(text, servers.start, f"{KEY} is no object")
    return servers


def _plain(node: Node) -> Any:
    """Return the value that a node stands for."""
    if node.kind == "object":
        return {member.key: _plain(member.node) for member in node.members}
    return [_plain(member.node) for member in node.members] if node.kind == "array" else node.value


def _is_ours(value: Any, programs: Programs) -> bool:
    """Tell whether a server's entry is one that `install` writes: our program and the word `mcp`."""
    if not isinstance(value, dict) or not isinstance(value.get("args"), list):
        return False
    words = [str(word) for word in (value.get("command", ""), *value["args"])]
    return words[-1] == WORD and bool(words[0]) and (is_program(words[:-1]) or words[:-1] in [list(each) for each in programs])


def _table(text: str) -> Any:
    try:
        return tomllib.loads(text.removeprefix("\ufeff")).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise SettingInvalid(str(error), hint="correct the file; it was left as it is") from error


def _block(entry: Mapping[str, Any], newline: str) -> str:
    lines = [HEAD, f"command = {json.dumps(entry['command'], ensure_ascii=False)}", f"args = {json.dumps(entry['args'], ensure_ascii=False)}"]
    if env := entry.get("env"):
        pairs = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in env.items())
        lines.append(f"env = {{ {pairs} }}")
    return newline.join([*lines, ""])


def _merge_toml(text: str, entry: Mapping[str, Any], programs: Programs) -> str:
    servers = _table(text)
    known = servers.get(NAME) if isinstance(servers, dict) else None
    if known is not None:
        if not _is_ours(known, programs):
            raise SettingInvalid(f"there is a server {NAME} of somebody else", hint="rename it, or leave --mcp out")
        if {key: known.get(key) for key in entry} == dict(entry):
            return text
        text = _remove_toml(text, programs)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    after = text + gap + _block(entry, newline)
    if _table(after).get(NAME) is None:
        raise SettingInvalid("the server cannot be added at the end of the file", hint="add it by hand: journal mcp --help")
    return after


def _remove_toml(text: str, programs: Programs) -> str:
    servers = _table(text)
    if not isinstance(servers, dict) or not _is_ours(servers.get(NAME), programs):
        return text
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if line.strip() == HEAD), None)
    if start is None:
        raise SettingInvalid(f"the server {NAME} is written in a form that only its author can take out", hint=f"take mcp_servers.{NAME} out by hand")
    end = next((number for number in range(start + 1, len(lines)) if lines[number].lstrip().startswith(("[", "#"))), len(lines))
    while end > start + 1 and not lines[end - 1].strip() and end < len(lines):
        end -= 1
    if start and not lines[start - 1].strip():
        start -= 1
    return "".join([*lines[:start], *lines[end:]])
