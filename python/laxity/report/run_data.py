# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the sections need of a run, read once: rows, distributions and documents, gaps named.

A part that is missing or damaged is a note in the report, not the end of it: whoever has a broken
run needs the report most.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from laxity.analysis import distribution
from laxity.analysis import jobs as analysis
from laxity.analysis.attribution import Attribution
from laxity.analysis.distribution import Distribution
from laxity.analysis.jobs import Jobs
from laxity.analysis.phases import Marks, PhaseSummary, summarize_phases
from laxity.errors import RecordError
from laxity.model.manifest import CorunnerResult, Manifest, TaskResult, displaced_lines
from laxity.model.streams import Quantity as Stream
from laxity.report.blocks import Kind
from laxity.report.bound_data import read_bound
from laxity.report.experiment_data import read_shares
from laxity.report.measured_data import READERS
from laxity.report.trace_data import read_attributions
from laxity.store.run_directory import MACHINE, Run

Part = TypeVar("Part")
Rows: TypeAlias = Any  # masked structured array of a stream

_PLATFORM_OF_SIMULATIONS = "sim:"


@dataclass(frozen=True, slots=True)
class TaskData:
    """One task of one run.

    `rows` are what was kept, in order of release. `is_whole` says whether that is every release;
    otherwise the distributions come from histogram.npy.
    """

    result: TaskResult
    rows: Jobs
    is_whole: bool
    distributions: dict[Stream, Distribution]
    phases: tuple[PhaseSummary, ...] = ()
    # A thread of a program that ran already: its period and releases are estimates.
    is_observed: bool = False

    @property
    def has_modelled_releases(self) -> bool:
        """Whether releases are points of an estimated grid, not told and not seen."""
        return self.is_observed and self.result.period_ns is not None

    @property
    def n_finished(self) -> int:
        """Finished jobs by the manifest's count: done + missed."""
        return self.result.counts.done + self.result.counts.missed

    @property
    def n_release_unknown(self) -> int:
        """Finished jobs of a program with its own main whose release was neither told nor seen."""
        if self.result.exec is None and not self.is_observed:
            return 0
        return self.n_finished - self.distributions[Stream.RESPONSE_TIME].n


@dataclass(frozen=True, slots=True)
class RunData:
    """One run that measured; `label` is how the report calls it, `prefix` starts its ids."""

    label: str
    prefix: str
    path: Path
    manifest: Manifest
    machine: dict[str, Any]
    doctor: dict[str, Any]
    spec_text: str
    keep: str
    tasks: tuple[TaskData, ...]
    # By index of the task; empty without a whole scheduling trace.
    attributions: dict[int, Attribution] = field(default_factory=dict)
    problems: tuple[str, ...] = field(default=())
    # Of a run that measured the platform: what the reader of its probe gives (measured_data.py); of
    # one that bounded a task set its answer (bound_data.py).
    findings: Any = None

    @property
    def kind(self) -> Kind:
        """Kind of every figure of this run that does not depend on a release."""
        if self.manifest.experiment is not None:
            return "modelled"
        is_simulated = self.manifest.platform.startswith(_PLATFORM_OF_SIMULATIONS)
        return "simulated" if is_simulated else "measured"

    def kind_of(self, task: TaskData, quantity: Stream = Stream.RESPONSE_TIME) -> Kind:
        """Kind of a figure of a task; one from a release is no better known than the release."""
        if task.has_modelled_releases and quantity is not Stream.START_TO_FINISH:
            return "modelled"
        return self.kind

    @property
    def has_begun(self) -> bool:
        """True if the run came to its first release; before that nothing was measured."""
        clock = self.manifest.clock
        return clock is not None and clock.t0_ns is not None

    @property
    def snapshot_exec_ns(self) -> int:
        """Calibrated processor time of an empty pair of snapshots; 0 where none were taken."""
        return _snapshot_exec_ns(self.manifest)


