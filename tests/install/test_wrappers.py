"""The commands and skills beside the hooks: written, brought up to date, kept where the user changed them, taken out again."""

import tomllib
from pathlib import Path

import pytest
from laid_files import PROGRAM, Laid, lay

from cli.main import parser
from ingest.facts import HOSTS
from ingest.install import installation, wrappers

OWN = ("decisions", "list", "restore", "resume", "snapshot", "status")
NAMED = ("create-skill", "fork-detect", "handoff-list", "handoff-load", "handoff-save", "handoff-show", "learn", "migrate-sessions", "post-compact",
         "prime-fork", "recall", "sync-registry", "update-skill")  # fmt: skip
PATHS = {
    "claude": [".claude/commands/journal.md", *(f".claude/commands/journal/{name}.md" for name in OWN), *(f".claude/commands/{name}.md" for name in NAMED)],
    "codex": [".codex/skills/journal/SKILL.md", *(f".codex/skills/journal-{name}/SKILL.md" for name in OWN),
              *(f".codex/skills/{name}/SKILL.md" for name in NAMED)],
    "gemini": [".gemini/commands/journal.toml", *(f".gemini/commands/journal/{name}.toml" for name in OWN),
               *(f".gemini/commands/{name}.toml" for name in NAMED)],
    "copilot": [".copilot/skills/journal/SKILL.md", *(f".copilot/skills/journal-{name}/SKILL.md" for name in OWN),
                *(f".copilot/skills/{name}/SKILL.md" for name in NAMED)],
}  # fmt: skip


def below(laid: Laid) -> dict[str, Path]:
    """Return the host's commands by path below the user's home."""
    user = Path(laid.request.environ["HOME"])
    return {str(path.relative_to(user)): path for path in user.rglob("*") if path.is_file() and path != laid.config}


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_gets_its_commands(host: str, tmp_path: Path) -> None:
    """They lie where the host's documents say; each runs our program and nothing else."""
    laid = lay(f"{host}-absent" if host != "claude" else "absent", tmp_path)
    outcome = laid.install()
    assert sorted(below(laid)) == sorted(PATHS[host])
    assert len(outcome.written) == 20
    for path in below(laid).values():
        assert "/opt/journal/bin/python -I -m journal " in path.read_text()


def test_gemini_commands_are_toml(tmp_path: Path) -> None:
    """Each parses and has a description and a prompt with the place for arguments where it takes some."""
    laid = lay("gemini-absent", tmp_path)
    laid.install()
    restore = tomllib.loads(below(laid)[".gemini/commands/journal/restore.toml"].read_text())
    assert sorted(restore) == ["description", "prompt"]
    assert "    /opt/journal/bin/python -I -m journal restore {{args}}\n" in restore["prompt"]


def test_only_the_first_claude_command_is_shown_to_the_model(tmp_path: Path) -> None:
    """The others cost no tokens of a session, since the model does not see them."""
    laid = lay("absent", tmp_path)
    laid.install()
    hidden = sorted(path for path, file in below(laid).items() if "disable-model-invocation: true\n" in file.read_text())
    assert hidden == sorted(set(PATHS["claude"]) - {".claude/commands/journal.md"})


def test_an_edited_command_is_kept_and_said(tmp_path: Path) -> None:
    """What the user changed stays through a second install and through uninstall, and both say so."""
    laid = lay("absent", tmp_path)
    laid.install()
    edited = below(laid)[".claude/commands/journal/status.md"]
    edited.write_text("my own words\n")
    assert laid.install().kept == (str(edited),)
    assert laid.uninstall()[0].kept == (str(edited),)
    assert {path: file.read_text() for path, file in below(laid).items()} == {".claude/commands/journal/status.md": "my own words\n"}


def test_a_command_that_was_there_before_is_not_ours(tmp_path: Path) -> None:
    """A user's own `journal.md` is neither overwritten nor deleted."""
    laid = lay("absent", tmp_path)
    own = tmp_path / "user/.claude/commands/journal.md"
    own.parent.mkdir(parents=True)
    own.write_text("write my diary\n")
    assert laid.install().kept == (str(own),)
    laid.uninstall()
    assert own.read_text() == "write my diary\n"


def test_a_symlink_to_nothing_among_the_commands_stops_nothing(tmp_path: Path) -> None:
    """The hooks and the other commands are installed; the symlink stays."""
    laid = lay("absent", tmp_path)
    link = tmp_path / "user/.claude/commands/journal.md"
    link.parent.mkdir(parents=True)
    link.symlink_to("nowhere")
    outcome = laid.install()
    assert (len(outcome.written), outcome.kept) == (19, (str(link),))
    assert link.is_symlink()


def test_an_upgrade_rewrites_untouched_commands(tmp_path: Path) -> None:
    """Commands of an older program name the new one after the next install."""
    laid = lay("absent", tmp_path)
    installation.install(laid.facts, ["/opt/older/bin/python", "-I", "-m", "journal"], laid.request._replace(moment="2026-11-30T09:00:00Z"))
    assert len(laid.install().written) == 20
    assert all("/opt/older" not in path.read_text() for path in below(laid).values())


def test_a_project_gets_hooks_and_no_commands(tmp_path: Path) -> None:
    """The user's commands serve every project."""
    laid = lay("claude-project", tmp_path)
    assert laid.install().written == ()
    assert below(laid) == {}


@pytest.mark.parametrize("host", HOSTS)
def test_descriptions_are_one_line(host: str) -> None:
    """A host that lists commands shows one line of each."""
    assert [wrapper.name for wrapper in wrappers.WRAPPERS if "\n" in wrapper.description or len(wrapper.description) > 100] == []
    assert len(wrappers.files(installation.facts_of(host), PROGRAM)) == 20


@pytest.mark.parametrize("wrapper", wrappers.WRAPPERS, ids=lambda wrapper: wrapper.name or "journal")
def test_what_a_command_runs_exists(wrapper: wrappers.Wrapper) -> None:
    """The command line that a wrapper names is one of `journal`, and the options of its hint are accepted."""
    given = {"[WORDS]": ["word"], "[--all]": ["--all"], "[--session ID]": ["--session", "x"], "": [], "[--title T]": ["--title", "t"], "[QUERY]": ["lock"],
             "TASK": ["add", "a", "lock"], "SESSION": ["latest"], "NAME": ["lock-notes"], "TEXT": ["the lock"], "WORDS": ["lock"]}  # fmt: skip
    words = [*wrapper.words.split(), *given[wrapper.arguments]]
    asked = parser(words).parse_args(words)
    found = [asked.command, *([asked.verb] if hasattr(asked, "verb") else [])]
    assert found == wrapper.words.split()[: len(found)]


@pytest.mark.parametrize("host", HOSTS)
def test_the_handoff_commands_teach_notes_first_and_every_status(host: str, tmp_path: Path) -> None:
    """Saving begins with notes that the agent writes; loading says what to do about each status of a place."""
    laid = lay(f"{host}-absent" if host != "claude" else "absent", tmp_path)
    laid.install()
    files = {path.rpartition("handoff-")[2].split(".")[0].split("/")[0]: file.read_text() for path, file in below(laid).items() if "handoff-" in path}
    assert files["save"].index("First write the notes yourself") < files["save"].index("-m journal handoff save --notes handoff-notes.md")
    for status in ("verified: it is as it was", "ok: it is there", "moved: the same lines", "changed: read it again", "gone: the statement is stale", "n/a: "):
        assert status in files["load"]
    assert "handoff list" in files["list"]
    assert "handoff show" in files["show"]
