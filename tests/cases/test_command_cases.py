"""What a newcomer ran into: scopes, points in time, files that exist, ids of sessions with sub-agents."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from archive import Archive, answer, claude, line

from journal.database import open_readonly
from projections.digest import digests

S = "aaaaaaaa-0000-4000-8000-000000000001"


def fill(archive: Archive) -> None:
    """Ingest one session of two turns in /home/dev/proj, with a sub-agent."""
    archive.write(archive.claude_path(S), claude(60, S, "first"), answer(61, S, "one", "m1"), claude(120, S, "second"))
    side = archive.claude_path(S).with_suffix("") / "subagents/agent-a1.jsonl"
    archive.write(side, claude(62, S, "do it", isSidechain=True, agentId="a1"))
    archive.ingest()


@pytest.mark.parametrize(
    ("point", "prompts"),
    [("2026-11-30T10:01:30Z", 1), ("2026-11-30T12:01:30+02:00", 1), ("2026-11-30 10:02", 2), ("2026-11-30", 0), ("0", 0)],
)
def test_as_of_takes_a_time_in_any_form(archive: Archive, point: str, prompts: int) -> None:
    """A time counts as UTC unless it names a zone; a position is a number."""
    fill(archive)
    status, _, err = archive.run("replay", "--as-of", point, "--into", str(archive.folder / "old.db"))
    assert (status, err) == (0, "")
    connection = sqlite3.connect(archive.folder / "old.db")
    assert connection.execute("SELECT count(*) FROM messages WHERE kind = 'prompt'").fetchone() == (prompts,)
    connection.close()


def tables(path: Path) -> dict[str, str]:
    """Return the digest of every view of a file."""
    with closing(open_readonly(str(path))) as views:
        return {name: str(digest) for name, digest in digests(views).items()}


def test_as_of_is_what_an_ingest_of_that_moment_had(archive: Archive) -> None:
    """As of a position and of a time every view equals that of a journal that never saw more; a record without a time has that of the one before it."""
    early = [claude(1, S, "first"), answer(2, S, "one", "m1"), {"type": "summary", "summary": "Early title", "leafUuid": "x"}]
    late = [claude(120, S, "second"), answer(121, S, "two", "m2"), {"type": "summary", "summary": "Late title", "leafUuid": "y"}]
    whole = archive.home
    path = archive.write(archive.claude_path(S), *early)
    archive.home = archive.folder / "only-early"
    archive.ingest()
    archive.home = whole
    archive.ingest()
    position = archive.rows("journal.db", "SELECT max(global_position) FROM events")[0][0]
    archive.write(path, *late, append=True)
    archive.ingest()
    for point in (str(position), "2026-11-30T10:01:00Z"):
        target = archive.folder / f"{point}.db"
        assert archive.run("replay", "--as-of", point, "--into", str(target))[0] == 0
        # The project was looked at when it was read, which is later than any moment of the records.
        left_out = {"project_observations", "source_report"} if "-" in point else set()
        then, now = tables(target), tables(archive.folder / "only-early/views.db")
        assert {name for name in now if then[name] != now[name]} == left_out, point
        report = "SELECT path, generation, lines, bytes, damaged, unknown FROM source_report WHERE host = 'claude'"
        with closing(open_readonly(str(target))) as views:
            assert views.execute(report).fetchall() == [(str(path), 0, 3, sum(len(line(record)) for record in early), 0, 0)]
    assert archive.sessions()[S]["title"] == "Late title"
    assert tables(archive.home / "views.db") != tables(archive.folder / "only-early/views.db")


@pytest.mark.parametrize("point", ["banana", "99999"])
def test_as_of_refuses_what_is_no_point(archive: Archive, point: str) -> None:
    """Neither a time nor a position of this log: exit 2, and no file."""
    fill(archive)
    status, out, _ = archive.run("replay", "--as-of", point, "--into", str(archive.folder / "old.db"))
    assert (status, out, (archive.folder / "old.db").exists()) == (2, "", False)


def test_into_never_touches_a_file_that_exists(archive: Archive) -> None:
    """The log itself, or any other file, is refused as a target and stays as it is."""
    fill(archive)
    log = archive.home / "journal.db"
    before = log.read_bytes()
    assert archive.run("replay", "--as-of", "1", "--into", str(log))[0] == 2
    assert log.read_bytes() == before


def test_outside_a_project_nothing_of_others_is_listed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder without sessions, lists are empty and a note needs a session."""
    fill(archive)
    monkeypatch.chdir(archive.folder)
    assert archive.json("sessions")["sessions"] == []
    assert archive.json("search", "first")["hits"] == []
    assert archive.run("note", "hello")[0] == 4


