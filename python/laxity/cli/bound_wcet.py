# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` reads from runs, `wcet_from`, and what it says of that."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from laxity.bounds.platform_costs import Choice
from laxity.cli.run_paths import absolute_path
from laxity.core.task_set import RunWcet, TaskSet, Work, read_task_set
from laxity.core.units import shown_duration
from laxity.statistics.wcet_model import MeasuredWcet


def read_with_runs(
    data: bytes, base: Path, choice: Choice
) -> tuple[TaskSet, tuple[MeasuredWcet, ...]]:
    """Read a task set, and the runs that its tasks were measured in.

    Args:
        data: Content of the file.
        base: What `wcet_from` is relative to.
        choice: Which figure of a run.

    Raises:
        ConfigError: As `read_task_set`.
        NoVerdict: A run does not tell how long jobs take.
    """
    measured: list[MeasuredWcet] = []

    def read_wcet(run: str, task: str, work: Work) -> RunWcet:
        from laxity.bounds.wcet_from_runs import read_measured_wcet  # noqa: PLC0415 - loads numpy

        measured.append(read_measured_wcet(base, run, task, _stored(work, base), choice))
        return RunWcet(measured[-1].wcet_ns, measured[-1].max_ns)

    read = read_task_set(data, read_wcet)
    tasks = tuple(replace(one, work=_stored(one.work, base)) for one in read.tasks)
    return replace(read, tasks=tasks), tuple(measured)


def _stored(work: Work, base: Path) -> Work:
    """Write a program as a run stores it, with which it is compared."""
    if not work.program:
        return work
    program, *words = work.program
    return replace(work, program=(absolute_path(program, base), *words))


def wcet_notes(
    measured: Sequence[MeasuredWcet], costs_machine: str | None, *, may_differ: bool
) -> tuple[str, ...]:
    """Say what makes measured times weaker than they look.

    Args:
        measured: Of all tasks with `wcet_from`.
        costs_machine: Hash of the machine of the costs; None: --costs none.
        may_differ: Whether times and costs may be of different machines.

    Raises:
        NoVerdict: They are, and may not.
    """
    if not measured:
        return ()
    from laxity.bounds.wcet_from_runs import check_machines  # noqa: PLC0415 - loads numpy

    notes = check_machines(measured, costs_machine, may_differ=may_differ)
    if measured[0].pwcet is not None:
        notes += ("each job may exceed its pWCET: what is said holds while none does",)
    notes += tuple(
        f"{one.task}: a job took {shown_duration(one.max_ns)}, longer than its wcet by "
        f"{one.use}: what is said holds while none does"
        for one in measured
        if one.max_ns > one.wcet_ns
    )
    return notes + tuple(f"{one.task}: {note}" for one in measured for note in one.notes)
