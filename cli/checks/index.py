"""Checks of the index for search by meaning."""

import os

from cli.amounts import counted
from cli.checks import Finding, Outcome, Scene

UPDATE = "journal index update"


def sound(scene: Scene) -> Outcome:
    """The index, where there is one, is whole and of the model in force."""
    if not os.path.exists(os.path.join(scene.home.index, "vectors.faiss")):
        return Outcome("there is no index; search is by words")
    from cli.index.commands import state_of

    state = state_of(scene.settings)
    looked_at = f"{counted(state.vectors, 'vector')} of {state.model or 'no model'}, {state.coverage:.0%} of {counted(state.texts, 'text')}"
    if state.state == "damaged":
        return Outcome(looked_at, (Finding("index", "warning", "the index is damaged; search is by words until it is made again from the vectors",
                                           state.why, UPDATE),))  # fmt: skip
    if state.state == "stale":
        return Outcome(looked_at, (Finding("index", "warning", "the index is of another model; search is by words", state.why, UPDATE),))
    if state.state == "no model":
        return Outcome(looked_at, (Finding("index", "warning", "there is an index and no model to search it with", state.why, "journal index status"),))
    return Outcome(looked_at)
