"""What a search may be narrowed to, as conditions on sessions, messages, calls and chunks: filters come before ranking."""

from typing import NamedTuple


class Filters(NamedTuple):
    """What a hit must be of; None lets everything through."""

    project: str | None = None
    """A project; sessions count that worked in it for any of their time."""
    host: str | None = None
    since: str | None = None
    """The earliest moment, as the views write it."""
    path: str | None = None
    """A file that the session changed, or one that a path of it ends with."""
    tool: str | None = None
    """A tool that the session called."""
    session_id: str | None = None
    not_session_id: str | None = None
    """A session that is left out, such as the one that asks."""


NO_FILTERS = Filters()


def session_condition(filters: Filters, session: str) -> tuple[list[str], dict[str, object]]:
    """Return conditions on the column *session* that holds a session's id, and their values."""
    conditions: list[str] = []
    if filters.project is not None:
        conditions.append(f"{session} IN (SELECT session_id FROM session_folders WHERE project = :project)")
    if filters.path is not None:
        conditions.append(f"{session} IN (SELECT session_id FROM file_changes WHERE path = :path OR absolute_path = :path"
                          " OR substr(absolute_path, -length(:path) - 1) = '/' || :path)")  # fmt: skip
    if filters.tool is not None:
        conditions.append(f"{session} IN (SELECT session_id FROM tool_calls WHERE lower(name) = lower(:tool))")
    if filters.host is not None:
        conditions.append(f"{session} IN (SELECT session_id FROM sessions WHERE host = :host)")
    if filters.session_id is not None:
        conditions.append(f"{session} = :session_id")
    if filters.not_session_id is not None:
        conditions.append(f"{session} <> :not_session_id")
    return conditions, filters._asdict()


def place_condition(filters: Filters, alias: str) -> tuple[str, dict[str, object]]:
    """Return one condition on rows with `session_id` and `occurred_at` under *alias*; `1` where everything passes."""
    conditions, values = session_condition(filters, f"{alias}.session_id")
    if filters.since is not None:
        conditions.append(f"{alias}.occurred_at >= :since")
    return " AND ".join(conditions) or "1", values


def chunk_condition(filters: Filters) -> tuple[str, dict[str, object]]:
    """Return the condition on chunks, as `c`."""
    return place_condition(filters, "c")
