# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""C of tasks from the runs that `wcet_from` names."""

from collections.abc import Sequence
from pathlib import Path

from laxity.bounds.measured_wcet import choose_wcet, execution_times
from laxity.bounds.platform_costs import Choice
from laxity.bounds.run_match import different_work
from laxity.core.task_set import Work
from laxity.errors import ConfigError, NoVerdict, suggestion
from laxity.jobs.finish import open_recovered
from laxity.statistics.wcet_model import MeasuredWcet
from laxity.store.hindrances import stall_lines
from laxity.store.manifest import TaskResult, kind_of_figures
from laxity.store.run_directory import Run


def read_measured_wcet(
    base: Path, run_path: str, task: str, work: Work, choice: Choice
) -> MeasuredWcet:
    """Find C of a task in a run.

    Args:
        base: What `run_path` is relative to.
        run_path: As `wcet_from` names it.
        task: Name in the task set.
        work: What its jobs do, paths as a run stores them.
        choice: Which figure, with which margin.

    Raises:
        ConfigError: There is no such run, or none of its tasks fits.
        NoVerdict: The run does not tell how long such jobs take.
    """
    run = open_recovered(base / run_path)
    result = _task_of(run, task)
    where = f'task "{task}": wcet_from {run.path}'
    # What is observed is known by the name of its thread.
    others = different_work(work, result) if run.manifest.kind == "run" else {}
    for key, (asked, ran) in others.items():
        msg = (
            f"{where}: {key} {ran} in the run, {asked} in the task set: its times are not those "
            "of the task; name a run of it, or state wcet"
        )
        raise NoVerdict(msg)
    if result.displaced:
        one = result.displaced[0]
        msg = (
            f"{where}: its {one.what} was found to be {one.found}, planned was {one.planned}: its "
            "times are not those of the task; run it again"
        )
        raise NoVerdict(msg)
    for line in stall_lines(run.manifest):
        msg = f"{where}: {line}; run it again"
        raise NoVerdict(msg)
    if not run.has_stream("jobs"):
        msg = f"{where}: there is no jobs.npy; name a run that wrote its jobs"
        raise NoVerdict(msg)
    jobs = run.stream("jobs")
    try:
        times = execution_times(jobs, result)
        value_ns, pwcet = choose_wcet(times, choice)
    except NoVerdict as reason:
        msg = f"{where}: {reason}"
        raise NoVerdict(msg) from reason
    return MeasuredWcet(
        task=task,
        run=run_path,
        run_task=result.name,
        machine_hash=run.manifest.machine_hash,
        kind=kind_of_figures(run.manifest) if pwcet is None else "modelled",
        # A task of no length at all is none that the tests read.
        wcet_ns=max(choice.with_margin(value_ns), 1),
        use=choice.use,
        n=times.samples_ns.size,
        max_ns=max(int(times.samples_ns.max()), 1),
        pwcet=pwcet,
        notes=times.notes,
    )


def check_machines(
    measured: Sequence[MeasuredWcet], costs_machine: str | None, *, may_differ: bool
) -> tuple[str, ...]:
    """Refuse times and costs of different machines.

    Args:
        measured: Times of tasks.
        costs_machine: Hash of the machine of the costs; None: there are no costs.
        may_differ: The user said so.

    Returns:
        Notes for the answer.

    Raises:
        NoVerdict: They are of different machines, or of one that is not known.
    """
    if not measured:
        return ()
    first = costs_machine if costs_machine is not None else measured[0].machine_hash
    notes = []
    for one in measured:
        if first and one.machine_hash == first:
            continue
        other = "the costs" if costs_machine is not None else measured[0].run
        told = (
            f'task "{one.task}": wcet_from {one.run}: machine {_short(one.machine_hash)} is not '
            f"that of {other}, {_short(first)}"
        )
        if not may_differ:
            msg = f"{told}; measure on one machine, or add --allow-other-machine"
            raise NoVerdict(msg)
        notes.append(f"{told}: --allow-other-machine")
    return tuple(notes)


def _task_of(run: Run, task: str) -> TaskResult:
    """Find the task by its name; a run of one task is of that one."""
    tasks = run.manifest.tasks
    if run.manifest.runs:
        names = ", ".join(f"runs/{name}" for name in run.manifest.runs)
        msg = f"run {run.path}: consists of runs; name one of them: {names}"
        raise ConfigError(msg)
    if not tasks:
        msg = f"run {run.path}: has no tasks; name a run of laxity run or laxity observe"
        raise ConfigError(msg)
    if len(tasks) == 1:
        return tasks[0]
    for one in tasks:
        if one.name == task:
            return one
    known = [one.name for one in tasks]
    advice = suggestion(task, known, f"its tasks are {', '.join(known)}; use such a name")
    msg = f'run {run.path}: has no task "{task}"; {advice}'
    raise ConfigError(msg)


def _short(machine_hash: str | None) -> str:
    return machine_hash[:12] if machine_hash else "not known"
