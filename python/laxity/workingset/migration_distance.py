# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The largest distance between successive migration points on every path of a program, pure.

A distance is a sum over executed steps, in the unit of their lengths. Paths are those of the
control flow from start to end, or without end: every branch may be taken either way, calls return
to where they were made, and a loop goes back to its header at most as often as its bound says each
time that it is entered.

All distances are longest paths in max-plus algebra: what a block, a loop or a function does to
them is one `_Effect`, and effects are put together along the order of the flow, inner loops and
callees first. So one pass over the code tells all, exactly, without any path being enumerated.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from laxity.workingset.migration_flow import (
    Block,
    Call,
    Flow,
    Function,
    Item,
    LoopPlan,
    Point,
    Region,
    Run,
    callees_first,
    callees_of,
    endless_loops,
    plan_of,
    points_of,
)

# An integer, exact at any size; infinite: nothing bounds it; minus infinite: no such path.
Distance = float
NO_PATH: Distance = float("-inf")
UNBOUNDED: Distance = float("inf")

# Where a path goes on that leaves a function by a return.
_RETURN = ""


@dataclass(frozen=True, slots=True)
class Points:
    """What chosen points do to a program's paths; each is the largest distance of any path.

    Attributes:
        before_first: From the start to the first point.
        between: Between successive points.
        after_last: From the last point to the end.
        without: From start to end of a path that comes by no point.
    """

    before_first: Distance
    between: Distance
    after_last: Distance
    without: Distance

    @property
    def largest(self) -> Distance:
        """The largest of all."""
        return max(self.before_first, self.between, self.after_last, self.without)


@dataclass(slots=True)
class _Effect:
    """What a part of the code does to distances.

    Attributes:
        through: By where a path goes on, from the part's entry, without a point.
        tail: By where it goes on, from the last point inside.
        head: From the entry to the first point.
        inner: Between successive points inside.
        end: From the entry to the end of the program, without a point.
        last: From the last point inside to the end of the program.
    """

    through: dict[str, Distance] = field(default_factory=dict)
    tail: dict[str, Distance] = field(default_factory=dict)
    head: Distance = NO_PATH
    inner: Distance = NO_PATH
    end: Distance = NO_PATH
    last: Distance = NO_PATH

    def add(self, start: Distance, since: Distance, part: "_Effect") -> None:
        """Put a part behind: its entry is reached after `start`, and `since` the last point."""
        if start == since == NO_PATH:
            return
        self.head = max(self.head, plus(start, part.head))
        self.inner = max(self.inner, plus(since, part.head), part.inner)
        self.end = max(self.end, plus(start, part.end))
        self.last = max(self.last, plus(since, part.end), part.last)

    def exit(self, target: str, from_start: Distance, from_point: Distance) -> None:
        """Let paths go on at `target`."""
        self.through[target] = max(self.through.get(target, NO_PATH), from_start)
        self.tail[target] = max(self.tail.get(target, NO_PATH), from_point)


def plus(one: Distance, other: Distance) -> Distance:
    """Join two paths; there is none if either is missing, whatever the other is."""
    return NO_PATH if NO_PATH in {one, other} else one + other


