# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""When a run comes by each candidate, and which are cheapest within a window, pure.

Positions are distances from the start of a run. A candidate has a span of them, and is in every
window that its span touches: a run may come by it there. Of a recorded run: migration_trace.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from laxity.workingset.migration_distance import UNBOUNDED, Distance, Distances
from laxity.workingset.migration_flow import Call, Flow, Point, Run, callees_first

# Function, block, item; a block of "" is the place where a function has returned.
_Node = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Span:
    """No run comes by before `earliest`, nor after `latest`."""

    earliest: Distance
    latest: Distance


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates of a window, the cheapest first.

    Attributes:
        ranked: Numbers of those where what is live has a bound.
        worst_bits: Live at the dearest of all; None: there is none, or it has no bound.
        here_bits: Likewise of those at the middle of the window.
        n_unbounded: How many more there are, without a bound.
    """

    ranked: tuple[int, ...]
    worst_bits: int | None
    here_bits: int | None
    n_unbounded: int = 0


def spans_of(flow: Flow) -> dict[int, Span]:
    """Tell when a run may come by each candidate: by the shortest way to it, and by the longest.

    Candidates that no run comes by are left out.

    Raises:
        UnsupportedFlow: The program has control flow for which no distance can be told.
    """
    latest = Distances(flow).latest()
    from_start = _shortest(_edges(flow), [(flow.root, flow.functions[flow.root].entry, 0)])
    return {
        item.number: Span(from_start[name, block_name, number], latest[item.number])
        for name, one in flow.functions.items()
        for block_name, block in one.blocks.items()
        for number, item in enumerate(block.items)
        if isinstance(item, Point)
        if (name, block_name, number) in from_start and item.number in latest
    }


def rank(
    spans: Mapping[int, Span], sizes: Mapping[int, int | None], first: Distance, last: Distance
) -> Ranking:
    """Rank the candidates of a window by what is live at them.

    Args:
        spans: When a run may come by each.
        sizes: Live bits of each; None: they have no bound, so that it may not be chosen.
        first: Start of the window.
        last: Its end.
    """
    inside = [
        one
        for one, span in spans.items()
        if one in sizes and span.earliest <= last and span.latest >= first
    ]
    middle = (first + last) / 2
    here = [one for one in inside if spans[one].earliest <= middle <= spans[one].latest]
    bounded = [one for one in inside if sizes[one] is not None]
    return Ranking(
        ranked=tuple(sorted(bounded, key=lambda one: (sizes[one] or 0, one))),
        worst_bits=_most([sizes[one] for one in inside]),
        here_bits=_most([sizes[one] for one in here]),
        n_unbounded=len(inside) - len(bounded),
    )


def _most(sizes: Sequence[int | None]) -> int | None:
    """Return the largest; None: there is none, or one of them has no bound."""
    bounded = [one for one in sizes if one is not None]
    return max(bounded, default=None) if len(bounded) == len(sizes) else None


def _edges(flow: Flow) -> dict[_Node, list[tuple[_Node, int]]]:
    """Connect all places; over a call goes an edge as short as its shortest callee."""
    edges: dict[_Node, list[tuple[_Node, int]]] = {}
    through: dict[str, Distance] = {}
    for name in callees_first(flow):
        function = flow.functions[name]
        for block_name, block in function.blocks.items():
            for number, item in enumerate(block.items):
                here, behind = (name, block_name, number), (name, block_name, number + 1)
                following: list[tuple[_Node, int]] = []
                if isinstance(item, Call):
                    lengths = [through[one] for one in item.callees]
                    shortest = min([*lengths, *([0] if item.may_be_outside else [])])
                    if shortest != UNBOUNDED:
                        following.append((behind, int(shortest)))
                    following += [((one, flow.functions[one].entry, 0), 0) for one in item.callees]
                else:
                    following.append((behind, item.length if isinstance(item, Run) else 0))
                edges[here] = following
            targets = [(name, one, 0) for one in block.successors]
            if block.returns:
                targets.append((name, "", 0))
            edges[name, block_name, len(block.items)] = [(one, 0) for one in targets]
        inside = _shortest(edges, [(name, function.entry, 0)])
        through[name] = inside.get((name, "", 0), UNBOUNDED)
    return edges


def _shortest(
    edges: Mapping[_Node, list[tuple[_Node, int]]], starts: Sequence[_Node]
) -> dict[_Node, int]:
    """Return the shortest way from any start to each place (Dijkstra)."""
    found: dict[_Node, int] = {}
    waiting = [(0, one) for one in starts]
    waiting.sort()
    while waiting:
        length, node = heappop(waiting)
        if node in found:
            continue
        found[node] = length
        for target, more in edges.get(node, ()):
            if target not in found:
                heappush(waiting, (length + more, target))
    return found
