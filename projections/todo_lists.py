"""What the todo tools of the hosts leave open: a whole list at a time, or one item after the other. Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any

TODO_TOOLS = re.compile(r"todo|^Task(?:Create|Update)$|update_plan", re.IGNORECASE)
IS_TODO_TOOL = "(name LIKE '%todo%' OR name IN ('TaskCreate', 'TaskUpdate') OR name LIKE '%update_plan%')"
"""The same as SQL, for a column `name`."""
LISTS = ("todos", "plan", "items")
TEXTS = ("content", "step", "subject", "description", "title")
DONE = ("completed", "done", "cancelled", "deleted")


def todos(calls: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the items that are open after *calls* (tool, input, whether it failed, and more): the last whole list, with later single changes."""
    items: dict[str, tuple[str, str]] = {}
    for name, given, is_error, *_ in calls:
        if not name or is_error or not TODO_TOOLS.search(name):
            continue
        value = _object(given)
        whole = next((value[key] for key in LISTS if isinstance(value.get(key), list)), None)
        if whole is not None:
            items = {}
        for item in [value] if whole is None else whole:
            if isinstance(item, dict):
                _take(items, item)
    return [text for text, status in items.values() if status not in DONE]


def _take(items: dict[str, tuple[str, str]], item: dict[str, Any]) -> None:
    """Add an item, or change the one of its id."""
    text = next((item[key] for key in TEXTS if isinstance(item.get(key), str)), None)
    key = str(item.get("taskId") or item.get("id") or len(items) + 1)
    if text or key in items:
        items[key] = (text or items[key][0], str(item.get("status") or "pending"))


def _object(given: str | None) -> dict[str, Any]:
    try:
        value = json.loads(given) if given else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
