# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Small programs for migration points: drawn at random, and walked step by step.

The walk knows nothing of longest paths: it goes from state to state - which function, block and
item, how often each loop went round, the same for every caller - so what it finds is what a list of
all paths would say.
"""

from dataclasses import dataclass, field
from random import Random

from laxity.workingset.migration_distance import NO_PATH, UNBOUNDED, Distance
from laxity.workingset.migration_flow import Block, Call, Flow, Function, Item, Loop, Point, Run

# A program with more is walked only in part, and no use.
MOST_STATES = 1500
_MOST_LENGTH = 5
_MOST_ROUNDS = 3
_MOST_BLOCKS = 9


@dataclass(frozen=True, slots=True)
class Frame:
    """Where one function is; `rounds`: back edges that open loops have taken, by header."""

    function: str
    block: str
    item: int = 0
    rounds: frozenset[tuple[str, int]] = frozenset()


State = tuple[Frame, ...]


def steps(flow: Flow, state: State) -> list[State]:
    """List the states after one; none: the program has ended."""
    callers, frame = state[:-1], state[-1]
    function = flow.functions[frame.function]
    block = function.blocks[frame.block]
    if frame.item < len(block.items):
        item = block.items[frame.item]
        behind = Frame(frame.function, frame.block, frame.item + 1, frame.rounds)
        if not isinstance(item, Call):
            return [(*callers, behind)]
        inside: list[State] = [
            (*callers, behind, Frame(one, flow.functions[one].entry)) for one in item.callees
        ]
        return inside + ([(*callers, behind)] if item.may_be_outside else [])
    if block.ends:
        return []
    if block.returns:
        return [callers] if callers else []
    found: list[State] = []
    for target in block.successors:
        rounds = _rounds(function, frame, target)
        if rounds is not None:
            found.append((*callers, Frame(frame.function, target, 0, rounds)))
    return found


def _rounds(function: Function, frame: Frame, target: str) -> frozenset[tuple[str, int]] | None:
    """Count a back edge; forget loops that are left; None: the bound forbids the edge."""
    counts = {
        header: count for header, count in frame.rounds if target in function.loops[header].blocks
    }
    loop = function.loops.get(target)
    if loop is not None and loop.most_back_edges is not None:
        if frame.block in loop.blocks:
            counts[target] = counts.get(target, 0) + 1
            if counts[target] > loop.most_back_edges:
                return None
        else:
            counts[target] = 0
    return frozenset(counts.items())


@dataclass
class Walk:
    """All states of a program and what follows each."""

    flow: Flow
    start: State = ()
    after: dict[State, list[State]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Go everywhere."""
        self.start = (Frame(self.flow.root, self.flow.functions[self.flow.root].entry),)
        open_states: list[State] = [self.start]
        while open_states and len(self.after) < MOST_STATES:
            state = open_states.pop()
            if state not in self.after:
                self.after[state] = steps(self.flow, state)
                open_states += self.after[state]
        if len(self.after) < MOST_STATES:
            self._forget_dead_ends()

    def _forget_dead_ends(self) -> None:
        """Forget states in which a bound forbids all edges, and what leads to nothing else."""
        before: dict[State, list[State]] = {}
        for state, following in self.after.items():
            for one in following:
                before.setdefault(one, []).append(state)
        dead = [one for one in self.after if not self.after[one] and not self.ends(one)]
        while dead:
            state = dead.pop()
            del self.after[state]
            for one in set(before.get(state, ())):
                self.after[one] = [other for other in self.after[one] if other != state]
                if not self.after[one]:
                    dead.append(one)

    def item(self, state: State) -> Item | None:
        """Return the item that a state is before."""
        if not state:
            return None
        frame = state[-1]
        items = self.flow.functions[frame.function].blocks[frame.block].items
        return items[frame.item] if frame.item < len(items) else None

    def ends(self, state: State) -> bool:
        """Tell whether the program ends in a state; a loop that may not go on ends nowhere."""
        if not state:
            return True
        frame = state[-1]
        block = self.flow.functions[frame.function].blocks[frame.block]
        is_last = frame.item == len(block.items)
        return is_last and (block.ends or (block.returns and len(state) == 1))

    def largest(self, chosen: frozenset[int]) -> Distance:
        """Return the largest distance from the start or a chosen point to the next, or the end."""
        lengths = self._ahead(chosen)
        found = [lengths[self.start]]
        for state, following in self.after.items():
            if self._is_chosen(state, chosen):
                found += [lengths[one] for one in following]
        return max(found)

    def visits(self) -> tuple[dict[State, Distance], dict[State, Distance]]:
        """Return the shortest and the longest way from the start to each state; no state recurs."""
        order: list[State] = []
        seen: set[State] = set()
        stack: list[tuple[State, bool]] = [(self.start, False)]
        while stack:
            state, is_done = stack.pop()
            if is_done:
                order.append(state)
            elif state not in seen:
                seen.add(state)
                stack.append((state, True))
                stack += [(one, False) for one in self.after[state]]
        first: dict[State, Distance] = dict.fromkeys(order, UNBOUNDED)
        last: dict[State, Distance] = dict.fromkeys(order, NO_PATH)
        first[self.start] = last[self.start] = 0
        for state in reversed(order):
            item = self.item(state)
            own = item.length if isinstance(item, Run) else 0
            for one in self.after[state]:
                first[one] = min(first[one], first[state] + own)
                last[one] = max(last[one], last[state] + own)
        return first, last

    def _is_chosen(self, state: State, chosen: frozenset[int]) -> bool:
        item = self.item(state)
        return isinstance(item, Point) and item.number in chosen

    def _ahead(self, chosen: frozenset[int]) -> dict[State, Distance]:
        """Return the longest way from each state to the next chosen point, or to the end."""
        lengths: dict[State, Distance] = {}
        is_open: set[State] = set()
        # Twice on the stack: to go on from, then to sum up.
        stack = list(self.after)
        while stack:
            state = stack.pop()
            if state in lengths:
                continue
            if self._is_chosen(state, chosen) or self.ends(state):
                lengths[state] = 0
            elif state in is_open:
                is_open.discard(state)
                item = self.item(state)
                own = item.length if isinstance(item, Run) else 0
                # Not told yet: it leads back to here without a point, as often as one likes.
                ahead = [lengths.get(one, UNBOUNDED) for one in self.after[state]]
                lengths[state] = own + max([NO_PATH, *ahead])
            else:
                is_open.add(state)
                stack.append(state)
                stack += [one for one in self.after[state] if one not in is_open]
        return lengths


