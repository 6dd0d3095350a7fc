# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a trial of a paper: profile a program with loads, and evaluate regulators with its table."""

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
) -> Finished:
    """Make a contention table, try each policy with it, and store both as one run.

    Raises:
        ConfigError: The directory cannot be created, or theta is too small for a policy.
        LaxityError: As a simulation.
    """

    def make() -> Trial:
        display = Countdown("laxity reproduce", "loads", is_quiet=True)
        program = Program(platform.model, platform.name, work.workload, (work.word,), 0)
        loads = loads_of(_LOAD_CPUS, work.reads, work.delays, work.placements)
        table = profile_program(program, loads, display)
        regulate = resolve_regulate(RegulateTable(theta=work.theta), work.workload)
        tried = loads_of(_LOAD_CPUS, work.tried_reads, work.tried_delays, work.placements)
        return Trial(
            table=table,
            evaluations=[
                evaluate_table(table, Terms(regulate, _LOAD_CPUS[0], policy=policy), tried, display)
                for policy in work.policies
            ],
        )

    return store_trial(make, final, name, command_line)
