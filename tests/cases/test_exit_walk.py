"""No output path goes around the exit: every command is run over transcripts full of secrets, and no module but the printer prints."""

import ast
import re
from pathlib import Path

import pytest
from archive import CWD, Archive, answer, claude

from cli.arguments import GROUPS

CLI = Path(__file__).parents[2] / "cli"
S = "aaaaaaaa-0000-4000-8000-000000000001"
FAST, FULL, KEYED = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "sq0csp-" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1" + "Ab3dEf6hIj9lMn2p", "Tr0ub4dor3xZ9"
SECRET = f"{FAST} {FULL} db_pass = '{KEYED}'"
MISCOUNTED = re.compile(r"(?<![\w.,:/+-])(?<!of )1 (?!is\b|was\b|has\b)[a-z]+s\b")
"""One of a thing, told as several: `1 files`."""
PRINTERS = {
    "render.py": "prints", "exporting.py": "writes exports, which were cleaned item by item, or the bytes of the transcript",
    "progress.py": "shows and takes back one line on a terminal: its own labels and numbers",
    "rows.py": "writes the rows of a query, cleaned batch by batch",
    "hooks/edge.py": "answers hosts within a budget that has no room for regular expressions: rows of the views, redacted by the fast rules only",
}  # fmt: skip
WALK = {
    "ingest": [()], "replay": [(), ("--view", FULL)], "verify": [()], "note": [(FULL, "--session", S)], "config": [()],
    "sessions": [("--all",)], "search": [("needle", "--all"), (FULL,), (FAST, "--all")], "usage": [("--by", by) for by in ("project", "session")],
    "restore": [("--session", S), ("--session", S, "--all"), ("--session", FULL), ("--as-of", "2030-01-01"), ("--snapshot", "latest")],
    "post-compact": [(S,), (FULL,)], "context": [(S,), (FULL,)],
    "snapshot": [("--session", S, "--note", FULL)], "snapshots": [("--all",), ("--session", S)], "next": [("--dry-run",)],
    "decisions": [("--all",), ("--session", S), ("--session", FULL)], "diff": [(FULL, "latest"), ("SNAP", "latest")],
    "handoff": [("save", "--title", FULL, "--session", S), ("save", "--notes", FULL), ("load", "--deep"), ("load", FULL), ("list", "--all"), ("show",),
                ("diff", "latest", "latest"), ("score",), ("export", "--output", "{out}s"), ("import", "{out}s"), ("import", FULL), ("delete", FULL),
                ("undelete", FULL), ("prune", "--keep", "1"), ("merge", FULL, "latest"), ("validate", FULL),
                ("init", "--output", "{out}.md", "--force", "--title", FULL)],
    "learn": [(f"needle {FULL} {FAST}",), (FULL, "--anchor", FULL), ("--suggest", "--session", S)],
    "recall": [("needle", "--all"), (FULL,)], "learnings": [("--all", "--everything")],
    "supersede": [("l", f"{FULL} {KEYED}"), (FULL, "x")], "confirm": [("l",), (FULL,)], "retire": [("l", "--reason", FULL), (FULL,)],
    "similar": [(S, "--all"), (FULL,)], "index": [(), ("update",), ("model", "fetch", "--url", f"http://{FULL}")],
    "why": [(f"{FULL}.py",), (FAST,)], "fix": [("needle", "--all"), (FULL,)],
    "catalog": [("list",)], "completion": [(shell,) for shell in ("bash", "zsh", "fish")], "stats": [()],
    "timeline": [("--file", f"{FULL}.py"), ("--file", FAST), ("needle",)],
    "fork": [("detect", "needle", "--all", "--explain"), ("detect", FULL, "--all", "--explain"), ("detect", FAST, "--all"),
             ("prime", S), ("prime", FULL)],
    "skill": [("create", "walk", "--session", S, "--dry-run"), ("update", "walk", "--session", S), ("create", FULL, "--session", S)],
    "migrate": [("--no-index",)],
    "chain": [(S,), (FULL,)], "tree": [("--all",), (S,)], "resume": [(S,), (FULL,)],
    "annotate": [(S,), (S, "--title", FULL, "--summary", FAST, "--topic", FULL), (FULL,)], "registry": [("--all",), ("--stale", "--all")],
    "sql": [("SELECT * FROM messages",), ("SELECT * FROM tool_calls", "--csv"), ("SELECT record(global_position) FROM events",), (f"SELECT '{FULL}'",),
            ("--schema",), (FULL,)], "records": [(word,) for word in ("on", "status", "off", FULL)],
    "install": [("--host", "claude", "--dry-run"), ("--host", FULL)], "uninstall": [("--all", "--dry-run"), ("--host", FULL)], "setup": [("--dry-run",)],
    "status": [()], "doctor": [(), ("--fix",), ("--deep",)], "show": [(S,), (S, "--depth", "brief"), (S, "--depth", "full"), (S, "--around", "2"), (FULL,)],
    "export": [(S, "--format", kind, "--output", "{out}") for kind in ("md", "html", "json")] + [(FULL,)], "secrets": [("--all",), (S,), (FULL,)],
    "forget": [("--match", FULL), ("--match", FULL, "--dry-run"), (FULL, "--yes"), (S, "--dry-run"), (f"{CWD}/{FULL}", "--dry-run"),
               ("--match", FAST, "--yes")],
    "backup": [("{out}.db",), ("restore", f"{FULL}.db"), (f"{FULL}/", "x")], "size": [()], "compact": [()],
}  # fmt: skip
"""The words that make each command say as much as it can."""
UNSAID = {"mcp": "serves until its client has gone; tests/cli/test_mcp.py looks at its answers",
          "watch": "prints what ingest prints, until stopped", "datasette": "serves until stopped; tests/reference/test_datasette.py looks at its pages",
          "hook": "is not behind the full detector (docs/adr/0020)"}


