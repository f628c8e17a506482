"""Install and uninstall for one host: which files, in which order, and what is reported.

The pure edits are in handlers.py and wrappers.py, the edge to files in file.py, the memory of it in manifest.py.
"""

import contextlib
import os
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from ingest.facts import Facts
from ingest.install import file, handlers, manifest, servers, wrappers
from ingest.install.manifest import Added, Manifest
from ingest.install.ownership import is_program
from journal.errors import SettingInvalid
from journal.home import Home


class Request(NamedTuple):
    """What is asked for, and where."""

    home: Home
    environ: dict[str, str]
    moment: str
    """UTC, for the names of backups."""
    project: str | None = None
    """The root of a project, to configure that one alone."""
    is_dry: bool = False
    has_server: bool = False
    """Whether the host is to be told of the MCP server too."""
    has_tools: bool | None = None
    """Whether hooks around tools are wanted; None leaves it as it is."""


class Outcome(NamedTuple):
    """What was done, or would be."""

    host: str
    config: str
    is_changed: bool
    """Whether the config, or any command or skill, had to change."""
    backup: str | None
    config_after: str | None
    """The config's text afterwards; None where it is no more."""
    written: tuple[str, ...]
    """Commands and skills written or deleted."""
    kept: tuple[str, ...]
    """Commands and skills that the user changed or made, left as they are."""


def facts_of(host: str) -> Facts:
    """Return the facts of *host*."""
    found: Facts = import_module(f"ingest.facts.{host}").FACTS
    return found


def config_path(facts: Facts, request: Request) -> str:
    """Return the settings file that *request* means."""
    if request.project is not None:
        return os.path.join(request.project, facts.project_file)
    return os.path.join(os.path.abspath(facts.home_of(request.environ)), facts.user_file)


def install(facts: Facts, program: Sequence[str], request: Request) -> Outcome:
    """Put our handlers into the host's settings, and our commands beside them where the whole host is configured.

    Raises: SettingInvalid: the settings do not parse or cannot be written; nothing was changed then.
    """
    known = manifest.load(request.home)
    path = config_path(facts, request)
    existing = file.read(path)
    before = existing.text
    with file.naming(path):
        tools = handlers.has_tools(before, facts, known.programs) if request.has_tools is None else request.has_tools
        after = handlers.merge(before, handlers.wanted(facts, program, tools=tools), facts.config_form, known.programs)
    content = after.encode()
    is_changed = existing.content != content
    backup = None
    if is_changed and not request.is_dry:
        folders = file.missing_folders(path)
        backup = file.write(existing, content, _backup_name(facts, path, request))
        original = _original(known.files.get(path), existing, before, backup, known)
        known.files[path] = _added(facts, "config", existing, content, known.files.get(path), folders)._replace(original=original)
    if not request.is_dry:
        if not is_program(program) and list(program) not in known.programs:
            known.programs.append(list(program))
        manifest.save(request.home, known)
    written, kept = _install_wrappers(facts, program, request, known) if request.project is None else ([], [])
    if request.has_server and request.project is None:
        server, has_changed = servers.install(facts, program, request.environ, known, _backup_name(facts, servers.path_of(facts, request.environ), request),
                                              is_dry=request.is_dry)  # fmt: skip
        written += [server] if has_changed else []
        if not request.is_dry:
            manifest.save(request.home, known)
    return Outcome(facts.host, path, is_changed or bool(written), backup, after, tuple(written), tuple(kept))


def uninstall(facts: Facts, request: Request) -> list[Outcome]:
    """Take out what install added for this host: its settings of all places where it was installed, its commands.

    Raises: SettingInvalid: a settings file does not parse or cannot be written; those before it are done then.
    """
    known = manifest.load(request.home)
    paths = [path for path, added in known.files.items() if added.host == facts.host and added.kind == "config" and request.project is None]
    wanted = config_path(facts, request)
    outcomes = []
    told = []
    if request.project is None:  # first, since a host may keep hooks in the same file, which is put back as it was only where nothing else changed
        told = servers.uninstall(facts, request.environ, known, _backup_name(facts, servers.path_of(facts, request.environ), request), is_dry=request.is_dry)
        if not request.is_dry:
            manifest.save(request.home, known)
    ended = [added for path, added in known.files.items() if added.host == facts.host and (request.project is None or path == wanted)]
    for path in dict.fromkeys([wanted, *paths]):
        outcomes.append(_uninstall_config(facts, path, request, known))
        if not request.is_dry:
            known.files.pop(path, None)
            manifest.save(request.home, known)
    if request.project is None:
        written, kept = _uninstall_wrappers(facts, request, known)
        first = outcomes[0]
        written = [*told, *written]
        outcomes[0] = first._replace(is_changed=first.is_changed or bool(written), written=tuple(written), kept=tuple(kept))
        if not request.is_dry:
            manifest.save(request.home, known)
    if not request.is_dry:
        file.remove_folders([folder for added in ended for folder in added.folders])
    return outcomes


