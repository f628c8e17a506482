"""A transcript as JSON: one object, written piece by piece; its schema stands in docs/reference/transcript-json.md."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cli.render import json_text
from projections.transcript import Called, Closed, Item, Opened, Said

NAMES = ("model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "responses")


def pieces(items: Iterable[Item], version: int) -> Iterator[str]:
    """Yield the text of the object; the items stand one a line."""
    nested: list[str] = []
    first = True
    for item in items:
        if isinstance(item, Opened):
            nested.append(str(item.session["session_id"]))
        yield f'{{"schema_version": {version}, "items": [\n' if first else ",\n"
        first = False
        yield json_text({"type": type(item).__name__.lower(), "session_id": nested[-1], **_fields(item)})
        if isinstance(item, Closed):
            nested.pop()
    yield "\n]}\n"


def _fields(item: Item) -> dict[str, Any]:
    """Return an item's fields under the names of the schema."""
    fields = item._asdict()
    if isinstance(item, Opened):
        session = dict(item.session)
        session["models"] = json.loads(session["models"])
        return {"level": item.level, "session": session, "links": [{"kind": kind, "session_id": other} for kind, other in item.links]}
    if isinstance(item, Closed):
        return {"level": item.level, "usage": [dict(zip(NAMES, row, strict=True)) for row in item.models]}
    if isinstance(item, Called):
        fields["edits"] = [edit._asdict() for edit in item.edits]
    if isinstance(item, Called | Said):
        fields["images"] = [{"media_type": image.kind, "data": image.data} for image in item.images]
    return fields
