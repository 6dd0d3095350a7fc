# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Read a run for its report, once: rows, distributions and documents, gaps named.

A part that is missing or damaged is a note in the report, not the end of it: whoever has a broken
run needs the report most.
"""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from laxity.analysis import distribution
from laxity.analysis import jobs as analysis
from laxity.analysis.distribution import Distribution
from laxity.analysis.jobs import Jobs
from laxity.analysis.phases import Marks, PhaseSummary, summarize_phases
from laxity.errors import RecordError
from laxity.model.manifest import CorunnerResult, TaskResult, displaced_lines
from laxity.model.streams import Quantity as Stream
from laxity.report.measured import View, view_of
from laxity.report.run_data import PageData, RunData, TaskData, snapshot_exec_ns
from laxity.report.trace_data import read_attributions
from laxity.store.run_directory import MACHINE, Run

Part = TypeVar("Part")
Rows: TypeAlias = Any  # masked structured array of a stream


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


def _read_found(run: Run, view: View, label: str, prefix: str) -> RunData:
    """Read a run without tasks: it measured the platform, or computed."""
    problems: list[str] = []
    findings, damage = view.read(run)
    is_measured = run.manifest.measurement is not None
    has_machine = is_measured or (run.path / MACHINE).exists()
    has_spec = run.manifest.experiment is not None
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=_try(lambda: run.machine, {}, problems) if has_machine else {},
        doctor=_try(lambda: run.doctor, {}, problems) if is_measured else {},
        spec_text=_try(lambda: run.spec_text, "", problems) if has_spec else "",
        keep="all",
        tasks=(),
        problems=(*problems, *damage),
        findings=findings,
    )


def _read_run(run: Run, label: str, prefix: str) -> RunData:
    view = view_of(run.manifest)
    if view is not None:
        return _read_found(run, view, label, prefix)
    problems: list[str] = []
    spec_text = ""
    if run.manifest.observation is None:
        spec_text = _try(lambda: run.spec_text, "", problems)
    keep = _keep_mode(spec_text)
    tasks = read_tasks(run, problems)
    rows = {task.result.index: task.rows for task in tasks}
    exec_ns = snapshot_exec_ns(run.manifest)
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
