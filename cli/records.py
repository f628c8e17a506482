"""`journal records`: the optional view of every record as JSON, switched on and off in `config.toml`."""

import argparse
import contextlib
import os
import re
import tempfile

from cli.render import print_json, say
from cli.wiring import LOCK_WAIT_S, catch_up, open_views
from journal.errors import SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings, load

TABLE = re.compile(r"^\ufeff?[ \t]*\[views\][^\n]*\n?", re.MULTILINE)
KEY = re.compile(r"^[ \t]*records[ \t]*=[^\r\n]*", re.MULTILINE)
NEXT_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def records(settings: Settings, asked: argparse.Namespace) -> int:
    """Switch the view on or off and bring the views in line, or say whether it is on."""
    is_on = "records" in settings.views
    if asked.switch is not None and (asked.switch == "on") != is_on:
        is_on = asked.switch == "on"
        write_setting(open_home(settings.home), is_on=is_on)
        settings = load(os.environ | {"JOURNAL_HOME": settings.home})
        _bring_in_line(settings)
    if asked.json:
        print_json({"records": "on" if is_on else "off"})
    else:
        say("the view `records` is on" if is_on else "the view `records` is off; switch it on with: journal records on")
    return 0


def _bring_in_line(settings: Settings) -> None:
    """Rebuild the views with or without the table, unless there is no log yet."""
    from journal.database import open_log
    from journal.lock import writer_lock

    home = Home(settings.home)
    if not os.path.exists(home.journal_db):
        return
    with writer_lock(home, LOCK_WAIT_S), contextlib.closing(open_log(home.journal_db, writable=False)) as log, contextlib.closing(open_views(home)) as views:
        catch_up(log, views, settings)


def write_setting(home: Home, *, is_on: bool) -> None:
    """Write the setting into `config.toml` and leave all else in it as it is.

    Raises: SettingInvalid: the file is written in a way that would have to be understood to be changed.
    """
    text = ""
    if os.path.exists(home.config):
        with open(home.config, encoding="utf-8", newline="") as file:
            text = file.read()
    changed = switched(text, is_on=is_on)
    with tempfile.NamedTemporaryFile("w", dir=home.root, prefix="config.", delete=False, encoding="utf-8", newline="") as new:
        new.write(changed)
    os.replace(new.name, home.config)


def switched(text: str, *, is_on: bool) -> str:
    """Return the TOML *text* with the setting in it; a BOM and the ends of its lines stay.

    Raises: SettingInvalid: the result would not read as meant.
    """
    import tomllib

    line, end = f"records = {str(is_on).lower()}", "\r\n" if "\r\n" in text else "\n"
    head = TABLE.search(text)
    if head is None:
        changed = f"{text}{'' if not text or text.endswith(chr(10)) else end}[views]{end}{line}{end}"
    else:
        following = NEXT_TABLE.search(text, head.end())
        key = KEY.search(text, head.end(), following.start() if following else len(text))
        changed = text[: key.start()] + line + text[key.end() :] if key else f"{text[: head.end()].rstrip()}{end}{line}{end}{text[head.end() :]}"
    try:
        given = tomllib.loads(changed.removeprefix("\ufeff"))
        before = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise SettingInvalid(f"config.toml cannot be changed: {error}", hint=f"write into its table [views]: {line}") from error
    views = {**before.get("views", {}), "records": is_on}
    if given != {**before, "views": views}:
        raise SettingInvalid("config.toml cannot be changed without changing more", hint=f"write into its table [views]: {line}")
    return changed
