"""Cases A of public bug reports: files that are rewritten, moved, copied, compressed and cut, and the inbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from archive import Archive, answer, claude, codex, line, token_count

S = "aaaaaaaa-0000-4000-8000-000000000001"


def events(archive: Archive) -> int:
    """Return how many events of hosts the log has."""
    return int(archive.rows("journal.db", "SELECT count(*) FROM events WHERE type NOT LIKE 'journal%' AND type <> 'blank'")[0][0])


def rollout(archive: Archive) -> Path:
    """Write and ingest a small Codex rollout; return its path."""
    path = archive.write(archive.codex_path(S), codex(S, [("event_msg", {"type": "user_message", "message": "rolloutword"}),
                                                          token_count((10, 0, 5, 0), (10, 0, 5, 0))]))  # fmt: skip
    archive.ingest()
    return path


def test_a6_a_rewrite_of_equal_size_and_mtime_is_noticed(archive: Archive) -> None:
    """Bytes overwritten in place, with the old mtime restored, become a new generation."""
    path = archive.write(archive.claude_path(S), claude(1, S, "wordbefore"))
    archive.ingest()
    stat = path.stat()
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b"wordbefore", b"wordafterw"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    archive.ingest()
    assert len(archive.hits("wordafterw")) == 1
    assert archive.rows("journal.db", "SELECT generation FROM sources WHERE host = 'claude'") == [(1,)]


def test_a9_growth_with_an_old_mtime_is_read(archive: Archive) -> None:
    """A file that grows while its mtime stays is read on."""
    path = archive.write(archive.claude_path(S), claude(1, S, "one"))
    archive.ingest()
    stat = path.stat()
    archive.write(path, claude(2, S, "grownword"), append=True)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    archive.ingest()
    assert len(archive.hits("grownword")) == 1


def test_a10_a_truncated_file_starts_a_new_generation(archive: Archive) -> None:
    """A file emptied and written anew keeps what was there before in the log."""
    path = archive.write(archive.claude_path(S), claude(1, S, "firstlife"), claude(2, S, "firstlifetwo"))
    archive.ingest()
    archive.write(path, claude(3, S, "secondlife"))
    archive.ingest()
    assert [len(archive.hits(word)) for word in ("firstlife", "firstlifetwo", "secondlife")] == [1, 1, 1]


def test_a12_a_compressed_rollout_is_the_same_source(archive: Archive) -> None:
    """A rollout that became `.zst` gives no new event and is not gone; more lines inside are read on."""
    path = rollout(archive)
    before = events(archive)
    data = path.read_bytes()
    twin = path.with_name(path.name + ".zst")
    twin.write_bytes(zstandard.compress(data))
    path.unlink()
    archive.ingest()
    assert events(archive) == before
    assert archive.rows("journal.db", "SELECT state FROM sources WHERE host = 'codex'") == [("compressed",)]
    more = line({"timestamp": "2026-11-30T10:09:00.000Z", "type": "event_msg", "payload": {"type": "user_message", "message": "later"}})
    twin.write_bytes(zstandard.compress(data + more))
    archive.ingest()
    assert events(archive) == before + 1
    assert archive.json("verify")["missing_bytes"] == 0


def test_a12_magic_bytes_tell_what_a_name_does_not(archive: Archive) -> None:
    """A rollout whose name still ends in .jsonl while its bytes are zstd is read; one with the name .zst and plain bytes is too."""
    plain = codex(S, [("event_msg", {"type": "user_message", "message": "rolloutword"})])
    archive.write(archive.codex_path(S), zstandard.compress(plain))
    assert archive.ingest()["damaged"] == 0
    assert (list(archive.sessions()), len(archive.hits("rolloutword"))) == ([S], 1)


@pytest.mark.parametrize("keep", [False, True])
def test_a14_archiving_moves_or_copies_nothing_twice(archive: Archive, keep: bool) -> None:
    """A rollout moved to `archived_sessions` gives no event; a copy there counts no token twice."""
    path = rollout(archive)
    before = events(archive)
    target = archive.folder / ".codex/archived_sessions" / path.name
    target.parent.mkdir()
    if keep:
        target.write_bytes(path.read_bytes())
    else:
        path.rename(target)
    archive.ingest()
    assert keep or events(archive) == before
    row = archive.sessions()[S]
    assert (row["turns"], row["input_tokens"], row["output_tokens"], len(archive.hits("rolloutword"))) == (1, 10, 5, 1)


def test_a15_segments_of_one_thread_are_one_session(archive: Archive) -> None:
    """Three rollout files with one thread id are one session with its turns in order."""
    for number, segment in enumerate(("cccccccc", "aaaaaaaa", "bbbbbbbb")):  # by name they stand in another order than by time
        text = codex(S, [("event_msg", {"type": "user_message", "message": f"segment{number}"})]).replace(b"T10:", f"T1{number}:".encode())
        archive.write(archive.codex_path(f"{S}_{segment}"), text)
    archive.ingest()
    assert list(archive.sessions()) == [S]
    assert archive.rows("views.db", "SELECT m.text FROM turns AS t JOIN messages AS m ON m.record_id = t.turn_id ORDER BY number") == [
        ("segment0",), ("segment1",), ("segment2",)]  # fmt: skip


def test_an_unreadable_root_changes_nothing(archive: Archive) -> None:
    """A root that vanished marks no source as gone."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    (archive.folder / ".claude").rename(archive.folder / ".away")
    status, _, err = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (status, "no such folder" in err) == (2, True)
    assert archive.rows("journal.db", "SELECT state FROM sources WHERE host = 'claude'") == [("live",)]


def test_a_note_reaches_its_session(archive: Archive) -> None:
    """`journal note` goes through the inbox into the views."""
    archive.write(archive.claude_path(S), claude(1, S, "x"), answer(2, S, "y", "m1"))
    archive.ingest()
    assert archive.json("note", "remember the milk", "--session", "latest")["session_id"] == S
    archive.ingest()
    assert archive.rows("views.db", "SELECT session_id, text FROM session_notes") == [(S, "remember the milk")]


def test_twenty_inbox_writers_at_once_lose_nothing(archive: Archive) -> None:
    """Twenty processes that append fifty records each to one inbox file give a thousand whole records."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    code = (
        "import sys; from journal.home import open_home; from journal.inbox import append\n"
        "for n in range(50): append(open_home(sys.argv[1]), 'one', '2026-11-30', {'type': 'journal.note', 'at': '2026-11-30T10:00:00Z',"
        " 'session_id': sys.argv[2], 'text': f'{sys.argv[3]}-{n}' + 'x' * 500})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(archive.home), S, str(number)]) for number in range(20)]
    assert [writer.wait() for writer in writers] == [0] * 20
    assert archive.ingest()["damaged"] == 0
    assert archive.rows("views.db", "SELECT count(DISTINCT text) FROM session_notes") == [(1000,)]


def test_d12_symlinked_folders_are_followed_once(archive: Archive) -> None:
    """A slug folder that is a symlink is read, and a loop ends."""
    real = archive.write(archive.folder / "elsewhere/slug" / f"{S}.jsonl", claude(1, S, "linkedword"))
    projects = archive.folder / ".claude/projects"
    projects.mkdir(parents=True)
    (projects / "slug").symlink_to(real.parent)
    (real.parent / "loop").symlink_to(projects)
    archive.ingest()
    assert len(archive.hits("linkedword")) == 1
