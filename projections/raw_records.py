"""The optional view `records`: every record of every source as JSON, for `data ->> '$.…'` in stock tools.

It costs the size of the transcripts, so that it is off unless the setting `views.records` is on. Text in it is redacted like
that of all views; the JSON is written anew, so that spaces are not the host's.
"""

import json
from typing import NamedTuple

from journal.domain import JsonObject, Occurrence
from projections.projection import Place, Projection, Rows
from projections.redacted import redacted


class RecordRead(NamedTuple):
    """One record of a line, as it was read; the runner's own event, told only where this view is on."""

    number: int
    value: JsonObject


RECORD = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def occurrences(values: tuple[JsonObject, ...]) -> list[Occurrence]:
    """Return an occurrence for each record of a line."""
    # A domain event it is none: no decoder yields it, and no other projection sees it.
    return [Occurrence((RecordRead(number, value),)) for number, value in enumerate(values)]  # type: ignore[arg-type]


def _read(place: Place, event: RecordRead, rows: Rows) -> None:
    data = json.dumps(redacted(event.value), ensure_ascii=False, separators=(",", ":"))
    rows.add(RECORD, (place.global_position, event.number, place.host, place.session_id, place.source_id, place.generation, place.offset_bytes,
                      place.occurred_at, data))  # fmt: skip


PROJECTION = Projection(
    name="records",
    version=2,
    tables={
        "records": """CREATE TABLE {name} (global_position INTEGER NOT NULL, number INTEGER NOT NULL, host TEXT NOT NULL, session_id TEXT NOT NULL,
            source_id INTEGER NOT NULL, generation INTEGER NOT NULL, offset_bytes INTEGER NOT NULL, occurred_at TEXT, data TEXT NOT NULL,
            PRIMARY KEY (global_position, number)) STRICT"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS records_by_session ON records (session_id)",),
    statements=(RECORD,),
    handlers={RecordRead: _read},
    digest={
        "records": "SELECT host, session_id, generation, offset_bytes, number, occurred_at, data FROM records ORDER BY 1, 2, 3, 4, 5, 7",
    },
    columns={
        "records": """Every record of every source as JSON; only while it is switched on with `journal records on`.
            global_position | INTEGER | number | the line's event in the log
            number | INTEGER | number | its place in the line, from 0; nearly every line holds one record
            host | TEXT | word | the host
            session_id | TEXT | id | the session that the source belongs to; empty for side files
            source_id | INTEGER | id | the source (`sources` of the log)
            generation | INTEGER | number | the version of the file, from 0
            offset_bytes | INTEGER | bytes | where the line begins
            occurred_at | TEXT | UTC | its time, carried forward where the record has none
            data | TEXT | JSON | the record, its strings redacted: `data ->> '$.type'`""",
    },
)
