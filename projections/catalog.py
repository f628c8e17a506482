"""All projections, in the order in which their rows are written and their sessions settled.

A settle may add more sessions to the internal table `unsettled`: the projections after it settle those as well.
"""

from collections.abc import Iterable

from projections import (
    cards,
    chunks,
    compact_points,
    compactions,
    context_history,
    damage,
    file_changes,
    fixes,
    handoff_bundles,
    handoffs,
    hooks,
    learnings,
    links,
    messages,
    ownership,
    projects,
    raw_records,
    search,
    sessions,
    snapshots,
    strands,
    tool_calls,
    turns,
    usage,
)
from projections.projection import Projection

PROJECTIONS: tuple[Projection, ...] = (
    projects.PROJECTION,
    links.PROJECTION,
    messages.PROJECTION,
    tool_calls.PROJECTION,
    search.PROJECTION,
    file_changes.PROJECTION,
    usage.PROJECTION,
    compactions.PROJECTION,
    context_history.PROJECTION,
    hooks.PROJECTION,
    damage.PROJECTION,
    ownership.PROJECTION,
    turns.PROJECTION,
    strands.PROJECTION,
    sessions.PROJECTION,
    snapshots.PROJECTION,
    compact_points.PROJECTION,
    handoffs.PROJECTION,
    handoff_bundles.PROJECTION,
    learnings.PROJECTION,
    cards.PROJECTION,
    fixes.PROJECTION,
    chunks.PROJECTION,
)
OPTIONAL: tuple[Projection, ...] = (raw_records.PROJECTION,)
"""Those that a setting switches on."""


def in_force(optional: Iterable[str] = ()) -> tuple[Projection, ...]:
    """Return the projections that are kept while the setting names the *optional* ones."""
    return (*PROJECTIONS, *(projection for projection in OPTIONAL if projection.name in optional))
