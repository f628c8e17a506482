"""Chains of sessions: which one goes on from which, what is the newest of a chain and what the oldest. Pure.

The **head** of a chain is the newest session, from which nothing goes on; the **tail** is the oldest, which goes on from
nothing. A session that was forked twice has two heads. Sub-agents are no part of a chain.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

POSITIONS = ("head", "middle", "tail", "alone")
SUBAGENT = "subagent"


class Link(NamedTuple):
    """A session that goes on from another one."""

    child: str
    parent: str
    kind: str
    """`resume`, `fork` or `clear`."""
    evidence: str
    at: str | None


class Member(NamedTuple):
    """A session of a chain."""

    session_id: str
    position: str
    """`head`, `middle`, `tail`, or `alone` where it has no link."""
    depth: int
    """Links between it and the tail."""
    continued_from: tuple[str, ...]
    continued_as: tuple[str, ...]


class Lineage:
    """The links between sessions, for questions in both directions."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.parents: dict[str, list[str]] = {}
        self.children: dict[str, list[str]] = {}
        self.links: dict[tuple[str, str], Link] = {}
        for link in sorted(links, key=lambda one: (one.at or "", one.child, one.parent)):
            if link.kind == SUBAGENT or link.child == link.parent:
                continue
            if (link.child, link.parent) not in self.links:
                self.parents.setdefault(link.child, []).append(link.parent)
                self.children.setdefault(link.parent, []).append(link.child)
            self.links[link.child, link.parent] = link

    def position(self, session_id: str) -> str:
        """Return where a session stands in its chain."""
        has_parent, has_child = session_id in self.parents, session_id in self.children
        if has_parent:
            return "middle" if has_child else "head"
        return "tail" if has_child else "alone"

    def heads(self, session_id: str) -> list[str]:
        """Return the newest sessions that go on from this one, itself where none does."""
        return [one for one in [session_id, *self._below(session_id)] if one not in self.children]

    def chain(self, session_id: str) -> list[Member]:
        """Return all sessions of the chain, each after those it goes on from."""
        members = self._connected(session_id)
        depths = self._depths(members)
        return [
            Member(one, self.position(one), depths[one], tuple(self.parents.get(one, ())), tuple(self.children.get(one, ())))
            for one in sorted(members, key=lambda one: (depths[one], self._since(one), one))
        ]

    def _since(self, session_id: str) -> str:
        return min((self.links[session_id, parent].at or "" for parent in self.parents.get(session_id, ())), default="")

    def _below(self, session_id: str) -> list[str]:
        found, waiting = {session_id: None}, [session_id]
        while waiting:
            for child in self.children.get(waiting.pop(), ()):
                if child not in found:
                    found[child] = None
                    waiting.append(child)
        return list(found)[1:]

    def _connected(self, session_id: str) -> Sequence[str]:
        found, waiting = {session_id: None}, [session_id]
        while waiting:
            one = waiting.pop()
            for other in (*self.parents.get(one, ()), *self.children.get(one, ())):
                if other not in found:
                    found[other] = None
                    waiting.append(other)
        return list(found)

    def _depths(self, members: Sequence[str]) -> dict[str, int]:
        """Return the longest way from a tail to each; sessions that name each other in a circle end it."""
        depths: dict[str, int] = {}

        def depth(one: str, above: frozenset[str]) -> int:
            if one not in depths:
                known = [parent for parent in self.parents.get(one, ()) if parent not in above]
                depths[one] = max((depth(parent, above | {one}) + 1 for parent in known), default=0)
            return depths[one]

        for one in members:
            depth(one, frozenset())
        return depths
