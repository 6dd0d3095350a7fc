# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often each instruction counts among its program's: once, as executed, as its loops allow."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.analysis.loop_bounds import (
    Attached,
    CallSite,
    CodeLoop,
    StatedBound,
    attach,
    calls_of_functions,
    passes_of_loops,
    read_bounds,
)
from laxity.model.working_set import LoopBoundGap, Weight
from laxity.runner.working_set import Analysed
from laxity.store.working_set import BLOCKS, CALLS, LOOPS, Table, read_table
from laxity.suites.bitcode import BitcodeToolchain
from laxity.suites.bitcode_programs import BitcodeProgram

Weighed = tuple[NDArray[Any] | None, str | None, list[LoopBoundGap]]

# Function, block, index in the block.
_Key = tuple[str, str, int]

_MAIN = "main"


def weigh(
    weight: Weight,
    toolchain: BitcodeToolchain,
    program: BitcodeProgram,
    analysed: Analysed,
    table: Table,
    job: str | None,
) -> Weighed:
    """Weigh the instructions of one program.

    Args:
        weight: `static`: each counts once; `trace`: as often as it was executed; `wcet`: as often
            as the bounds of its loops allow in one run.
        toolchain: Made the program; it knows its preprocessed sources.
        program: The program.
        analysed: Where its tables lie.
        table: Its instructions.
        job: The function that is called once; None: main.

    Returns:
        A weight per instruction; or None and why there is none. Last, the loops without a bound and
        the bounds without a loop.
    """
    if weight == "static":
        return np.ones(len(table)), None, []
    if weight == "trace":
        if not table.has("executions"):
            return None, "no trace: nothing says how often instructions are executed", []
        executed = [one or 0 for one in table.optional_integers("executions")]
        return np.array(executed, dtype=np.float64), None, []
    return _by_loop_bounds(toolchain, program, analysed, table, job or _MAIN)


def _by_loop_bounds(
    toolchain: BitcodeToolchain,
    program: BitcodeProgram,
    analysed: Analysed,
    table: Table,
    root: str,
) -> Weighed:
    if not program.sources:
        return None, "bitcode holds no loop bounds: name the sources", []
    loops, around = _loops(analysed), _loops_of_instructions(analysed, table)
    calls = _calls(analysed, around)
    attached = stated_bounds(toolchain, program, analysed)
    gaps = _gaps(attached)
    if attached.loops_without:
        n = len(attached.loops_without)
        return None, f"{n} of {len(loops)} loops have no bound", gaps
    passes = passes_of_loops(loops, attached.most)
    counts = calls_of_functions([root], calls, passes)
    if isinstance(counts, str):
        return None, counts, gaps
    weights = [
        counts.get(function, 0) * (passes[function, loop] if loop else 1)
        for (function, _, _), loop in around.items()
    ]
    return np.array(weights, dtype=np.float64), None, gaps


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
    columns = (table.texts("function"), table.texts("block"), table.integers("index").tolist())
    return list(zip(*columns, strict=True)) if len(table) else []


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
