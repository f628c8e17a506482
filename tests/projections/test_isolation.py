"""A record that a decoder or a projection of ours cannot take is counted with its fault, and nothing else stops."""

import sqlite3
from typing import Any

import pytest
from archive import Archive, claude

from ingest import claude as claude_host
from journal.domain import JsonObject, Occurrence, PromptSubmitted, SourceFacts
from projections import catalog, messages, runner
from projections.projection import Place, Rows

S = "5b0e6f1c-0000-4000-8000-000000000001"


def _faulty_decode(facts: SourceFacts, value: JsonObject, good: Any = claude_host.decode) -> list[Occurrence]:
    if "stumble" in str(value):
        raise KeyError("a shape nobody has seen")
    return good(facts, value)


def _views(archive: Archive) -> list[tuple[Any, ...]]:
    return archive.rows("views.db", "SELECT damage FROM damaged_records ORDER BY offset_bytes")


@pytest.fixture
def archive(tmp_path: Any) -> Archive:
    made = Archive(tmp_path)
    made.write(made.claude_path(S), claude(1, S, "alpha"), claude(2, S, "stumble"), claude(3, S, "omega"))
    return made


def test_a_fault_of_a_decoder_is_damage_of_its_line_only(archive: Archive) -> None:
    """The lines before and after are found, the third is counted."""
    archive.ingest()
    with sqlite3.connect(archive.home / "views.db", isolation_level=None) as views, sqlite3.connect(archive.home / "journal.db") as log:
        views.execute("DELETE FROM checkpoints")
        runner.catch_up(log, views, {"claude": _faulty_decode}, {"claude": 99})
    assert _views(archive) == [("not decoded: KeyError",)]
    assert archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position") == [("alpha",), ("omega",)]


def _stumbling(place: Place, event: PromptSubmitted, rows: Rows) -> None:
    if event.text == "stumble":
        raise TypeError
    messages.PROJECTION.handlers[PromptSubmitted](place, event, rows)


def _unstorable(place: Place, event: PromptSubmitted, rows: Rows) -> None:
    row = (place.session_id, place.record_id, place.ordinal, place.source_id, place.global_position, place.host, "user", "prompt",
           b"bytes" if event.text == "stumble" else event.text, place.occurred_at, None, None, None, None, None, 0, 1)  # fmt: skip
    rows.add(messages.INSERT, row)


@pytest.mark.parametrize(("handler", "fault"), [(_stumbling, "TypeError"), (_unstorable, "IntegrityError")])
def test_a_fault_of_a_projection_is_told_and_the_other_records_stand(archive: Archive, handler: Any, fault: str) -> None:
    """Whether the handler raises or its row cannot be stored, the other records of the batch are in the views."""
    archive.ingest()
    faulty = messages.PROJECTION._replace(handlers={**messages.PROJECTION.handlers, PromptSubmitted: handler})
    projections = [faulty if projection.name == "messages" else projection for projection in catalog.PROJECTIONS]
    from cli.wiring import decoders
    from journal import reader
    from projections import checkpoint, search

    with sqlite3.connect(archive.home / "views.db", isolation_level=None) as views, sqlite3.connect(archive.home / "journal.db") as log:
        search.register_functions(views)
        decode, versions = decoders()
        runner.create(views, projections)
        head = reader.head(log)
        start = checkpoint.Checkpoint(head.log_id, 0, "", checkpoint.versions_text(versions), checkpoint.projections_text(projections))
        runner.Pass(log, views, decode, projections=projections).run(start, head.position)
    assert _views(archive) == [(f"not projected: PromptSubmitted: {fault}",)]
    assert archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position") == [("alpha",), ("omega",)]
    archive.json("replay")
    assert _views(archive) == []
