"""The words of the commands that fill, rebuild and prove the log."""

from cli.arguments import Add


def declare(add: Add) -> None:
    """Declare ingest, watch, replay, verify, note and config."""
    for name, sentence, runs in (
        ("ingest", "read what is new in the transcripts into the log", "cli.writing:ingest"),
        ("watch", "ingest whenever a transcript changes, until stopped", "cli.watching:watch"),
    ):
        command = add(name, sentence, runs=runs, example=f"journal {name} --root claude=~/.claude")
        command.add_argument("--root", action="append", default=[], metavar="HOST=PATH", help="read only this host's home folder; may be repeated")
        if name == "ingest":
            command.add_argument("--detached", action="store_true", help="as a hook starts it: at low priority, with at most 20 s of CPU, for half a minute")
    command = add("replay", "rebuild the views from the log", runs="cli.replaying:replay", example="journal replay --verify")
    command.add_argument("--view", action="append", default=[], metavar="NAME", help="only this view; may be repeated")
    command.add_argument("--verify", action="store_true", help="rebuild beside the live views and compare")
    command.add_argument("--as-of", metavar="POSITION|TIME",
                         help="with only the records up to a position, or to a time of theirs (UTC unless it names a zone; a date is its start)")  # fmt: skip
    command.add_argument("--into", metavar="FILE", help="the new file that --as-of fills")
    add("verify", "prove the log against its chain and the sources against the log", runs="cli.verifying:verify", example="journal verify --json")
    command = add("note", "note a text on the newest session of this project", runs="cli.writing:note",
                  example='journal note "the fix was the lock" --session latest')  # fmt: skip
    command.add_argument("text", metavar="TEXT", help="what to note, in quotes")
    command.add_argument("--session", metavar="SESSION", help="note it on this session instead")
    add("config", "show the settings in force", runs="cli.writing:config", example="journal config --json")
