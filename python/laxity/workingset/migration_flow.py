# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A program as migration points see it: blocks, loops with bounds, calls; and orders over them.

Lengths are in any one unit: executed instructions, or time where one per block is known.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


class UnsupportedFlow(ValueError):  # noqa: N818 - a finding about the program, not a failure
    """Control flow for which no distance can be told; its text says what, and where."""


@dataclass(frozen=True, slots=True)
class Run:
    """Steps that are executed one after the other, `length` in the unit of distances."""

    length: int


@dataclass(frozen=True, slots=True)
class Point:
    """A candidate: the task may be made to migrate here."""

    number: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of `callees`; `may_be_outside`: or of a function that is no part of the flow.

    The instruction that calls is in a `Run` before it.
    """

    callees: tuple[str, ...]
    may_be_outside: bool = False


Item = Run | Point | Call


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block; `ends`: the program ends behind it, or nothing tells that it goes on."""

    items: tuple[Item, ...]
    successors: tuple[str, ...]
    returns: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: `blocks` with those of inner loops, `parent` "" at the outermost.

    `most_back_edges`: each time it is entered; None: nothing bounds it.
    """

    parent: str
    blocks: frozenset[str]
    most_back_edges: int | None


@dataclass(frozen=True, slots=True)
class Function:
    """Blocks by name, loops by the name of their header."""

    entry: str
    blocks: Mapping[str, Block]
    loops: Mapping[str, Loop]


@dataclass(frozen=True, slots=True)
class Flow:
    """A program: what `root` calls, directly or not, must be among `functions`."""

    root: str
    functions: Mapping[str, Function]


def points_of(function: Function) -> frozenset[int]:
    """Return the numbers of the candidates of a function."""
    return frozenset(
        item.number
        for block in function.blocks.values()
        for item in block.items
        if isinstance(item, Point)
    )


def callees_first(flow: Flow) -> list[str]:
    """List the functions that the root reaches, callees before callers.

    Raises:
        UnsupportedFlow: One calls itself, directly or not.
    """
    done: list[str] = []
    state: dict[str, bool] = {}
    stack = [(flow.root, iter(sorted(callees_of(flow.functions[flow.root]))))]
    state[flow.root] = True
    while stack:
        name, callees = stack[-1]
        callee = next(callees, None)
        if callee is None:
            state[name] = False
            done.append(name)
            stack.pop()
        elif state.get(callee):
            msg = f"{callee} is recursive, and nothing says how deep"
            raise UnsupportedFlow(msg)
        elif callee not in state:
            state[callee] = True
            stack.append((callee, iter(sorted(callees_of(flow.functions[callee])))))
    return done


def callees_of(function: Function) -> set[str]:
    """Name the functions that a function calls itself."""
    return set[str]().union(*(callees_of_block(one) for one in function.blocks.values()))


def callees_of_block(block: Block) -> set[str]:
    """Name the functions that a block calls."""
    return {one for item in block.items if isinstance(item, Call) for one in item.callees}


def _innermost(function: Function) -> dict[str, str]:
    """Name the innermost loop of each block."""
    found = dict.fromkeys(function.blocks, "")
    for header, loop in sorted(function.loops.items(), key=lambda one: -len(one[1].blocks)):
        found.update(dict.fromkeys(loop.blocks, header))
    return found


def _forward_order(name: str, function: Function) -> list[str]:
    """Order the blocks that the entry reaches so that all but back edges go forward."""
    done: list[str] = []
    is_open: dict[str, bool] = {function.entry: True}
    stack = [(function.entry, iter(function.blocks[function.entry].successors))]
    while stack:
        block, successors = stack[-1]
        successor = next(successors, None)
        if successor is None:
            is_open[block] = False
            done.append(block)
            stack.pop()
        elif _is_back_edge(function, block, successor):
            continue
        elif is_open.get(successor):
            msg = f"{name} has a loop with several entries, at block {successor}"
            raise UnsupportedFlow(msg)
        elif successor not in is_open:
            is_open[successor] = True
            stack.append((successor, iter(function.blocks[successor].successors)))
    return done[::-1]


def _is_back_edge(function: Function, block: str, successor: str) -> bool:
    """Tell whether an edge goes from inside a loop to its header."""
    return successor in function.loops and block in function.loops[successor].blocks


@dataclass(frozen=True, slots=True)
class Region:
    """What one pass over a loop's body, or over a function, goes through.

    Attributes:
        order: Parts so that edges only go forward: a block that is in no inner loop, or the header
            of an inner loop for all of it. The entry is the first.
        stays: Blocks that an edge may lead to and the pass goes on.
        leaves: Blocks outside that it may lead to.
        loops: Plans of inner loops by header.
    """

    order: tuple[str, ...]
    stays: frozenset[str]
    leaves: frozenset[str]
    loops: Mapping[str, "LoopPlan"]


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """How a loop is gone through; a pass is from its header on.

    Attributes:
        again: A pass that comes to the header again.
        last: One that leaves the loop to where its surroundings can go on; None: none can.
    """

    header: str
    most_back_edges: int | None
    again: Region
    last: Region | None


def plan_of(name: str, function: Function, ending: Collection[str]) -> Region:
    """Plan how a function is gone through.

    When a loop's bound is used up its last pass must leave it: what cannot is no path. Otherwise a
    point that no run comes to any more would make distances longer. A call in which the program may
    end is taken for a way out even where its return is none: distances are then too large at most.

    Args:
        name: For messages.
        function: The function.
        ending: Functions in which the program may end, or stay for ever.

    Raises:
        UnsupportedFlow: A loop is entered elsewhere than at its header.
    """
    return _Planner(function, _forward_order(name, function), ending).whole()


def endless_loops(function: Function) -> set[str]:
    """Name the loops that nothing bounds by their headers; a run may stay in them."""
    return {header for header, loop in function.loops.items() if loop.most_back_edges is None}


class _Planner:
    def __init__(self, function: Function, forward: list[str], ending: Collection[str]) -> None:
        self._function = function
        self._forward = forward
        self._innermost = _innermost(function)
        self._ends = {
            name
            for name, block in function.blocks.items()
            if block.ends or callees_of_block(block) & set(ending)
        } | endless_loops(function)

    def whole(self) -> Region:
        blocks = frozenset(self._function.blocks)
        return self._region("", blocks, frozenset(), blocks)

    def _region(
        self, header: str, stays: frozenset[str], leaves: frozenset[str], around: frozenset[str]
    ) -> Region:
        """Make a pass over the blocks that it may come to; inner loops go on at those of around."""
        loops = self._function.loops
        inner = [one for one in loops if loops[one].parent == header and one in stays]
        parts = [one for one in self._forward if one in stays and self._is_part(one, header)]
        if header:
            parts.insert(0, header)
        plans = {one: self._loop(one, around) for one in inner if one in parts}
        return Region(tuple(parts), stays, leaves, plans)

    def _is_part(self, block: str, header: str) -> bool:
        if block == header:
            return False
        loop = self._function.loops.get(block)
        return self._innermost[block] == header or (loop is not None and loop.parent == header)

    def _loop(self, header: str, around: frozenset[str]) -> LoopPlan:
        loop = self._function.loops[header]
        again = self._region(header, loop.blocks, frozenset(), loop.blocks)
        leaves = around - loop.blocks
        finishing = self._finishing(header, leaves)
        last = None
        if header in finishing:
            last = self._region(header, finishing, leaves, finishing - {header} | leaves)
        return LoopPlan(header, loop.most_back_edges, again, last)

    def _finishing(self, header: str, leaves: frozenset[str]) -> frozenset[str]:
        """Return the blocks of a loop that lead out of it without coming to its header again."""
        blocks = self._function.blocks
        inside = self._function.loops[header].blocks
        found = {one for one in inside if one in self._ends or leaves & set(blocks[one].successors)}
        waiting = list(found)
        before: dict[str, list[str]] = {}
        for one in inside:
            for successor in blocks[one].successors:
                before.setdefault(successor, []).append(one)
        while waiting:
            one = waiting.pop()
            if one == header:
                continue
            fresh = [other for other in before.get(one, ()) if other not in found]
            found.update(fresh)
            waiting += fresh
        return frozenset(found)
