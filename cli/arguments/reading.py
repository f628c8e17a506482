"""The words of the commands that read the views."""

from cli.arguments import Add, scope


def declare(add: Add) -> None:
    """Declare sessions and search."""
    scope(add("sessions", "list the sessions of this project, newest first", runs="cli.reading:sessions", example="journal sessions --all --limit 10"), 50)
    command = add("search", "find prompts, answers and tool inputs by full text", runs="cli.reading:search", example="journal search --all 'lock timeout'")
    command.add_argument("query", metavar="WORD", nargs="+", help="""words that must all stand; a phrase in quotes of its own""")
    command.add_argument("--reveal", action="store_true", help="cut the snippets from the log, with the secrets in them")
    scope(command, 20)
