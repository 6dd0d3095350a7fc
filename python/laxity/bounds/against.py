# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound --against RUN`: bounds held against the response times of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laxity.bounds.document import Answer
from laxity.bounds.observed_bound import Observed, TracedTask, observe_task
from laxity.bounds.run_match import differences
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import TaskBound
from laxity.core.task_set import TaskSet
from laxity.errors import NoVerdict, RecordError
from laxity.jobs import rows as job_analysis
from laxity.jobs.finish import open_recovered
from laxity.jobs.rows import Jobs
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run
from laxity.trace.attribution import Attribution
from laxity.trace.data import attribute_tasks, read_whole_trace
from laxity.trace.sched_trace import Trace
from laxity.trace.window_parts import Member, Timeline


@dataclass(frozen=True, slots=True)
class Against:
    """What `--against` adds to the answer; times in ns.

    Attributes:
        run: Its path.
        trace: Back-end of its scheduling trace; None: it has none that is whole.
        stolen_ns: What the host took, by CPU; empty: the kernel does not tell.
        stolen_resolution_ns: Of these figures.
        tasks: In the order of the task set.
    """

    run: str
    trace: str | None
    stolen_ns: Mapping[int, int]
    stolen_resolution_ns: int | None
    tasks: tuple[Observed, ...]

    @property
    def above(self) -> int:
        """Jobs of all tasks beyond their bounds."""
        return sum(task.above for task in self.tasks)

    @property
    def unjudged(self) -> int:
        """Jobs of all tasks with a bound of which nobody tells whether they were beyond it."""
        return sum(task.unjudged for task in self.tasks if task.bound_ns is not None)


def hold_against(path: Path, task_set: TaskSet, answer: Answer) -> Against:
    """Compare every job of a run with the bound of its task.

    Args:
        path: The run.
        task_set: What was bounded.
        answer: The bounds, and the costs that they count with.

    Raises:
        ConfigError: There is no such run.
        NoVerdict: The run is of another task set or machine, or its rows are not whole.
    """
    run = open_recovered(path)
    found = differences(task_set, answer, run.manifest)
    if found:
        msg = f"--against {path}: cannot be compared: {'; '.join(found)}"
        raise NoVerdict(msg)
    rows = _rows_by_task(run)
    trace = read_whole_trace(run)
    traced = _traced(run.manifest, task_set, answer.tasks, (rows, trace, run))
    observed = []
    for task in traced:
        here = [one for one in traced if one.bound.cpu == task.bound.cpu]
        cut = None
        if trace is not None:
            cut = Timeline(trace, [one.member for one in here if one.member]).parts_of
        observed.append(observe_task(task, here, cut))
    if not any(one.jobs or one.unjudged for one in observed):
        msg = f"--against {path}: no job of it finished; there is nothing to compare"
        raise NoVerdict(msg)
    recorded = run.manifest.trace
    used = {one.bound.cpu for one in traced}
    stolen = [] if recorded is None else [one for one in recorded.cpus if one.cpu in used]
    return Against(
        run=str(path),
        trace=None if trace is None or recorded is None else recorded.backend,
        stolen_ns={one.cpu: one.steal_ns for one in stolen if one.steal_ns is not None},
        stolen_resolution_ns=None if recorded is None else recorded.steal_resolution_ns,
        tasks=tuple(observed),
    )


def _rows_by_task(run: Run) -> dict[int, Jobs]:
    """Read the rows of each task; all of them are needed for "no response time above"."""
    jobs = run.stream("jobs")
    rows = {}
    for task in run.manifest.tasks:
        mine = job_analysis.in_order(job_analysis.of_task(jobs, task.index))
        if task.lost_rows or len(mine) != task.released:
            msg = (
                f'run {run.path}: task "{task.name}": {len(mine)} rows of {task.released} '
                'releases; run it with keep = "all"'
            )
            raise RecordError(msg)
        rows[task.index] = mine
    return rows


def _traced(
    manifest: Manifest,
    task_set: TaskSet,
    bounds: Sequence[TaskBound],
    read: tuple[dict[int, Jobs], Trace | None, Run],
) -> list[TracedTask]:
    """Put bounds, rows and what the trace tells together, task by task."""
    rows, trace, run = read
    snapshots = manifest.snapshots
    exec_ns = 0 if snapshots is None or snapshots.exec_ns is None else round(snapshots.exec_ns)
    attributions: Mapping[int, Attribution] = {}
    if trace is not None:
        attributions = attribute_tasks(run, trace, rows, exec_ns)
    index_of = {task.name: task.index for task in manifest.tasks}
    ends_ns = {task.name: task.end_ns for task in manifest.tasks}
    wcets = {task.name: task.wcet_ns for task in tasks_of(task_set.tasks)}
    return [
        TracedTask(
            bound=bound,
            wcet_ns=wcets[bound.name],
            rows=rows[index_of[bound.name]],
            end_ns=ends_ns[bound.name],
            member=_member(bound, rows[index_of[bound.name]], attributions, index_of[bound.name]),
            snapshot_exec_ns=exec_ns,
        )
        for bound in bounds
    ]


def _member(
    bound: TaskBound, rows: Jobs, attributions: Mapping[int, Attribution], index: int
) -> Member | None:
    if index not in attributions:
        return None
    finished = job_analysis.with_release(job_analysis.finished(rows))
    order = np.argsort(np.ma.getdata(finished["job"]), kind="stable")
    return Member(
        name=bound.name,
        priority=bound.priority or 0,
        tids=frozenset(np.unique(np.ma.getdata(finished["tid"])).tolist()),
        pieces=attributions[index].pieces,
        start_ns=np.ma.getdata(finished["start_ns"])[order].astype(np.int64),
    )
