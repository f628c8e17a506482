"""Views and a cache that lack tables, and homes that cannot be made: the hint of the error helps, or the next ingest heals them."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from archive import Archive, answer, claude

from journal import aside
from projections.catalog import PROJECTIONS

S = "aaaaaaaa-0000-4000-8000-000000000001"
ROOT = Path(__file__).parents[2]
TABLES = sorted(name for projection in PROJECTIONS for name, text in projection.tables.items() if text.startswith("CREATE TABLE"))


def change(archive: Archive, database: str, *statements: str) -> None:
    """Run statements in a database of the home."""
    with closing(sqlite3.connect(archive.home / database, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("table", ["chunks", "sessions", "session_strands", "hook_events"])
def test_the_next_ingest_builds_views_again_that_lack_a_table(archive: Archive, table: str) -> None:
    """Nothing new is on disk, and yet the ingest that the hint names makes all views whole again."""
    assert table in TABLES
    archive.write(archive.claude_path(S), claude(1, S, "needle"), answer(2, S, "found it", "m1"))
    archive.ingest()
    digests = archive.digests()
    change(archive, "views.db", f"DROP TABLE {table}")
    assert archive.ingest()["events"] == 0
    assert archive.rows("views.db", f"SELECT count(*) FROM sqlite_master WHERE name = '{table}'") == [(1,)]
    assert archive.digests() == digests
    assert len(archive.hits("needle")) == 1


@pytest.mark.parametrize(("kind", "name"), [("table", "source_keys"), ("table", "unsettled"), ("table", "carries"), ("table", "messages_fts_idx"),
                                            ("index", "tool_calls_failed"), ("index", "sessions_by_project")])  # fmt: skip
def test_what_the_views_need_beside_their_tables_is_made_again_too(archive: Archive, kind: str, name: str) -> None:
    """The runner's own tables, the index of full text, an index that a query asks for by name."""
    archive.write(archive.claude_path(S), claude(1, S, "needle"), answer(2, S, "found it", "m1"))
    archive.ingest()
    digests = archive.digests()
    change(archive, "views.db", f"DROP {kind} {name}")
    assert archive.ingest()["events"] == 0
    assert archive.rows("views.db", f"SELECT type FROM sqlite_master WHERE name = '{name}'") == [(kind,)]
    assert (archive.digests(), len(archive.hits("needle"))) == (digests, 1)


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 0", "DROP TABLE models", "DROP TABLE vectors"])
def test_a_cache_without_a_version_or_a_table_is_made_anew(archive: Archive, statement: str) -> None:
    """The index is brought up to date, and search by meaning finds what it found."""
    archive.write(archive.claude_path(S), claude(1, S, "needle in a large haystack of words"), answer(2, S, "found it behind the old barn", "m1"))
    archive.ingest()
    archive.json("index", "update")
    before = archive.rows("cache.db", "SELECT count(*) FROM vectors")
    change(archive, "cache.db", statement)
    archive.json("index", "update")
    assert archive.rows("cache.db", "SELECT count(*) FROM vectors") == before
    assert archive.json("search", "haystack", "--mode", "semantic", "--all")["mode"] == "semantic"


@pytest.mark.parametrize("kind", ["a file", "a link to nothing", "below a file"])
@pytest.mark.parametrize("role", ["session-start", "prompt", "stop", "pre-compact", "session-end"])
def test_a_hook_whose_home_cannot_be_made_says_nothing_and_exits_0(archive: Archive, role: str, kind: str) -> None:
    """Nothing on stdout, nothing made beside; the start of a session says it once, and leaves one trace for `journal doctor`."""
    place = archive.folder / "place"
    if kind == "a link to nothing":
        place.symlink_to(archive.folder / "missing/deep/journal")
    else:
        place.write_text("a file")
    home = place / "journal" if kind == "below a file" else place
    before = sorted(path.name for path in archive.folder.iterdir())
    done = subprocess.run([sys.executable, "-m", "journal", "hook", role, "--host", "claude"], input=b'{"session_id":"%s","prompt":"x","cwd":"/"}' % S.encode(),
                          capture_output=True, check=False, env={**os.environ, "JOURNAL_HOME": str(home), "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    told = f"{home} cannot be written, so that nothing of this session is kept"
    is_told = role == "session-start"
    assert done.stderr.decode() == (f"journal: {told}; run: journal doctor\n" if is_told else "")
    traces = aside.lines(dict(os.environ))
    assert len(traces) == is_told and all(f"claude session-start: {told}" in trace for trace in traces)
    assert sorted(path.name for path in archive.folder.iterdir()) == before
