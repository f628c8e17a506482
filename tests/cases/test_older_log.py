"""A log of an older program: backed up, migrated, and all of it is there; a newer one is refused."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from archive import Archive, answer, claude
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from journal.database import SCHEMA_VERSION
from journal.migrate import scripts, upgrade

S = "aaaaaaaa-0000-4000-8000-000000000001"
OLDER = SCHEMA_VERSION - 1


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables, and the schema."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")]
        found = {name: sorted(database.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables}
        return {**found, "sqlite_master": sorted(database.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=repr)}


def make_older(archive: Archive) -> Path:
    """Put the rows of the archive's log into one that the migrations of the older version made, and take that one's place."""
    path, older = archive.home / "journal.db", archive.home / "older.db"
    engine = create_engine(f"sqlite:///{older}")
    config = Config()
    config.set_main_option("script_location", str(scripts()))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, f"{OLDER:04d}")
    engine.dispose()
    with closing(sqlite3.connect(older, isolation_level=None)) as database:
        database.execute("ATTACH ? AS present", (str(path),))
        tables = [name for (name,) in database.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        for name in tables:
            if name != "alembic_version":
                database.execute(f"DELETE FROM main.{name}")
                columns = ", ".join(row[1] for row in database.execute(f"PRAGMA main.table_info({name})"))  # without those that are computed
                database.execute(f"INSERT INTO main.{name} ({columns}) SELECT {columns} FROM present.{name}")
        database.execute(f"PRAGMA user_version = {OLDER}")
    for name in ("journal.db", "journal.db-wal", "journal.db-shm"):
        (archive.home / name).unlink(missing_ok=True)
    older.rename(path)
    return path


def test_an_older_log_is_backed_up_and_migrated_and_nothing_is_missing(archive: Archive) -> None:
    """The backup is the old log, row for row; the log has the new schema, the old rows, the same views, a whole chain, and takes new lines."""
    archive.write(archive.claude_path(S), claude(1, S, "writtenbefore"), answer(2, S, "answerbefore", "m1"))
    archive.ingest()
    digests, fresh = archive.digests(), contents(archive.home / "journal.db")
    path = make_older(archive)
    old = contents(path)
    assert len(old["events"]) == len(fresh["events"]) >= 2
    assert "tombstones" not in old
    archive.write(archive.claude_path(S), answer(3, S, "answerafter", "m2"), append=True)
    assert archive.ingest()["events"] == 1
    backups = list((archive.home / "backups").iterdir())
    assert [backup.name for backup in backups] == [f"journal-schema-{OLDER}.db"]
    assert contents(backups[0]) == old
    assert stat.S_IMODE(backups[0].stat().st_mode) == 0o600
    assert archive.rows("journal.db", "PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert archive.rows("journal.db", "SELECT version_num FROM alembic_version") == [(f"{SCHEMA_VERSION:04d}",)]
    now = contents(path)
    assert set(old["events"]) <= set(now["events"])
    assert set(old["segments"]) <= set(now["segments"])
    assert {name for _, name, _ in now["sqlite_master"]} == {name for _, name, _ in fresh["sqlite_master"]}
    assert [len(archive.hits(word)) for word in ("writtenbefore", "answerbefore", "answerafter")] == [1, 1, 1]
    verified = archive.json("verify")
    assert (verified["chain_ok"], verified["missing_bytes"]) == (True, 0)
    assert archive.digests()["messages"] != digests["messages"]


def test_a_migration_that_breaks_off_changes_nothing(archive: Archive) -> None:
    """Its last table is in the way: the tables before it are not there either; without the obstacle all goes well, and the backup is the old log."""
    archive.write(archive.claude_path(S), claude(1, S, "writtenbefore"))
    archive.ingest()
    path = make_older(archive)
    old = contents(path)
    with closing(sqlite3.connect(path)) as log:
        log.execute("CREATE TABLE kept_hashes (x)")
    with pytest.raises(OperationalError, match="kept_hashes already exists"):
        upgrade(str(path))
    assert set(contents(path)) == {*old, "kept_hashes"}
    assert archive.rows("journal.db", "PRAGMA user_version") == [(OLDER,)]
    with closing(sqlite3.connect(path)) as log:
        log.execute("DROP TABLE kept_hashes")
    archive.ingest()
    assert contents(archive.home / f"backups/journal-schema-{OLDER}.db") == old
    assert archive.rows("journal.db", "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_a_migrated_log_gives_the_views_it_gave_before(archive: Archive) -> None:
    """Without new lines the digests of all views stay."""
    archive.write(archive.claude_path(S), claude(1, S, "writtenbefore"), answer(2, S, "answerbefore", "m1"))
    archive.ingest()
    digests = archive.digests()
    make_older(archive)
    assert archive.ingest()["events"] == 0
    assert archive.digests() == digests


def test_a_newer_log_is_refused_by_readers_and_writers_with_a_hint(archive: Archive) -> None:
    """Its schema is above the program's: exit 3, how to upgrade, no byte of it changed, no backup made."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    with closing(sqlite3.connect(archive.home / "journal.db", isolation_level=None)) as log:
        log.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = (archive.home / "journal.db").read_bytes()
    for words in (("ingest", "--root", f"claude={archive.folder / '.claude'}"), ("verify",), ("replay",), ("status",)):
        status, out, err = archive.run(*words)
        assert (status, out) == (3, ""), words
        assert f"has schema {SCHEMA_VERSION + 1}" in err and "pip install --upgrade agent-session-journal" in err
    assert (archive.home / "journal.db").read_bytes() == before
    assert not (archive.home / "backups").exists()
