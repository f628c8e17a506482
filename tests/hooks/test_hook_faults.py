"""Whatever is broken around it, a hook ends in time with exit status 0 and says nothing wrong."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import tomllib

import pytest
from world import ROOT, S, T, World

FORBIDDEN = ("sqlalchemy", "orjson", "click", "dataclasses", "pathlib", "numpy", "faiss", "torch", "re", "json", "typing", "subprocess", "sqlite3", "logging")


@pytest.mark.parametrize("role", ["session-start", "prompt", "pre-compact", "stop", "session-end"])
def test_the_hook_path_imports_nothing_heavy(world: World, role: str) -> None:
    """No role imports what costs more than it does."""
    world.answered(160_000)
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from cli.hooks.edge import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    payload = json.dumps(world.payload(source="startup", prompt="x")).encode()
    command = [sys.executable, "-I", "-c", script, role, "--host", "claude"]
    done = subprocess.run(command, input=payload, capture_output=True, env=world.environment, check=True)
    loaded = set(done.stderr.decode().split())
    assert loaded & set(FORBIDDEN) == set()


def test_the_program_that_an_installation_makes_takes_the_same_light_path(world: World) -> None:
    """Plugins call `journal` by its name: the entry point that pyproject.toml names imports no command line for a hook."""
    module, _, function = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["journal"].partition(":")
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import {function}; sys.exit({function}())"
    command = [sys.executable, "-I", "-X", "importtime", "-c", script, "hook", "prompt", "--host", "claude"]
    done = subprocess.run(command, input=json.dumps(world.payload(prompt="x")).encode(), capture_output=True, env=world.environment, check=True)
    loaded = {row.rpartition("|")[2].strip() for row in done.stderr.decode().splitlines()}
    assert "cli.hooks.edge" in loaded
    assert loaded & {*FORBIDDEN, "argparse", "cli.main"} == set()
    assert [line["type"] for line in world.lines()][:1] == ["journal.hook"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"session_id": 5}', b"{}", b'{"session_id":"../../etc/x","cwd":"/"}', b"[" * 5000])
@pytest.mark.parametrize("role", ["session-start", "prompt", "stop"])
def test_e2_odd_stdin_gives_no_output(world: World, role: str, data: bytes) -> None:
    """Nothing is echoed, nothing is raised."""
    assert world.hook(role, data)[:2] == (0, "")
    assert not any(".." in path.name for path in (world.home / "inbox").glob("*")) if (world.home / "inbox").exists() else True


@pytest.mark.parametrize("role", ["session-start", "prompt", "pre-compact", "stop", "session-end"])
def test_b14_a_payload_with_bom_and_crlf_is_read(world: World, role: str) -> None:
    """What a wrapper saved or piped with a BOM and CRLF is the same payload, and so are settings of the hooks."""
    (world.home / "config.toml").write_bytes(b"\xef\xbb\xbf[hooks]\r\nthresholds = [0.5]\r\n")
    payload = world.payload(prompt="x")
    said = world.hook(role, b"\xef\xbb\xbf" + json.dumps(payload, indent=1).replace("\n", "\r\n").encode() + b"\r\n")
    assert said == (0, "", "")
    assert [line["payload"] for line in world.lines() if line["type"] == "journal.hook"] == [payload]
    assert [line for line in world.lines() if line["type"] == "journal.hook_failed"] == []


@pytest.mark.parametrize("path", ["", None, "/no/such/file", "/", "missing"])
@pytest.mark.parametrize("role", ["session-start", "prompt", "stop", "session-end"])
def test_e11_a_missing_transcript_is_no_error(world: World, role: str, path: str | None) -> None:
    """The event is stored without a transcript's size."""
    payload = world.payload(transcript_path=path)
    if path == "missing":
        del payload["transcript_path"]
    assert world.hook(role, payload)[:2] == (0, "")
    assert [line["transcript"]["size"] for line in world.lines() if line["type"] == "journal.hook"] == [None]


