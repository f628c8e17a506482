"""The lines of the inbox about handoff bundles: saved, continued, removed, loaded."""

from collections.abc import Callable, Iterator
from typing import Any

from ingest.fields import number_of, text_of, texts_of
from journal import jsontext
from journal.domain import DomainEvent, JsonObject
from journal.own_events import HandoffAnchor, HandoffBundleSaved, HandoffContinued, HandoffFile, HandoffLoaded, HandoffParts, HandoffsRemoved, HandoffStatement

VERBS = ("delete", "prune", "undelete")


def _bundle(record: JsonObject) -> Iterator[DomainEvent]:
    name = text_of(record.get("handoff_id"))
    if not name:
        return
    score = record.get("score")
    yield HandoffBundleSaved(
        name, text_of(record.get("chain_id")) or name, text_of(record.get("replaces")), text_of(record.get("title")) or "",
        text_of(record.get("purpose")) or "", text_of(record.get("root")), text_of(record.get("root_commit")), text_of(record.get("remote")),
        text_of(record.get("branch")), text_of(record.get("head")), texts_of(record.get("dirty")),
        texts_of(record.get("tags")), float(score) if isinstance(score, int | float) and 0 <= score <= 1 else 0.0,
        text_of(record.get("rating")) or "weak", _json_object(record.get("dimensions")),
        texts_of(record.get("warnings")), _parts(record), texts_of(record.get("merges")), _json_object(record.get("facts")),
    )  # fmt: skip


def _more(record: JsonObject) -> Iterator[DomainEvent]:
    if name := text_of(record.get("handoff_id")):
        yield HandoffContinued(name, _parts(record))


def _parts(record: JsonObject) -> HandoffParts:
    statements = tuple(
        HandoffStatement(str(row.get("id")), str(row.get("kind")), str(row.get("text")), texts_of(row.get("details")), text_of(row.get("origin")))
        for row in _objects(record.get("statements"))
    )
    files = tuple(HandoffFile(str(row.get("name")), number_of(row.get("number")) or 1, str(row.get("text"))) for row in _objects(record.get("files")))
    return HandoffParts(statements, anchors_in(record), files, number_of(record.get("first_statement")) or 1, number_of(record.get("first_anchor")) or 1)


def anchors_in(record: JsonObject) -> tuple[HandoffAnchor, ...]:
    """Return the anchors that a line of the inbox holds."""
    return tuple(
        HandoffAnchor(
            str(row.get("statement") or ""), str(row.get("locator")), str(row.get("kind")), str(row.get("path")), number_of(row.get("start")),
            number_of(row.get("end")), text_of(row.get("symbol")), text_of(row.get("reason")), jsontext.dumps(row["shape"]) if row.get("shape") else None,
        )
        for row in _objects(record.get("anchors"))
    )  # fmt: skip


def _removed(record: JsonObject) -> Iterator[DomainEvent]:
    names, verb = texts_of(record.get("handoff_ids")), text_of(record.get("verb"))
    if names and verb in VERBS:
        yield HandoffsRemoved(names, verb)


def _loaded(record: JsonObject) -> Iterator[DomainEvent]:
    if name := text_of(record.get("handoff_id")):
        yield HandoffLoaded(name, number_of(record.get("tokens")) or 0, number_of(record.get("source_tokens")) or 0)


def _objects(value: Any) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _json_object(value: Any) -> str:
    return jsontext.dumps(value if isinstance(value, dict) else {})


READERS: dict[str, Callable[[JsonObject], Iterator[DomainEvent]]] = {
    "journal.handoff_bundle": _bundle,
    "journal.handoff_more": _more,
    "journal.handoffs_removed": _removed,
    "journal.handoff_loaded": _loaded,
}
