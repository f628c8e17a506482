"""`journal skill create` and `update`: what sessions decided, solved and learned, put where the hosts load it, and a person's edits left alone."""

import argparse
import contextlib
import os
import re
from datetime import UTC, datetime
from typing import Any, NamedTuple

from cli.amounts import counted
from cli.memory import skill_layout
from cli.memory.skill_layout import Page
from cli.outlet import cleaned
from cli.render import print_json, print_table, say
from cli.wiring import current_project, now, read_views, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.settings import Settings
from projections.skill_pages import Change, Item

HOSTS = ("claude", "codex", "gemini", "copilot")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
LONGEST_PAGE = 400
"""Lines from which a page is said to be long: a host loads all of it."""
LARGEST_BYTES = 2 * 1024 * 1024


class Draft(NamedTuple):
    """A page as it is and as it will be."""

    page: Page
    path: str
    before: str | None
    after: str
    changes: list[Change]


def create(settings: Settings, asked: argparse.Namespace) -> int:
    """Draft a skill for each host asked for."""
    root, items = _gathered(settings, asked)
    drafts: list[Draft] = []
    for host in dict.fromkeys(asked.host or ["claude"]):
        pages = skill_layout.pages(host, asked.name)
        for page in pages:
            text = _read(root, page.path)
            if text is not None and (not page.is_shared or skill_layout.edges(asked.name)[0] in text):
                raise SettingInvalid(f"{page.path}: the skill {asked.name} is there already", hint=f"run: journal skill update {asked.name}")
        drafts += _drafted(root, asked.name, pages, items, is_new=True)
    return _finish(asked, root, drafts)


def update(settings: Settings, asked: argparse.Namespace) -> int:
    """Bring what sessions said since into a skill, for each host that has it."""
    root, items = _gathered(settings, asked)
    hosts = asked.host or [host for host in HOSTS if _has(root, skill_layout.pages(host, asked.name)[0], asked.name)]
    if not hosts:
        raise NotFound(f"there is no skill {asked.name} in {root}", hint=f"run: journal skill create {asked.name}")
    drafts: list[Draft] = []
    for host in dict.fromkeys(hosts):
        pages = skill_layout.pages(host, asked.name)
        if not _has(root, pages[0], asked.name):
            raise NotFound(f"{pages[0].path}: there is no skill {asked.name}", hint=f"run: journal skill create {asked.name} --host {host}")
        drafts += _drafted(root, asked.name, pages, items, is_new=False)
    return _finish(asked, root, drafts)


def _gathered(settings: Settings, asked: argparse.Namespace) -> tuple[str, list[Item]]:
    """Return the project's root and what its sessions have to say.

    Raises: SettingInvalid: the name can be no folder. NotFound: no session of this project is known.
    """
    from ingest import checkout
    from projections import skill_items

    if not NAME.fullmatch(asked.name):
        raise SettingInvalid(f"{asked.name}: a skill's name has small letters, digits and hyphens, at most 64", hint="journal skill create lock-notes")
    with contextlib.closing(read_views(settings)) as views:
        project = current_project(views)
        named = [session_by_prefix(views, prefix) for prefix in asked.session]
        session_ids = named or skill_items.sessions_of(views, project, asked.limit)
        if not session_ids:
            raise NotFound("this folder's project has no session", hint=f"name one: journal skill {asked.verb} {asked.name} --session latest")
        items = skill_items.items(views, session_ids, project, now())
    place = checkout.find(os.getcwd())
    return (place.root if place else os.path.realpath(os.getcwd())), [item._replace(text=text) for item, text in zip(
        items, cleaned([item.text for item in items]), strict=True)]  # fmt: skip


def _has(root: str, page: Page, name: str) -> bool:
    text = _read(root, page.path)
    return text is not None and (not page.is_shared or skill_layout.edges(name)[0] in text)


def _drafted(root: str, name: str, pages: tuple[Page, ...], items: list[Item], *, is_new: bool) -> list[Draft]:
    """Return the pages with the items brought in; the changelog tells of all of them."""
    from projections import skill_pages

    today = datetime.now(UTC).strftime("%Y-%m-%d")
    texts = {page: skill_layout.skeleton(page, name) if is_new else _own_part(root, page, name) for page in pages}
    known = {mark for text in texts.values() if text for mark in skill_pages.known_in(text)}
    changes: dict[Page, list[Change]] = {page: [] for page in pages}
    for page, text in texts.items():
        wanted = [item for section in page.sections for item in _newest(items, section, page.most)]
        if text is not None and wanted:
            texts[page], changes[page] = skill_pages.updated(text, wanted, known, today)
    every = [change for page in pages for change in changes[page]]
    told = [Change("NEW", "skill", f"drafted with {counted(len(every), 'line')}", "")] if is_new else every
    drafts = []
    for page, text in texts.items():
        if text is None or (page.is_fixed and not is_new):
            continue
        whole = skill_pages.with_changelog(text, "changelog", told, today, known) if "changelog" in page.sections else text
        before = _read(root, page.path)
        drafts.append(Draft(page, page.path, before, _put_back(before, whole, page, name), changes[page]))
    return drafts


