"""The words of the commands for people who ask questions of their own."""

import argparse

from cli.arguments import Add


def declare(add: Add) -> None:
    """Declare sql, datasette, records and completion."""
    command = add("sql", "ask log and views in SQL, read-only; without a query: what there is to ask", runs="cli.sql:sql",
                  example="journal sql 'SELECT host, count(*) AS sessions FROM sessions GROUP BY 1'")  # fmt: skip
    command.add_argument("query", metavar="QUERY", nargs="?", help="one SELECT in SQLite's SQL; - reads it from standard input")
    command.add_argument("--table", action="store_true", help="print a table, long cells cut (this is what is done without a style)")
    command.add_argument("--csv", action="store_true", help="print CSV with a line of heads")
    command.add_argument("--param", action="append", type=_pair, default=[], metavar="NAME=VALUE", help="the value of :NAME in the query; may be repeated")
    command.add_argument("--schema", nargs="?", const="", metavar="VIEW", help="list views and tables, or the columns of one of them")
    command.add_argument("--examples", action="store_true", help="list the example queries")
    command.add_argument("--example", metavar="NAME", help="run an example query")
    command.add_argument("--reveal", action="store_true", help="print secrets that record() reads from the log as they are")
    command = add("datasette", "show the views in a browser: columns explained, example queries, charts (needs the extra `analyst`)",
                  runs="cli.browser:datasette", example="journal datasette --open")  # fmt: skip
    command.add_argument("--port", type=_port, default=8001, metavar="N", help="listen on this port of this machine (default 8001; 0 takes a free one)")
    command.add_argument("--open", action="store_true", help="open the browser")
    command = add("records", "switch the optional view of every record as JSON on or off; it costs the size of the transcripts", runs="cli.records:records",
                  example="journal records on")  # fmt: skip
    command.add_argument("switch", choices=("on", "off"), nargs="?", help="without it: say which")
    command = add("completion", "print what your shell needs to complete commands and options", runs="cli.completion:completion",
                  example="journal completion bash > ~/.journal-completion.bash")  # fmt: skip
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def _port(word: str) -> int:
    """Return the port that *word* says."""
    if not (word.isascii() and word.isdigit()) or int(word) > 65535:
        raise argparse.ArgumentTypeError(f"{word} is no port")
    return int(word)


def _pair(word: str) -> tuple[str, str]:
    """Return the name and the value that *word* gives."""
    name, sign, value = word.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{word} is not NAME=VALUE")
    return name, value