@dataclass
class _Drawn:
    random: Random
    blocks: dict[str, Block] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)
    next_point: int = 0
    most_points: int = 0
    callees: tuple[str, ...] = ()
    may_end: bool = False


def draw_flow(random: Random, most_points: int) -> Flow:
    """Draw a program of up to three functions with loops, branches, calls and early ends."""
    functions: dict[str, Function] = {}
    next_point = 0
    names = ["h", "g", "f"][random.randrange(3) :]
    for name in names:
        drawn = _Drawn(random, next_point=next_point, most_points=most_points)
        drawn.callees = tuple(functions)
        # In callees it may make distances too large: see plan_of.
        drawn.may_end = name == names[-1]
        _chain(drawn, "b", "exit", [], random.randint(1, 3))
        drawn.blocks["exit"] = Block(_items(drawn), (), returns=True)
        functions[name] = Function("b0", drawn.blocks, drawn.loops)
        next_point = drawn.next_point
    return Flow(names[-1], functions)


def _items(drawn: _Drawn) -> tuple[Item, ...]:
    random = drawn.random
    items: list[Item] = []
    for _ in range(random.randint(1, 2)):
        if drawn.next_point < drawn.most_points and random.random() < 0.7:
            items.append(Point(drawn.next_point))
            drawn.next_point += 1
        items.append(Run(random.randint(1, _MOST_LENGTH)))
        if drawn.callees and random.random() < 0.4:
            n = random.randint(1, len(drawn.callees))
            callees = tuple(random.sample(drawn.callees, n))
            items.append(Call(callees, may_be_outside=random.random() < 0.2))
    return tuple(items)


def _chain(drawn: _Drawn, prefix: str, after: str, around: list[str], parts: int) -> str:
    """Draw parts one after the other, the last to `after`; give the name of the first."""
    names = [f"{prefix}{number}" for number in range(parts)]
    for name, behind in zip(names, [*names[1:], after], strict=True):
        _part(drawn, name, behind, around)
    return names[0]


def _part(drawn: _Drawn, name: str, after: str, around: list[str]) -> None:
    """Draw a block, a branch, or a loop of one of its forms."""
    random = drawn.random
    kind = random.choice(("block", "branch", "loop", "loop"))
    is_full = len(drawn.blocks) > _MOST_BLOCKS or len(around) > 1
    _own(drawn, name, around)
    if kind == "branch" and not is_full:
        drawn.blocks[name] = Block(_items(drawn), ())
        then = _chain(drawn, name + "t", after, around, 1)
        drawn.blocks[name] = Block(drawn.blocks[name].items, tuple({then: 0, after: 0}))
        if drawn.may_end and random.random() < 0.3:
            _own(drawn, name + "x", around)
            drawn.blocks[name + "x"] = Block(_items(drawn), (), ends=True)
            block = drawn.blocks[name]
            drawn.blocks[name] = Block(block.items, (*block.successors, name + "x"))
    elif kind == "loop" and not is_full:
        is_endless = drawn.may_end and random.random() < 0.2
        most = None if is_endless else random.randrange(_MOST_ROUNDS)
        drawn.loops[name] = Loop(around[-1] if around else "", frozenset({name}), most)
        drawn.blocks[name] = Block(_items(drawn), ())
        # Left at its header, or at its end, or at both.
        form = random.choice(("while", "do", "both"))
        body = _chain(drawn, name + "l", name, [*around, name], random.randint(1, 2))
        inside = drawn.loops[name].blocks - {name}
        last = next(one for one in sorted(inside) if name in drawn.blocks[one].successors)
        if form != "do":
            drawn.blocks[name] = Block(drawn.blocks[name].items, (body, after))
        else:
            drawn.blocks[name] = Block(drawn.blocks[name].items, (body,))
        if form != "while":
            block = drawn.blocks[last]
            drawn.blocks[last] = Block(block.items, (*block.successors, after))
        _own(drawn, name, around)
    else:
        drawn.blocks[name] = Block(_items(drawn), (after,))


def _own(drawn: _Drawn, name: str, around: list[str]) -> None:
    """Enter a block into the loops around it."""
    for header in around:
        loop = drawn.loops[header]
        drawn.loops[header] = Loop(loop.parent, loop.blocks | {name}, loop.most_back_edges)
