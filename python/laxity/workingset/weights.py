# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often each instruction counts: once, per situation, as executed, by times or loop bounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.workingset.analyse import Analysed
from laxity.workingset.bitcode import BitcodeToolchain
from laxity.workingset.bitcode_programs import BitcodeProgram
from laxity.workingset.document import LoopBoundGap, Occurrence, TracedRun, Weight
from laxity.workingset.loop_bounds import (
    Attached,
    CallSite,
    CodeLoop,
    StatedBound,
    attach,
    calls_of_functions,
    passes_of_loops,
    read_bounds,
)
from laxity.workingset.occurrence import count_columns
from laxity.workingset.tables import (
    BLOCKS,
    BOUNDED,
    CALLS,
    EXECUTIONS,
    LOOPS,
    SITUATIONS,
    Table,
    read_table,
)
from laxity.workingset.times import BlockTimes, weigh_by_times

_Weighed = tuple[NDArray[Any] | None, str | None, list[LoopBoundGap]]

# Function, block, index in the block.
_Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Subject:
    """A program that is weighed.

    Attributes:
        toolchain: Made the program; it knows its preprocessed sources.
        program: The program.
        analysed: Where its tables lie.
        table: Its instructions that can be reached.
        root: The function that is called once: main, or the job.
        run: Its traced run; None: it was not run.
        times: Of blocks; None: nobody stated any.
    """

    toolchain: BitcodeToolchain
    program: BitcodeProgram
    analysed: Analysed
    table: Table
    root: str
    run: TracedRun | None = None
    times: BlockTimes | None = None


def occurrence_of(weight: Weight, subject: Subject) -> Occurrence:
    """Count the working sets of one program, a row of a heat map.

    Args:
        weight: `static`: each instruction counts once, by its largest set; `situation`: once per
            calling situation of its function, by its largest set there; `trace`: as often as it
            was executed; `time`: as long as its block took; `wcet`: as often as the bounds of its
            loops allow in one run.
        subject: The program. Where something has no bound, what has one counts.
    """
    if weight == "situation":
        # As if each situation had a body of its own: what inlining would make rows of a table.
        live = read_table(subject.analysed.directory / SITUATIONS).integers(BOUNDED)
        return Occurrence(weight=weight, counts=count_columns(live, np.ones(len(live))))
    live = subject.table.integers(BOUNDED)
    weights, why_not, gaps = _weigh(weight, subject)
    counts = None if weights is None else count_columns(live, weights)
    return Occurrence(weight=weight, counts=counts, reason=why_not, gaps=gaps)


def _weigh(weight: Weight, subject: Subject) -> _Weighed:
    """Weigh each instruction; or say why there is no weight. Last, what loop bounds do not fit."""
    if weight == "static":
        return np.ones(len(subject.table)), None, []
    if weight == "trace":
        return _by_executions(subject)
    if weight == "time":
        return _by_times(subject)
    return _by_loop_bounds(subject)


def _by_executions(subject: Subject) -> _Weighed:
    if not subject.table.has(EXECUTIONS):
        return None, _why_no_run(subject), []
    counted = subject.table.optional_integers(EXECUTIONS)
    executed = np.array([one or 0 for one in counted], dtype=np.float64) * subject.table.steps()
    if not executed.any():
        return None, "its run executed none of the instructions that are analysed", []
    return executed, None, []


def _by_times(subject: Subject) -> _Weighed:
    if subject.times is None:
        return None, "nothing says how long blocks take; see --times", []
    if subject.times.is_per_execution and not subject.table.has(EXECUTIONS):
        return None, _why_no_run(subject), []
    weights, why_not = weigh_by_times(subject.times, subject.program.name, subject.table)
    return weights, why_not, []


def _why_no_run(subject: Subject) -> str:
    if subject.run is not None and subject.run.reason:
        return f"not executed: {subject.run.reason}"
    return "not executed: nothing says how often"


