"""Cases A17, A20, F3, F5 and F6: files that go early, watchers at the system's limits, long readers, many processes at once."""

import base64
import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from archive import Archive, answer, claude
from test_watch import prompts, seconds_until
from watchdog.observers import Observer

from ingest.watch import watch

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"
ROOT = Path(__file__).parents[2]


def start(archive: Archive, *words: str, before: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    """Start a command in a process of its own."""
    environment = {**os.environ, "JOURNAL_HOME": str(archive.home), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*before, sys.executable, "-m", "journal", *words, "--root", f"claude={archive.folder / '.claude'}"],
                            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip


def stop(process: "subprocess.Popen[str]") -> list[str]:
    """End a watch as a user would; return what it said."""
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=15)[1]
    assert process.returncode == 0
    return said.splitlines()


def test_a17_a_transcript_deleted_within_seconds_is_kept(archive: Archive) -> None:
    """Age is never a reason: a file that its host deletes right after it was written is in the journal whole, and only its state changes."""
    archive.write(archive.claude_path(T), claude(1, T, "other"))
    watching = start(archive, "watch")
    try:
        seconds_until(archive.home, 1)
        path = archive.write(archive.claude_path(S), claude(2, S, "shortlived"), answer(3, S, "gone at once", "m1"))
        data = path.read_bytes()
        seconds_until(archive.home, 2)
        path.unlink()
        begun = time.monotonic()
        while archive.rows("journal.db", "SELECT state FROM sources WHERE native_id LIKE 'a%'") != [("gone",)]:
            assert time.monotonic() - begun < 15
            time.sleep(0.05)
    finally:
        stop(watching)
    target = archive.folder / "back.jsonl"
    archive.json("export", S, "--output", str(target))
    assert target.read_bytes() == data
    assert (len(archive.hits("shortlived")), archive.sessions()[S]["output_tokens"]) == (1, 5)
    assert archive.rows("views.db", "SELECT count(*) FROM messages WHERE session_id = 'aaaaaaaa-0000-4000-8000-000000000001'") == [(2,)]


LIMITED = 'echo 3 > /proc/sys/user/max_inotify_watches && exec "$@"'


def test_a20_a_real_limit_of_watches_leads_to_polling(archive: Archive) -> None:
    """With three watches for ten folders `journal watch` says once that it polls, and sees changes in all of them."""
    if not Path("/proc/sys/user/max_inotify_watches").exists() or subprocess.run(
            ["unshare", "-r", "sh", "-c", LIMITED, "-", "true"], capture_output=True, check=False).returncode:  # fmt: skip
        pytest.skip("this machine does not let a test limit its own watches")
    paths = [archive.write(archive.claude_path(f"{S[:-2]}{number:02d}", f"-p{number}"), claude(number, S, "x")) for number in range(10)]
    watching = start(archive, "watch", before=("unshare", "-r", "sh", "-c", LIMITED, "-"))
    try:
        seconds_until(archive.home, 10)
        archive.write(paths[9], claude(20, S, "seen"), append=True)
        assert seconds_until(archive.home, 11) < 10
        archive.write(archive.claude_path(T, "-new"), claude(21, T, "also"))
        assert seconds_until(archive.home, 12) < 10
    finally:
        said = stop(watching)
    assert said == ["watching 1 root; stop with Ctrl-C", "no change notifications (inotify watch limit reached): polling every 0.8 s instead"]


