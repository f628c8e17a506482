"""The command that installs what is missing."""

import sys

import pytest

from cli import extras


@pytest.mark.parametrize(("origin", "words"), [
    (None, "'agent-session-journal[analyst]'"),
    ('{"url": "https://example.org/journal.whl", "archive_info": {}}', "'agent-session-journal[analyst]'"),
    ('{"url": "file:///home/me/journal", "dir_info": {}}', "'/home/me/journal[analyst]'"),
    ('{"url": "file:///home/me/my%20journal", "dir_info": {"editable": true}}', "-e '/home/me/my journal[analyst]'"),
])  # fmt: skip
def test_an_extra_comes_from_where_the_journal_came_from(origin: str | None, words: str) -> None:
    """A folder, or an index by name; never an index where it was a folder."""
    assert extras.requirement("analyst", origin) == words


def test_an_extra_goes_into_the_python_that_runs() -> None:
    """Whatever `pip` stands first on the path."""
    assert extras.command("search").startswith(f"{sys.executable} -m pip install ")