def test_a_deleted_working_directory_is_no_error(world: World) -> None:
    """The folder of the payload, and the process's own, may be gone."""
    shutil.rmtree(world.project)
    assert world.hook("prompt", prompt="x")[:2] == (0, "")


def test_an_unwritable_home_is_no_error_and_nothing_is_said_twice(world: World) -> None:
    """Where nothing can be written down, an alert would come at every turn: none comes."""
    world.answered(160_000)
    shutil.rmtree(world.home)
    world.home.write_text("a file")
    assert world.hook("prompt", prompt="x")[:2] == (0, "")
    assert world.hook("stop")[:2] == (0, "")


def test_bw10_an_unwritable_home_is_told_once_in_a_session(world: World) -> None:
    """The start of a session says so on stderr with the next command, with status 0 and an empty stdout; later hooks are silent."""
    shutil.rmtree(world.home)
    world.home.write_text("a file")
    started = world.hook("session-start", source="startup")
    assert started == (0, "", f"journal: {world.home} cannot be written, so that nothing of this session is kept; run: journal doctor\n")
    assert [world.hook(role, prompt="x") for role in ("prompt", "stop", "session-end")] == [(0, "", "")] * 3


def test_bw10_what_an_unwritable_home_costs_is_kept_elsewhere_until_doctor_told_it(world: World) -> None:
    """The error stands in the folder for temporary files, private; doctor tells it and with --fix deletes it once the home can be written."""
    shutil.rmtree(world.home)
    world.home.write_text("a file")
    world.hook("session-start", source="startup")
    kept = world.folder / "tmp" / f"journal-{os.getuid()}" / "hook-errors"
    assert kept.read_text().endswith(f" claude session-start: {world.home} cannot be written, so that nothing of this session is kept\n")
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    world.home.unlink()
    world.journal("ingest")
    told = [found for found in json.loads(world.journal("doctor", "--json").stdout)["findings"] if found["id"] == "hook_errors"]
    assert [(found["what"], found["next_command"]) for found in told] == [("1 session began while the home could not be written", "journal doctor --fix")]
    world.journal("doctor", "--fix")
    assert not kept.exists()


@pytest.mark.parametrize("trap", ["link", "open to others", "file"])
def test_an_error_is_not_kept_in_a_folder_of_somebody_else(world: World, trap: str) -> None:
    """A link, a folder that others may write, or a file in its place: the hook goes on and writes nothing there."""
    folder, target = world.folder / "tmp" / f"journal-{os.getuid()}", world.folder / "target"
    target.mkdir(mode=0o700)
    if trap == "link":
        folder.symlink_to(target)
    elif trap == "file":
        folder.write_text("x")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    shutil.rmtree(world.home)
    world.home.write_text("a file")
    assert world.hook("session-start", source="startup").status == 0
    assert (list(target.iterdir()), trap != "open to others" or list(folder.iterdir()) == []) == ([], True)


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, None])
def test_damaged_views_are_as_good_as_none(world: World, damage: bytes | None) -> None:
    """An empty, foreign or missing views.db: the threshold is still told from the transcript."""
    world.answered(160_000)
    if damage is not None:
        (world.home / "views.db").write_bytes(damage)
    assert world.hook("session-start", source="startup")[:2] == (0, "")
    assert world.hook("prompt", prompt="x").answer != {}