def full_of_secrets(archive: Archive) -> None:
    """Write a session with secrets in its prompt, answer, title, branch, folder, tool input, output, file name and note."""
    folder = f"{CWD}/{FULL}"
    call = answer(3, S, "", "m2", model=f"model-{FULL}")
    call["message"]["content"] = [{"type": "tool_use", "id": "toolu_1", "name": f"Tool {FULL}", "input": {"command": f"needle {SECRET}"}}]
    patch = [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": [f"+{SECRET}"]}]
    back = claude(4, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": SECRET * 40}]},
                  toolUseResult={"filePath": f"{folder}/{FULL}.py", "structuredPatch": patch})  # fmt: skip
    records = [claude(1, S, f"needle {SECRET}"), answer(2, S, f"needle {SECRET}", "m1"), call, back,
               {"type": "custom-title", "customTitle": f"needle {SECRET}", "sessionId": S}, claude(5, S, "", type=f"kind-{FULL}")]  # fmt: skip
    archive.write(archive.claude_path(S), *({**record, "cwd": folder, "gitBranch": f"b-{FULL}"} for record in records))
    archive.ingest()
    archive.run("note", f"needle {SECRET}", "--session", S)
    archive.ingest()


@pytest.mark.parametrize("command", sorted({name for names in GROUPS.values() for name in names} - UNSAID.keys()))
def test_no_command_lets_a_secret_out(archive: Archive, command: str) -> None:
    """Neither output nor diagnostics nor files of any command hold a secret, with and without --json; nor is one thing of anything told as several."""
    assert command in WALK, f"tell the walk what {command} is to be asked, so that its output is looked at"
    full_of_secrets(archive)
    for words in WALK[command]:
        for as_json in ((), ("--json",)):
            out = archive.folder / "out"
            _, said, err = archive.run(command, *(word.replace("{out}", str(out)) for word in words), *as_json)
            said += err + (out.read_text() if out.exists() else "")
            assert said
            assert as_json or not MISCOUNTED.search(said), MISCOUNTED.search(said)
            for secret in (FAST, FULL, KEYED):
                assert secret not in said, (command, words)


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: str(path.relative_to(CLI)))
def test_only_the_printer_prints(path: Path) -> None:
    """No other module calls print or writes to standard output or error."""
    if path.relative_to(CLI).as_posix() in PRINTERS:
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called != "print", f"{path}:{node.lineno}"
            assert not called.startswith(("sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer", "os.write")), f"{path}:{node.lineno}"
