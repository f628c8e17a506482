"""The folder that holds everything: where each file lies and how it is kept private."""

import os
from typing import NamedTuple


class Home(NamedTuple):
    """The paths below one JOURNAL_HOME."""

    root: str

    @property
    def journal_db(self) -> str:
        """The append-only log."""
        return os.path.join(self.root, "journal.db")

    @property
    def views_db(self) -> str:
        """The views, which can be rebuilt from the log."""
        return os.path.join(self.root, "views.db")

    @property
    def lock(self) -> str:
        """The file whose lock makes a process the writer."""
        return os.path.join(self.root, "writer.lock")

    @property
    def inbox(self) -> str:
        """The folder of lines that hooks and commands append."""
        return os.path.join(self.root, "inbox")

    @property
    def backups(self) -> str:
        """The folder of copies made before a migration."""
        return os.path.join(self.root, "backups")

    @property
    def config(self) -> str:
        """The settings file."""
        return os.path.join(self.root, "config.toml")


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
