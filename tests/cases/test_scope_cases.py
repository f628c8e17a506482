"""Cases D and H4: in which projects a session is found, what an empty one is, and a journal inside a repository."""

import subprocess
from pathlib import Path

import pytest
from archive import Archive, claude

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def listed(archive: Archive) -> list[str]:
    """Return the sessions that the current directory's list has."""
    return [row["session_id"] for row in archive.json("sessions")["sessions"]]


def test_d15_a_session_is_found_from_each_folder_it_worked_in(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begun in the parent folder, continued in a repository: list, search and note of both places know it, once."""
    above, repo, other = tmp_path / "g", tmp_path / "g/repo-a", tmp_path / "g/repo-b"
    for folder in (repo, other):
        folder.mkdir(parents=True)
        subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    (repo / "src").mkdir()
    archive.write(archive.claude_path(S), *(claude(n, S, f"parentword {n}", cwd=str(above)) for n in range(20)),
                  *(claude(n, S, f"repoword {n}", cwd=str(repo / "src")) for n in range(20, 22)))  # fmt: skip
    archive.write(archive.claude_path(T), claude(40, T, "otherword", cwd=str(other)))
    archive.ingest()
    assert archive.sessions()[S]["project"] == str(above)
    assert archive.rows("views.db", "SELECT session_id, cwd, project, messages FROM session_folders ORDER BY 1, 2") == [
        (S, str(above), str(above), 20), (S, str(repo / "src"), str(repo), 2), (T, str(other), str(other), 1)]  # fmt: skip
    found = {}
    for folder in (above, repo, repo / "src", other):
        monkeypatch.chdir(folder)
        found[folder] = (listed(archive), len(archive.json("search", "parentword")["hits"]), len(archive.json("search", "otherword")["hits"]))
    assert found == {above: ([S], 20, 0), repo: ([S], 20, 0), repo / "src": ([S], 20, 0), other: ([T], 0, 1)}
    monkeypatch.chdir(repo)
    assert archive.json("note", "seen from the repository")["session_id"] == S
    assert archive.json("replay", "--verify")["verified"] is True


def test_d6_a_session_without_a_conversation_is_empty_and_never_offered(archive: Archive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file with state lines only is `empty`, is not `latest` and takes no note. Sessions known from hooks alone follow with the hooks."""
    monkeypatch.chdir(tmp_path)
    archive.write(archive.claude_path(S), claude(1, S, "talk", cwd=str(tmp_path)))
    archive.write(archive.claude_path(T), {"type": "mode", "mode": "normal", "sessionId": T})
    archive.write(archive.folder / ".claude/.claude.json", {"projects": {str(tmp_path): {"lastSessionId": "cccccccc-0000-4000-8000-000000000003"}}})
    archive.ingest()
    assert sorted(archive.sessions()) == [S, T]
    assert archive.sessions()[T]["state"] == "empty"
    assert archive.json("note", "x", "--session", "latest")["session_id"] == S
    assert archive.json("note", "x")["session_id"] == S


@pytest.mark.parametrize("slug", ["-home-u-my-ws--x", "-home-u-my_ws-.x", "-home-u-my-ws-x", "anything"])
def test_d9_the_name_of_the_slug_folder_is_never_computed(archive: Archive, slug: str) -> None:
    """However many characters a client replaced in the folder's name, the session is found and belongs to its recorded folder."""
    archive.write(archive.claude_path(S, slug), claude(1, S, "slugword", cwd="/home/u/my_ws/.x"))
    archive.ingest()
    assert archive.sessions()[S]["project"] == "/home/u/my_ws/.x"
    assert len(archive.hits("slugword")) == 1


def test_d18_a_reused_worktree_keeps_its_three_names_apart(archive: Archive) -> None:
    """Branch, worktree and title that disagree stay as recorded, each in its column. The restore's warning follows with restores."""
    archive.write(archive.claude_path(S), claude(1, S, "fix the parser", cwd="/r/.claude/worktrees/old-login", gitBranch="feature/parser"),
                  {"type": "summary", "summary": "Rewrite the cache", "leafUuid": "x"})  # fmt: skip
    archive.ingest()
    row = archive.sessions()[S]
    assert (row["project"], row["branch"]) == ("/r", "feature/parser")
    assert archive.rows("views.db", "SELECT cwd FROM sessions") == [("/r/.claude/worktrees/old-login",)]


def test_h4_a_journal_inside_a_repository_is_never_committed(archive: Archive) -> None:
    """`git add -A` takes nothing of a home inside the work tree, neither the log nor its write-ahead file."""
    repo = archive.folder / "repo"
    repo.mkdir()
    subprocess.run(["git", "-C", str(repo), "init", "-q"], check=True)
    archive.home = repo / ".journal"
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.ingest()
    (repo / "a.py").write_text("x")
    subprocess.run(["git", "-C", str(repo), "add", "-A"], check=True)
    assert subprocess.run(["git", "-C", str(repo), "ls-files"], capture_output=True, text=True, check=True).stdout.split() == ["a.py"]


def test_h4_a_journal_that_git_tracks_is_refused(archive: Archive) -> None:
    """A home of which git tracks a file takes no transcript, exit 2, with the command that helps; after it all is well."""
    repo = archive.folder / "repo"
    archive.write(archive.claude_path(S), claude(1, S, "x"))
    archive.home = repo / ".journal"
    archive.home.mkdir(parents=True)
    (archive.home / "config.toml").write_text("")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(repo), *words], check=True)
    status, out, err = archive.run("ingest", "--root", f"claude={archive.folder / '.claude'}")
    assert (status, out, "git rm -r --cached" in err, (archive.home / "journal.db").exists()) == (2, "", True, False)
    subprocess.run(["git", "-C", str(repo), "rm", "-rq", "--cached", ".journal"], check=True)
    assert archive.ingest()["events"] == 1
