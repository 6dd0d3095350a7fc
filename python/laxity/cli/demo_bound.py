# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration's verdict: three tasks that it ran, bounded with the costs that it measured."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laxity import __version__
from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.platform_costs import PPM, Choice
from laxity.bounds.store import BoundRequest, store_bound
from laxity.cli.bound_wcet import read_with_runs, wcet_notes
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_size
from laxity.costs.merge import merge_runs
from laxity.costs.model import Costs
from laxity.jobs import rows as analysis
from laxity.jobs.finish import Finished
from laxity.store.manifest import Tool
from laxity.store.run_directory import Run, open_run

# Names of the run that measures the tasks and of the one that bounds them.
TASKS, VERDICT = "tasks", "verdict"
# What the three tasks use of their CPU, margin included, if each job takes the pilot's median. The
# bound counts their longest jobs, which took one to two and a half times as long on a virtual
# machine: with those they use 0.3 to 0.75.
_UTILISATION_PPM = 300_000
# Apart from each other, so that no task of the pilot preempts another.
_PILOT_PERIOD_NS, _PILOT_OFFSET_NS = 20_000_000, 6_000_000
# On the largest execution time seen and on each cost: another run will see larger ones.
_MARGIN_PPM = 200_000
# Name, period, and working set as a part of the second-level cache, of which gamma is measured at a
# 32nd and a quarter.
_TASKS = (("control", "5ms", 32), ("filter", "20ms", 8), ("vision", "50ms", 4))
# Bytes that a job of the pilot passes through: 0.1 ms on a processor of 2.6 GHz, 3 ms on one of
# 800 MHz; of the largest working set 32 passes, so that the first, cold one counts little.
_PILOT_BYTES = 8 << 20
_HIGHEST_PRIORITY = 90


def plan_tasks(run: dict[str, Any], cpu: int, cache_bytes: int, resolution_ns: int) -> Spec:
    """Plan the run of three tasks on one CPU, the shortest period highest, as yet of short jobs.

    Args:
        run: The table [run].
        cpu: Where they run.
        cache_bytes: Of the second-level cache; gamma is measured up to this size.
        resolution_ns: Of the clock that releases jobs.

    Raises:
        ConfigError: The duration is no duration.
    """
    tasks = [
        {
            "name": name,
            "workload": "mem",
            "args": [
                exact_size(cache_bytes // part),
                str(max(1, _PILOT_BYTES * part // cache_bytes)),
            ],
            "period": period,
            "priority": _HIGHEST_PRIORITY - place,
            "cpus": str(cpu),
        }
        for place, (name, period, part) in enumerate(_TASKS)
    ]
    return resolve_spec(run, tasks, [], resolution_ns)


def pilot_of(tasks: Spec, duration_ns: int) -> Spec:
    """Plan the pilot of a run of tasks: the same jobs, none of them preempted by another task."""
    apart = tuple(
        msgspec.structs.replace(
            task,
            period_ns=_PILOT_PERIOD_NS,
            deadline_ns=_PILOT_PERIOD_NS,
            offset_ns=place * _PILOT_OFFSET_NS,
        )
        for place, task in enumerate(tasks.tasks)
    )
    return msgspec.structs.replace(tasks, tasks=apart, duration_ns=duration_ns)


def sized_by(pilot: Run, tasks: Spec) -> Spec:
    """Choose the passes of each task so that all use their utilisation, each an equal share.

    A task of which the pilot finished fewer than two jobs stays as it is.

    Args:
        pilot: A run of `pilot_of` these tasks.
        tasks: Of workload mem, words: size and passes.
    """
    rows = pilot.stream("jobs")
    sized = []
    for index, task in enumerate(tasks.tasks):
        jobs = analysis.finished(analysis.of_task(rows, index))
        # The first job finds its caches cold.
        times_ns = analysis.present(jobs["exec_ns"])[1:]
        size, passes = task.args
        if times_ns.size and (usual_ns := float(np.median(times_ns))) > 0:
            share_ns = task.period_ns * _UTILISATION_PPM / len(tasks.tasks) / (PPM + _MARGIN_PPM)
            passes = str(max(1, round(int(passes) * share_ns / usual_ns)))
        sized.append(msgspec.structs.replace(task, args=(size, passes)))
    return msgspec.structs.replace(tasks, tasks=tuple(sized))


def bound_measured_tasks(
    runs: Path, measured_costs: Sequence[str], final: Path, command_line: list[str]
) -> Finished:
    """Bound the tasks that were run with the costs that were measured, and store the answer.

    Args:
        runs: Directory of the runs of the demonstration.
        measured_costs: Names of those that measured costs, as far as they were planned.
        final: Of the run that is written.
        command_line: What the user typed.

    Raises:
        NoVerdict: The run does not tell how long a task takes: it finished no job, for example.
        LaxityError: A run cannot be read, or the answer not be written.
    """
    run = open_run(runs / TASKS)
    choice = Choice(None, _MARGIN_PPM)
    text = _task_set(run)
    # The verdict has no directory yet; its path to the run is the same from the run itself.
    task_set, measured = read_with_runs(text, run.path, choice)
    paths = [runs / name for name in measured_costs if (runs / name).is_dir()]
    costs = _costs(paths, run)
    answer = answer_task_set(task_set, CostsGiven(costs, "this demonstration", choice))
    notes = wcet_notes(measured, costs.machine_hash, may_differ=False)
    request = BoundRequest(
        name=VERDICT,
        answer=replace(answer, wcet_from=measured, notes=(*answer.notes, *notes)),
        task_set=text,
        costs=costs,
        costs_run=paths[0] if paths else None,
        final=final,
        command_line=command_line,
        platform=run.manifest.platform,
    )
    return store_bound(request)


def _costs(paths: Sequence[Path], run: Run) -> Costs:
    """Join the costs; none of them where nothing was measured, which the answer then says."""
    if paths:
        return merge_runs(paths)
    tool = Tool(name="laxity", version=__version__)
    return Costs(tool=tool, machine_hash=run.manifest.machine_hash or "", entries=[])


def _task_set(run: Run) -> bytes:
    """Write the tasks with the run that tells how long they take.

    A measured time is never written as a wcet, least of all with a margin: a stated wcet is taken
    for a time that jobs do take, and would prove that a task is late which never was.
    """
    import tomli_w  # noqa: PLC0415 - only where a spec is written

    document = tomllib.loads(run.spec_text)
    for task in document["task"]:
        # A job passes through its working set again and again, and touches little else.
        task |= {"wcet_from": f"../{TASKS}", "working_set": task["args"][0]}
    return tomli_w.dumps(document).encode()
