# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points of a program, of the tables that its analysis wrote.

Distances are executed instructions of the analysed form: a phi is none, and a call of a function
outside the program is one.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from laxity.bounds.platform_costs import UsedCost
from laxity.workingset.document import BITS_PER_BYTE
from laxity.workingset.migration_distance import UNBOUNDED, Distance, Distances
from laxity.workingset.migration_flow import (
    Block,
    Call,
    Flow,
    Function,
    Item,
    Loop,
    Point,
    Run,
    UnsupportedFlow,
)
from laxity.workingset.migration_points import NoPlacement, place
from laxity.workingset.migration_points_document import MigrationPoint, MigrationPoints, Window
from laxity.workingset.migration_window import Span, rank, spans_of
from laxity.workingset.tables import BLOCKS, CALLS, EDGES, LOOPS, POINTS, TOTAL, Table, read_table
from laxity.workingset.windows import WindowAsked

_PHI, _RETURN = "phi", "ret"
# Where a path goes on that unwinds is not in the tables.
_UNWINDING = frozenset({"invoke", "landingpad", "resume", "cleanupret", "catchret", "catchswitch"})
_POINTER, _CALLBACK, _TWICE = "pointer", "callback", "returns twice"
_PERCENT = 100
_ASSUMPTIONS = (
    "a call of a function outside the program counts as one instruction",
    "a run is from the start of {root} to its end, constructors and exit handlers apart",
)
_COLUMNS = (
    *("number", "function", "block", "index", "file", "line", "column"),
    *("live_bits", "earliest", "latest", "cost_ns", "kinds", "placed"),
)

# Function and block.
_BlockKey = tuple[str, str]


# Of a size in bytes and a name for messages: the figure, or what is missing.
CostOf = Callable[[int, str], UsedCost | str]


@dataclass(frozen=True, slots=True)
class PointsAsked:
    """What is asked for.

    Attributes:
        distance: How far apart points may be; None: candidates are listed, and none is chosen.
        is_percent: It is in hundredths of the longest run, else in instructions.
        window: First and last position of those that are ranked, and whether they are in
            hundredths of the longest run.
        run_window: Windows along one run; None: none is recorded.
        cost_of: What a migration costs; None: no costs were given.
        cost_words: What that is.
    """

    distance: int | None = None
    is_percent: bool = False
    window: tuple[int, int, bool] | None = None
    run_window: WindowAsked | None = None
    cost_of: CostOf | None = None
    cost_words: str = ""


def migration_points(
    asked: PointsAsked,
    directory: Path,
    table: Table,
    bounds: Mapping[tuple[str, str], int],
    root: str,
) -> MigrationPoints:
    """Find candidates, and choose among them.

    Args:
        asked: How far apart they may be.
        directory: The other tables of the program.
        table: Its instructions that can be reached.
        bounds: How often loops go round at most each time that they are entered, by function and
            header, as the program's author states; what the code itself proves is in its tables.
        root: The function that is a run.
    """
    program = _Program(directory, table, bounds)
    try:
        flow = program.flow(root)
        longest = Distances(flow).of(frozenset()).without
    except UnsupportedFlow as error:
        return _without_distances(asked, program, root, str(error))
    spans = spans_of(flow)
    candidates = [
        _with_span(one, spans[one.number]) for one in program.points if one.number in spans
    ]
    points = MigrationPoints(
        longest_run=_finite(longest),
        candidates=_with_costs(candidates, asked, root),
        cost=asked.cost_words,
        window=_window(asked, candidates, spans, longest),
        assumptions=[*(one.format(root=root) for one in _ASSUMPTIONS), *program.doubts],
    )
    is_part = asked.is_percent or (asked.window is not None and asked.window[2])
    points = msgspec.structs.replace(points, cost_missing=_cost_missing(points, asked, root))
    if is_part and longest == UNBOUNDED:
        reason = "a loop has no bound, so there is no longest run to take a part of"
        return msgspec.structs.replace(points, reason=reason)
    if asked.distance is None:
        return points
    most = int(longest) * asked.distance // _PERCENT if asked.is_percent else asked.distance
    return _placed(points, flow, most)


