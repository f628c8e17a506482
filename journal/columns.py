"""What every column of the log means: the documentation of `journal.db` as data, which pages, listings and tests read.

A line reads `name | type | unit | meaning`; the types are those of the tables themselves, and a test compares them.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Column(NamedTuple):
    """One documented column."""

    name: str
    type: str
    """SQLite's type, such as INTEGER."""
    unit: str
    """What the value counts or is: `tokens`, `bytes`, `UTC` (ISO 8601 text), `0/1`, `JSON`, `id`, `word` (one of a few)."""
    meaning: str


class Table(NamedTuple):
    """One documented table or SQL view."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


def documented(texts: Mapping[str, str]) -> Mapping[str, Table]:
    """Return the tables that *texts* document: the first line of each says what a row is, each other line is a column."""
    tables = {}
    for name, text in texts.items():
        meaning, *lines = text.strip().splitlines()
        columns = tuple(Column(*(part.strip() for part in line.split("|", 3))) for line in lines)
        tables[name] = Table(name, meaning, columns)
    return tables


LOG = documented({
    "events": """One line of a source, or one version of a whole-file document: what was seen, never changed.
        global_position | INTEGER | number | the place in the log, rising; it carries no meaning between sources
        source_id | INTEGER | id | the source that the line stands in (`sources`)
        generation | INTEGER | number | the version of the file, from 0; a rewrite in place gives the next one
        offset_bytes | INTEGER | bytes | where the line begins in that version of the file
        length_bytes | INTEGER | bytes | its length, with the newline
        segment_id | INTEGER | id | where its bytes are kept (`segments`); read them with `record(global_position)`
        type | TEXT | word | a hint for people who query: host and kind, such as `claude.assistant`; no view depends on it
        occurred_at | TEXT | UTC | a hint: the time that the record tells, if any
        recorded_at | TEXT | UTC | when the journal read the line
        damage | TEXT | text | NULL, or how the line differs from exactly one JSON object
        hash | BLOB | hash | SHA-256 of the chain up to here, over each event's salted hash
        event_id | TEXT | id | `source_id.generation.offset_bytes`: the same for the same line, however often it is read""",
    "sources": """One transcript, side file or inbox file that was read.
        source_id | INTEGER | id | the source's number in this log
        host | TEXT | word | `claude`, `codex`, `gemini`, `copilot`, or `journal` for the inbox
        machine | TEXT | text | the name of the machine that it was read on
        native_id | TEXT | id | the session that the host's path or first line names; empty for side files
        path | TEXT | path | where it lies, or lay last
        shape | TEXT | word | `lines`, or `document` where a whole file is one event
        generation | INTEGER | number | the version that is read now
        state | TEXT | word | `live`, `moved`, `gone` or `compressed`
        dev | INTEGER | id | device, as the file system last told
        inode | INTEGER | id | inode, as the file system last told
        size | INTEGER | bytes | size, as the file system last told
        mtime_ns | INTEGER | ns since 1970 | last change of the content
        ctime_ns | INTEGER | ns since 1970 | last change of content, name or rights
        first_seen_at | TEXT | UTC | when the journal first saw it
        changed_at | TEXT | UTC | when the journal last saw it changed""",
    "offsets": """How far each source has been read, and how a changed beginning is noticed.
        source_id | INTEGER | id | the source
        generation | INTEGER | number | the version that was read
        offset_bytes | INTEGER | bytes | the byte after the last line that is in the log
        head_hash | BLOB | hash | of the first bytes that were read
        tail_hash | BLOB | hash | of the last bytes that were read
        windows_hash | BLOB | hash | of fixed windows between them""",
    "segments": """Bytes of consecutive whole lines of one source and generation, kept once.
        segment_id | INTEGER | id | the segment's number
        source_id | INTEGER | id | the source that the bytes come from
        generation | INTEGER | number | the version of the file
        offset_bytes | INTEGER | bytes | where they begin in it
        length_bytes | INTEGER | bytes | how many they are before compression
        codec | TEXT | word | `zstd`, `parts` (hashes of the `parts` that make up a document), or `within` (kept in another segment)
        seed | BLOB | bytes | the salt of its events' hashes
        data | BLOB | bytes | the compressed bytes, or what the codec names instead""",
    "parts": """A piece of a whole-file document, kept once however many versions hold it.
        part_hash | BLOB | hash | SHA-256 of the piece
        data | BLOB | bytes | the piece, compressed with zstd""",
    "log_meta": """One fact about this log.
        key | TEXT | word | `log_id` (random, for ever the same), `machine` (where it was made), `forget_secret` (makes keyed hashes) or `forget_unfinished`
        value | TEXT | text | the fact""",
    "tombstones": """An event that was forgotten: its bytes are blank, or in a whole-file document `null` in places.
        global_position | INTEGER | number | the event
        line_key | BLOB | hash | keyed hash of the bytes that its file had there""",
    "forgotten": """A keyed hash of what was forgotten and does not come in again.
        key | BLOB | hash | BLAKE2 under `forget_secret`
        kind | TEXT | word | `line`, `record` (a native id), `session` (has records with ids of its own) or `phrase` (words of a text)
        words | INTEGER | number | of a phrase: how many words it has
        first_chars | INTEGER | characters | of a phrase: the length of its first word
        chars | INTEGER | characters | of a phrase: its length
        anchor_chars | INTEGER | characters | of a phrase: the length of its longest run of ASCII letters, digits and underscores, if it has any
        anchor | INTEGER | number | of a phrase: one byte of the keyed hash of that run, by which most lines are passed over""",
    "kept_hashes": """The hashes of an event whose segment lost its salt, since something in the segment was forgotten.
        global_position | INTEGER | number | the event
        content_hash | BLOB | hash | the one that the chain was made with; NULL where the event's type was forgotten as well
        own_hash | BLOB | hash | of what stands there now, under the segment's new salt""",
    "alembic_version": """The version of the log's own schema.
        version_num | VARCHAR(32) | id | the last migration that ran""",
})  # fmt: skip
