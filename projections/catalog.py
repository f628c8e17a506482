"""All projections, in the order in which their rows are written and their sessions settled.

A settle may add more sessions to the internal table `unsettled`: the projections after it settle those as well.
"""

from projections import (
    cards,
    compactions,
    context_history,
    damage,
    file_changes,
    handoffs,
    hooks,
    links,
    messages,
    ownership,
    projects,
    search,
    sessions,
    snapshots,
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
    sessions.PROJECTION,
    snapshots.PROJECTION,
    handoffs.PROJECTION,
    cards.PROJECTION,
)