def test_a_watch_that_was_started_with_less_priority_keeps_it(archive: Archive) -> None:
    """`nice -n 19 journal watch`, as anybody but root: nothing is said of it, and the thread that indexes has the same priority."""
    if sys.platform != "linux" or subprocess.run(["unshare", "-r", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no test be anybody else")
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    watching = start(archive, "watch", before=("unshare", "-r", "nice", "-n", "19"))
    try:
        seconds_until(archive.home, 1)
        threads = [Path(f"/proc/{watching.pid}/task/{name}/stat").read_text() for name in os.listdir(f"/proc/{watching.pid}/task")]
        assert {text.rpartition(") ")[2].split()[16] for text in threads} == {"19"}
    finally:
        said = stop(watching)
    assert said == ["watching 1 root; stop with Ctrl-C"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_a20_failing_notifications_are_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Where the system refuses a watch, the roots are polled from the first sweep on, which is said once."""
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Observer, "schedule", refuse)
    stopped, said, sweeps = threading.Event(), [], []

    def sweep() -> bool:
        sweeps.append(1)
        if len(sweeps) == 3:
            stopped.set()
        return True

    watch([str(tmp_path), str(tmp_path.parent)], sweep, stopped, said.append)
    assert said == [f"no change notifications ({os.strerror(number)}): polling every 0.8 s instead"]
    assert len(sweeps) == 3


def test_a20_a_file_system_that_tells_of_no_changes_is_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS the watch is accepted and nothing ever comes: the regular sweep finds what is new, says so once, and from then on the roots are polled."""
    monkeypatch.setattr(Observer, "schedule", lambda *_, **__: None)
    stopped, said, times = threading.Event(), [], []

    def sweep() -> bool:
        times.append(time.monotonic())
        if len(times) == 5:
            stopped.set()
        return len(times) in (1, 3, 4)

    watch([str(tmp_path)], sweep, stopped, said.append, sweep_s=0.1)
    assert said == ["the file system tells of no changes: polling every 0.8 s instead"]
    assert len(times) == 5


def test_f3_a_long_reader_leaves_no_big_write_ahead_file(archive: Archive) -> None:
    """A read transaction held during an ingest lets the write-ahead files grow; the next ingest without it takes them back."""
    archive.write(archive.claude_path(T), claude(1, T, "first"))
    archive.ingest()
    readers = [sqlite3.connect(archive.home / name, isolation_level=None) for name in ("journal.db", "views.db")]
    for reader in readers:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    for number in range(4):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(claude(n + 1000 * number + 10, session, os.urandom(20_000).hex()) for n in range(100)))
    archive.ingest()
    sizes = [(archive.home / f"{name}.db-wal").stat().st_size for name in ("journal", "views")]
    assert min(sizes) > 4_000_000
    assert [reader.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0 for reader in readers] == [True, True]
    for reader in readers:
        reader.execute("COMMIT")
    archive.write(archive.claude_path(T), claude(2, T, "second"), append=True)
    archive.ingest()
    for reader in readers:
        reader.close()
    assert len(archive.hits("second")) == 1
    archive.ingest()
    assert [path.stat().st_size for path in archive.home.glob("*.db-wal")] in ([], [0], [0, 0])


LIMIT = 64 * 1024 * 1024


def write_images(archive: Archive, megabytes: int, first: int) -> None:
    """Write a session of outputs with images of 2 MB, which no compression makes smaller than three quarters."""
    session = f"aaaaaaaa-0000-4000-8000-{first:012d}"
    for number in range(megabytes // 2):
        image = {"type": "image", "source": {"type": "base64", "data": base64.b64encode(os.urandom(1_500_000)).decode()}}
        result = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": [image]}]
        archive.write(archive.claude_path(session), claude(first + number, session, "", message={"role": "user", "content": result}), append=True)


def wal(archive: Archive) -> int:
    """Return the bytes of the log's write-ahead file."""
    path = archive.home / "journal.db-wal"
    return path.stat().st_size if path.exists() else 0


def test_f3_two_hundred_megabytes_under_a_reader(archive: Archive) -> None:
    """A read transaction pins the write-ahead file while 200 MB are written, which doctor shows; the first commits after it cut the file back."""
    archive.write(archive.claude_path(T), claude(1, T, "first"))
    archive.ingest()
    idle, reader = (sqlite3.connect(archive.home / "journal.db", isolation_level=None) for _ in range(2))
    idle.execute("SELECT count(*) FROM events").fetchone()  # as `journal watch` has it: open, and in no transaction
    reader.execute("BEGIN")
    before = reader.execute("SELECT count(*) FROM events").fetchone()
    write_images(archive, 200, 1000)
    assert archive.ingest()["bytes"] > 200_000_000
    assert reader.execute("SELECT count(*) FROM events").fetchone() == before
    pinned = wal(archive)
    assert pinned > 140_000_000
    status, out, _ = archive.run("doctor", "--json")
    found = [(finding["what"], finding["evidence"]) for finding in json.loads(out)["findings"] if finding["id"] == "space"]
    assert found == [("journal.db-wal has grown beyond 64 MiB: a reader holds it open, or nothing checkpoints it", f"{pinned / 1e6:.0f} MB")]
    assert status == 1
    reader.execute("COMMIT")
    for number in (2, 3):
        archive.write(archive.claude_path(T), claude(number, T, f"later{number}"), append=True)
        archive.ingest()
    assert wal(archive) <= LIMIT
    for connection in (reader, idle):
        connection.close()
    archive.ingest()
    assert wal(archive) == 0
    assert len(archive.hits("later3")) == 1


def test_f3_without_a_reader_the_write_ahead_file_stays_short(archive: Archive) -> None:
    """Whatever is written, and although other connections are open, it never grows beyond what one transaction takes."""
    archive.write(archive.claude_path(T), claude(1, T, "first"))
    archive.ingest()
    write_images(archive, 100, 1000)
    sizes = [0]
    done = threading.Event()

    def watch_size() -> None:
        while not done.wait(0.002):
            sizes.append(wal(archive))

    with closing(sqlite3.connect(archive.home / "journal.db")) as idle:
        idle.execute("SELECT count(*) FROM events").fetchone()
        looking = threading.Thread(target=watch_size)
        looking.start()
        archive.ingest()
        done.set()
        looking.join()
        assert 0 < max(sizes) < LIMIT
        assert wal(archive) < LIMIT


def test_f3_the_write_ahead_files_have_a_limit(archive: Archive) -> None:
    """Both databases truncate a write-ahead file above 64 MiB at the next checkpoint."""
    from journal.database import open_log
    from projections.checkpoint import connect

    archive.write(archive.claude_path(T), claude(1, T, "first"))
    archive.ingest()
    for connection in (open_log(str(archive.home / "journal.db"), writable=True), connect(str(archive.home / "views.db"))):
        with closing(connection):
            assert connection.execute("PRAGMA journal_size_limit").fetchone() == (64 * 1024 * 1024,)


def test_f5_ten_ingests_at_once_are_one(archive: Archive) -> None:
    """Of ten processes at once each works or leaves, none stays behind, and every line is in the log once."""
    for number in range(4):
        session = f"aaaaaaaa-0000-4000-8000-{number:012d}"
        archive.write(archive.claude_path(session), *(claude(n + 1000 * number, session, f"prompt {n}") for n in range(200)))
    running = [start(archive, "ingest") for _ in range(10)]
    for process in running:
        process.communicate(timeout=60)
    assert {process.returncode for process in running} <= {0, 3}
    assert archive.rows("journal.db", "SELECT count(*), count(DISTINCT event_id) FROM events WHERE type LIKE 'claude%'") == [(800, 800)]
    assert prompts(archive.home) == 800


@pytest.mark.parametrize("text", ["", "1\n", "{own}\n", "999999999\n"], ids=["empty", "first", "living", "none"])
def test_f5_a_stale_lock_file_means_nothing(archive: Archive, text: str) -> None:
    """The lock is the system's: a file that an earlier process left, also with the id of a living one, keeps nobody out."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.home.mkdir()
    (archive.home / "writer.lock").write_text(text.format(own=os.getpid()))
    begun = time.monotonic()
    assert archive.ingest()["events"] == 1
    assert time.monotonic() - begun < 25  # LogBusy comes after 30 s


def test_f6_two_processes_of_one_session_keep_all_they_say(archive: Archive) -> None:
    """Lines of two processes about one session, interleaved in its inbox, are all kept, each process's in its own order."""
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    code = (
        "import sys, time; from journal.home import open_home; from journal.inbox import append\n"
        "for n in range(40):\n"
        "    append(open_home(sys.argv[1]), sys.argv[2], '2999-01-01', {'type': 'journal.note', 'at': f'2026-11-30T10:00:{n:02d}Z',"
        " 'session_id': sys.argv[2], 'text': f'{sys.argv[3]} {n:02d}'}); time.sleep(0.002)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(archive.home), S, name], env={**os.environ, "PYTHONPATH": str(ROOT)}) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    archive.ingest()
    with closing(sqlite3.connect(archive.home / "journal.db")) as log:
        kept = log.execute("SELECT count(*) FROM events WHERE type = 'journal.note'").fetchone()
    texts = [text for (text,) in archive.rows("views.db", "SELECT text FROM session_notes ORDER BY noted_at, text")]
    assert kept == (80,)
    assert texts == [f"{name} {number:02d}" for number in range(40) for name in "ab"]
