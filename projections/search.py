"""Full text: the index over messages and tool inputs, and how a user's words become a query of it."""

import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from projections.projection import Projection
from projections.search_filters import NO_FILTERS, Filters, place_condition

# Scripts without spaces between words: each character is a token of its own, and a query of them is a phrase. Compiled where it is first
# used (2 ms).
_UNSPACED = "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002ffff])"
QUERY_PART = re.compile(r'"([^"]*)"|(\S+)')
TOKEN = re.compile(r"\w", re.UNICODE)
_SNIPPET_CHARS = 160
_DEFAULT_LIMIT = 20


def spaced(text: str | None) -> str:
    """Put spaces around the characters of scripts that have none between words."""
    if text is None:
        return ""
    return text if text.isascii() else re.sub(_UNSPACED, r" \1 ", text)


def register_functions(views: sqlite3.Connection) -> None:
    """Give a connection that writes views the SQL function that the full-text triggers call."""
    views.create_function("journal_spaced", 1, spaced, deterministic=True)


def _index(column: str, table: str) -> str:
    # The index stands without a copy of the text; snippets are cut from the view's own row.
    return f"CREATE VIRTUAL TABLE {{name}} USING fts5({column}, content='{table}', content_rowid='rowid')"


def _triggers(table: str, index: str, column: str) -> dict[str, str]:
    add = f"INSERT INTO {index}(rowid, {column}) VALUES (new.rowid, journal_spaced(new.{column}));"
    drop = f"INSERT INTO {index}({index}, rowid, {column}) VALUES ('delete', old.rowid, journal_spaced(old.{column}));"
    changed = f"WHEN old.{column} IS NOT new.{column}"
    return {
        f"{index}_add": f"CREATE TRIGGER {{name}} AFTER INSERT ON {table} BEGIN {add} END",
        f"{index}_drop": f"CREATE TRIGGER {{name}} AFTER DELETE ON {table} BEGIN {drop} END",
        f"{index}_change": (
            f"CREATE TRIGGER {{name}} AFTER UPDATE OF {column} ON {table} {changed} BEGIN {drop} {add} END"
        ),
    }


PROJECTION = Projection(
    name="search",
    version=1,
    tables={
        "messages_fts": _index("text", "messages"),
        **_triggers("messages", "messages_fts", "text"),
        "tool_calls_fts": _index("input_text", "tool_calls"),
        **_triggers("tool_calls", "tool_calls_fts", "input_text"),
    },
    indexes=(),
    statements=(),
    handlers={},
)


class Hit(NamedTuple):
    """One place where a query's words stand."""

    session_id: str
    record_id: str
    host: str
    project: str | None
    kind: str
    """A message's kind, or `tool` for the input of a tool call."""
    occurred_at: str | None
    score: float
    snippet: str


def match_expression(query: str) -> str:
    """Turn what a user typed into an FTS5 query: every word or quoted part is a phrase, all must stand."""
    phrases = []
    for quoted, word in QUERY_PART.findall(query):
        part = spaced(quoted or word)
        if TOKEN.search(part):
            phrases.append('"' + part.replace('"', " ").replace("\0", " ") + '"')
    return " ".join(phrases)


_MESSAGES = """SELECT m.session_id, m.record_id, m.host, s.project, m.kind, m.occurred_at, f.rank, m.text
FROM messages_fts AS f JOIN messages AS m ON m.message_rowid = f.rowid
LEFT JOIN sessions AS s ON s.session_id = m.session_id
WHERE messages_fts MATCH :match AND (:everything OR (m.is_copy = 0 AND m.kind IN ('prompt', 'answer', 'summary')
  AND m.dropped_by IS NULL))
  AND {condition}
ORDER BY f.rank, m.occurred_at DESC, m.session_id, m.record_id LIMIT :limit"""
_TOOL_CALLS = """SELECT t.session_id, t.record_id, s.host, s.project, 'tool', t.occurred_at, f.rank, t.input_text
FROM tool_calls_fts AS f JOIN tool_calls AS t ON t.rowid = f.rowid
LEFT JOIN sessions AS s ON s.session_id = t.session_id
WHERE tool_calls_fts MATCH :match AND (:everything OR t.is_copy = 0)
  AND {condition}
ORDER BY f.rank, t.occurred_at DESC, t.session_id, t.record_id LIMIT :limit"""


