"""The words of the commands that say how the journal is."""

from cli.arguments import Add


def declare(add: Add) -> None:
    """Declare status and doctor."""
    add("status", "say what is in the log, how far it lags, what was damaged or unknown, sizes", runs="cli.health:status", example="journal status --json")
    command = add("doctor", "look for anything that is not as it should be; exit 1 with findings", runs="cli.health:doctor", example="journal doctor --fix")
    command.add_argument("--fix", action="store_true", help="repair what is safe: permissions, a long WAL, the views")
    command.add_argument("--deep", action="store_true", help="check the whole hash chain, not only its last 10,000 events")
    command.set_defaults(needs_settings=False)
