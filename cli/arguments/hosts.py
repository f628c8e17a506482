"""The words of the commands that configure the hosts."""

import argparse

from cli.arguments import Add

HOSTS = ("claude", "codex", "gemini", "copilot")


def declare(add: Add) -> None:
    """Declare install, uninstall and setup."""
    command = add("install", "let a host run the journal's hooks, and give it the journal's commands", runs="cli.installing:install",
                  example="journal install --host claude --dry-run")  # fmt: skip
    command.add_argument("--host", choices=HOSTS, required=True, help="whose settings get the hooks")
    command.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")
    command.add_argument("--bin", metavar="CMD", help="the command that runs the journal in hooks (default: this Python, isolated)")
    command.add_argument("--project", action="store_true", help="only for the repository of the current directory; without the host's commands")
    command.add_argument("--mcp", action="store_true", help="also tell the host of the MCP server (`journal mcp`): some 2,400 tokens a session")
    command.add_argument("--tools", action=argparse.BooleanOptionalAction, default=None,
                         help="also before edits and after commands that fail: a process for each such call (default: as it is)")  # fmt: skip
    command = add("uninstall", "take out exactly what install added", runs="cli.installing:uninstall", example="journal uninstall --all --dry-run")
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--host", choices=HOSTS, help="out of the settings of this one")
    which.add_argument("--all", action="store_true", help="from all hosts")
    command.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")
    command.add_argument("--project", action="store_true", help="only from the repository of the current directory")
    command = add("setup", "find the hosts of this machine and install into them; asks first on a terminal", runs="cli.installing:setup",
                  example="journal setup --dry-run")  # fmt: skip
    command.add_argument("--dry-run", action="store_true", help="show what was found and would change, and change nothing")
    command.add_argument("--yes", action="store_true", help="do not ask")