_ERRORS = """SELECT t.session_id, t.record_id, s.host, s.project, 'tool', coalesce(t.returned_at, t.occurred_at), 0, t.output_excerpt
FROM tool_calls AS t INDEXED BY tool_calls_failed LEFT JOIN sessions AS s ON s.session_id = t.session_id
WHERE t.is_error = 1 AND (:everything OR t.is_copy = 0) AND t.output_excerpt IS NOT NULL AND {condition} AND {words}
ORDER BY t.occurred_at DESC, t.session_id, t.record_id LIMIT :limit"""
"""What failed calls gave back: few and short, so that they are looked through without an index of their words."""
_ERROR_SCORE = 2.0
"""For each word that stands in an error: most errors are looked for by all of their words."""


_MOST_NEEDLES = 50


def containing(column: str, needles: Sequence[str], *, any_of: bool = False) -> tuple[str, dict[str, object]]:
    """Return the condition that all (or any) of the folded *needles* stand in *column*, ASCII letters in either case, and its values."""
    values: dict[str, object] = {
        f"needle_{number}": "%" + needle.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%" for number, needle in enumerate(needles)
    }
    parts = [f"{column} LIKE :{name} ESCAPE '\\'" for name in values]
    return f"({(' OR ' if any_of else ' AND ').join(parts)})" if parts else "0", values


def search(
    views: sqlite3.Connection,
    query: str,
    *,
    project: str | None = None,
    everything: bool = False,
    limit: int = _DEFAULT_LIMIT,
    filters: Filters = NO_FILTERS,
) -> list[Hit]:
    """Find the places where all words of *query* stand, best first; *everything* adds copies, thoughts and notices.

    *project* goes before that of the *filters*.
    """
    match = match_expression(query)
    if not match or limit <= 0:
        return []
    if project is not None:
        filters = filters._replace(project=project)
    needles = needles_of(query)
    hits = [
        Hit._make((*row[:6], -row[6], snippet(row[7], needles)))
        for statement, alias in ((_MESSAGES, "m"), (_TOOL_CALLS, "t"))
        for condition, values in (place_condition(filters, alias),)
        for row in views.execute(statement.format(condition=condition), {**values, "match": match, "everything": everything, "limit": limit})
    ]
    condition, values = place_condition(filters, "t")
    words, wanted = containing("t.output_excerpt", needles[:_MOST_NEEDLES])
    asked = {**values, **wanted, "everything": everything, "limit": limit}
    hits += [
        Hit._make((*row[:6], _ERROR_SCORE * len(needles), snippet(row[7], needles)))
        for row in views.execute(_ERRORS.format(condition=condition, words=words), asked)
    ]
    hits.sort(key=lambda hit: (hit.session_id, hit.record_id))
    hits.sort(key=lambda hit: hit.occurred_at or "", reverse=True)  # of equal ones the newest first, as the limit cuts
    hits.sort(key=lambda hit: -hit.score)
    return hits[:limit]


def needles_of(query: str) -> list[str]:
    """Return the words and quoted parts of a query, folded."""
    return [(quoted or word).casefold() for quoted, word in QUERY_PART.findall(query)]


def snippet(text: str, needles: list[str]) -> str:
    """Cut the stretch around the first needle that stands in *text*, on one line."""
    folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    found = [place for needle in needles if (place := folded.find(needle)) >= 0]
    start = max(0, min(found, default=0) - _SNIPPET_CHARS // 4)
    cut = " ".join(text[start : start + _SNIPPET_CHARS].split())
    return ("…" if start else "") + cut + ("…" if start + _SNIPPET_CHARS < len(text) else "")
