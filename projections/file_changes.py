"""The `file_changes` view: each file a tool call changed, with the lines added and removed where the record shows them."""

import posixpath

from journal.domain import FileChanged
from journal.redaction import redact
from projections.projection import Place, Projection, Rows

# A call and its result may both tell the change: the later record, which knows more, wins; unknown figures never do.
# Between sources the smaller key wins.
CHANGE = """INSERT INTO file_changes (session_id, change_key, absolute_path, path, record_id, tool_call_id, operation, lines_added,
    lines_removed, moved_to, evidence, occurred_at, turn_id, source_id, global_position)
VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
ON CONFLICT (session_id, change_key, absolute_path) DO UPDATE SET record_id = excluded.record_id, operation = excluded.operation,
    lines_added = iif(source_id = excluded.source_id, coalesce(excluded.lines_added, lines_added), excluded.lines_added),
    lines_removed = iif(source_id = excluded.source_id, coalesce(excluded.lines_removed, lines_removed), excluded.lines_removed),
    moved_to = iif(source_id = excluded.source_id, coalesce(excluded.moved_to, moved_to), excluded.moved_to),
    evidence = excluded.evidence, occurred_at = excluded.occurred_at,
    turn_id = iif(source_id = excluded.source_id, turn_id, excluded.turn_id), source_id = excluded.source_id,
    global_position = excluded.global_position
WHERE source_id = excluded.source_id OR (SELECT source_key FROM source_keys WHERE source_id = excluded.source_id)
    < (SELECT source_key FROM source_keys WHERE source_id = file_changes.source_id)"""


def _changed(place: Place, event: FileChanged, rows: Rows) -> None:
    path = posixpath.normpath(posixpath.join(place.cwd or "", redact(event.path)))
    moved = posixpath.normpath(posixpath.join(place.cwd or "", redact(event.moved_to))) if event.moved_to else None
    rows.add(CHANGE, (place.session_id, event.tool_call_id or place.record_id, path, place.record_id, event.tool_call_id, event.operation,
                      event.lines_added, event.lines_removed, moved, event.evidence, place.occurred_at, place.turn_id, place.source_id,
                      place.global_position))  # fmt: skip


PROJECTION = Projection(
    name="file_changes",
    version=4,
    tables={
        "file_changes": """CREATE TABLE {name} (session_id TEXT NOT NULL, change_key TEXT NOT NULL, absolute_path TEXT NOT NULL,
            path TEXT NOT NULL, record_id TEXT NOT NULL, tool_call_id TEXT, operation TEXT NOT NULL, lines_added INTEGER,
            lines_removed INTEGER, moved_to TEXT, evidence TEXT NOT NULL, occurred_at TEXT, turn_id TEXT, source_id INTEGER NOT NULL,
            global_position INTEGER NOT NULL, is_copy INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (session_id, change_key, absolute_path)) STRICT"""
    },
    indexes=("CREATE INDEX IF NOT EXISTS file_changes_by_record ON file_changes (record_id)",),
    statements=(CHANGE,),
    handlers={FileChanged: _changed},
    digest={"file_changes": "SELECT session_id, change_key, absolute_path, path, record_id, tool_call_id, operation, lines_added,"
        " lines_removed, moved_to, evidence, occurred_at, turn_id, is_copy FROM file_changes ORDER BY session_id, change_key, absolute_path"},
)
