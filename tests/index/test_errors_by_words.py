"""What a failed call gave back is found by its words, without an index and whatever it is made of."""

import pytest
from archive import Archive, answer, claude
from bags import S1, S2

ERROR = "sqlite3.OperationalError: 100% of /var/lib/x_9 is used (ERR_0x51)\nin acquire_lock"


def failed(archive: Archive) -> None:
    """Ingest a failed call and one that ended well with the same words."""
    for session, is_error in ((S1, True), (S2, False)):
        call = answer(2, session, "", f"m{session[-1]}")
        call["message"]["content"] = [{"type": "tool_use", "id": f"t{session[-1]}", "name": "Bash", "input": {"command": "make"}}]
        result = {"type": "tool_result", "tool_use_id": f"t{session[-1]}", "is_error": is_error, "content": ERROR}
        archive.write(archive.claude_path(session), claude(1, session, "go"), call, claude(3, session, "", message={"role": "user", "content": [result]}))
    archive.ingest()


@pytest.mark.parametrize("query", ["ERR_0x51", "err_0X51", "operationalerror used", "100%", "/var/lib/x_9", '"x_9 is used"', "acquire_lock"])
def test_an_error_is_found_by_its_words(archive: Archive, query: str) -> None:
    """Codes, paths, signs of SQL patterns and phrases, in either case; what went well is not looked through."""
    failed(archive)
    hits = archive.hits(query)
    assert [(hit["session_id"], hit["role"]) for hit in hits] == [(S1, "tool")]
    assert "x_9" in hits[0]["snippet"]


@pytest.mark.parametrize("query", ["xx9", "1000", "ERR_0x52", "acquire lock of nobody"])
def test_a_sign_is_no_pattern(archive: Archive, query: str) -> None:
    """Per cent and underscore stand for themselves, and all words must stand."""
    failed(archive)
    assert archive.hits(query) == []


def test_a_query_of_a_thousand_words_is_no_fault(archive: Archive) -> None:
    """SQLite's limits on expressions are kept."""
    failed(archive)
    assert archive.hits(" ".join(f"word{number}" for number in range(1500))) == []