def _without_distances(
    asked: PointsAsked, program: "_Program", root: str, reason: str
) -> MigrationPoints:
    """List the candidates where nobody knows when a run comes by; it does come by them."""
    reached = program.reached(root)
    candidates = [one for one in program.points if one.function in reached]
    points = MigrationPoints(
        candidates=_with_costs(candidates, asked, root),
        cost=asked.cost_words,
        assumptions=[f"no distances: {reason}"],
    )
    points = msgspec.structs.replace(points, cost_missing=_cost_missing(points, asked, root))
    if candidates and asked.distance is None and asked.window is None:
        return points
    return msgspec.structs.replace(points, reason=reason, assumptions=[])


def _with_span(one: MigrationPoint, span: Span) -> MigrationPoint:
    return msgspec.structs.replace(
        one, earliest=_finite(span.earliest), latest=_finite(span.latest)
    )


def _with_costs(
    points: list[MigrationPoint], asked: PointsAsked, root: str
) -> list[MigrationPoint]:
    """Look up what a migration costs at each point; absent where the costs do not tell."""
    if asked.cost_of is None:
        return points
    sizes = {_size_bytes(one.live_bits) for one in points if one.live_bits is not None}
    costs = {size: asked.cost_of(size, root) for size in sizes}
    return [
        one if one.live_bits is None else _with_cost(one, costs[_size_bytes(one.live_bits)])
        for one in points
    ]


def _with_cost(one: MigrationPoint, cost: UsedCost | str) -> MigrationPoint:
    if isinstance(cost, str):
        return one
    return msgspec.structs.replace(one, cost_ns=cost.value_ns, cost_n=cost.n, cost_kind=cost.kind)


