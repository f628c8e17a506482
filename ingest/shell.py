"""Files that a shell command line changes, as far as the words of the line show it: redirections, rm, mv, touch, tee, sed -i."""

import shlex

from journal.domain import FileChanged

SEPARATORS = {"&&", "||", ";", "|", "&"}
LONGEST_COMMAND = 20_000
WORTH_PARSING = (">", "rm ", "mv ", "touch ", "tee ", "cp ", "sed -i", "sed --in-place")


def changes(command: str, tool_call_id: str | None = None) -> list[FileChanged]:
    """Return the files that *command* says it writes, removes or moves; nothing when it cannot be split."""
    if len(command) > LONGEST_COMMAND or not any(sign in command for sign in WORTH_PARSING):
        return []
    try:
        lexer = shlex.shlex(command.split("<<", 1)[0], posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return []
    found: list[FileChanged] = []
    simple: list[str] = []
    previous = ""
    for word in [*words, ";"]:
        if previous in (">", ">>", "&>") and word not in SEPARATORS and _is_path(word):
            found.append(_change(word, "write", tool_call_id))
        elif word in SEPARATORS:
            found += _of_simple_command(simple, tool_call_id)
            simple = []
        elif word not in (">", ">>", "&>", "<", ">&"):
            simple.append(word)
        previous = word
    return found


def _of_simple_command(words: list[str], tool_call_id: str | None) -> list[FileChanged]:
    if words[:2] in (["git", "mv"], ["git", "rm"]) and "--cached" not in words:
        words = words[1:]
    if len(words) < 2:
        return []
    name, arguments = words[0], [word for word in words[1:] if not word.startswith("-") and _is_path(word)]
    if name == "rm":
        return [_change(path, "delete", tool_call_id) for path in arguments]
    if name in ("touch", "tee"):
        return [_change(path, "write", tool_call_id) for path in arguments]
    if name == "mv" and len(arguments) == 2:
        return [FileChanged(arguments[0], "move", None, None, tool_call_id, arguments[1], "shell")]
    if name == "sed":
        return [_change(path, "edit", tool_call_id) for path in _edited_in_place(words[1:])]
    if name == "cp" and len(arguments) == 2:
        return [_change(arguments[1], "write", tool_call_id)]
    return []


def _edited_in_place(words: list[str]) -> list[str]:
    """Return the files of a `sed -i`: all words that are neither options nor the script."""
    if not any(word.startswith(("-i", "--in-place")) for word in words):
        return []
    scripted, files, previous = False, [], ""
    for word in words:
        if previous in ("-e", "-f", "--expression", "--file"):
            scripted = True
        elif word.startswith("-"):
            scripted = scripted or word.startswith(("--expression=", "--file="))
        elif word:
            files.append(word)
        previous = word
    return [path for path in (files if scripted else files[1:]) if _is_path(path)]


def _is_path(word: str) -> bool:
    return bool(word) and not word.startswith(("/dev/", "$", "&")) and not any(sign in word for sign in "*?${}`()") and not word.isdigit()


def _change(path: str, operation: str, tool_call_id: str | None) -> FileChanged:
    return FileChanged(path, operation, None, None, tool_call_id, None, "shell")