def _snapshot_exec_ns(manifest: Manifest) -> int:
    cost = manifest.snapshots
    return 0 if cost is None or cost.exec_ns is None else round(cost.exec_ns)


@dataclass(frozen=True, slots=True)
class PageData:
    """What a report is about: one run, or a command's run with the runs below it."""

    manifest: Manifest
    path: Path
    runs: tuple[RunData, ...]
    is_composite: bool
    spec_text: str = ""
    problems: tuple[str, ...] = field(default=())


def read_page(run: Run) -> PageData:
    """Read a run and the runs it consists of.

    Raises:
        RecordError: The manifest of a run below is unreadable.
    """
    if not run.manifest.runs:
        data = _read_run(run, run.manifest.name, "r0")
        return PageData(run.manifest, run.path, (data,), is_composite=False)
    children = tuple(
        _read_run(child, child.path.name, f"r{number}") for number, child in enumerate(run.children)
    )
    problems: list[str] = []
    spec_text = (
        _try(lambda: run.spec_text, "", problems) if (run.path / "spec.toml").exists() else ""
    )
    return PageData(run.manifest, run.path, children, True, spec_text, tuple(problems))


def _read_measured(run: Run, label: str, prefix: str) -> RunData:
    """Read a run that measured the platform: no tasks, but findings."""
    problems: list[str] = []
    asked = run.manifest.measurement
    findings, damage = READERS[asked.probe](run) if asked is not None else (None, ())
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=_try(lambda: run.machine, {}, problems),
        doctor=_try(lambda: run.doctor, {}, problems),
        spec_text="",
        keep="all",
        tasks=(),
        problems=(*problems, *damage),
        findings=findings,
    )


def _read_bounded(run: Run, label: str, prefix: str) -> RunData:
    """Read a run that bounded a task set: no jobs, and perhaps no machine, but an answer."""
    problems: list[str] = []
    findings, damage = read_bound(run)
    has_machine = (run.path / MACHINE).exists()
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=_try(lambda: run.machine, {}, problems) if has_machine else {},
        doctor={},
        spec_text="",
        keep="all",
        tasks=(),
        problems=(*problems, *damage),
        findings=findings,
    )


def _read_experiment(run: Run, label: str, prefix: str) -> RunData:
    """Read a run that drew task sets and tested them: no jobs and no machine, but shares."""
    problems: list[str] = []
    findings, damage = read_shares(run)
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine={},
        doctor={},
        spec_text=_try(lambda: run.spec_text, "", problems),
        keep="all",
        tasks=(),
        problems=(*problems, *damage),
        findings=findings,
    )


def _read_run(run: Run, label: str, prefix: str) -> RunData:
    if run.manifest.kind == "bound":
        return _read_bounded(run, label, prefix)
    if run.manifest.experiment is not None:
        return _read_experiment(run, label, prefix)
    if run.manifest.measurement is not None:
        return _read_measured(run, label, prefix)
    problems: list[str] = []
    spec_text = ""
    if run.manifest.observation is None:
        spec_text = _try(lambda: run.spec_text, "", problems)
    keep = _keep_mode(spec_text)
    tasks = read_tasks(run, problems)
    rows = {task.result.index: task.rows for task in tasks}
    exec_ns = _snapshot_exec_ns(run.manifest)
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=_try(lambda: run.machine, {}, problems),
        doctor=_try(lambda: run.doctor, {}, problems),
        spec_text=spec_text,
        keep=keep,
        tasks=tasks,
        attributions=_try(lambda: read_attributions(run, rows, exec_ns), {}, problems),
        problems=tuple(problems) + tuple(_inconsistencies(tasks, run.manifest.corunners, keep)),
    )