def _uninstall_config(facts: Facts, path: str, request: Request, known: Manifest) -> Outcome:
    existing = file.read(path)
    if existing.content is None:
        return Outcome(facts.host, path, False, None, None, (), ())
    added = known.files.get(path)
    text = existing.text
    with file.naming(path):
        after: str | None = handlers.remove(text, known.programs)
    if added is not None and added.original is not None and added.sha256 == manifest.fingerprint(existing.content):
        with contextlib.suppress(FileNotFoundError):  # nobody touched it since: the bytes from before the first install
            after = file.read(added.original).text
    if after == text:
        return Outcome(facts.host, path, False, None, after, (), ())
    if added is not None and added.is_new and after is not None and handlers.is_bare(after):
        after = None
    backup = None
    if not request.is_dry:
        name = _backup_name(facts, path, request)
        backup = file.delete(existing, name) if after is None else file.write(existing, after.encode(), name)
    return Outcome(facts.host, path, True, backup, after, (), ())


def _original(added: Added | None, existing: file.Existing, before: str, backup: str | None, known: Manifest) -> str | None:
    """Return the backup that an uninstall may put back: a file that had nothing of ours."""
    if added is not None and existing.content is not None and added.sha256 == manifest.fingerprint(existing.content):
        return added.original
    return backup if handlers.remove(before, known.programs) == before else None


def _install_wrappers(facts: Facts, program: Sequence[str], request: Request, known: Manifest) -> tuple[list[str], list[str]]:
    """Write the commands or skills that are missing or of an older version; one that the user changed or made is kept."""
    written, kept = [], []
    home = os.path.abspath(facts.home_of(request.environ))
    for below, text in wrappers.files(facts, program).items():
        path, content = os.path.join(home, below), text.encode()
        added = known.files.get(path)
        try:
            existing = file.read(path)
            if existing.content not in {None, content} and (added is None or added.sha256 != manifest.fingerprint(existing.content or b"")):
                kept.append(path)
                continue
            if existing.content != content:
                written.append(path)
                folders = file.missing_folders(path)
                if not request.is_dry:
                    file.write(existing, content, None)
                known.files[path] = _added(facts, "wrapper", existing, content, added, folders)
        except SettingInvalid:  # a symlink, a folder or a locked file of the user's stands there
            kept.append(path)
    if not request.is_dry:
        manifest.save(request.home, known)
    return written, kept


def _added(facts: Facts, kind: str, existing: file.Existing, content: bytes, before: Added | None, folders: list[str]) -> Added:
    """Return what the manifest says of a file just written; what a former install made is still ours."""
    is_new = existing.content is None or (before is not None and before.is_new)
    return Added(facts.host, kind, manifest.fingerprint(content), is_new, None, [*(before.folders if before else []), *folders])


def _uninstall_wrappers(facts: Facts, request: Request, known: Manifest) -> tuple[list[str], list[str]]:
    deleted, kept = [], []
    for path, added in list(known.files.items()):
        if added.host != facts.host or added.kind != "wrapper":
            continue
        if not request.is_dry:
            del known.files[path]
        try:
            existing = file.read(path)
        except SettingInvalid:
            kept.append(path)
            continue
        if existing.content is None:
            continue
        if manifest.fingerprint(existing.content) != added.sha256:
            kept.append(path)
            continue
        deleted.append(path)
        if not request.is_dry:
            file.delete(existing, None)
    return deleted, kept


def _backup_name(facts: Facts, path: str, request: Request) -> str:
    stamp = request.moment.replace(":", "").replace("-", "")
    return os.path.join(request.home.backups, facts.host, f"{os.path.basename(path)}.{stamp}")
