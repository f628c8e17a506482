"""Side files beside transcripts: what they say reaches the session, each version is an event, and they are no sessions."""

import hashlib

from archive import Archive, line
from test_root_cases import SESSIONS, put


def test_workspace_yaml_of_copilot_names_the_session(archive: Archive) -> None:
    """A name given by the user is the title, a later version of the file wins, every version is in the log, and there is one session."""
    home, session = archive.folder / ".copilot", SESSIONS["copilot"]
    put("copilot", home, session, "wordcopilot")
    side = home / "session-state" / session / "workspace.yaml"
    for name in ("First name", "Second name"):
        side.write_text(f"id: {session}\ncwd: /home/dev/proj\nbranch: main\nname: {name}\nuser_named: true\n")
        archive.ingest()
        assert [(row["session_id"], row["title"]) for row in archive.sessions().values()] == [(session, name)]
    assert archive.rows("journal.db", "SELECT count(*), count(DISTINCT events.generation) FROM events JOIN sources USING (source_id)"
                        " WHERE path LIKE '%workspace.yaml'") == [(2, 2)]  # fmt: skip
    assert archive.json("status")["damaged"] == archive.json("status")["unknown"] == []


def test_projects_json_of_gemini_tells_what_a_slug_folder_stands_for(archive: Archive) -> None:
    """Where the folder has no `.project_root`, the list of slugs gives its hash a path."""
    home, session, project = archive.folder / ".gemini", SESSIONS["gemini"], "/home/dev/shop"
    put("gemini", home, session, "wordgemini")
    transcript = next((home / "tmp/proj/chats").iterdir())
    transcript.write_bytes(transcript.read_bytes().replace(b"0" * 64, hashlib.sha256(project.encode()).hexdigest().encode()))
    archive.ingest()
    assert archive.sessions()[session]["project"] is None
    (home / "projects.json").write_bytes(line({"projects": {project: "proj"}}))
    archive.ingest()
    assert archive.sessions()[session]["project"] == project
    assert len(archive.sessions()) == 1
