"""Settings: one frozen object, built once at the edge from the environment and `config.toml`, and passed down."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from journal.errors import SettingInvalid
from journal.home import default_home
from journal.index_settings import IndexSettings, from_table

OPTIONAL_VIEWS = ("records",)
"""Views that a setting switches on."""
KNOWN = frozenset({"roots", "prices", "hooks", "views", "index"})
"""The tables of `config.toml` that this program reads; those of `[hooks]` are known to journal/hook_settings.py."""


class Settings(NamedTuple):
    """What a user can set."""

    home: str
    """The folder that holds everything; environment variable JOURNAL_HOME."""
    roots: tuple[tuple[str, str], ...] = ()
    """Further (host, folder) pairs to read beside the hosts' default homes."""
    views: frozenset[str] = frozenset()
    """The optional views that are kept, table `[views]`: `records = true` keeps every record as JSON (`journal records on` writes it)."""
    prices: Mapping[str, Any] = MappingProxyType({})
    """Model id to prices and window, over those of the catalog (journal/catalog.py checks them where they are used)."""
    index_settings: IndexSettings = IndexSettings()
    """Search by meaning, table `[index]` (below)."""


def load(environ: Mapping[str, str]) -> Settings:
    """Return the settings in force.

    Raises: SettingInvalid: `config.toml` does not parse or names something wrong.
    """
    home = default_home(environ)
    path = os.path.join(home, "config.toml")
    given = read_file(path)
    roots = given.get("roots", {})
    if not isinstance(roots, dict):
        raise SettingInvalid(f"{path}: roots must be a table of host = folder", hint='write: [roots] claude = "~/.claude"')
    pairs = []
    for host, folders in roots.items():
        for folder in folders if isinstance(folders, list) else [folders]:
            if not isinstance(folder, str):
                raise SettingInvalid(f"{path}: roots.{host} must be a folder or a list of folders", hint="quote the path")
            pairs.append((host, os.path.expanduser(folder)))
    views = given.get("views", {})
    if not isinstance(views, dict) or not set(views) <= set(OPTIONAL_VIEWS) or not all(isinstance(on, bool) for on in views.values()):
        raise SettingInvalid(f"{path}: views must hold true or false for {', '.join(OPTIONAL_VIEWS)}", hint="run: journal records on")
    prices = given.get("prices", {})
    if not isinstance(prices, dict):
        raise SettingInvalid(f"{path}: prices must hold a table for each model", hint='write: [prices."model-id"] and below it input = 3.0')
    try:
        index = from_table(given.get("index", {}))
    except ValueError as error:
        raise SettingInvalid(f"{path}: {error}", hint="correct the table [index]") from error
    return Settings(home, tuple(pairs), frozenset(name for name, on in views.items() if on), prices, index)


def read_file(path: str) -> dict[str, Any]:
    """Return what `config.toml` says, an empty table where there is none.

    Raises: SettingInvalid: it does not parse.
    """
    if not os.path.exists(path):
        return {}
    import tomllib  # noqa: PLC0415  costs 5 ms, and most homes have no such file

    try:
        with open(path, "rb") as file:
            return tomllib.loads(file.read().decode().removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingInvalid(f"{path}: {error}", hint="correct the file, or move it away") from error