def test_inside_a_project_its_sessions_are_listed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder below a project's root belongs to the project."""
    below = archive.folder / "repo/src"
    below.mkdir(parents=True)
    archive.write(archive.claude_path(S), claude(1, S, "here", cwd=str(archive.folder / "repo")))
    archive.ingest()
    monkeypatch.chdir(below)
    assert [row["session_id"] for row in archive.json("sessions")["sessions"]] == [S]


def test_a_prefix_means_the_session_before_its_sub_agents(archive: Archive) -> None:
    """The beginning of an id names the session even where its sub-agents share it."""
    fill(archive)
    target = archive.folder / "out.jsonl"
    answer = archive.json("export", "aaaa", "--output", str(target))
    assert (answer["session_id"], answer["bytes"]) == (S, archive.claude_path(S).stat().st_size)


def test_an_export_onto_an_open_file_becomes_private(archive: Archive) -> None:
    """A file that others could read is closed to them before a transcript goes in."""
    fill(archive)
    target = archive.folder / "out.jsonl"
    target.touch(mode=0o644)
    archive.run("export", S, "--output", str(target))
    assert target.stat().st_mode & 0o777 == 0o600


def test_an_export_into_a_missing_folder_is_one_clear_line(archive: Archive) -> None:
    """The path is named, and nothing else is said."""
    fill(archive)
    status, out, err = archive.run("export", S, "--output", str(Path("/no/such/folder/x")))
    assert (status, out, err.splitlines()[0]) == (3, "", "journal: /no/such/folder/x: No such file or directory")


def test_bad_words_are_json_where_json_was_asked_for(archive: Archive) -> None:
    """The parser's own errors come in the envelope too."""
    status, out, err = archive.run("sessions", "--bogus", "--json")
    assert (status, out) == (2, "")
    assert err.startswith('{"error": "unrecognized arguments: --bogus"')


@pytest.mark.parametrize(("words", "said", "hint"), [
    (("sesions",), "there is no command `journal sesions`", "did you mean: journal sessions"),
    (("handoff", "lod"), "there is no command `journal handoff lod`", "did you mean: journal handoff load"),
    (("zzz",), "there is no command `journal zzz`", "run: journal --help"),
    (("sessions", "--limt", "3"), "unrecognized arguments: --limt 3", "did you mean --limit? run: journal sessions --help"),
    (("learn", "x", "--kind", "gotcah"), "argument --kind: invalid choice: 'gotcah' (choose from 'solution', 'gotcha', 'pattern', 'decision', 'preference')",
     "did you mean gotcha? run: journal learn --help"),
    (("search", "lock", "--host", "clade"), "argument --host: invalid choice: 'clade' (choose from 'claude', 'codex', 'gemini', 'copilot')",
     "did you mean claude? run: journal search --help"),
    ((), "name a command", "begin with: journal ingest, then journal sessions --all; all commands: journal --help"),
])  # fmt: skip
def test_a_word_that_is_misspelt_brings_the_nearest_right_one(archive: Archive, words: tuple[str, ...], said: str, hint: str) -> None:
    """Commands, verbs, options and choices; nothing near is no guess."""
    assert archive.run(*words) == (2, "", f"journal: {said}\n  {hint}\n")


def test_an_export_never_writes_over_the_log_or_a_transcript(archive: Archive) -> None:
    """The journal's own files and the transcripts it reads are refused as targets."""
    fill(archive)
    for target in (archive.home / "journal.db", archive.claude_path(S)):
        before = target.read_bytes()
        assert archive.run("export", S, "--output", str(target))[0] == 2
        assert target.read_bytes() == before


