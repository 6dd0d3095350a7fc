# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points that one run of a program comes by, ranked window by window of its execution.

Positions are executed instructions, or time where somebody states the times of blocks.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.errors import NoVerdict
from laxity.workingset.migration_points_document import (
    MigrationPoint,
    MigrationPoints,
    RunWindow,
    RunWindows,
    Visited,
)
from laxity.workingset.migration_trace import Along, Code, Integers, Segment, Visit, rank_along
from laxity.workingset.segments import Traced, trace_segments
from laxity.workingset.tables import TOTAL, WINDOWS, Table, read_table
from laxity.workingset.times import BlockTimes
from laxity.workingset.trace import Inputs

_PHI = "phi"
_LANDING_PAD = "landingpad"
_PERCENT = 100
INSTRUCTIONS_UNIT = "executed instructions"
# Times are integers of thousandths: an instruction may take less than a nanosecond.
_PER_UNIT = 1000
# More are no ranking that anybody reads; a run has millions of instructions.
MOST_WINDOWS = 1000
_MOST_RANKED = 10
_COLUMNS = (
    *("window", "first", "last", "unit", "rank", "number", "live_bits", "at", "times", "cost_ns"),
)

_BlockKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WindowAsked:
    """How long windows are.

    Attributes:
        length: In `unit`, or in hundredths of the run.
        unit: `%`, `ns`, `cycles`, or empty: executed instructions.
        times: Of blocks; None: positions are executed instructions.
        inputs: Of the run.
        patience_s: It may take so long.
    """

    length: int
    unit: str
    times: BlockTimes | None
    inputs: Inputs
    patience_s: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Which instructions a segment has: rows of the table of those that can be reached.

    Attributes:
        rows: By segment; phis are in none.
        blocks: Function and block of each segment.
    """

    rows: list[list[int]]
    blocks: list[_BlockKey]

    def is_first(self) -> list[bool]:
        """Tell which segments begin their block."""
        seen: set[_BlockKey] = set()
        found = []
        for key in self.blocks:
            found.append(key not in seen)
            seen.add(key)
        return found


def read_layout(segments: Path, table: Table) -> Layout:
    """Read what the segments are.

    Args:
        segments: Table of their first instructions, in the order of the module.
        table: Instructions that can be reached; what cannot belongs to no segment.
    """
    starts = read_table(segments)
    blocks = list(zip(starts.texts("function"), starts.texts("block"), strict=True))
    segment_at = {
        (key, index): number
        for number, (key, index) in enumerate(
            zip(blocks, starts.integers("index").tolist(), strict=True)
        )
    }
    rows: list[list[int]] = [[] for _ in blocks]
    keys = zip(table.texts("function"), table.texts("block"), strict=True)
    columns = zip(keys, table.integers("index").tolist(), table.texts("opcode"), strict=True)
    current = 0
    landed: list[int] = []  # a landing pad stands before the first segment of its block
    for row, (key, index, opcode) in enumerate(columns):
        if opcode == _PHI:
            continue
        if opcode == _LANDING_PAD:
            landed.append(row)
            continue
        current = segment_at.get((key, index), current)
        rows[current] += [*landed, row]
        landed = []
    return Layout(rows, blocks)


def code_of(
    layout: Layout,
    table: Table,
    points: Sequence[MigrationPoint],
    times: Mapping[_BlockKey, int] | None = None,
) -> Code:
    """Put the segments of a program together.

    Args:
        layout: What they are.
        table: The instructions.
        points: Candidates.
        times: Of one execution of each block; its instructions share it equally. None: an
            instruction is 1.
    """
    numbers = {(one.function, one.block, one.index): one.number for one in points}
    index = table.integers("index").tolist()
    bits = table.bits(TOTAL).tolist()
    sizes: dict[_BlockKey, int] = {}
    for key, rows in zip(layout.blocks, layout.rows, strict=True):
        sizes[key] = sizes.get(key, 0) + len(rows)
    done: dict[_BlockKey, int] = {}
    segments = []
    for key, rows in zip(layout.blocks, layout.rows, strict=True):
        begun = done.get(key, 0)
        done[key] = begun + len(rows)
        steps = range(begun, begun + len(rows) + 1)
        if times is not None:
            positions = [times.get(key, 0) * step // max(1, sizes[key]) for step in steps]
        else:
            positions = list(steps)
        segments.append(
            Segment(
                offsets=tuple(one - positions[0] for one in positions[:-1]),
                length=positions[-1] - positions[0],
                bits=tuple(bits[row] for row in rows),
                points={
                    place: numbers[*key, index[row]]
                    for place, row in enumerate(rows)
                    if (*key, index[row]) in numbers
                },
            )
        )
    return Code(segments)


def run_windows(
    asked: WindowAsked, program: str, bitcode: Path, table: Table, found: MigrationPoints, to: Path
) -> RunWindows:
    """Run a program twice, once to learn how long its run is, and rank what it comes by.

    Args:
        asked: How long windows are.
        program: Its name, for times of blocks.
        bitcode: That was analysed.
        table: Its instructions that can be reached.
        found: Its candidates.
        to: Directory of its own.
    """
    unit = _unit(asked)
    if not found.candidates:
        return RunWindows(reason="there are no candidates", unit=unit)
    try:
        traced = trace_segments(bitcode, asked.inputs, to, asked.patience_s)
        layout = read_layout(traced.segments, table)
        executions = _executions(traced, len(layout.rows))
        times = None
        if asked.times is not None:
            times = block_times(asked.times, program, layout, executions)
        code = code_of(layout, table, found.candidates, times)
        return _ranked(asked, found, code, traced, executions)
    except NoVerdict as problem:
        words = str(problem).replace(str(to), program)
        return RunWindows(reason=f"not recorded: {words}", unit=unit)


def _unit(asked: WindowAsked) -> str:
    return INSTRUCTIONS_UNIT if asked.times is None else asked.times.column.partition("_")[0]


def _executions(traced: Traced, n_segments: int) -> Integers:
    """Count how often each segment is executed."""
    counts = np.zeros(n_segments, dtype=np.int64)
    with traced.run() as chunks:
        for chunk in chunks:
            counts += np.bincount(chunk, minlength=n_segments)
    return counts


def block_times(
    times: BlockTimes, program: str, layout: Layout, executions: Integers
) -> dict[_BlockKey, int]:
    """Return the time of one execution of each block, in thousandths of the unit.

    Args:
        times: As stated.
        program: Of which program.
        layout: Its segments.
        executions: Of each segment; shape (segment,).

    Raises:
        NoVerdict: They do not fit the program, or its run.
    """
    stated = times.of_program(program)
    firsts = zip(layout.blocks, executions.tolist(), layout.is_first(), strict=True)
    counts = {key: count for key, count, is_first in firsts if is_first}
    for (function, block), time in stated.items():
        if (function, block) not in counts:
            what = "that is not in the program: it is of another build or form"
        elif time and not times.is_per_execution and not counts[function, block]:
            what = "that this run does not come to: it is of a run with other inputs"
        else:
            continue
        msg = f"{times.path} names block {block} of {function}, {what}"
        raise NoVerdict(msg)
    lacking = [key for key, count in counts.items() if count and key not in stated]
    if lacking and times.is_per_execution:
        msg = f"{times.path} has no time for {len(lacking)} blocks that were executed"
        raise NoVerdict(msg)
    per = {key: 1 if times.is_per_execution else max(1, count) for key, count in counts.items()}
    return {key: round(time * _PER_UNIT / per[key]) for key, time in stated.items()}


def _ranked(
    asked: WindowAsked, found: MigrationPoints, code: Code, traced: Traced, executions: Integers
) -> RunWindows:
    """Look at the run.

    Raises:
        NoVerdict: It has no length, or too many windows, or is not what it was before.
    """
    per_unit = 1 if asked.times is None else _PER_UNIT
    length = int(executions @ code.lengths)
    window = asked.length * per_unit
    if asked.unit == "%":
        # Rounded up, so that no short window is left over at the end.
        window = -(-length * asked.length // _PERCENT)
    unit = _unit(asked)
    if not length or not window:
        msg = f"the run is {length // per_unit} {unit} long, so it has no such windows"
        raise NoVerdict(msg)
    if -(-length // window) > MOST_WINDOWS:
        least = -(-length // MOST_WINDOWS // per_unit) + 1
        msg = (
            f"the run is {length // per_unit} {unit} long, which is more than {MOST_WINDOWS} "
            f"windows; make them {least} long at least"
        )
        raise NoVerdict(msg)
    sizes = {one.number: one.live_bits for one in found.candidates if one.live_bits is not None}
    n_points = 1 + max(one.number for one in found.candidates)
    counts = np.zeros_like(executions)
    with traced.run() as chunks:
        along = rank_along(code, _counted(chunks, counts), window, sizes, n_points)
    if not np.array_equal(counts, executions):
        msg = "two runs of it differ, so its windows are no property of the program"
        raise NoVerdict(msg)
    instructions = sum(
        count * len(segment.bits)
        for count, segment in zip(executions.tolist(), code.segments, strict=True)
    )
    return RunWindows(
        unit=unit,
        kind="measured" if asked.times is None else "modelled",
        window=window // per_unit,
        length=length // per_unit,
        instructions=instructions,
        worst_least_bits=along.worst_least,
        windows=_windows(along, window, sizes, per_unit),
    )


def _counted(chunks: Iterator[NDArray[Any]], counts: Integers) -> Iterator[NDArray[Any]]:
    for chunk in chunks:
        counts += np.bincount(chunk, minlength=len(counts))
        yield chunk


def _windows(along: Along, window: int, sizes: Mapping[int, int], per_unit: int) -> list[RunWindow]:
    edges = [*range(0, along.length, window), along.length]
    parts = zip(pairwise(edges), along.windows, along.here, strict=True)
    return [
        _window(first // per_unit, last // per_unit, visits, here, sizes, per_unit)
        for (first, last), visits, here in parts
    ]


def _window(
    first: int,
    last: int,
    visits: Mapping[int, Visit],
    here: float,
    sizes: Mapping[int, int],
    per_unit: int,
) -> RunWindow:
    # Of equally cheap ones the first to be come by is the best: it waits least.
    ordered = sorted(visits, key=lambda one: (sizes[one], visits[one].first, one))
    return RunWindow(
        first=first,
        last=last,
        visited=len(ordered),
        ranked=[
            Visited(
                number=one,
                live_bits=sizes[one],
                at=visits[one].first // per_unit,
                times=visits[one].times,
            )
            for one in ordered[:_MOST_RANKED]
        ],
        worst_bits=sizes[ordered[-1]] if ordered else None,
        here_bits=int(here) if np.isfinite(here) else None,
    )


def write_windows(directory: Path, found: MigrationPoints) -> None:
    """Write migration_windows.csv, a row per window and ranked candidate, beside other tables."""
    if found.run is None or not found.run.windows:
        return
    costs = {one.number: one.cost_ns for one in found.candidates}
    with (directory / WINDOWS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for number, window in enumerate(found.run.windows):
            where = (number, window.first, window.last, found.run.unit)
            for rank, one in enumerate(window.ranked, 1):
                visit = (one.number, one.live_bits, one.at, one.times, costs[one.number])
                writer.writerow((*where, rank, *visit))
