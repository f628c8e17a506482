"""The words of the commands that keep the log small, safe and free of what must go."""

from cli.arguments import Add


def declare(add: Add) -> None:
    """Declare forget, backup, size and compact."""
    command = add("forget", "scrub a session, a project or every record with a text, and keep it out", runs="cli.forgetting:forget",
                  example="journal forget --match hunter2-prod --dry-run")  # fmt: skip
    command.add_argument("target", metavar="SESSION|PROJECT", nargs="?", help="a session's id or a unique prefix of it, a project's path or name, or `.`")
    command.add_argument("--match", metavar="TEXT", help="every record that contains TEXT, escaped or not; `-` reads it from standard input")
    command.add_argument("--once", action="store_true", help="with --match: let TEXT in again where another record brings it")
    command.add_argument("--dry-run", action="store_true", help="say what would go, and change nothing")
    command.add_argument("--backups", action="store_true", help="scrub the backups in the journal's folder too")
    command.add_argument("--yes", action="store_true", help="do not ask")
    command = add("backup", "copy the log to a new file or into a folder and prove the copy, or restore one", runs="cli.keeping:backup",
                  example="journal backup monday.db")  # fmt: skip
    command.add_argument("target", metavar="FILE|DIR|restore", help="where to: a new file, or a folder in which a file is named by the moment")
    command.add_argument("file", metavar="FILE", nargs="?", help="after `restore`: the backup that takes the place of the log")
    command.add_argument("--yes", action="store_true", help="restore without asking")
    add("size", "say what takes how much space, by file, table, host and kind of record", runs="cli.keeping:size", example="journal size --json")
    add("compact", "merge small segments, tidy the full-text index and give free space back", runs="cli.keeping:compact", example="journal compact --json")
