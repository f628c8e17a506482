"""The words of the commands that read the views."""

from cli.arguments import Add, scope
from cli.arguments.figures import span
from cli.arguments.hosts import HOSTS


def declare(add: Add) -> None:
    """Declare sessions."""
    command = add("sessions", "list the sessions of this project, newest first", runs="cli.reading:sessions", example="journal sessions --all --limit 10")
    scope(command, 50)
    command.add_argument("--project", metavar="P", help="of this project instead: its path or its name")
    command.add_argument("--host", choices=HOSTS, help="of this host only")
    span(command)
