"""The pages of docs/reference say what the code says."""

import html
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from command_line import COMMANDS, HANDOFFS, NETWORK, UNTIL_STOPPED

from cli.arguments import GROUPS
from cli.examples import EXAMPLES
from cli.main import EXIT_CODES, main, parser
from journal import errors, settings
from journal.columns import LOG
from projections.columns import INTERNAL, VIEWS
from scripts import reference

HELP_EXAMPLES = [(name, command.epilog.removeprefix("example: ")) for name, command in COMMANDS.items()
                 if command.epilog and command.epilog.startswith("example: ")]  # fmt: skip


@pytest.mark.parametrize("name", reference.pages())
def test_a_page_is_what_the_code_gives(name: str) -> None:
    """Where this fails, run: python scripts/reference.py"""
    assert (reference.FOLDER / name).read_text() == reference.pages()[name]


def test_every_command_stands_on_its_page() -> None:
    """No group of commands is left out."""
    page = (reference.FOLDER / "commands.md").read_text()
    assert [word for words in GROUPS.values() for word in words if f"## journal {word}\n" not in page] == []


def test_every_exit_code_of_an_error_is_named_in_the_help() -> None:
    """The line below `journal --help` has the code of each error."""
    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.JournalError)}
    assert [code for code in codes if f" {code} " not in EXIT_CODES] == []


def test_the_settings_of_the_page_are_accepted(tmp_path: Path) -> None:
    """The TOML on the page is read without complaint, and gives roots."""
    page = (reference.FOLDER / "settings.md").read_text()
    text = page.split("```toml\n")[1].split("```")[0]
    (tmp_path / "config.toml").write_text(text)
    assert set(tomllib.loads(text)) <= {"roots", "views", *settings.Settings._fields}
    assert [host for host, _ in settings.load({"JOURNAL_HOME": str(tmp_path)}).roots] == ["claude", "codex", "codex"]


@pytest.mark.parametrize(("name", "example"), HELP_EXAMPLES)
def test_an_example_of_the_help_runs(name: str, example: str, home: Path) -> None:
    """What a command's help shows works on the sample sessions, as a user would type it."""
    if name.split()[1] in UNTIL_STOPPED | NETWORK:
        parser(example.split()[1:]).parse_args(example.split()[1:])
        return
    (home / "payload.json").write_text('{"session_id": "x", "hook_event_name": "SessionStart", "source": "startup", "cwd": "."}')
    if name == "journal doctor":  # the copy of the home holds copies of the transcripts, which it rightly finds unread
        subprocess.run(["sh", "-c", "journal ingest"], cwd=home, check=True, capture_output=True, timeout=60)
    if name.startswith("journal handoff "):
        (home / "notes.md").write_text("## Findings\n- The sample's hook settings say nothing of it, `notes.md:1`.\n")
        for placeholder in HANDOFFS:
            saved = subprocess.run(["sh", "-c", "journal handoff save --notes notes.md --json"], cwd=home, check=True, capture_output=True, timeout=60)
            example = example.replace(placeholder, json.loads(saved.stdout)["handoff_id"])
        subprocess.run(["sh", "-c", "journal handoff export --output .context-handoffs"], cwd=home, check=True, capture_output=True, timeout=60)
    if name == "journal skill update":
        subprocess.run(["sh", "-c", "journal skill create project-notes --session latest"], cwd=home, check=True, capture_output=True, timeout=60)
    if example.split()[1] in ("supersede", "confirm", "retire"):
        subprocess.run(["sh", "-c", "journal learn 'the lock'"], cwd=home, check=True, capture_output=True, timeout=60)
    if example.split()[1] == "similar":
        subprocess.run(["sh", "-c", "journal index update"], cwd=home, check=True, capture_output=True, timeout=60)
    done = subprocess.run(["sh", "-c", example], cwd=home, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")


def test_every_public_view_and_every_table_of_the_log_has_an_example() -> None:
    """Only what is internal, or kept for the log itself, has none."""
    without = (set(VIEWS) | set(LOG)) - {example.table for example in EXAMPLES}
    assert without == {*INTERNAL, "parts", "log_meta", "forgotten", "kept_hashes", "alembic_version"}


EMPTY = {"chunks", "folders", "hook-calls", "hook-answers", "hooks-of-a-session", "strands", "handoffs", "bundles", "bundle-findings", "bundle-anchors",
         "bundle-files", "bundle-lineage", "bundle-removals", "bundle-loads",
         "notes", "compactions", "compact-points", "damage", "unknown", "repositories",
         "pending", "forgotten", "aliases", "annotations", "learnings", "learning-places", "retired",
         "search-learnings", "fixes", "search-fixes"}
"""Examples that find nothing in the samples, which have no notes, learnings, hooks, second writer, damage, observed repository or forgotten record."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_query_runs_and_finds_what_is_there(example: reference.Example, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each saved query is accepted, and finds rows where the samples have any."""
    if example.table == "records":
        assert main(["records", "on"]) == 0
    assert main(["sql", "--example", example.name, "--csv"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert bool(rows) == (example.name not in EMPTY)


@pytest.mark.parametrize("function", reference.FUNCTIONS, ids=lambda function: function.call)
def test_an_example_of_a_function_runs(function: reference.Function, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The query beside each documented function finds rows."""
    assert main(["sql", function.example, "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1


@pytest.mark.parametrize("words", ["sessions --all --limit 6", "usage --by model"])
def test_the_picture_of_the_readme_shows_what_is_printed_and_loads_nothing(words: str, home: Path) -> None:
    """Where this fails, run: make picture"""
    drawing = (reference.FOLDER.parent / "journal.svg").read_text()
    assert re.findall(r"https?://[^\"') ]+", drawing) == ["http://www.w3.org/2000/svg"]
    lines = [html.unescape(line).replace("\xa0", " ").rstrip() for line in re.findall(r"<text[^>]*>(.*?)</text>", drawing)]
    text = "".join(lines).replace(" ", "")
    printed = subprocess.run(["sh", "-c", f"journal {words}"], cwd=home, check=True, capture_output=True, text=True, timeout=60).stdout
    assert [line for line in printed.splitlines() if line.replace(" ", "") not in text] == []
