# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a trial of a paper: profile a program with loads, and evaluate regulators with its table."""

import shutil
from pathlib import Path

from laxity.contention.experiments import Program
from laxity.contention.plan import Terms
from laxity.contention.run import evaluate_table, loads_of, profile_program
from laxity.contention.trial import Trial, store_trial
from laxity.core.progress import Countdown
from laxity.core.regulate_table import resolve_regulate
from laxity.core.spec import RegulateTable
from laxity.jobs.finish import Finished
from laxity.papers.paper import ContentionTrial
from laxity.platform.simulated import SimulatedPlatform

_LOAD_CPUS = (1, 2, 3)


def run_trial(
    platform: SimulatedPlatform,
    work: ContentionTrial,
    final: Path,
    name: str,
    command_line: list[str],
    kept: Path,
) -> Finished:
    """Make a contention table, try each policy with it, and store both as one run.

    Simulations are kept until the run is stored, so that the same command goes on after a kill.

    Args:
        platform: Where all is simulated.
        work: Program, loads, policies.
        final: Of the run.
        name: Of the run.
        command_line: What was typed.
        kept: Folder of simulations.

    Raises:
        ConfigError: The directory cannot be created, or theta is too small for a policy.
        LaxityError: As a simulation.
    """

    def make() -> Trial:
        display = Countdown("laxity reproduce", "loads", is_quiet=True)
        program = Program(platform.model, platform.name, work.workload, (work.word,), 0, kept)
        loads = loads_of(_LOAD_CPUS, work.profiled.reads, work.profiled.delays, work.placements)
        table = profile_program(program, loads, display)
        regulate = resolve_regulate(RegulateTable(theta=work.theta), work.workload)
        tried = [
            load
            for grid in work.tried
            for load in loads_of(_LOAD_CPUS, grid.reads, grid.delays, work.placements)
        ]
        terms = [Terms(regulate, _LOAD_CPUS[0], policy=policy) for policy in work.policies]
        return evaluate_table(table, terms, [], tried, display, kept)

    finished = store_trial(make, final, name, command_line)
    shutil.rmtree(kept, ignore_errors=True)
    return finished
