"""`journal status`: what the log has per host, what waits on disk, and whether something watches."""

import fcntl
import os

from archive import Archive, claude, codex, line

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def test_hosts_are_told_with_bytes_events_and_times(archive: Archive) -> None:
    """One live and one gone Claude source, one live of Codex; bytes and events are those of the files."""
    first, second = line(claude(1, S, "one")), line(claude(120, T, "two"))
    archive.write(archive.claude_path(S), first)
    gone = archive.write(archive.claude_path(T), second)
    rollout = archive.write(archive.codex_path(T), codex(T, []))
    archive.run("ingest")
    gone.unlink()
    archive.run("ingest")
    hosts = {host["host"]: host for host in archive.json("status")["hosts"]}
    claude_host = hosts["claude"]
    assert {key: claude_host[key] for key in ("sources", "live", "gone", "compressed", "bytes", "events", "last_event_at", "files_behind")} == {
        "sources": 2, "live": 1, "gone": 1, "compressed": 0, "bytes": len(first + second), "events": 2,
        "last_event_at": "2026-11-30T10:02:00.000000Z", "files_behind": 0,
    }  # fmt: skip
    assert (hosts["codex"]["bytes"], hosts["codex"]["events"]) == (rollout.stat().st_size, 2)


def test_files_that_grew_or_are_new_are_behind(archive: Archive) -> None:
    """Appended bytes and a new file wait; nothing is opened to say so."""
    archive.write(archive.claude_path(S), claude(1, S, "one"))
    archive.run("ingest")
    more = line(claude(2, S, "more"))
    archive.write(archive.claude_path(S), more, append=True)
    new = archive.write(archive.claude_path(T), claude(3, T, "new"))
    answer = archive.json("status")
    assert (answer["files_behind"], answer["bytes_behind"], answer["lag"]) == (2, len(more) + new.stat().st_size, 0)
    archive.run("ingest")
    answer = archive.json("status")
    assert (answer["files_behind"], answer["bytes_behind"]) == (0, 0)


def test_damage_and_unknown_kinds_are_told_per_source(archive: Archive) -> None:
    """A file with one damaged line and one of an unknown kind, of three."""
    path = archive.write(archive.claude_path(S), claude(1, S, "one"), b"{torn\n", {"type": "brand-new", "uuid": "u"})
    archive.write(archive.claude_path(T), claude(2, T, "sound"))
    archive.run("ingest")
    assert archive.json("status")["sources"] == [{"host": "claude", "path": str(path), "generation": 0, "lines": 3, "damaged": 1, "unknown": 1}]


def test_a_watcher_and_a_writer_are_seen_by_their_locks(archive: Archive) -> None:
    """Nothing runs; then something watches; then something writes."""
    archive.write(archive.claude_path(S), claude(1, S, "one"))
    archive.run("ingest")
    seen = []
    for name in (None, "watcher.lock", "writer.lock"):
        descriptor = os.open(archive.home / name, os.O_RDWR | os.O_CREAT, 0o600) if name else -1
        if name:
            fcntl.flock(descriptor, fcntl.LOCK_SH if name == "watcher.lock" else fcntl.LOCK_EX)
        answer = archive.json("status")
        seen.append((answer["watching"], answer["writing"]))
        if name:
            os.close(descriptor)
    assert seen == [(False, False), (True, False), (False, True)]


def test_text_has_every_host_and_every_file(archive: Archive) -> None:
    """The tables name the host, the databases and the journal mode."""
    archive.write(archive.claude_path(S), claude(1, S, "one"))
    archive.run("ingest")
    status, out, err = archive.run("status")
    assert (status, err) == (0, "")
    for word in ("claude", "journal.db", "views.db", "wal"):
        assert word in out
