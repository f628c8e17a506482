"""What a response costs the view of the context's history does not grow with the session."""

import sqlite3

from projections.catalog import PROJECTIONS
from projections.context_history import REPEATED
from projections.runner import create
from projections.search import register_functions


def test_a_response_looks_only_at_its_own_earlier_figures() -> None:
    """The statement that takes earlier figures of a response away finds them by an index that holds the response's id."""
    views = sqlite3.connect(":memory:")
    register_functions(views)
    create(views, PROJECTIONS)
    plan = views.execute(f"EXPLAIN QUERY PLAN {REPEATED}", ("s", "k", 0, "r", 1)).fetchall()
    assert [row[3].partition(" (")[2] for row in plan] == ["session_id=? AND source_key=? AND generation=? AND response_id=? AND offset_bytes<?)"]