def test_locked_views_are_not_waited_for(world: World) -> None:
    """An exclusive lock on the views costs less than a second, and the hook goes on without them."""
    world.answered(160_000)
    world.journal("ingest")
    holder = sqlite3.connect(world.home / "views.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    assert world.hook("prompt", prompt="x").answer != {}
    assert time.monotonic() - begun < 3
    holder.close()


def test_stdin_left_open_does_not_hold_the_hook(world: World) -> None:
    """A host that never closes the pipe gets its answer after a short pause; one that sends nothing, after two seconds."""
    world.answered(160_000)
    for data, expected in ((json.dumps(world.payload(prompt="x")).encode(), True), (b"", False)):
        process = subprocess.Popen([sys.executable, "-m", "journal", "hook", "prompt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.environment)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(data)
        process.stdin.flush()
        begun = time.monotonic()
        assert process.wait(10) == 0
        assert time.monotonic() - begun < 5
        assert bool(process.stdout.read()) is expected
        process.stdin.close()
        process.stdout.close()


def test_hostile_modules_of_the_project_are_not_imported(world: World) -> None:
    """A project with its own journal/, cli/ and json.py: the generated command, isolated, does not look at them."""
    for name in ("journal/__init__.py", "cli/__init__.py", "json.py", "sitecustomize.py"):
        path = world.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit(7)\n")
    environment = {**world.environment, "PYTHONPATH": str(world.project)}
    command = [sys.executable, "-I", "-m", "journal", "hook", "prompt"]
    done = subprocess.run(command, input=b"{}", capture_output=True, env=environment, cwd=world.project, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_d17_our_own_children_and_our_own_home_are_no_sessions(world: World) -> None:
    """With the marker of our children, or inside JOURNAL_HOME, nothing is written."""
    world.environment["JOURNAL_CHILD"] = "1"
    assert world.hook("prompt", prompt="x")[:2] == (0, "")
    del world.environment["JOURNAL_CHILD"]
    assert world.hook("prompt", cwd=str(world.home), prompt="x")[:2] == (0, "")
    assert not (world.home / "inbox").exists()


def test_e9_the_last_message_of_the_payload_is_kept_and_never_doubled(world: World) -> None:
    """The stop comes before the transcript's last line: the text is in the log at once, and once a message when the line comes."""
    assert world.hook("stop", last_assistant_message="The needle is found.")[:2] == (0, "")
    world.journal("ingest")
    with contextlib.closing(sqlite3.connect(world.home / "views.db")) as views:
        assert views.execute("SELECT last_message FROM hook_events").fetchall() == [("The needle is found.",)]
    world.answered(1000, "The needle is found.")
    world.journal("ingest")
    hits = json.loads(world.journal("search", "needle", "--all", "--json").stdout)["hits"]
    assert [hit["session_id"] for hit in hits] == [S]


def test_a_sub_agents_hook_is_written_down_and_told_nothing(world: World) -> None:
    """Copilot's sub-agents carry their own id: no alert, no restore."""
    world.answered(160_000)
    assert world.hook("prompt", agent_id="agent-1", prompt="x")[:2] == (0, "")
    assert [line["type"] for line in world.lines()] == ["journal.hook"]


def test_e6_a_session_end_writes_before_anything_else(world: World) -> None:
    """Killed at 1.5 s at the latest; the line is there after the first tenth of that."""
    assert world.hook("session-end", reason="other")[:2] == (0, "")
    assert [line["role"] for line in world.lines() if line["type"] == "journal.hook"] == ["session-end"]


def test_gemini_sees_no_stderr(world: World) -> None:
    """Gemini shows stderr in the conversation: a fault of ours is silent there, and one line elsewhere."""
    world.environment["JOURNAL_HOME"] = "/proc/nowhere/journal"
    assert world.hook("prompt", host="gemini", prompt="x") == (0, "", "")


def test_files_of_hooks_are_private(world: World) -> None:
    """H2: 0700 and 0600 below the home, also under umask 000."""
    os.umask(0o022)
    shutil.rmtree(world.home)
    assert world.hook("stop", session_id=T)[:2] == (0, "")
    assert {oct(path.stat().st_mode & 0o777) for path in world.home.rglob("*") if path.is_file()} == {"0o600"}
    assert {oct(path.stat().st_mode & 0o777) for path in [world.home, *world.home.rglob("*")] if path.is_dir()} == {"0o700"}


@pytest.mark.parametrize("torn", [b'{"usage"', b'{"usage":1', b'{"usage":"x', b'["usage"'])
def test_a_torn_record_at_the_end_of_a_transcript_costs_no_alert(world: World, torn: bytes) -> None:
    """The host may have written half a line: the last whole answer still counts, and nothing is complained of."""
    world.answered(160_000)
    with world.transcript.open("ab") as file:
        file.write(torn)
    said = world.hook("prompt", prompt="go on")
    assert (said.status, said.stderr) == (0, "")
    assert "80" in said.answer["systemMessage"]


HALF = [b"{", b'{"session_id', b'{"session_id": "x", "cwd": "/a\\u0000b"}', b'{"session_id": "x", "cwd": "\\ud800", "transcript_path": "\\ud800"}',
        b'{"session_id": "\\u0000", "transcript_path": "/none"}', b'{"session_id": "x", "model": "\\ud800"}', b'{"session_id": "\\ud800", "source": "x"}']


@pytest.mark.parametrize("data", HALF)
def test_half_a_payload_and_impossible_paths_are_not_complained_of(world: World, data: bytes) -> None:
    """Neither torn JSON, nor NUL or half a character in a path, an id or a model, is a fault of the user's."""
    assert world.hook("prompt", data) == (0, "", "")


@pytest.mark.parametrize("closed", ["2>&-", "<&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(world: World, closed: str) -> None:
    """A host that gives no stdin, stdout or stderr sees status 0 all the same, also where there is something to say."""
    world.answered(160_000)
    command = f"echo '{json.dumps(world.payload())}' | {sys.executable} -m journal hook prompt --host claude {closed}"
    assert subprocess.run(["sh", "-c", command], env=world.environment, cwd=world.folder, check=False, timeout=60).returncode == 0
    command = f"{sys.executable} -m journal hook no-such-role {closed}"
    assert subprocess.run(["sh", "-c", command], env=world.environment, cwd=world.folder, check=False, timeout=60).returncode == 0


def test_the_deadline_holds_inside_a_call_that_never_returns(world: World) -> None:
    """SQLite waits for a pipe in place of the log's views without coming back to the interpreter: the hook is over all the same, with status 0."""
    script = ("import os, _sqlite3, cli.hooks.edge as hook; hook.DEADLINE_S['session-end'] = 0.3;"
              " hook._run = lambda *_: _sqlite3.connect(os.environ['PIPE'], uri=True);"
              " raise SystemExit(hook.main(['session-end', '--host', 'claude']))")  # fmt: skip
    os.mkfifo(world.folder / "pipe")
    environment = {**world.environment, "PIPE": f"file:{world.folder}/pipe?mode=ro"}
    done = subprocess.run([sys.executable, "-c", script], input=b"{}", env=environment, cwd=world.folder, timeout=20, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", [".git/HEAD", ".git/refs/heads/main", ".git/packed-refs"])
def test_a_pipe_in_place_of_gits_files_does_not_hold_a_hook(world: World, name: str) -> None:
    """The branch or commit is not known then; the session is told what there is, and nothing waits."""
    world.answered(1_000, "We decided to keep the needle because of the race.")
    world.hook("stop")
    world.journal("ingest")
    if name.endswith("packed-refs"):
        (world.project / ".git/refs/heads/main").unlink()
    (world.project / name).unlink(missing_ok=True)
    os.mkfifo(world.project / name)
    assert "keep the needle" in world.hook("session-start", session_id=T, source="startup").context


def test_pipes_in_place_of_our_files_are_not_waited_for(world: World) -> None:
    """Settings and views that are no plain files are as good as none."""
    for name in ("views.db", "config.toml"):
        os.mkfifo(world.home / name)
    world.answered(160_000)
    assert "systemMessage" in world.hook("prompt", prompt="go on").answer


def test_stdin_without_end_is_read_up_to_a_limit(world: World) -> None:
    """Of a payload that never ends four megabytes are read, no more; the hook ends with status 0 and says nothing."""
    command = [sys.executable, "-m", "journal", "hook", "prompt", "--host", "claude"]
    reader, writer = os.pipe()
    process = subprocess.Popen(command, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=world.environment, cwd=world.folder)
    os.close(reader)
    given = os.write(writer, b'{"session_id": "x", "prompt": "')
    with pytest.raises(BrokenPipeError):
        while given < 64 << 20:
            given += os.write(writer, b"x" * 65536)
    os.close(writer)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert given < 5 << 20
