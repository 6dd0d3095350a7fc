# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration's verdict: three tasks that it ran, bounded with the costs that it measured."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from laxity import __version__
from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.platform_costs import PPM, Choice
from laxity.bounds.store import BoundRequest, store_bound
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.task_set import read_task_set
from laxity.core.units import exact_duration, exact_size
from laxity.costs.merge import merge_runs
from laxity.costs.model import Costs
from laxity.errors import NoVerdict
from laxity.jobs import rows as analysis
from laxity.jobs.finish import Finished
from laxity.store.manifest import Tool
from laxity.store.run_directory import Run, open_run

# Names of the run that measures the tasks and of the one that bounds them.
TASKS, VERDICT = "tasks", "verdict"
# Added to the largest execution time seen and to each cost: another run will see larger ones.
_MARGIN_PPM = 200_000
# Name, period, working set as a part of the second-level cache, of which gamma is measured at a
# 32nd and a quarter, and bytes passed through in a job: some 0.6, 2.3 and 4.6 ms of execution on a
# processor of 2.6 GHz, a third of its time.
_TASKS = (
    ("control", "5ms", 32, 48 << 20),
    ("filter", "20ms", 8, 192 << 20),
    ("vision", "50ms", 4, 384 << 20),
)
_HIGHEST_PRIORITY = 90


def plan_tasks(run: dict[str, Any], cpu: int, cache_bytes: int, resolution_ns: int) -> Spec:
    """Plan the run of three tasks on one CPU, the shortest period highest.

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
            "args": [exact_size(cache_bytes // part), str(max(1, passed * part // cache_bytes))],
            "period": period,
            "priority": _HIGHEST_PRIORITY - place,
            "cpus": str(cpu),
        }
        for place, (name, period, part, passed) in enumerate(_TASKS)
    ]
    return resolve_spec(run, tasks, [], resolution_ns)


def bound_measured_tasks(
    runs: Path, measured: Sequence[str], final: Path, command_line: list[str]
) -> Finished:
    """Bound the tasks that were run with the costs that were measured, and store the answer.

    Args:
        runs: Directory of the runs of the demonstration.
        measured: Names of those that measured costs, as far as they were planned.
        final: Of the run that is written.
        command_line: What the user typed.

    Raises:
        NoVerdict: A task finished no job, so that nothing is known of its execution time.
        LaxityError: A run cannot be read, or the answer not be written.
    """
    run = open_run(runs / TASKS)
    text, note = _task_set(run)
    paths = [runs / name for name in measured if (runs / name).is_dir()]
    costs = _costs(paths, run)
    given = CostsGiven(costs, "this demonstration", Choice(None, _MARGIN_PPM))
    answer = answer_task_set(read_task_set(text), given)
    request = BoundRequest(
        name=VERDICT,
        answer=replace(answer, notes=(note, *answer.notes)),
        task_set=text,
        costs=costs,
        costs_run=paths[0] if paths else None,
        final=final,
        command_line=command_line,
    )
    return store_bound(request)


def _costs(paths: Sequence[Path], run: Run) -> Costs:
    """Join the costs; none of them where nothing was measured, which the answer then says."""
    if paths:
        return merge_runs(paths)
    tool = Tool(name="laxity", version=__version__)
    return Costs(tool=tool, machine_hash=run.manifest.machine_hash or "", entries=[])


def _task_set(run: Run) -> tuple[bytes, str]:
    """Write the tasks with what was seen of them, and say what that is worth."""
    document = tomllib.loads(run.spec_text)
    rows = run.stream("jobs")
    seen = []
    for index, task in enumerate(document["task"]):
        finished = analysis.finished(analysis.of_task(rows, index))
        times_ns = analysis.present(finished["exec_ns"])
        if not times_ns.size:
            msg = f'run {TASKS}: task "{task["name"]}" finished no job; give it a longer --duration'
            raise NoVerdict(msg)
        wcet_ns = -(-int(np.max(times_ns)) * (PPM + _MARGIN_PPM) // PPM)
        # A job passes through its working set again and again, and touches little else.
        task |= {"wcet": exact_duration(wcet_ns), "working_set": task["args"][0]}
        seen.append(f"{times_ns.size} of {task['name']}")
    note = (
        f"each wcet is the largest execution time seen in run {TASKS} (jobs: {', '.join(seen)}) "
        f"+ {_MARGIN_PPM * 100 // PPM}%: observed, not proven"
    )
    return _written(document), note


def _written(document: dict[str, Any]) -> bytes:
    import tomli_w  # noqa: PLC0415 - only where a spec is written

    return tomli_w.dumps(document).encode()
