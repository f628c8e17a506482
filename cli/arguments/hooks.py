"""The words of the commands around hooks."""

from cli.arguments import Add, count, scope

ROLES = ("session-start", "prompt", "pre-compact", "stop", "session-end", "before-tool", "after-tool")


def declare(add: Add) -> None:
    """Declare hook, restore, post-compact, context, snapshot, snapshots, diff, decisions and next."""
    command = add("hook", "answer a host's hook: JSON on stdin, JSON or nothing on stdout, exit status 0 always", runs="cli.hooks.edge:main",
                  example="journal hook session-start --host claude < payload.json")  # fmt: skip
    command.add_argument("role", choices=ROLES, help="what the hook is for")
    command.add_argument("--host", metavar="ID", help="claude, codex, gemini or copilot; found from the payload where it is missing")
    command = add("restore", "print what a new session here would be told of the ones before", runs="cli.restoring:restore", example="journal restore --all")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--session", metavar="SESSION", help="of this session only, whatever its project")
    which.add_argument("--snapshot", metavar="SNAPSHOT", help="of a snapshot's session, as it stood at that moment")
    command.add_argument("--as-of", metavar="TIME", help="what would have been told then")
    command.add_argument("--for", dest="host", choices=("claude", "codex", "gemini", "copilot"), help="within the size that this host takes")
    command.add_argument("--budget", type=count, metavar="TOKENS", help="at most so many tokens (default: setting restore_tokens)")
    command.add_argument("--all", action="store_true", help="everything, however old and long")
    command.add_argument("--format", choices=("text", "markdown", "json"), default="text",
                         help="text and markdown are the same words; json has them with their cost (default text)")
    command = add("post-compact", "print what a session said before its last compaction and the host's summary left out",
                  runs="cli.compaction:post_compact", example="journal post-compact latest")  # fmt: skip
    command.add_argument("session", metavar="SESSION", nargs="?", help="a session id or a prefix of one (default: the newest of this project)")
    command.add_argument("--budget", type=count, metavar="TOKENS", help="at most so many tokens (default: setting restore_tokens)")
    command = add("context", "say how full the context of a session is", runs="cli.restoring:context", example="journal context latest")
    command.add_argument("session", metavar="SESSION", nargs="?", help="a session id or a prefix of one (default: the newest of this project)")
    command = add("next", "start the host's next session in this repository, once the last one said that it is complete", runs="cli.nexting:start",
                  example="journal next --host claude --json")  # fmt: skip
    command.add_argument("--host", choices=("claude", "codex", "gemini", "copilot"), default="claude", help="whose session (default claude)")
    command.add_argument("--wait", action="store_true", help="until .journal/session-complete appears")
    command.add_argument("--now", action="store_true", help="whether or not a session said so")
    command.add_argument("--dry-run", action="store_true", help="print the command and start nothing")
    command = add("snapshot", "take a snapshot of a session", runs="cli.snapshots:take",
                  example='journal snapshot --session latest --note "before the refactoring"')  # fmt: skip
    command.add_argument("--session", metavar="SESSION", help="of this session (default: the newest of this project)")
    command.add_argument("--note", metavar="TEXT", help="why")
    command = add("snapshots", "list the snapshots of this project, newest first", runs="cli.snapshots:listing", example="journal snapshots --limit 5")
    command.add_argument("--session", metavar="SESSION", help="of this session only")
    scope(command, 20)
    command = add("diff", "say what one snapshot has that another has not", runs="cli.snapshots:compare", example="journal diff SNAP_20261130_211600 latest")
    command.add_argument("before", metavar="SNAPSHOT", help="a snapshot id or a prefix of one")
    command.add_argument("after", metavar="SNAPSHOT", help="a snapshot id, a prefix of one, or `latest`")
    command = add("decisions", "compare snapshots, and tell in order what was decided between them, by whom and where it stands",
                  runs="cli.decisions:decisions", example="journal decisions --session latest")  # fmt: skip
    command.add_argument("--session", metavar="SESSION", help="of this session only (default: the newest of this project)")
    scope(command, 20)
