"""The words of the commands around hooks."""

from cli.arguments import Add

ROLES = ("session-start", "prompt", "pre-compact", "stop", "session-end")


def declare(add: Add) -> None:
    """Declare hook."""
    command = add("hook", "answer a host's hook: JSON on stdin, JSON or nothing on stdout, exit status 0 always", runs="cli.hook:main",
                  example="journal hook session-start --host claude < payload.json")  # fmt: skip
    command.add_argument("role", choices=ROLES, help="what the hook is for")
    command.add_argument("--host", metavar="ID", help="claude, codex, gemini or copilot; found from the payload where it is missing")
