"""The words of the commands that show and export transcripts, and find the secrets in them."""

from cli.arguments import Add, count


def declare(add: Add) -> None:
    """Declare show, export and secrets."""
    named = "a session id, a unique prefix of one, or `latest`"
    command = add("show", "show a session: turns, tools, edits, sub-agents, usage", runs="cli.showing:show", example="journal show latest --depth brief")
    command.add_argument("session", metavar="SESSION", help=f"{named}, or a snapshot's id")
    command.add_argument("--depth", choices=("brief", "normal", "full"), default="normal", help="how much of it: brief counts the tools, full folds nothing")
    command.add_argument("--around", type=count, metavar="POSITION", help="only what stands around this position of the log, as search and show give it")
    command.add_argument("--reveal", action="store_true", help="the host's own text, with the secrets in it")
    command.add_argument("--no-pager", action="store_true", help="print at once, also on a terminal")
    command = add("export", "write sessions as Markdown, as a page, as JSON, or byte for byte; or all views as Parquet", runs="cli.exporting:export",
                  example="journal export latest --format html --output session.html")  # fmt: skip
    command.add_argument("session", metavar="SESSION", nargs="*", help=f"{named}; none for Parquet")
    command.add_argument("--format", choices=("md", "html", "json", "raw", "parquet"), default="raw",
                         help="raw is the transcript itself (the default); parquet is a dataset for each view (needs the extra `analyst`)")  # fmt: skip
    command.add_argument("--project", metavar="PROJECT", nargs="?", const=".",
                         help="all sessions of a project, its path or name (default: that of the current directory), with a table of contents")  # fmt: skip
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--redact", action="store_true", help="without secrets: the default of all formats but raw")
    choice.add_argument("--reveal", action="store_true", help="with the secrets that the transcript holds")
    command.add_argument("--output", metavar="FILE|DIR", help="write there instead of to standard output; several sessions need a folder")
    command.add_argument("--out", metavar="DIR", help="the new folder of --format parquet")
    command = add("secrets", "find the secrets in the transcripts: their kinds and places", runs="cli.secrets:secrets", example="journal secrets --all")
    command.add_argument("session", metavar="SESSION", nargs="?", help=f"only in this one: {named}")
    command.add_argument("--all", action="store_true", help="all projects")
    command.add_argument("--limit", type=count, default=50, metavar="N", help="list at most N places (default 50); all are counted")
