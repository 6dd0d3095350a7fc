# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run the programs that were analysed, and put what was counted beside their instructions."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.workingset.analyse import Analysed
from laxity.workingset.bitcode_programs import BitcodeProgram
from laxity.workingset.document import TracedRun
from laxity.workingset.tables import (
    EXECUTIONS,
    INSTRUCTIONS,
    PROGRESSION,
    Table,
    add_executions,
    read_table,
)
from laxity.workingset.trace import Inputs, Traced, TraceRequest, require_oracle, trace_programs

# What the analysis takes for the job where nobody names one.
_CONVENTION = "benchmark_execution"
_PHI = "phi"


@dataclass(frozen=True, slots=True)
class RunsWanted:
    """What is run, and for what.

    Attributes:
        inputs: Of every program.
        wants_executions: How often instructions are executed is asked for, of all programs.
        progressions: Programs of which live bytes along the run are asked for.
        scratch: Empty directory; programs run below it.
        patience_s: A run, and each step around it, may take so long.
    """

    inputs: Inputs
    wants_executions: bool
    progressions: Sequence[str]
    scratch: Path
    patience_s: float


def run_programs(
    wanted: RunsWanted,
    outputs: Sequence[str],
    programs: Sequence[tuple[BitcodeProgram, str | None]],
    analysed: Mapping[str, Analysed],
    target: str | None,
) -> dict[str, TracedRun]:
    """Run programs once, those whose analysis has a table; executions become a column of it.

    Args:
        wanted: What is asked for.
        outputs: Globals that somebody outside reads after each job.
        programs: All that were analysed, with the job function that was asked for.
        analysed: Their tables.
        target: The machine that they were compiled for; None: this one.

    Raises:
        ToolError: The oracle is not in this build.
    """
    chosen = [
        (one, job or _CONVENTION)
        for one, job in programs
        if (wanted.wants_executions or one.name in wanted.progressions)
        and (analysed[one.name].directory / INSTRUCTIONS).is_file()
    ]
    if not chosen:
        return {}
    if target is not None:
        reason = f"compiled for {target}, and only programs of this machine are run"
        return {one.name: TracedRun(reason=reason, progression_reason=reason) for one, _ in chosen}
    oracle = require_oracle(wanted.patience_s)
    requests = [
        TraceRequest(
            name=one.name,
            bitcode=one.bitcode,
            job=job if analysed[one.name].summary.mode == "job" else None,
            outputs=tuple(outputs),
            to=wanted.scratch / str(number),
            wants_progression=one.name in wanted.progressions,
        )
        for number, (one, job) in enumerate(chosen)
    ]
    for request in requests:
        request.to.mkdir()
    traced = trace_programs(requests, wanted.inputs, oracle)
    return {
        name: _keep(
            one,
            analysed[name].directory,
            wanted.inputs,
            wants_progression=name in wanted.progressions,
        )
        for name, one in traced.items()
    }


def _keep(traced: Traced, directory: Path, inputs: Inputs, *, wants_progression: bool) -> TracedRun:
    executed = None
    if traced.executions is not None:
        add_executions(directory, traced.executions)
        executed = _count(read_table(directory / INSTRUCTIONS))
    if traced.progression is not None:
        shutil.copyfile(traced.progression, directory / PROGRESSION)
    run = TracedRun(
        arguments=list(inputs.arguments),
        stdin=None if inputs.stdin is None else str(inputs.stdin),
        exit_code=traced.exit_code,
        executed=executed,
        reason=traced.reason,
        has_progression=traced.progression is not None,
    )
    if not wants_progression:
        return run
    return msgspec.structs.replace(run, progression_reason=traced.progression_reason)


def _count(table: Table) -> int:
    executions = table.optional_integers(EXECUTIONS)
    opcodes = table.texts("opcode")
    return sum(n or 0 for n, opcode in zip(executions, opcodes, strict=True) if opcode != _PHI)