def _newest(items: list[Item], section: str, most: int) -> list[Item]:
    """Return the newest items of a section, the oldest of them first."""
    own = [item for item in items if item.section == section]
    return own[max(0, len(own) - most) :]


def _own_part(root: str, page: Page, name: str) -> str | None:
    """Return what of a file belongs to the skill; None where a person took it out."""
    text = _read(root, page.path)
    if text is None or not page.is_shared:
        return text
    begin, end = skill_layout.edges(name)
    _, found, rest = text.partition(begin + "\n")
    own, closed, _ = rest.partition(end)
    return own if found and closed else None


def _put_back(before: str | None, own: str, page: Page, name: str) -> str:
    """Return the whole file with the skill's part in its place, at the end where it is new."""
    if not page.is_shared:
        return own
    begin, end = skill_layout.edges(name)
    if before is None or begin not in before:
        return (before.rstrip("\n") + "\n\n" if before else "") + f"{begin}\n{own}{end}\n"
    head, _, rest = before.partition(begin + "\n")
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n{own}{end}{tail}"


def _read(root: str, path: str) -> str | None:
    """Return a page's text.

    Raises: SettingInvalid: it is no plain file of text.
    """
    full = os.path.join(root, path)
    if not os.path.lexists(full):
        return None
    if not _is_inside(root, full) or not os.path.isfile(full) or os.path.getsize(full) > LARGEST_BYTES:
        raise SettingInvalid(f"{path}: no plain file below {root}", hint="move it away, or choose another name")
    with open(full, encoding="utf-8", newline="") as file:
        try:
            return file.read()
        except UnicodeDecodeError as error:
            raise SettingInvalid(f"{path}: no UTF-8 text", hint="move it away, or choose another name") from error


def _is_inside(root: str, full: str) -> bool:
    real = os.path.realpath(full)
    return real == os.path.join(os.path.realpath(root), os.path.relpath(full, root))


def _write(root: str, draft: Draft) -> None:
    """Write a page whole or not at all.

    Raises: SettingInvalid: a link on the way leads out of the project.
    """
    full = os.path.join(root, draft.path)
    if not _is_inside(root, full):
        raise SettingInvalid(f"{draft.path}: a link on the way leads elsewhere", hint="move it away, or choose another name")
    os.makedirs(os.path.dirname(full), exist_ok=True)
    made = f"{full}.{os.getpid()}.new"
    try:
        with open(made, "x", encoding="utf-8", newline="") as file:
            file.write(draft.after)
            file.flush()
            os.fsync(file.fileno())
        if draft.before is not None:
            os.chmod(made, os.stat(full).st_mode & 0o777)
        os.replace(made, full)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)


def _finish(asked: argparse.Namespace, root: str, drafts: list[Draft]) -> int:
    """Write what changed, and say what and where."""
    files: list[dict[str, Any]] = []
    for draft in drafts:
        state = "created" if draft.before is None else "unchanged" if draft.after == draft.before else "updated"
        if state != "unchanged" and not asked.dry_run:
            _write(root, draft)
        files.append({"path": draft.path, "state": state, "lines": draft.after.count("\n"), "changes": len(draft.changes)})
    changes = [{"class": change.kind, "section": change.section, "text": change.text, "before": change.before, "path": draft.path}
               for draft in drafts for change in draft.changes]  # fmt: skip
    if asked.json:
        print_json({"name": asked.name, "root": root, "dry_run": asked.dry_run, "files": files, "changes": changes})
        return 0
    print_table(("file", "state", "lines", "changes"), [(one["path"], one["state"], one["lines"], one["changes"]) for one in files])
    if changes:
        print_table(("change", "section", "text"), [(one["class"], one["section"], one["text"]) for one in changes])
    for one in files:
        if one["lines"] > LONGEST_PAGE:
            say(f"{one['path']} has {one['lines']} lines, more than {LONGEST_PAGE}; take out what no longer matters")
    if any(one["class"] == "KEPT" for one in changes):
        say("KEPT: a line that you changed stands against a newer word; both are above, and yours stays")
    say("nothing was written" if asked.dry_run else "a draft from your sessions: read it before you commit it")
    return 0
