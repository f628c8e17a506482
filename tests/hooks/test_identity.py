"""The identity block of a handoff: read, kept, written, and compared with where the session runs."""

from pathlib import Path

import pytest
from world import T, World

from projections import identity

BLOCK = "<!-- BOOKMARK_IDENTITY\nscope: repo\nproject: shop\nrepo_path: /srv/shop\nbranch: topic\nowner: team-a\n-->\n## Current task\nThe needle\n"


def _handoff(world: World, text: str, name: str = ".journal/handoff.md") -> Path:
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_b8_the_block_is_read_and_unknown_keys_are_kept() -> None:
    """Known and unknown keys come out as they stand, and go in again."""
    fields, text = identity.split(BLOCK)
    assert fields == {"scope": "repo", "project": "shop", "repo_path": "/srv/shop", "branch": "topic", "owner": "team-a"}
    assert text == "## Current task\nThe needle\n"
    assert identity.split(identity.block(fields) + "\n" + text) == (fields, text)


@pytest.mark.parametrize("text", ["", "## Status\nx", "<!-- a comment -->\nx", "<!-- BOOKMARK_IDENTITY\nscope: repo\nno end", "x\n" + BLOCK])
def test_b8_a_text_without_a_block_at_its_top_is_left_alone(text: str) -> None:
    """Neither another comment, nor a block that does not end, nor one further down is taken."""
    assert identity.split(text) == ({}, text)


def test_b8_a_value_cannot_end_the_block() -> None:
    """What is written from a branch's name stays inside the comment."""
    assert identity.block({"branch": "a-->b\nc: d"}) == "<!-- JOURNAL_IDENTITY\nbranch: ab c: d\n-->"


def test_b8_the_agent_is_given_the_block_to_write(world: World) -> None:
    """The request names repository, branch and commit of now, ready to be put at the top."""
    world.answered(160_000)
    reason = world.hook("stop").answer["reason"]
    fields, _ = identity.split(reason[reason.index("<!--") :])
    assert {key: fields[key] for key in ("scope", "repo_path", "repo_name", "branch", "head", "written_by")} == {
        "scope": "repo", "repo_path": str(world.project), "repo_name": "proj", "branch": "main", "head": world.git("rev-parse", "HEAD"),
        "written_by": "claude"}  # fmt: skip


@pytest.mark.parametrize("name", [".journal/handoff.md", ".bookmark/bookmark.context.md"])
def test_b9_a_handoff_of_another_repository_is_told_with_a_warning(world: World, name: str) -> None:
    """D18: the mismatch stands before the content, for our file and for Bookmark's."""
    _handoff(world, BLOCK, name)
    told = world.hook("session-start", session_id=T, source="startup").context
    warning = f"Caution: identity mismatch: the handoff says that it was written for /srv/shop, this is {world.project}."
    assert told.index(warning) < told.index("The needle")
    assert "Caution: it was written on branch topic, the checkout is on main now." in told
    assert "owner: team-a" in told


def test_b9_a_folder_of_the_repository_is_no_mismatch() -> None:
    """Folders are compared by their components."""
    assert identity.mismatch({"repo_path": "/srv/shop/"}, "/srv/shop") is None
    assert identity.mismatch({"repo_path": "/srv/shop/api"}, "/srv/shop") is None
    assert identity.mismatch({"repo_path": "/srv/sho"}, "/srv/shop") is not None
    assert identity.mismatch({}, "/srv/shop") is None


def _pointer(world: World, project: Path, canonical: Path) -> Path:
    pointer = world.folder / ".bookmark/bookmark.context.md"
    pointer.parent.mkdir()
    pointer.write_text(f"<!-- BOOKMARK_IDENTITY\nscope: home\nproject: POINTER_ONLY\npoints_to_project: {project}\npoints_to_canonical: {canonical}\n-->\n")
    return pointer


def test_b10_a_pointer_in_the_home_folder_is_followed_there(world: World) -> None:
    """A session in the home folder gets the pointed handoff, and is told first that it is of another project."""
    canonical = _handoff(world, BLOCK.replace("/srv/shop", str(world.project)), "notes/handoff.md")
    _pointer(world, world.project, canonical)
    told = world.hook("session-start", session_id=T, cwd=str(world.folder), source="startup").context
    assert told.index(f"Caution: this handoff is of another project, {world.project};") < told.index("The needle")


def test_b10_a_pointer_is_followed_in_the_project_it_names_and_nowhere_else(world: World) -> None:
    """The project that has no handoff of its own gets it without a warning; another folder gets nothing."""
    canonical = _handoff(world, BLOCK.replace("/srv/shop", str(world.project)), "notes/handoff.md")
    _pointer(world, world.project, canonical)
    other = world.folder / "other"
    other.mkdir()
    here = world.hook("session-start", session_id=T, source="startup").context
    assert "The needle" in here
    assert "another project" not in here
    assert world.hook("session-start", session_id=T, cwd=str(other), source="startup").stdout == ""


def test_b10_restore_follows_a_pointer_as_the_hook_does(world: World) -> None:
    """`journal restore` in the project that the pointer names prints the handoff."""
    world.answered(1_000)
    world.hook("stop")
    world.journal("ingest")
    _pointer(world, world.project, _handoff(world, BLOCK.replace("/srv/shop", str(world.project)), "notes/handoff.md"))
    assert "The needle" in world.journal("restore").stdout


def test_b11_a_pointer_is_never_asked_for_nor_changed(world: World) -> None:
    """Above the threshold in the home folder, no hook asks for a handoff, and nothing is made or written there."""
    pointer = _pointer(world, world.project, world.project / "none.md")
    before = (pointer.read_bytes(), pointer.stat().st_mtime_ns)
    world.answered(160_000)
    world.hook("session-start", cwd=str(world.folder), source="startup")
    assert str(pointer) not in world.hook("prompt", cwd=str(world.folder), prompt="x").stdout
    assert world.hook("stop", cwd=str(world.folder)).answer == {}
    assert (pointer.read_bytes(), pointer.stat().st_mtime_ns) == before
    assert not (world.folder / ".journal").exists()