def read_tasks(run: Run, problems: list[str]) -> tuple[TaskData, ...]:
    """Read the jobs of every task of a run.

    Args:
        run: A run with jobs.
        problems: What cannot be read is noted here.
    """
    jobs = _try(lambda: run.stream("jobs"), None, problems)
    # An observed program has no experiment, and every job of it has a row.
    is_observed = run.manifest.observation is not None
    histogram = None if is_observed else _try(lambda: run.stream("histogram"), None, problems)
    marks = None
    if (run.path / "probe.npy").exists():
        marks = _try(lambda: run.stream("probe"), None, problems)
    return tuple(
        replace(_read_task(result, jobs, histogram, marks), is_observed=is_observed)
        for result in run.manifest.tasks
    )


def _try(read: Callable[[], Part], otherwise: Part, problems: list[str]) -> Part:
    """Read a part, or note that it cannot be read."""
    try:
        return read()
    except RecordError as error:
        problems.append(str(error))
        return otherwise


def _keep_mode(spec_text: str) -> str:
    """`[run] keep` of the resolved spec; all is the default."""
    try:
        table = tomllib.loads(spec_text).get("run", {})
    except tomllib.TOMLDecodeError:
        return "all"
    return str(table.get("keep", "all"))


def _read_task(
    result: TaskResult, jobs: Jobs, histogram: Rows | None, marks: Marks | None
) -> TaskData:
    rows = analysis.of_task(_no_rows() if jobs is None else jobs, result.index)
    rows = analysis.in_order(rows)
    n_finished = result.counts.done + result.counts.missed
    # Whatever was to be kept: `tail:N` of fewer than N rows is all of them.
    is_whole = len(rows) == result.released and not result.lost_rows
    is_whole = is_whole and len(analysis.finished(rows)) == n_finished
    if is_whole or histogram is None:
        distributions = _from_rows(analysis.finished(rows))
    else:
        distributions = _from_histogram(histogram[np.asarray(histogram["task"]) == result.index])
    phases: tuple[PhaseSummary, ...] = ()
    if marks is not None:
        phases = summarize_phases(analysis.of_task(marks, result.index), rows)
    return TaskData(result, rows, is_whole, distributions, phases)


def _no_rows() -> Jobs:
    names = ("task", "job", "release_ns", "abs_deadline_ns", "start_ns", "finish_ns", "status")
    return np.ma.zeros(0, dtype=[(name, "i8") for name in names])


def _from_rows(finished: Jobs) -> dict[Stream, Distribution]:
    values = {
        Stream.RESPONSE_TIME: analysis.response_time_ns(finished),
        Stream.RELEASE_LATENCY: analysis.release_latency_ns(finished),
        Stream.START_TO_FINISH: analysis.start_to_finish_ns(finished),
    }
    return {
        name: distribution.from_samples(analysis.present(column)) for name, column in values.items()
    }


def _from_histogram(rows: Rows) -> dict[Stream, Distribution]:
    found = {}
    for quantity in Stream:
        part = np.ma.getdata(rows[np.asarray(rows["quantity"]) == quantity])
        found[quantity] = distribution.from_buckets(
            part["lower_ns"], part["upper_ns"], part["count"]
        )
    return found


def _inconsistencies(
    tasks: tuple[TaskData, ...], corunners: list[CorunnerResult], keep: str
) -> list[str]:
    """Say where rows, manifest and plan do not agree; a report must not paper over that."""
    found = []
    for one in corunners:
        found += displaced_lines(f'co-runner "{one.workload}"', one.displaced)
    for task in tasks:
        result = task.result
        found += displaced_lines(f'task "{result.name}"', result.displaced)
        if result.lost_rows:
            found.append(
                f'task "{result.name}": {result.lost_rows} rows were lost (log ring full); '
                "what is shown of single jobs is incomplete and supports no verdict"
            )
        elif keep == "all" and not task.is_whole:
            found.append(
                f'task "{result.name}": jobs.npy holds {len(task.rows)} rows, the manifest counts '
                f"{result.released} releases; distributions are taken from histogram.npy"
            )
        if result.lost_marks:
            found.append(
                f'task "{result.name}": {result.lost_marks} marks were lost (their ring was full, '
                "or their thread died in them); figures of its phases and probes are incomplete"
            )
    return found