class Distances:
    """Distances of a program under choices of points; answers about functions are kept.

    Raises:
        UnsupportedFlow: Recursion, or loops with several entries.
    """

    def __init__(self, flow: Flow) -> None:
        """Bring functions, and the parts of each, into an order in which they can be joined."""
        self._flow = flow
        self._order = callees_first(flow)
        self._plans: dict[str, Region] = {}
        ending: set[str] = set()
        for name in self._order:
            function = flow.functions[name]
            self._plans[name] = plan_of(name, function, ending)
            ends = any(one.ends for one in function.blocks.values())
            if ends or endless_loops(function) or callees_of(function) & ending:
                ending.add(name)
        self._inside = {name: points_of(flow.functions[name]) for name in self._order}
        self._kept: dict[str, tuple[object, _Effect]] = {}

    def of(self, chosen: frozenset[int]) -> Points:
        """Return the largest distances if these points are chosen, and no others."""
        effects: dict[str, _Effect] = {}
        changed: set[str] = set()
        for name in self._order:
            key = self._inside[name] & chosen
            called = callees_of(self._flow.functions[name])
            kept = self._kept.get(name)
            if kept is not None and kept[0] == key and not called & changed:
                effects[name] = kept[1]
                continue
            passes = _Passes(self._flow.functions[name], chosen, effects)
            effects[name] = passes.region(self._plans[name], "")
            if kept is None or kept[1] != effects[name]:
                changed.add(name)
            self._kept[name] = (key, effects[name])
        root = effects[self._flow.root]
        return Points(
            before_first=root.head,
            between=root.inner,
            after_last=max(root.tail.get(_RETURN, NO_PATH), root.last),
            without=max(root.through.get(_RETURN, NO_PATH), root.end),
        )

    def latest(self) -> dict[int, Distance]:
        """Return the longest way from the start to each candidate that a path comes by."""
        effects: dict[str, _Effect] = {}
        passes: dict[str, _Passes] = {}
        for name in self._order:
            passes[name] = _Passes(self._flow.functions[name], frozenset(), effects)
            effects[name] = passes[name].region(self._plans[name], "")
        entered: dict[str, Distance] = {self._flow.root: 0}
        found: dict[int, Distance] = {}
        # Callers first: only they enter a function.
        for name in reversed(self._order):
            starts: dict[str, Distance] = {}
            passes[name].visit(self._plans[name], "", entered.get(name, NO_PATH), starts)
            for block, start in starts.items():
                items = self._flow.functions[name].blocks[block].items
                _visit_items(items, start, effects, entered, found)
        return found


def _visit_items(
    items: Iterable[Item],
    start: Distance,
    callees: Mapping[str, _Effect],
    entered: dict[str, Distance],
    found: dict[int, Distance],
) -> None:
    """Go through a block that is come to after `start`; note candidates, and callees entered."""
    for item in items:
        if start == NO_PATH:
            return  # behind a call that does not return
        if isinstance(item, Run):
            start += item.length
        elif isinstance(item, Point):
            found[item.number] = start
        else:
            for callee in item.callees:
                entered[callee] = max(entered.get(callee, NO_PATH), start)
            start = plus(start, _call_effect(item, callees).through[_RETURN])


