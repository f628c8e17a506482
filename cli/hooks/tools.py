"""What is told around a tool: before an edit what was decided about the file, after a command that failed what made it pass before.

Where nothing is to be told, nothing is written either: such a hook runs for every call of a tool.
"""

import os

from cli.hooks.call import Call
from cli.hooks.recall import claimed, project_of, told
from ingest.hooks import tools
from journal import hook_settings

TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import _sqlite3
    from collections.abc import Callable

MOST = 3
MOST_FILES = 4
Line = tuple[str, str]
"""What a line is known by, and the line."""


def told_of(call: Call) -> str:
    """Return what to tell, fenced; the empty text where nothing surely fits or all was told before."""
    import _sqlite3

    if call.payload.agent_id or not call.session_id or not call.can_write or call.role not in call.facts.context_roles:
        return ""
    call.settings, _ = hook_settings.load(call.home.config)
    call.open_views()
    if not call.settings.recall or call.views.connection is None:
        return ""
    try:
        found = [line for look in LOOKS[call.role] for line in look(call, call.views.connection)]
        if not found:
            return ""
        call.look()
        before = told(call.lines, resume_drops_start=call.facts.resume_drops_start)
        return _said(call, [line for line in dict(found).items() if line[0] not in before][:MOST])
    except (_sqlite3.Error, ValueError):  # views of another version, damaged ones, a half character: nothing is known
        return ""
    finally:
        call.views.close()


def _said(call: Call, lines: list[Line]) -> str:
    from projections import learned_text

    text, count = learned_text.fenced([line for _, line in lines], call.settings.recall_tokens, call.facts.inject_cap)
    return text if count and claimed(call, [name for name, _ in lines[:count]]) else ""


def _of_files(call: Call, views: "_sqlite3.Connection") -> list[Line]:
    """Return what is known of the files that the call names, learnings first."""
    from cli.hooks.learnings import doubt
    from projections import file_notes, learned_text
    from projections.learned import Found

    root = project_of(call)
    found: list[Line] = []
    for path in tools.touched(call.payload)[:MOST_FILES]:
        relative = _relative(call, path)
        if relative is None:
            continue
        for one in file_notes.learnings(views, relative, root, call.at):
            caution = doubt(views, one, call.place.root if call.place else root)
            found += [(one.learning_id, line) for line in learned_text.told([Found(one, 1.0)], call.now, {one.learning_id: caution})]
        found += [(note.name, learned_text.note_line(note, call.now)) for note in file_notes.notes(views, relative, root, call.session_id)]
    return found


def _relative(call: Call, path: str) -> str | None:
    """Return a path relative to the checkout; None where it lies outside."""
    root = os.path.realpath(call.place.root if call.place else call.payload.cwd or "/")
    whole = os.path.realpath(os.path.join(call.payload.cwd or "/", path))
    return whole[len(root) + 1 :] if whole.startswith(root + os.sep) else None


def _of_error(call: Call, views: "_sqlite3.Connection") -> list[Line]:
    """Return the past fix of the error that the call ended with, and what was learned about it."""
    output = tools.failed_output(call.payload)
    if not output:
        return []
    from projections import fixed, learned, learned_text, likeness
    from projections.error_lines import named

    error = named([line for part in output.splitlines() if (line := part.strip())])
    if not error:
        return []
    fix = fixed.best(views, error, project_of(call), but=call.session_id)
    lines = [(fix.name, learned_text.fix_line(fix, call.now))] if fix else []
    found = learned.recall(views, error, project_of(call), call.at, limit=1, threshold=likeness.THRESHOLD, telling=True)
    return lines + [(one.learning.learning_id, line) for one in found for line in learned_text.told([one], call.now, {})]


LOOKS: "dict[str, tuple[Callable[[Call, _sqlite3.Connection], list[Line]], ...]]" = {"before-tool": (_of_files,), "after-tool": (_of_error, _of_files)}
"""A host whose model hears nothing before a tool hears of the file behind it."""