def _by_loop_bounds(subject: Subject) -> _Weighed:
    if not subject.program.sources:
        return None, "bitcode holds no loop bounds: name the sources", []
    loops = _loops(subject.analysed)
    around = _loops_of_instructions(subject.analysed, subject.table)
    calls = _calls(subject.analysed, around)
    attached = stated_bounds(subject.toolchain, subject.program, subject.analysed)
    gaps = _gaps(attached)
    if attached.loops_without:
        n = len(attached.loops_without)
        return None, f"{n} of {len(loops)} loops have no bound", gaps
    most, exceeded = _not_below_the_code(attached, subject.analysed)
    gaps += exceeded
    passes = passes_of_loops(loops, most)
    counts = calls_of_functions([subject.root], calls, passes)
    if isinstance(counts, str):
        return None, counts, gaps
    weights = [
        counts.get(function, 0) * (passes[function, loop] if loop else 1)
        for (function, _, _), loop in around.items()
    ]
    return np.array(weights, dtype=np.float64) * subject.table.steps(), None, gaps


def _not_below_the_code(
    attached: Attached, analysed: Analysed
) -> tuple[dict[tuple[str, str], int], list[LoopBoundGap]]:
    """Raise what is stated to what the code itself goes round, and list where that was needed."""
    if not attached.most:
        return {}, []
    table = read_table(analysed.directory / LOOPS)
    keys = list(zip(table.texts("function"), table.texts("header"), strict=True))
    exact = dict(zip(keys, table.optional_integers("back_edges"), strict=True))
    lines = dict(zip(keys, table.optional_integers("line"), strict=True))
    files = dict(zip(keys, table.texts("file"), strict=True))
    most, gaps = dict(attached.most), []
    for key, stated in attached.most.items():
        rounds = exact.get(key)
        if rounds is not None and rounds > stated:
            most[key] = rounds
            what = f"a loop of {key[0]} goes round {rounds} times, and {stated} is stated"
            gaps.append(LoopBoundGap(what=what, file=files[key] or None, line=lines[key]))
    return most, gaps


def stated_bounds(
    toolchain: BitcodeToolchain, program: BitcodeProgram, analysed: Analysed
) -> Attached:
    """Attach the bounds that the sources of a program state to its loops; bitcode holds none."""
    bounds: list[StatedBound] = []
    for source in program.sources:
        bounds += read_bounds(toolchain.preprocess(source))
    return attach(_without_doubles(bounds), _loops(analysed))


def _loops(analysed: Analysed) -> list[CodeLoop]:
    path = analysed.directory / LOOPS
    if not path.is_file():
        return []
    table = read_table(path)
    return [
        CodeLoop(function, header, parent, file or None, line)
        for function, header, parent, file, line in zip(
            table.texts("function"),
            table.texts("header"),
            table.texts("parent"),
            table.texts("file"),
            table.optional_integers("line"),
            strict=True,
        )
    ]


def _loops_of_instructions(analysed: Analysed, table: Table) -> dict[_Key, str]:
    """Name the header of the innermost loop of each instruction, in their order; "": none."""
    loops: dict[tuple[str, str], str] = {}
    path = analysed.directory / BLOCKS
    if path.is_file():
        blocks = read_table(path)
        keys = zip(blocks.texts("function"), blocks.texts("block"), strict=True)
        loops = dict(zip(keys, blocks.texts("loop"), strict=True))
    return {key: loops.get(key[:2], "") for key in _keys(table)}


def _calls(analysed: Analysed, around: Mapping[_Key, str]) -> list[CallSite]:
    """Read who calls whom; a call that cannot be reached is none."""
    path = analysed.directory / CALLS
    if not path.is_file():
        return []
    table = read_table(path)
    sites = zip(_keys(table), table.texts("callee"), strict=True)
    return [CallSite(key[0], around[key], callee) for key, callee in sites if key in around]


def _keys(table: Table) -> list[_Key]:
    # A table without rows has no types: inlined programs have no calls.
    if not len(table):
        return []
    columns = (table.texts("function"), table.texts("block"), table.integers("index").tolist())
    return list(zip(*columns, strict=True))


def _without_doubles(bounds: list[StatedBound]) -> list[StatedBound]:
    """Leave out what several sources include alike."""
    return list(dict.fromkeys(bounds))


def _gaps(attached: Attached) -> list[LoopBoundGap]:
    loops = [
        LoopBoundGap(what=f"a loop of {one.function} has no bound", file=one.file, line=one.line)
        for one in attached.loops_without
    ]
    bounds = [
        LoopBoundGap(
            what=f"no loop begins where a bound says (max {one.most})", file=one.file, line=one.line
        )
        for one in attached.bounds_without
    ]
    return loops + bounds