class _Passes:
    """Effects of the parts of one function."""

    def __init__(
        self, function: Function, chosen: frozenset[int], callees: Mapping[str, _Effect]
    ) -> None:
        self._function = function
        self._blocks = {
            name: _block_effect(block, chosen, callees) for name, block in function.blocks.items()
        }

    def region(self, region: Region, header: str) -> _Effect:
        """Join the parts of one pass; what leaves it, or comes to its header, is an exit."""
        return self._join(region, header)[0]

    def visit(self, region: Region, header: str, base: Distance, into: dict[str, Distance]) -> None:
        """Enter the longest way to each block, where `base` is that to the pass."""
        starts = self._join(region, header)[1]
        for name, start in starts.items():
            way = plus(base, start)
            plan = region.loops.get(name)
            if way == NO_PATH:
                continue
            if plan is None:
                into[name] = max(into.get(name, NO_PATH), way)
                continue
            round_trip = self.region(plan.again, name).through.get(name, NO_PATH)
            most = plan.most_back_edges
            self.visit(plan.again, name, plus(way, _rounds(most, 1, round_trip)), into)
            if plan.last is not None:
                self.visit(plan.last, name, plus(way, _rounds(most, 0, round_trip)), into)

    def _join(self, region: Region, header: str) -> tuple[_Effect, dict[str, Distance]]:
        """Join the parts; give the longest way to each of them without a point, too."""
        whole = _Effect()
        start = dict.fromkeys(region.order, NO_PATH)
        since = dict.fromkeys(region.order, NO_PATH)
        start[region.order[0]] = 0
        for name in region.order:
            if start[name] == since[name] == NO_PATH:
                continue  # behind a call that does not return
            plan = region.loops.get(name)
            part = self._blocks[name] if plan is None else self._loop(plan)
            whole.add(start[name], since[name], part)
            for target, through in part.through.items():
                from_start = plus(start[name], through)
                from_point = max(plus(since[name], through), part.tail[target])
                is_exit = target in {_RETURN, header} or target in region.leaves
                if is_exit:
                    whole.exit(target, from_start, from_point)
                elif target in region.stays:
                    start[target] = max(start[target], from_start)
                    since[target] = max(since[target], from_point)
        return whole, start

    def _loop(self, plan: LoopPlan) -> _Effect:
        """Join the passes over a loop's body.

        Of n back edges all but the last pass come to the header again. So a pass that does is
        behind n - 1 others at most, and the last behind n; behind a pass with a point there are
        as many less one.
        """
        header, most = plan.header, plan.most_back_edges
        whole = _Effect()
        if most != 0:
            again = self.region(plan.again, header)
            round_trip = again.through.get(header, NO_PATH)
            arrival = again.tail.get(header, NO_PATH)
            before = _rounds(most, 1, round_trip)
            since = plus(arrival, _rounds(most, 2, round_trip))
            whole.add(before, since, again)
            if before == UNBOUNDED:
                # It may go round without ever coming to a point.
                whole.add(before, since, _Effect(end=0))
        else:
            round_trip = arrival = NO_PATH
        if plan.last is None:
            # Left by nothing: round and round, or no path at all.
            return whole if most is None else _Effect()
        last = self.region(plan.last, header)
        start = _rounds(most, 0, round_trip)
        since = plus(arrival, _rounds(most, 1, round_trip))
        whole.add(start, since, last)
        for target, through in last.through.items():
            if target != header:
                from_point = max(plus(since, through), last.tail[target])
                whole.exit(target, plus(start, through), from_point)
        return whole


def _rounds(most_back_edges: int | None, less: int, round_trip: Distance) -> Distance:
    """Go round without a point as often as is left of the bound; no path if that is negative."""
    if most_back_edges is None:
        return 0 if round_trip == NO_PATH else UNBOUNDED
    left = most_back_edges - less
    if left < 0:
        return NO_PATH
    return 0 if left == 0 or round_trip == NO_PATH else left * round_trip


def _block_effect(block: Block, chosen: frozenset[int], callees: Mapping[str, _Effect]) -> _Effect:
    effect = _Effect()
    start: Distance = 0
    since: Distance = NO_PATH
    for item in block.items:
        if isinstance(item, Run):
            start, since = start + item.length, since + item.length
        elif isinstance(item, Point):
            if item.number in chosen and not start == since == NO_PATH:
                effect.add(start, since, _Effect(head=0))
                start, since = NO_PATH, 0
        else:
            called = _call_effect(item, callees)
            effect.add(start, since, called)
            is_reached = not start == since == NO_PATH
            through = called.through[_RETURN]
            tail = called.tail[_RETURN] if is_reached else NO_PATH
            start, since = plus(start, through), max(plus(since, through), tail)
    for target in [_RETURN] if block.returns else block.successors:
        effect.through[target] = start
        effect.tail[target] = since
    if block.ends:
        effect.end = max(effect.end, start)
        effect.last = max(effect.last, since)
    return effect


def _call_effect(call: Call, callees: Mapping[str, _Effect]) -> _Effect:
    """Return the largest of all that may be called; what is outside counts nothing of its own."""
    parts = [callees[one] for one in call.callees]
    outside = 0 if call.may_be_outside else NO_PATH
    through = [one.through.get(_RETURN, NO_PATH) for one in parts]
    tail = [one.tail.get(_RETURN, NO_PATH) for one in parts]
    return _Effect(
        through={_RETURN: max([outside, *through])},
        tail={_RETURN: max([NO_PATH, *tail])},
        head=max([NO_PATH, *(one.head for one in parts)]),
        inner=max([NO_PATH, *(one.inner for one in parts)]),
        end=max([NO_PATH, *(one.end for one in parts)]),
        last=max([NO_PATH, *(one.last for one in parts)]),
    )
