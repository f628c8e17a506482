"""The words of the commands that read the views."""

from cli.arguments import Add, scope


def declare(add: Add) -> None:
    """Declare sessions."""
    scope(add("sessions", "list the sessions of this project, newest first", runs="cli.reading:sessions", example="journal sessions --all --limit 10"), 50)
