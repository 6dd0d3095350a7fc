# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Live working sets of a suite's programs, by what `laxity workingset --suite` does."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, ConfigError
from laxity.jobs.finish import Finished
from laxity.papers.paper import SuiteAnalysis
from laxity.workingset.analyse import require_tool
from laxity.workingset.annotations import Annotations
from laxity.workingset.bitcode import Form, bitcode_toolchain
from laxity.workingset.bitcode_programs import Place, Prepared, programs_of_suites
from laxity.workingset.runs import RunsWanted
from laxity.workingset.store import WorkingSetRequest, analyse_programs, store_working_set
from laxity.workingset.trace import Inputs

# As `laxity workingset` has it.
_PATIENCE_S = 300
# Volatile variables of these suites are memory, registers of no device.
_NO_DEVICES = Annotations(registers=[])


def analyse_suite(
    roots: Sequence[Path], work: SuiteAnalysis, final: Path, name: str, command_line: list[str]
) -> Finished:
    """Analyse programs of checkouts and store that as one run.

    Args:
        roots: The checkouts; nothing is written into them.
        work: What is asked.
        final: Directory of the run.
        name: Of the run.
        command_line: What the user typed.

    Returns:
        Where it is. That others than the named programs have no answer is no failure: it stands in
        the run.

    Raises:
        ConfigError: A checkout has not the programs that are needed.
        ToolError: LLVM or the analysis is missing.
    """
    require_tool()
    toolchain = bitcode_toolchain(Form(work.form), None, ())
    with tempfile.TemporaryDirectory(prefix="laxity-workingset-") as directory:
        scratch = Path(directory)
        only = work.named if work.is_of_named_alone else ()
        prepared = programs_of_suites(roots, only, Place(scratch, toolchain))
        _require(work.named, prepared, roots)
        tables, runs = scratch / "tables", scratch / "runs"
        tables.mkdir()
        runs.mkdir()
        found = analyse_programs(
            WorkingSetRequest(
                prepared=prepared,
                toolchain=toolchain,
                job=None,
                outputs=(),
                weights=work.weights,
                runs=RunsWanted(
                    inputs=Inputs(),
                    wants_executions="trace" in work.weights,
                    progressions=work.named if work.has_progression else (),
                    scratch=runs,
                    patience_s=_PATIENCE_S,
                ),
                times=None,
                limit_bits=None,
                compile_ns=None,
                annotations=_NO_DEVICES,
                patience_s=_PATIENCE_S,
                scratch=tables,
            )
        )
        finished = store_working_set(found, final, name, command_line)
    answered = {one.program for one in found.answer.programs if one.live is not None}
    if finished.manifest.exit_code == EXIT_NO_VERDICT and answered.issuperset(work.named):
        manifest = msgspec.structs.replace(finished.manifest, exit_code=EXIT_DONE)
        return replace(finished, manifest=manifest)
    return finished


def _require(named: Sequence[str], prepared: Prepared, roots: Sequence[Path]) -> None:
    names = [one.name for one in prepared.programs]
    missing = [one for one in named if one not in names]
    if missing:
        where = ", ".join(map(str, roots))
        msg = f"--suite {where}: has no program {', '.join(missing)} that compiles and links; "
        msg += "name the whole suite"
        raise ConfigError(msg)
