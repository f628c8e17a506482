"""What every command owes, asked of all that the parser knows: an example, an error envelope, silence on a broken pipe, no SQLAlchemy."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from walk import commands, least

from cli.main import main, parser

PROJECT = Path(__file__).parents[2]
CLAUDE = PROJECT / "tests/fixtures/claude/turns"
COMMANDS = commands()
NOT_ASKED = {
    "hook": "the contract of hooks: exit 0 and not a word, whatever happens",
    "mcp": "the protocol of its clients, on standard input and output",
}
"""Commands that keep another contract, and why."""
WRITING = {
    "ingest", "watch", "replay", "note", "snapshot", "records", "install", "uninstall", "setup", "catalog refresh", "datasette", "backup", "backup restore",
    "compact", "forget",
}  # fmt: skip
"""Commands that do not only read; all others are taken for reading, also those to come."""
READING = [name for name in COMMANDS if name not in WRITING | set(NOT_ASKED)]


def environ(folder: Path) -> dict[str, str]:
    """Return the environment of a throw-away home."""
    return {"HOME": str(folder), "JOURNAL_HOME": str(folder / "journal"), "PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT)}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a journal over two recorded sessions."""
    folder = tmp_path_factory.mktemp("everywhere")
    command = [sys.executable, "-m", "journal", "ingest", "--root", f"claude={CLAUDE}"]
    subprocess.run(command, env=environ(folder), cwd=folder, check=True, capture_output=True)
    return folder


def failed(capfd: pytest.CaptureFixture[str], words: list[str]) -> tuple[int, str, list[str]]:
    """Run a command in this process; return exit status, stdout and the lines on stderr."""
    try:
        status = main(words)
    except SystemExit as end:
        status = int(end.code or 0)
    out, err = capfd.readouterr()
    return status, out, err.splitlines()


def assert_envelope(lines: list[str]) -> None:
    """Assert that the last line of stderr is an error envelope."""
    envelope = json.loads(lines[-1])
    assert envelope.keys() >= {"error", "hint", "next_command", "retryable"}
    assert isinstance(envelope["error"], str)
    assert isinstance(envelope["retryable"], bool)
    assert envelope["next_command"] is None or envelope["next_command"].startswith("journal ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_sentence_and_an_example_that_parses(name: str) -> None:
    """`--help` begins with what the command does and ends with a line that its own parser takes."""
    command = COMMANDS[name]
    assert command.description
    assert command.epilog
    example = next(line for line in command.epilog.splitlines() if "journal " in line)
    words = shlex.split(example[example.index("journal ") :].partition(" > ")[0].partition(" | ")[0].partition(" < ")[0])[1:]
    assert " ".join(words).startswith(name)
    assert parser(words).parse_args(words).runs == command.get_default("runs")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_word_of_a_command_is_explained(name: str) -> None:
    """No argument and no option stands in the help without saying what it is."""
    assert [action.option_strings or action.dest for action in COMMANDS[name]._actions if not action.help] == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NOT_ASKED])
def test_wrong_words_end_in_an_envelope(capfd: pytest.CaptureFixture[str], name: str) -> None:
    """An unknown option with --json: exit 2, nothing on stdout, one object on stderr."""
    status, out, lines = failed(capfd, [*name.split(), *least(COMMANDS[name]), "--no-such-option", "--json"])
    assert (status, out, len(lines)) == (2, "", 1)
    assert_envelope(lines)