def test_verify_goes_on_past_a_source_that_it_cannot_read(archive: Archive) -> None:
    """A transcript replaced by a named pipe is an error of its own; the others are compared, exit 1."""
    import os

    fill(archive)
    archive.claude_path(S).unlink()
    os.mkfifo(archive.claude_path(S))
    status, out, _ = archive.run("verify", "--json")
    assert (status, out.count('"error"'), out.count('"path"')) == (1, 1, 3)


def test_a_long_title_is_cut(archive: Archive) -> None:
    """A title of a megabyte takes no more than a line."""
    archive.write(archive.claude_path(S), claude(1, S, "x"), {"type": "summary", "summary": "y" * 1_000_000, "leafUuid": "z"})
    archive.ingest()
    assert len(archive.sessions()[S]["title"]) == 80


def test_a_home_with_a_percent_sign(archive: Archive) -> None:
    """A home whose name a URI would read differently works."""
    archive.home = archive.folder / "p%20q?#"
    fill(archive)
    assert S in archive.sessions()


def test_on_a_terminal_a_table_is_no_wider_than_it_is_and_a_pipe_gets_it_whole(archive: Archive) -> None:
    """A terminal of 60 columns; the same command into a pipe cuts nothing."""
    import pty

    archive.write(archive.claude_path(S), claude(1, S, "Why does the sum of the ledger come out wrong for accounts that nobody has used?"))
    archive.ingest()
    command = [sys.executable, "-m", "cli.main", "sessions", "--all"]
    ours, theirs = pty.openpty()
    subprocess.run(command, stdout=theirs, check=True, env={**os.environ, "COLUMNS": "60"})
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    piped = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "60"}).stdout
    assert (max(map(len, shown.splitlines())) <= 60, "…" in shown) == (True, True)
    assert "Why does the sum of the ledger come out wrong for accounts that nobody has used?" in piped


def test_the_help_names_every_command_once_by_what_it_is_for(archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On 80 columns; a newcomer reads from the top."""
    from cli.arguments import GROUPS
    from cli.main import main
    from cli.overview import TITLES

    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    out = capsys.readouterr().out.splitlines()
    commands = [line.split()[0] for line in out if line.startswith("  ") and line[2:3] != " "]
    assert (ended.value.code, max(map(len, out)) <= 80, set(TITLES)) == (0, True, set(GROUPS))
    assert sorted(commands) == sorted(name for names in GROUPS.values() for name in names)
    assert out.index("Read the transcripts into the log:") < out.index("See what there is:") < out.index("See whether all is well:")


def test_latest_of_an_empty_log_is_no_id_that_was_not_found(archive: Archive) -> None:
    """A newcomer's first command after the first ingest."""
    archive.ingest()
    assert archive.run("show", "latest") == (4, "", "journal: there are no sessions yet\n  run: journal ingest\n")


def test_in_a_folder_that_is_gone_the_folder_is_named(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody removed the work tree under an open shell."""
    fill(archive)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert archive.run("sessions") == (4, "", "journal: the current folder is gone\n  change to a folder that exists\n")


@pytest.mark.parametrize("command", ["ingest", "sessions"])
def test_where_the_journal_may_not_be_looked_into_that_is_said(archive: Archive, command: str) -> None:
    """Not that there is nothing yet."""
    fill(archive)
    script = f"exec {sys.executable} -m cli.main {command}"
    archive.home.chmod(0)
    try:
        ran = subprocess.run(["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", "sh", "-c", script] if os.getuid() == 0
                             else ["sh", "-c", script], capture_output=True, text=True, check=False)  # fmt: skip
    finally:
        archive.home.chmod(0o700)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "Permission denied" in ran.stderr


@pytest.mark.parametrize("host", ["claude", "codex", "copilot", "gemini"])
def test_without_home_in_the_environment_the_user_still_has_one(host: str) -> None:
    """A service or an emptied environment: no folder of the host is looked for below the current one."""
    from ingest.catalog import adapter
    from ingest.install.installation import facts_of

    roots = adapter(host).default_roots({})
    home = os.path.expanduser("~")
    assert roots[0] == f"{home}/.{host}"
    assert facts_of(host).home_of({}) == f"{home}/.{host}"
