"""What hosts tell a hook of a tool call: the files that it is about to change, and the error that it ended with.

The hook path imports this: no typing, no json, no re. Shapes as recorded; they tell no exit code in one field of one name:
docs/reference/hooks.md.
"""

from ingest.hooks import Payload

PATH_KEYS = ("file_path", "path", "notebook_path", "filePath")
PATCHED = ("*** Update File: ", "*** Delete File: ", "*** Move to: ")
"""How the lines of a patch of Codex begin that name a file which is there."""
LONGEST_CHARS = 64 * 1024
"""So much of an output's end is looked at; errors stand there."""


def touched(payload: Payload) -> list[str]:
    """Return the paths that a call of an editing tool names, in its order."""
    given = payload.raw.get("tool_input", payload.raw.get("toolArgs"))
    if not isinstance(given, dict):
        return []
    found = [value for key in PATH_KEYS if isinstance(value := given.get(key), str)]
    patch = next((value for key in ("command", "patch", "input") if isinstance(value := given.get(key), str) and "*** " in value), "")
    found += [line[len(sign) :].strip() for line in patch[:LONGEST_CHARS].split("\n") for sign in PATCHED if line.startswith(sign)]
    return list(dict.fromkeys(path for path in found if path and "\0" not in path))


def failed_output(payload: Payload) -> str:
    """Return the end of what a call that failed gave back; the empty text where it did not fail.

    Codex tells nobody whether a command failed: its output is returned, and what is no error in it has to be told apart by what it says.
    """
    raw = payload.raw
    if raw.get("is_interrupt") is True:
        return ""
    error = raw.get("error")
    if isinstance(error, str):
        return error[-LONGEST_CHARS:]
    given = raw.get("tool_response", raw.get("toolResult"))
    if isinstance(given, str):
        return given[-LONGEST_CHARS:]
    if not isinstance(given, dict):
        return ""
    if given.get("error"):
        return _text(given["error"])
    text = _text(given.get("llmContent", given.get("textResultForLlm")))
    return text if given.get("resultType") in ("failure", "error") or _exit_code(text) not in ("", "0") else ""


def _text(value: object) -> str:
    """Return a text, or the texts in a list or an object, their end only."""
    if isinstance(value, str):
        return value[-LONGEST_CHARS:]
    parts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return "\n".join(part for part in parts if isinstance(part, str))[-LONGEST_CHARS:]


def _exit_code(text: str) -> str:
    """Return the digits behind the last `exit code` of a text, in whatever case."""
    _, sign, rest = text[-2000:].lower().rpartition("exit code")
    rest = rest.lstrip(": ")
    end = next((place for place, letter in enumerate(rest) if not letter.isdigit()), len(rest))
    return rest[:end] if sign else ""