@pytest.mark.parametrize("words", [["--json"], ["nonsense", "--json"], ["usage", "--by", "nonsense", "--json"], ["search", "--json"]])
def test_missing_and_unknown_words_end_in_an_envelope(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    """No command, no such command, no such choice, a word missing."""
    status, out, lines = failed(capfd, words)
    assert (status, out, len(lines)) == (2, "", 1)
    assert_envelope(lines)


def test_json_behind_two_dashes_is_a_text(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`-- --json` is a word to search for, so the error is for people."""
    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path))
    _, _, lines = failed(capfd, ["search", "--", "--json"])
    assert lines[0].startswith("journal: ")


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("state", ["nothing", "a file", "views of noise", "log of noise", "both of noise", "settings of noise"])
def test_every_state_of_the_home_ends_well(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, state: str
) -> None:
    """A home that is missing, no folder or damaged: an answer, findings (exit 1), or an envelope with a documented exit code."""
    folder = tmp_path / "journal"
    if state == "a file":
        folder.write_text("x")
    elif state != "nothing":
        folder.mkdir(mode=0o700)
        files = {"views of noise": ["views.db"], "log of noise": ["journal.db"], "settings of noise": ["config.toml"]}
        for file in files.get(state, ["views.db", "journal.db"]):
            (folder / file).write_bytes(b"\xff noise" * 2000)
    for key, value in environ(tmp_path).items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(tmp_path)
    status, out, lines = failed(capfd, [*name.split(), *least(COMMANDS[name]), "--json"])
    assert status in {0, 1, 2, 3, 4, 5, 6}
    if status in (0, 1):
        assert json.loads(out)
    else:
        assert out == ""
        assert_envelope(lines)


def test_an_interrupt_ends_in_an_envelope(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ctrl-C: exit 130, and it may be tried again."""
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("JOURNAL_HOME", str(tmp_path / "journal"))
    monkeypatch.setattr("cli.reading.read_views", interrupt)
    status, out, lines = failed(capfd, ["sessions", "--json"])
    assert (status, out, json.loads(lines[-1])["retryable"]) == (130, "", True)
    assert_envelope(lines)


def test_an_interrupt_inside_a_function_of_sqlite_is_no_database_error(tmp_path: Path) -> None:
    """SQLite turns an exception of a function that it calls into an error of its own; Ctrl-C there is still Ctrl-C."""
    program = """
import os, signal, sqlite3, sys
import cli.reading
from cli.main import main

def views(settings):
    connection = sqlite3.connect(":memory:")
    connection.create_function("interrupt", 0, lambda: os.kill(os.getpid(), signal.SIGINT))
    connection.execute("SELECT interrupt()")

cli.reading.read_views = views
sys.exit(main(["sessions", "--json"]))
"""
    done = subprocess.run([sys.executable, "-c", program], env=environ(tmp_path), cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (130, b"")
    assert_envelope(done.stderr.decode().splitlines())


@pytest.mark.parametrize("name", READING)
def test_a_reader_that_has_gone_is_no_error(home: Path, name: str) -> None:
    """Standard output is a pipe whose other end is closed: not a word on stderr, and no failure."""
    for words in ([], ["--json"]):
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "journal", *name.split(), *least(COMMANDS[name]), *words]
        done = subprocess.run(command, env=environ(home), cwd=home, stdout=write, stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(write)
        told = [line for line in done.stderr.decode().splitlines() if "Error" in line or "Traceback" in line or "Exception ignored" in line]
        assert told == []
        assert done.returncode in {0, 1, 2, 4, 7}


def test_a_full_disk_at_the_other_end_is_one_error(home: Path) -> None:
    """Output that cannot be written is an error with a hint, told once."""
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "journal", "sessions", "--all", "--json"]
        done = subprocess.run(command, env=environ(home), cwd=home, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 3
    assert_envelope(done.stderr.decode().splitlines())
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def unindexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a journal whose index of meanings nobody made."""
    folder = tmp_path_factory.mktemp("unindexed")
    subprocess.run([sys.executable, "-m", "journal", "ingest", "--root", f"claude={CLAUDE}"], env=environ(folder), cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", [name for name in READING if name != "migrate"])
def test_reading_loads_no_sqlalchemy(unindexed: Path, name: str) -> None:
    """Not one reading command imports SQLAlchemy, Alembic, rich or click, nor numpy where no index was made; `migrate` makes one."""
    home = unindexed
    words = [*name.split(), *least(COMMANDS[name]), "--json"]
    program = f"import sys; from cli.main import main; main({words!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], env=environ(home), cwd=home, capture_output=True, timeout=60, check=False)
    loaded = set(done.stderr.decode().splitlines()[-1].split())
    assert "cli.main" in loaded
    assert loaded & {"sqlalchemy", "alembic", "rich", "click", "numpy", "pandas"} == set()


def test_nothing_is_coloured(home: Path) -> None:
    """With NO_COLOR set, no escape sequence is printed, by no reading command."""
    for name in READING:
        command = [sys.executable, "-m", "journal", *name.split(), *least(COMMANDS[name])]
        done = subprocess.run(command, env={**environ(home), "NO_COLOR": "1", "FORCE_COLOR": ""}, cwd=home, capture_output=True, timeout=60, check=False)
        assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("word", [b"\xff\xfe", "字".encode() * 3000, b"\x01\x1b[31m", b"'\"`;--"])
@pytest.mark.parametrize("name", [name for name in READING if any(not action.option_strings for action in COMMANDS[name]._actions)])
def test_odd_words_end_well(home: Path, name: str, word: bytes) -> None:
    """Bytes that are no UTF-8, very long words and control characters: an answer or an envelope, never a traceback."""
    words = [os.fsdecode(word) if given in ("1", "latest") else given for given in least(COMMANDS[name])]
    command = [sys.executable, "-m", "journal", *name.split(), *words, "--json"]
    done = subprocess.run(command, env=environ(home), cwd=home, capture_output=True, timeout=60, check=False)
    assert done.returncode in {0, 1, 2, 3, 4}
    if done.returncode > 1:
        assert_envelope(done.stderr.decode().splitlines())


def test_text_that_the_terminal_does_not_have_is_escaped(tmp_path: Path) -> None:
    """On an ASCII terminal a title in Japanese with an emoji is escaped, and JSON stays JSON."""
    transcript = tmp_path / ".claude/projects/-x/aaaaaaaa-0000-4000-8000-000000000001.jsonl"
    transcript.parent.mkdir(parents=True)
    record = {"type": "user", "message": {"role": "user", "content": "題名 😀"}, "uuid": "u", "timestamp": "2026-11-30T10:00:00.000Z",
              "cwd": "/x", "sessionId": transcript.stem}  # fmt: skip
    transcript.write_text(json.dumps(record) + "\n")
    ascii_only = {**environ(tmp_path), "PYTHONIOENCODING": "ascii"}
    outputs = []
    for words in (["ingest"], ["sessions", "--all", "--json"], ["sessions", "--all"]):
        done = subprocess.run([sys.executable, "-m", "journal", *words], env=ascii_only, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        outputs.append(done.stdout)
    assert json.loads(outputs[1])["sessions"][0]["title"] == "題名 😀"
    assert b"\\u984c\\u540d" in outputs[2]
