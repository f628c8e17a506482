"""Our handlers in the text of a settings file: put in, brought up to date, taken out. Pure: text in, text out.

Every host keeps hooks as `hooks.<Event>`, a list. In the nested form an element is a group with a list of handlers
(`{"matcher": …, "hooks": [{"type": "command", "command": …}]}`), in the flat form it is a handler. Both are looked for in
every file, since one host accepts both. Source: docs/reference/hooks.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ingest.facts import Facts
from ingest.install import edit
from ingest.install.jsonc import Node, parse, wrong
from ingest.install.ownership import command, command_of, is_ours

Handlers = Mapping[str, Mapping[str, Any]]
"""Event to the one handler of ours that it shall have."""
Programs = Sequence[Sequence[str]]
MATCHER = "matcher"
"""The key of a handler here that stands beside it in the nested form, and in it in the flat one."""
HARMLESS = " || true"


class Found(NamedTuple):
    """A handler of ours in a file."""

    event: str
    position: tuple[int, ...]
    """The group and the handler in it, or the handler alone."""
    node: Node


def wanted(facts: Facts, program: Sequence[str], *, tools: bool = False) -> Handlers:
    """Return the handlers that *facts* ask for, run by *program*; with *tools* those around tools as well.

    A hook before a tool must never refuse it: where its program is gone, the shell line still ends with 0.
    """
    key = "command" if facts.config_form == "nested" else "bash"
    found: dict[str, Mapping[str, Any]] = {
        event.name: {"type": "command", key: command(program, role, facts.host, facts.fallback), facts.timeout_key: event.timeout}
        for role, event in facts.events.items()
    }
    for role, event in facts.tool_events.items() if tools else ():
        line = command(program, role, facts.host, facts.fallback or HARMLESS)
        found[event.name] = {"type": "command", key: line, facts.timeout_key: event.timeout, MATCHER: event.matcher}
    return found


def has_tools(text: str, facts: Facts, programs: Programs = ()) -> bool:
    """Tell whether handlers of ours around tools stand in *text*.

    Raises: SettingInvalid: the text does not parse, or its hooks are no lists in an object.
    """
    root = parse(text)
    names = {event.name for event in facts.tool_events.values()}
    return root is not None and any(found.event in names for found in ours(text, root, programs))


def merge(text: str, handlers: Handlers, form: str, programs: Programs = ()) -> str:
    """Return *text* with exactly *handlers* of ours; equal to *text* where they stand already.

    A handler of ours keeps its place, its group and what was added to it, and gets what differs; further ones of the same event and
    those of other events go. A missing one gets a group of its own at the end, so that the positions of others stay.

    Args:   form: `nested` or `flat`; programs: what `--bin` named before, by which older handlers are known.
    Raises: SettingInvalid: the text does not parse, or its hooks are no lists in an object.
    """
    root = parse(text)
    if root is None:
        return edit.document(fresh(handlers, form), text)
    keep = _to_keep(text, root, handlers, form, programs)
    text = _remove(text, root, [found for found in ours(text, root, programs) if found not in keep], is_whole=False)
    text = _update(text, handlers, form, programs)
    return _add(text, handlers, form, programs)


def remove(text: str, programs: Programs = ()) -> str:
    """Return *text* without any handler of ours, and without the groups, events and `hooks` that are empty then (a comment is a reason to stay).

    Raises: SettingInvalid: the text does not parse, or its hooks are no lists in an object.
    """
    root = parse(text)
    return text if root is None else _remove(text, root, list(ours(text, root, programs)), is_whole=True)


def ours(text: str, root: Node, programs: Programs = ()) -> Iterator[Found]:
    """Yield every handler of ours in the order of the file.

    Raises: SettingInvalid: the hooks are no lists in an object.
    """
    for event, entries in _events(text, root):
        for index, entry in enumerate(entries.members):
            group = entry.node.get("hooks")
            if group is None:
                if _is_our_handler(entry.node, programs):
                    yield Found(event, (index,), entry.node)
            else:
                yield from (Found(event, (index, at), each.node) for at, each in enumerate(group.members) if _is_our_handler(each.node, programs))


def fresh(handlers: Handlers, form: str) -> dict[str, Any]:
    """Return the whole content of a new file with *handlers*."""
    head: dict[str, Any] = {"version": 1} if form == "flat" else {}
    return {**head, "hooks": {event: [_entry(handler, form)] for event, handler in handlers.items()}}


def is_bare(text: str) -> bool:
    """Tell whether nothing is left in *text* but what `merge` puts into a new file beside handlers."""
    root = parse(text)
    return root is None or (root.kind == "object" and all(member.key == "version" for member in root.members) and "//" not in text and "/*" not in text)


def _is_our_handler(node: Node, programs: Programs) -> bool:
    line = command_of(node) if node.kind == "object" else None
    return line is not None and is_ours(line, programs)


def _events(text: str, root: Node) -> list[tuple[str, Node]]:
    """Return the events that the file configures; of a repeated key the last, as the hosts read it."""
    if root.kind != "object":
        raise wrong(text, root.start, "the file holds no object")
    hooks = root.get("hooks")
    if hooks is None:
        return []
    if hooks.kind != "object":
        raise wrong(text, hooks.start, "hooks is no object")
    events = {member.key: member.node for member in hooks.members}
    for event, entries in events.items():
        if entries.kind != "array":
            raise wrong(text, entries.start, f"hooks.{event} is no list")
    return list(events.items())


def _entry(handler: Mapping[str, Any], form: str) -> dict[str, Any]:
    if form == "flat":
        return dict(handler)
    inner = {key: value for key, value in handler.items() if key != MATCHER}
    return ({MATCHER: handler[MATCHER]} if MATCHER in handler else {}) | {"hooks": [inner]}


def _to_keep(text: str, root: Node, handlers: Handlers, form: str, programs: Programs) -> list[Found]:
    """Return for every wanted event the handler that stays: the one that is right already, else the first of the right form."""
    kept: dict[str, Found] = {}
    for found in ours(text, root, programs):
        handler = handlers.get(found.event)
        if handler is None or len(found.position) != (2 if form == "nested" else 1) or not (set(handler) & {"command", "bash"} <= _keys(found.node)):
            continue
        if found.event not in kept or (_lacks(kept[found.event].node, handler) and not _lacks(found.node, handler)):
            kept[found.event] = found
    return list(kept.values())


def _keys(node: Node) -> set[str]:
    return {member.key for member in node.members}


def _lacks(node: Node, handler: Mapping[str, Any]) -> set[str]:
    """Return the keys of *handler* whose value in *node* is another or none."""
    return {key for key, value in handler.items() if key != MATCHER and ((at := node.get(key)) is None or at.value != value)}


def _remove(text: str, root: Node, gone: Sequence[Found], *, is_whole: bool) -> str:
    """Take *gone* out, and groups and events emptied by that; with *is_whole* also `hooks` itself."""
    if not gone:
        return text
    hooks = root.get("hooks")
    if hooks is None:
        raise AssertionError("a handler was found without hooks")
    edits, empty_events = [], []
    for number, member in enumerate(hooks.members):
        of_event = [found.position for found in gone if found.event == member.key] if hooks.get(member.key) is member.node else []
        if not of_event:
            continue
        entries = member.node
        whole = [position[0] for position in of_event if len(position) == 1]
        inner: list[edit.Edit] = []
        for index in sorted({position[0] for position in of_event if len(position) == 2}):
            group = entries.members[index].node.get("hooks")
            at = [position[1] for position in of_event if position[0] == index]
            if group is None:
                raise AssertionError("a handler was found without its group")
            if len(at) == len(group.members):
                whole.append(index)
            else:
                inner += edit.removed(text, group, at)
        if len(whole) == len(entries.members) and edit.leaves_nothing(text, entries):
            empty_events.append(number)
        else:
            edits += inner + edit.removed(text, entries, sorted(whole))
    if is_whole and len(empty_events) == len(hooks.members) and edit.leaves_nothing(text, hooks):
        edits = edit.removed(text, root, [index for index, member in enumerate(root.members) if member.node is hooks])
    else:
        edits += edit.removed(text, hooks, empty_events)
    return edit.apply(text, edits)


def _update(text: str, handlers: Handlers, form: str, programs: Programs) -> str:
    """Bring the handlers of ours that stand in *text* up to date, value by value."""
    root = edit.reparsed(text)
    style = edit.style_of(text, root)
    edits: list[edit.Edit] = []
    for found in ours(text, root, programs):
        handler = handlers[found.event]
        lacking = _lacks(found.node, handler)
        missing = [(key, handler[key]) for key in handler if found.node.get(key) is None and key != MATCHER]
        edits += [edit.replaced(text, at, handler[key], style) for key in handler if key in lacking and (at := found.node.get(key)) is not None]
        edits += edit.inserted(text, found.node, missing, style) if missing else []
    return edit.apply(text, edits)


def _add(text: str, handlers: Handlers, form: str, programs: Programs) -> str:
    """Add the handlers that are missing."""
    root = edit.reparsed(text)
    style = edit.style_of(text, root)
    present = {found.event for found in ours(text, root, programs)}
    missing = {event: _entry(handler, form) for event, handler in handlers.items() if event not in present}
    if not missing:
        return text
    hooks = root.get("hooks")
    if hooks is None:
        return edit.apply(text, edit.inserted(text, root, [("hooks", {event: [entry] for event, entry in missing.items()})], style))
    edits = []
    fresh = []
    for event, entry in missing.items():
        entries = hooks.get(event)
        if entries is None:
            fresh.append((event, [entry]))
        else:
            edits += edit.inserted(text, entries, [("", entry)], style)
    edits += edit.inserted(text, hooks, fresh, style) if fresh else []
    return edit.apply(text, edits)