def _size_bytes(bits: int) -> int:
    return -(-bits // BITS_PER_BYTE)


def _cost_missing(points: MigrationPoints, asked: PointsAsked, root: str) -> str:
    """Say why the dearest point without a cost has none; empty: all have one."""
    if asked.cost_of is None:
        return ""
    sizes = [one.live_bits for one in points.candidates if one.cost_ns is None]
    bounded = [one for one in sizes if one is not None]
    if not bounded:
        return ""
    cost = asked.cost_of(_size_bytes(max(bounded)), root)
    return cost if isinstance(cost, str) else ""


def _window(
    asked: PointsAsked,
    points: list[MigrationPoint],
    spans: Mapping[int, Span],
    longest: Distance,
) -> Window | None:
    if asked.window is None:
        return None
    first, last, is_percent = asked.window
    if is_percent and longest == UNBOUNDED:
        return None
    if is_percent:
        first, last = int(longest) * first // _PERCENT, int(longest) * last // _PERCENT
    sizes = {one.number: one.live_bits for one in points}
    ranking = rank(spans, sizes, first, last)
    return Window(
        first=first,
        last=last,
        ranked=list(ranking.ranked),
        worst_bits=ranking.worst_bits,
        here_bits=ranking.here_bits,
        unbounded=ranking.n_unbounded,
    )


def _placed(points: MigrationPoints, flow: Flow, most: int) -> MigrationPoints:
    sizes = {one.number: one.live_bits for one in points.candidates if one.live_bits is not None}
    found = place(flow, sizes, most)
    if isinstance(found, NoPlacement):
        smallest = _finite(found.smallest)
        return msgspec.structs.replace(points, distance=most, smallest_distance=smallest)
    return msgspec.structs.replace(
        points,
        distance=most,
        placed=list(found.points),
        largest_bits=found.largest_bits,
        largest_distance=_finite(found.distances.largest),
    )


def _finite(distance: Distance) -> int | None:
    return int(distance) if np.isfinite(distance) else None


def write_points(directory: Path, found: MigrationPoints) -> None:
    """Write migration_points.csv, a row per candidate, beside the other tables of a program."""
    if not found.candidates:
        return
    placed = set(found.placed or ())
    with (directory / POINTS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for one in found.candidates:
            is_placed = "" if found.placed is None else str(int(one.number in placed))
            cells = (" ".join(one.kinds), is_placed)
            writer.writerow((*(getattr(one, name) for name in _COLUMNS[:-2]), *cells))


class _Program:
    """The tables of a program as blocks with candidates in them."""

    def __init__(
        self, directory: Path, table: Table, bounds: Mapping[tuple[str, str], int]
    ) -> None:
        self.points: list[MigrationPoint] = []
        self.doubts: list[str] = []
        # What of its control flow is not followed; empty: nothing.
        self._obstacle = ""
        self._table = table
        self._rows: dict[_BlockKey, list[int]] = {}
        keys = zip(table.texts("function"), table.texts("block"), strict=True)
        for row, key in enumerate(keys):
            self._rows.setdefault(key, []).append(row)
        self._index = table.integers("index").tolist()
        self._opcode = table.texts("opcode")
        self._bits = table.bits(TOTAL)
        self._successors = self._read_edges(directory)
        self._loops = self._read_loops(directory, bounds)
        self._entered: dict[str, set[str]] = {}
        self._calls = self._read_calls(directory)

    def flow(self, root: str) -> Flow:
        """Return the program with a candidate at each place where one may be.

        Raises:
            UnsupportedFlow: It has exceptions or calls that do not return to where they were made.
        """
        names: dict[str, list[str]] = {}
        for function, block in self._rows:
            names.setdefault(function, []).append(block)
        if root not in names:
            msg = f"no run comes to {root}"
            raise UnsupportedFlow(msg)
        functions = {}
        for name, blocks in names.items():
            made = {block: self._block((name, block)) for block in blocks}
            functions[name] = Function(blocks[0], made, self._loops.get(name, {}))
        if self._obstacle:
            raise UnsupportedFlow(self._obstacle)
        return Flow(root, functions)

    def reached(self, root: str) -> set[str]:
        """Name the functions that are entered in a run, by whomever."""
        found, waiting = {root}, [root]
        while waiting:
            fresh = self._entered.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found

    def _give_up(self, why: str) -> None:
        self._obstacle = self._obstacle or why

    def _block(self, key: _BlockKey) -> Block:
        rows = self._rows[key]
        items: list[Item] = []
        kinds = self._kinds(key)
        for row in rows:
            index, opcode = self._index[row], self._opcode[row]
            if opcode in _UNWINDING:
                self._give_up(f"{key[0]} has exceptions, and where they are caught is not followed")
            if index in kinds:
                items.append(self._point(row, key, kinds[index]))
            if opcode != _PHI:
                items.append(Run(1))
            if (*key, index) in self._calls:
                items.append(self._calls[*key, index])
        successors = tuple(
            one for one in self._successors.get(key, []) if (key[0], one) in self._rows
        )
        returns = self._opcode[rows[-1]] == _RETURN
        return Block(
            _joined(items), successors, returns=returns, ends=not returns and not successors
        )

    def _kinds(self, key: _BlockKey) -> dict[int, list[str]]:
        """Tell before which instructions of a block candidates stand, and why."""
        rows, function = self._rows[key], key[0]
        found: dict[int, list[str]] = {}
        behind_phis = [self._index[row] for row in rows if self._opcode[row] != _PHI]
        if behind_phis:
            found[behind_phis[0]] = ["entry"]
        for row in rows:
            index = self._index[row]
            if (*key, index) in self._calls:
                found.setdefault(index, []).append("call")
                if row != rows[-1]:
                    found.setdefault(index + 1, []).append("return")
        for successor in self._successors.get(key, []):
            loop = self._loops.get(function, {}).get(successor)
            if loop is not None:
                kind = "latch" if key[1] in loop.blocks else "preheader"
                found.setdefault(self._index[rows[-1]], []).append(kind)
        return found

    def _point(self, row: int, key: _BlockKey, kinds: list[str]) -> Point:
        cells = self._table.row(row)
        bits = self._bits[row]
        number = len(self.points)
        self.points.append(
            MigrationPoint(
                number=number,
                function=key[0],
                block=key[1],
                index=self._index[row],
                kinds=kinds,
                live_bits=int(bits) if np.isfinite(bits) else None,
                file=cells.get("file"),
                line=_whole(cells.get("line")),
                column=_whole(cells.get("column")),
            )
        )
        return Point(number)

    def _read_edges(self, directory: Path) -> dict[_BlockKey, list[str]]:
        table = _table(directory / EDGES)
        found: dict[_BlockKey, list[str]] = {}
        columns = (table.texts(name) for name in ("function", "block", "successor"))
        for function, block, successor in zip(*columns, strict=True):
            found.setdefault((function, block), []).append(successor)
        return found

    def _read_loops(
        self, directory: Path, bounds: Mapping[tuple[str, str], int]
    ) -> dict[str, dict[str, Loop]]:
        table, inside = _table(directory / LOOPS), _table(directory / BLOCKS)
        keys = list(zip(table.texts("function"), table.texts("header"), strict=True))
        parents = dict(zip(keys, table.texts("parent"), strict=True))
        proven = dict(zip(keys, table.optional_integers("most_back_edges"), strict=True))
        exact = dict(zip(keys, table.optional_integers("back_edges"), strict=True))
        blocks: dict[tuple[str, str], set[str]] = {key: set() for key in parents}
        columns = (inside.texts(name) for name in ("function", "block", "loop"))
        for function, block, innermost in zip(*columns, strict=True):
            header = innermost
            while header and (function, block) in self._rows:
                blocks[function, header].add(block)
                header = parents[function, header]
        found: dict[str, dict[str, Loop]] = {}
        for key, parent in parents.items():
            if key in self._rows:
                most = self._most_back_edges(key, bounds.get(key), proven[key], exact[key])
                loop = Loop(parent, frozenset(blocks[key]), most)
                found.setdefault(key[0], {})[key[1]] = loop
        return found

    def _most_back_edges(
        self, key: _BlockKey, stated: int | None, proven: int | None, exact: int | None
    ) -> int | None:
        """Choose a loop's bound; what is stated must not be less than what the code does."""
        if exact is not None and stated is not None and stated < exact:
            self.doubts.append(
                f"the loop of {key[0]} at block {key[1]} goes round {exact} times, and {stated} is "
                "stated: the statement is not counted with"
            )
        if exact is not None:
            return exact
        return min((one for one in (stated, proven) if one is not None), default=None)

    def _read_calls(self, directory: Path) -> dict[tuple[str, str, int], Call]:
        """Read who is called where; it is not followed who calls back, or returns twice."""
        table = _table(directory / CALLS)
        if not len(table):
            return {}
        callees: dict[tuple[str, str, int], list[str]] = {}
        outside: set[tuple[str, str, int]] = set()
        columns = (table.texts(name) for name in ("function", "block", "callee", "way"))
        numbers: Sequence[int] = table.integers("index").tolist()
        for (function, block, callee, way), index in zip(
            zip(*columns, strict=True), numbers, strict=True
        ):
            if (function, block) not in self._rows:
                continue
            if way == _TWICE:
                self._give_up(
                    f"{function} calls {callee}, so control may come back to there from anywhere"
                )
                continue
            self._entered.setdefault(function, set()).add(callee)
            if way == _CALLBACK:
                self._give_up(
                    f"{callee} is called by a function outside the program, nobody knows how often"
                )
                continue
            callees.setdefault((function, block, index), []).append(callee)
            if way == _POINTER:
                outside.add((function, block, index))
        return {key: Call(tuple(names), key in outside) for key, names in callees.items()}


def _joined(items: Sequence[Item]) -> tuple[Item, ...]:
    """Put runs of instructions together."""
    joined: list[Item] = []
    for item in items:
        if isinstance(item, Run) and joined and isinstance(joined[-1], Run):
            joined[-1] = Run(joined[-1].length + item.length)
        else:
            joined.append(item)
    return tuple(joined)


def _table(path: Path) -> Table:
    return read_table(path) if path.is_file() else Table({})


def _whole(cell: object) -> int | None:
    return None if cell is None else int(str(cell)) or None
