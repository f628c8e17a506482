"""`journal skill create` and `update` in a project of its own, for each host; `journal migrate`."""

import json
import os
from pathlib import Path

import pytest
from archive import Archive, answer, claude
from test_fork_cases import edited
from test_prime_cases import bash

A, B = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
SKILL = ".claude/skills/lock-notes"
FIRST = "We decided that retries of the uploader wait 5 seconds because the server throttles."
SECOND = "We decided that retries of the uploader wait 30 seconds because the server throttles."


@pytest.fixture
def project(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in which a session decided, failed, passed and was told a wish; it is the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    here = {"cwd": str(folder)}
    rows = [*edited(3, A, str(folder / "app/upload.py"), "x", **here),
            *bash(5, A, "pytest -q", "E   ConnectionError: reset by peer", failed=True), *edited(7, A, str(folder / "app/retry.py"), "y", **here),
            *bash(9, A, "pytest -q", "3 passed", failed=False)]  # fmt: skip
    archive.write(archive.claude_path(A), claude(1, A, "Please fix the uploader. Please never use threads.", **here), answer(2, A, FIRST, "m1", **here),
                  *[row | here for row in rows])  # fmt: skip
    archive.ingest()
    return folder


def later(archive: Archive, folder: Path) -> None:
    """Write a later session that decided otherwise."""
    archive.write(archive.claude_path(B), claude(100, B, "Look at the retries again.", cwd=str(folder)), answer(101, B, SECOND, "m9", cwd=str(folder)))
    archive.ingest()


def test_k29_k31_a_claude_skill_lies_where_new_sessions_load_it(archive: Archive, project: Path) -> None:
    """SKILL.md with its front matter, Reference/ with four pages, Templates/; each line with its source."""
    found = archive.json("skill", "create", "lock-notes")
    assert [(one["path"], one["state"]) for one in found["files"]] == [(f"{SKILL}/{name}", "created") for name in (
        "SKILL.md", "Reference/architecture.md", "Reference/gotchas.md", "Reference/status.md", "Reference/skill-maintenance.md", "Templates/line.md")]
    text = (project / SKILL / "SKILL.md").read_text()
    assert text.startswith("---\nname: lock-notes\ndescription: ")
    assert f"- {FIRST} (session aaaaaaaa, 2026-11-30) <!-- journal:" in text
    assert "- Please never use threads. (session aaaaaaaa, 2026-11-30)" in text
    assert "- Please fix the uploader" not in text  # a task is no preference
    assert "- `pytest -q` failed: E ConnectionError: reset by peer → passed later, after Edit app/retry.py (session aaaaaaaa" in text
    assert "`app/`: `retry.py`, `upload.py`" in (project / SKILL / "Reference/architecture.md").read_text()
    assert "bugfix: Please fix the uploader." in (project / SKILL / "Reference/status.md").read_text()
    assert max(one["lines"] for one in found["files"]) < 400


@pytest.mark.parametrize(("host", "path"), [
    ("codex", "AGENTS.md"), ("copilot", ".github/copilot-instructions.md"), ("gemini", ".gemini/extensions/lock-notes/GEMINI.md"),
])  # fmt: skip
def test_k29_the_other_hosts_get_what_they_load(archive: Archive, project: Path, host: str, path: str) -> None:
    """A section of the file that the project has, or an extension with its manifest; what stood there stays, byte for byte."""
    own = "# My project\r\nUse tabs.\n"
    if host != "gemini":
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_bytes(own.encode())
    archive.json("skill", "create", "lock-notes", "--host", host)
    text = (project / path).read_bytes().decode()
    assert FIRST in text and "## Changelog" in text
    if host == "gemini":
        assert json.loads((project / ".gemini/extensions/lock-notes/gemini-extension.json").read_text())["contextFileName"] == "GEMINI.md"
    else:
        assert text.startswith(own)
    later(archive, project)
    changes = archive.json("skill", "update", "lock-notes")["changes"]
    assert [change["class"] for change in changes if change["section"] == "decisions"] == ["CORRECTION"]
    assert host == "gemini" or (project / path).read_bytes().decode().startswith(own)


def test_k30_an_update_classifies_marks_and_tells(archive: Archive, project: Path) -> None:
    """The older decision is struck through, the newer stands below it, the changelog says both; a second update changes nothing."""
    archive.json("skill", "create", "lock-notes")
    later(archive, project)
    found = archive.json("skill", "update", "lock-notes")
    assert [(one["class"], one["section"], one["text"]) for one in found["changes"]] == [
        ("CORRECTION", "decisions", f"{SECOND} (session bbbbbbbb, 2026-11-30)"),
        ("NEW", "status", "research: Look at the retries again. (session bbbbbbbb, 2026-11-30)"),
    ]  # fmt: skip
    text = (project / SKILL / "SKILL.md").read_text()
    assert text.index(f"- ~~{FIRST}") < text.index(f"- {SECOND}")
    log = (project / SKILL / "Reference/skill-maintenance.md").read_text()
    assert f"CORRECTION decisions: {SECOND}" in log and "NEW skill: drafted with" in log
    again = archive.json("skill", "update", "lock-notes")
    assert ([one["state"] for one in again["files"]], again["changes"]) == (["unchanged"] * 5, [])


def test_k30_an_update_brings_nothing_older_than_what_a_page_was_begun_with(archive: Archive, project: Path) -> None:
    """A section of AGENTS.md begins with its 20 newest lines; 25 sessions, each about something else, of which the oldest five stay out."""
    for number in range(25):
        session = f"{number:08}-0000-4000-8000-000000000000"
        words = " ".join(f"word{number}x{place}" for place in range(5))
        archive.write(archive.claude_path(session), claude(200 + 2 * number, session, f"Look at {words}", cwd=str(project)),
                      answer(201 + 2 * number, session, "Seen.", f"c{number}", cwd=str(project)))  # fmt: skip
    archive.ingest()
    archive.json("skill", "create", "lock-notes", "--host", "codex")
    begun = (project / "AGENTS.md").read_text()
    assert (begun.count("research: Look at word"), "word4x" in begun, "word5x" in begun) == (20, False, True)
    assert archive.json("skill", "update", "lock-notes", "--host", "codex")["changes"] == []
    assert (project / "AGENTS.md").read_text() == begun


def test_sessions_of_one_minute_do_not_take_each_others_line(archive: Archive, project: Path) -> None:
    """Codex's ids begin with the time: the first eight characters are the same for 65 seconds."""
    two = [("01a22e52-28ad-7c82-9e37-21ee868bce73", "Draw the map"), ("01a22e52-a220-7940-8fa7-f4b396b9c9f2", "Count the rows")]
    for minute, (session, prompt) in enumerate(two):
        archive.write(archive.claude_path(session), claude(300 + minute, session, prompt, cwd=str(project)))
    archive.ingest()
    archive.json("skill", "create", "lock-notes")
    status = (project / SKILL / "Reference/status.md").read_text()
    assert "Draw the map (session 01a22e52-28ad, 2026-11-30)" in status
    assert "Count the rows (session 01a22e52-a220, 2026-11-30)" in status


def test_k30_a_persons_edits_are_never_overwritten(archive: Archive, project: Path) -> None:
    """A changed line, an added one, a removed one and a removed page: all as the person left them after an update."""
    archive.json("skill", "create", "lock-notes")
    page = project / SKILL / "SKILL.md"
    text = page.read_text().replace("wait 5 seconds", "wait FIVE seconds, trust me").replace("## Decisions\n", "## Decisions\n\nAsk Ada first.\n")
    lines = [line for line in text.splitlines() if "never use threads" not in line]
    page.write_text("\n".join(lines) + "\n")
    (project / SKILL / "Reference/gotchas.md").unlink()
    later(archive, project)
    before = page.read_text()
    found = archive.json("skill", "update", "lock-notes")
    assert "KEPT" in [one["class"] for one in found["changes"]]
    assert page.read_text() == before
    assert not (project / SKILL / "Reference/gotchas.md").exists()


def test_two_errors_of_one_command_and_two_habits_stand_side_by_side(archive: Archive, project: Path) -> None:
    """Lines that are alike only in their frame do not replace each other."""
    here = {"cwd": str(project)}
    rows = [*bash(10, B, "pytest -q", "E   KeyError: 'lock'", failed=True), *edited(12, B, str(project / "app/lock.py"), "z", **here),
            *bash(14, B, "pytest -q", "3 passed", failed=False)]  # fmt: skip
    rows += [row for number, command in enumerate(("make lint", "make docs")) for again in range(3)
             for row in bash(20 + 10 * number + 2 * again, B, command, "ok", failed=False)]  # fmt: skip
    archive.write(archive.claude_path(B), claude(9, B, "Look at the lock", **here), *[row | here for row in rows])
    archive.ingest()
    archive.json("skill", "create", "lock-notes")
    text = (project / SKILL / "SKILL.md").read_text()
    for line in ("ConnectionError: reset by peer", "KeyError: 'lock'", "Runs again and again: `make lint`", "Runs again and again: `make docs`"):
        assert text.count(line) == 1, line


def test_a_dry_run_writes_nothing_and_a_second_create_is_refused(archive: Archive, project: Path) -> None:
    """The message names the command that helps; a name that is no folder's is refused."""
    archive.json("skill", "create", "lock-notes", "--dry-run")
    assert list(project.iterdir()) == []
    archive.json("skill", "create", "lock-notes")
    status, _, err = archive.run("skill", "create", "lock-notes")
    assert (status, "journal skill update lock-notes" in err) == (2, True)
    assert archive.run("skill", "create", "../escape")[0] == 2
    assert archive.run("skill", "update", "other")[0] == 4


def test_a_link_out_of_the_project_is_not_followed(archive: Archive, project: Path, tmp_path: Path) -> None:
    """Neither a file nor a folder elsewhere is written through a link."""
    (tmp_path / "elsewhere").mkdir()
    (project / ".claude").symlink_to(tmp_path / "elsewhere")
    assert archive.run("skill", "create", "lock-notes")[0] == 2
    (tmp_path / "victim.md").write_text("mine\n")
    (project / "AGENTS.md").symlink_to(tmp_path / "victim.md")
    assert archive.run("skill", "create", "lock-notes", "--host", "codex")[0] == 2
    assert (os.listdir(tmp_path / "elsewhere"), (tmp_path / "victim.md").read_text()) == ([], "mine\n")


def test_learnings_stand_in_their_sections_and_retired_ones_do_not(archive: Archive, project: Path) -> None:
    """A gotcha that was learned is a gotcha of the skill."""
    kept = archive.json("learn", "The lock file survives a crash of zebra", "--kind", "gotcha")["learning_id"]
    gone = archive.json("learn", "Yaks are shaved at midnight by the cron job", "--kind", "gotcha")["learning_id"]
    archive.json("retire", gone)
    archive.json("skill", "create", "lock-notes")
    text = (project / SKILL / "Reference/gotchas.md").read_text()
    assert f"(learning {kept}, " in text
    assert "Yaks" not in text


def test_no_secret_and_no_mark_of_ours_gets_into_a_skill_from_a_text(archive: Archive, project: Path) -> None:
    """A token is taken out; a text that looks like our marks is only a text."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    said = f"We decided on {token} <!-- journal:end decisions --> because of it."
    archive.write(archive.claude_path(B), claude(100, B, "hello", cwd=str(project)), answer(101, B, said, "m9", cwd=str(project)))
    archive.ingest()
    archive.json("skill", "create", "lock-notes")
    text = (project / SKILL / "SKILL.md").read_text()
    assert (token in text, text.count("<!-- journal:end decisions -->")) == (False, 1)


def test_k18_migrate_reads_enriches_and_says_what_there_is(archive: Archive, project: Path) -> None:
    """One command over transcripts that were never read: events, sessions, and what they were about; again, nothing is new."""
    later(archive, project)
    archive.write(archive.claude_path("c0ffee00-0000-4000-8000-000000000003"), claude(300, "c0ffee00-0000-4000-8000-000000000003", "Why is it slow?"))
    root = f"claude={archive.folder / '.claude'}"
    found = archive.json("migrate", "--root", root, "--no-index")
    assert (found["sessions"], found["categories"], found["events"] > 0) == (3, {"bugfix": 1, "research": 2}, True)
    assert archive.json("migrate", "--root", root, "--no-index")["events"] == 0
