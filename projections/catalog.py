"""All projections, in the order in which their rows are written and their sessions settled.

A settle may add more sessions to the internal table `unsettled`: the projections after it settle those as well.
"""

from projections import (
    compactions,
    damage,
    file_changes,
    links,
    messages,
    ownership,
    projects,
    search,
    sessions,
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
    damage.PROJECTION,
    ownership.PROJECTION,
    turns.PROJECTION,
    sessions.PROJECTION,
)
