"""The folder that holds everything: where each file lies and how it is kept private."""

import os
from collections.abc import Mapping


class Home:
    """The paths below one JOURNAL_HOME; a plain class, since hooks import no typing."""

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def journal_db(self) -> str:
        """The append-only log."""
        return os.path.join(self.root, "journal.db")

    @property
    def views_db(self) -> str:
        """The views, which can be rebuilt from the log."""
        return os.path.join(self.root, "views.db")

    @property
    def cache_db(self) -> str:
        """The vectors, by model and text: costly to make, of no worth without the log."""
        return os.path.join(self.root, "cache.db")

    @property
    def index(self) -> str:
        """The folder of the index that is made from the vectors."""
        return os.path.join(self.root, "index")

    @property
    def indexer(self) -> str:
        """The file whose lock makes a process the one that embeds."""
        return os.path.join(self.root, "indexer.lock")

    @property
    def lock(self) -> str:
        """The file whose lock makes a process the writer."""
        return os.path.join(self.root, "writer.lock")

    @property
    def watcher(self) -> str:
        """The file whose lock shows that something watches for changes."""
        return os.path.join(self.root, "watcher.lock")

    @property
    def inbox(self) -> str:
        """The folder of lines that hooks and commands append."""
        return os.path.join(self.root, "inbox")

    @property
    def backups(self) -> str:
        """The folder of copies made before a migration, and before a host's settings are changed."""
        return os.path.join(self.root, "backups")

    @property
    def installed(self) -> str:
        """The file that says what was added to the hosts' folders."""
        return os.path.join(self.root, "installed.json")

    @property
    def config(self) -> str:
        """The settings file."""
        return os.path.join(self.root, "config.toml")


def user_home(environ: Mapping[str, str]) -> str:
    """Return the user's home folder, from the password file where a service or an emptied environment has no HOME."""
    return environ.get("HOME") or os.path.expanduser("~")


def default_home(environ: Mapping[str, str]) -> str:
    """Return JOURNAL_HOME, else the platform's data folder."""
    if environ.get("JOURNAL_HOME"):
        return os.path.abspath(environ["JOURNAL_HOME"])
    user = user_home(environ)
    if os.uname().sysname == "Darwin":
        return os.path.join(user, "Library", "Application Support", "journal")
    return os.path.join(environ.get("XDG_DATA_HOME") or os.path.join(user, ".local", "share"), "journal")


def private_umask() -> None:
    """Make every file that this process creates private to its user, also those that SQLite makes."""
    os.umask(0o077)


def open_home(root: str) -> Home:
    """Return the home at *root*, made with mode 0700 where it is missing."""
    private_umask()
    home = Home(root)
    for folder in (home.root, home.inbox):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return home


def sqlite_uri(path: str) -> str:
    """Return the URI by which SQLite opens *path*, with what a URI reads as its own escaped."""
    return "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
