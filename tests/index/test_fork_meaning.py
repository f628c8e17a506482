"""`journal fork detect` and `journal migrate` with an index: meaning beside words, and what only ran a command."""

import pytest
from archive import Archive, answer, claude
from test_fork_cases import TASK, A, B, two
from test_index_cases import needs_weights

PARAPHRASE = "let a conversation be duplicated under another identifier"


@needs_weights
@pytest.mark.parametrize("scoring", ["default", "classic"])
def test_k9_implementing_ranks_above_running_by_meaning_too(archive: Archive, scoring: str) -> None:
    """The prompt that only ran the command is the nearest text of all, and counts half, with its answer."""
    two(archive)
    archive.json("index", "update")
    found = archive.json("fork", "detect", TASK, "--all", "--scoring", scoring)
    assert [one["session_id"] for one in found["results"]] == [A, B]
    assert (found["mode"], found["why"], found["coverage"]) == ("hybrid", None, 1.0)
    nearest = max((text for one in found["results"] for text in one["evidence"] if text["by"] == "meaning"), key=lambda text: text["strength"])
    assert nearest["bare_command"] is True


@needs_weights
def test_a_task_in_other_words_is_found_by_meaning_alone(archive: Archive) -> None:
    """Words alone do not lead to it."""
    two(archive)
    archive.write(archive.claude_path("cccccccc-0000-4000-8000-000000000003"), claude(300, "cccccccc-0000-4000-8000-000000000003", "Bake bread"),
                  answer(301, "cccccccc-0000-4000-8000-000000000003", "Flour, water, salt.", "m9"))  # fmt: skip
    archive.ingest()
    assert archive.json("fork", "detect", PARAPHRASE, "--all")["results"] == []
    archive.json("index", "update")
    found = archive.json("fork", "detect", PARAPHRASE, "--all")["results"]
    assert [one["session_id"] for one in found] == [A]
    assert found[0]["parts"]["semantic"] > 0.4


@needs_weights
def test_k18_migrate_indexes_as_well(archive: Archive) -> None:
    """One command, and search by meaning works; again, nothing is embedded twice."""
    two(archive)
    root = f"claude={archive.folder / '.claude'}"
    first, again = archive.json("migrate", "--root", root), archive.json("migrate", "--root", root)
    assert first["index"]["embedded"] > 0
    assert (again["index"]["embedded"], again["why_no_index"]) == (0, None)
    assert archive.json("index")["state"] == "ready"
