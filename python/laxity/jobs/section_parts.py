# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What several sections say in the same words."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from laxity.core.streams import Quantity as Stream
from laxity.core.units import format_duration_ns
from laxity.jobs.rows import Summary
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.page.blocks import (
    Block,
    Cell,
    Heading,
    Kind,
    Quantity,
    Resolution,
    Section,
    Table,
    count_noun,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.statistics.distribution import Distribution, samples_needed, supports_quantile
from laxity.store.manifest import CorunnerResult, TaskResult

STREAM_NAMES = {
    Stream.RESPONSE_TIME: ("response time", "response_time"),
    Stream.RELEASE_LATENCY: ("release latency", "release_latency"),
    Stream.START_TO_FINISH: ("start to finish", "start_to_finish"),
}
_BUCKETS = (
    "values are upper ends of buckets, too high by less than 1/64; the minimum and the lower end "
    "of each interval are lower ends"
)
# Of a median against its noise floor.
VERDICTS = {"ok": "ok", "not_measurable": "not measurable", "no_verdict": "no verdict"}
KINDS = {
    "measured": "seen on this machine in this run; it bounds nothing that was not seen",
    "simulated": "counted exactly on a model of a platform; it is not the platform itself",
}
_NO_FINISHED_JOB = "No job finished, so there is nothing to show here."
_NO_KEPT_JOB = "No row of a finished job was kept, so there is nothing to show here."


def per_task(
    run: RunData, build: Callable[[TaskData], tuple[list[Block], list[Quantity]]]
) -> tuple[tuple[Block, ...], tuple[Quantity, ...]]:
    """Build the blocks of every task, with its name above where there are several."""
    blocks: list[Block] = []
    quantities: list[Quantity] = []
    for task in run.tasks:
        if len(run.tasks) > 1:
            blocks.append(Heading(f"Task “{task.result.name}”"))
        more, figures = build(task)
        blocks += more
        quantities += figures
    return tuple(blocks), tuple(quantities)


def quantity(  # noqa: PLR0913 - a figure has this many parts, and none may be left out
    run: RunData,
    task: TaskData | None,
    name: str,
    value: float | None,
    *,
    unit: str,
    n: int,
    note: str | None = None,
    resolution: Resolution = "exact",
    kind: Kind | None = None,
) -> Quantity:
    """Make a quantity of a run; `kind`: if it is another than the run's, as from a release."""
    return Quantity(
        name=name,
        value=value,
        unit=unit,
        n=n,
        kind=run.kind if kind is None else kind,
        run=run.label,
        task=None if task is None else task.result.name,
        resolution=resolution,
        note=note,
    )


def summary_quantities(
    run: RunData,
    task: TaskData,
    name: str,
    summary: Summary,
    calibration: str | None = None,
    kind: Kind | None = None,
) -> list[Quantity]:
    """Make the quantities of a summary: min, median, supported quantiles, max.

    Args:
        run: The run of the task.
        task: Whose samples they are.
        name: What they are called, without the statistic.
        summary: The statistics.
        calibration: What was subtracted from every sample; None if nothing was.
        kind: Where it is another one than the run's.
    """
    lower: Resolution = "exact" if summary.is_exact else "bucket_lower"
    upper: Resolution = "exact" if summary.is_exact else "bucket_upper"
    if calibration is not None:
        lower = upper = "calibrated"

    def one(suffix: str, value: int | None, resolution: Resolution, note: str | None) -> Quantity:
        return quantity(
            run, task, f"{name}_{suffix}", value,
            unit="ns", n=summary.n, note=note, resolution=resolution, kind=kind,
        )  # fmt: skip

    found = [one("min", summary.min_ns, lower, calibration)]
    found.append(one("median", summary.median_ns, upper, calibration))
    for item in summary.quantiles[1:]:
        note = calibration if item.value_ns is not None else f"needs {item.n_needed} samples"
        found.append(one(quantile_name(item.q), item.value_ns, upper, note))
    return [*found, one("max", summary.max_ns, upper, calibration)]


def calibration_note(run: RunData) -> str:
    """Say what was subtracted from the processor time, how well it is known, and the limits."""
    if run.manifest.observation is not None:
        return "time on a CPU as the trace shows it, interrupts included"
    if run.kind == "simulated":
        return "time that the job had a core, as the simulator counts it"
    cost = run.manifest.snapshots
    known = "not calibrated, nothing subtracted"
    if cost is not None and cost.exec_ns is not None:
        known = (
            f"{show_duration(cost.exec_ns)}, a median of n = {show_count(cost.n)} readings that "
            "varies from job to job: take it as the uncertainty"
        )
    return (
        f"processor time − the cost of reading the clocks ({known}), held between 0 and "
        "start to finish"
    )


def quantile_name(q: float) -> str:
    """Write p50, p99, p99.9."""
    return f"p{100 * q:.10g}"


def stated_cell(value_ns: float | None, q: float) -> Cell:
    """Make a cell of a quantile; None: so few samples do not support it."""
    if value_ns is None:
        return number_cell("not stated", f"needs {show_count(samples_needed(q))}")
    return duration_cell(value_ns)


def quantile_cell(samples: Distribution, q: float) -> Cell:
    """Make a cell of a quantile of samples."""
    return stated_cell(samples.quantile_ns(q) if supports_quantile(samples.n, q) else None, q)


def method_section(
    run: RunData,
    meanings: Iterable[tuple[str, str]],
    facts: Iterable[tuple[str, str]],
    simulated: Mapping[str, str] | None = None,
) -> Section:
    """Make the section that says what the words mean and how it was measured.

    Args:
        run: What measured or computed.
        meanings: Each word and what it means here; its kind of figures is added.
        facts: Each choice of the measurement and what it was.
        simulated: What words mean on a simulated platform instead; empty: there is no such thing.
    """
    otherwise = (simulated or {}) if run.kind == "simulated" else {}
    here = [
        (word, otherwise.get(word, meaning))
        for word, meaning in (*meanings, (run.kind, KINDS[run.kind]))
    ]
    words = tuple((text_cell(word), text_cell(meaning)) for word, meaning in here if meaning)
    blocks = [Table("What the words mean", ("word", "meaning"), words)]
    choices = tuple((text_cell(name), text_cell(value)) for name, value in facts)
    if choices:
        blocks.append(Table("How it was measured", ("", ""), choices))
    return Section(f"{run.prefix}-method", "Method and limits", tuple(blocks))


def words_of(workload: str, args: list[str]) -> str:
    """Write a workload with its words."""
    return " ".join([PurePath(workload).name, *args])


def kept_only(run: RunData, *tasks: TaskData) -> str:
    """Say, behind the kind of figures, that they are not of all jobs; empty: they are."""
    return "" if all(one.is_whole for one in tasks) else f"; kept jobs only, --keep {run.keep}"


def nothing_finished(task: TaskData) -> str:
    """Say why there is no row of a finished job."""
    return _NO_KEPT_JOB if task.n_finished else _NO_FINISHED_JOB


def without_release(task: TaskData) -> str:
    """Say why there are no times from a release: no job finished, or the program told none."""
    unknown = task.n_release_unknown
    if not unknown:
        return nothing_finished(task)
    if task.is_observed:
        return (
            f"Of {show_count(unknown)} of {count_noun(task.n_finished, 'finished job')} the "
            "release is not known: the thread has no period, and the trace does not tell when it "
            "was woken. These jobs have no response time and no release latency, and were not "
            "judged by a deadline."
        )
    return (
        f"Of {show_count(unknown)} of {count_noun(task.n_finished, 'finished job')} the release is "
        "not known: the program keeps its own main and called laxity_job_start. It can tell them "
        "with laxity_job_start_at. These jobs have no response time and no release latency, and "
        "were not judged by a deadline."
    )


def scheduling_of(one: TaskResult | CorunnerResult) -> str:
    """Write policy, priority or runtime, and CPUs: FIFO 90 on CPU 1."""
    priority = "" if one.priority is None else f" {one.priority}"
    if isinstance(one, TaskResult) and one.runtime_ns is not None:
        priority = f" with {show_duration(one.runtime_ns)} per period"
    cpus = f"CPU {one.cpus}" if one.cpus else "any CPU"
    return f"{one.policy.upper()}{priority} on {cpus}"


def is_queued(run: RunData) -> bool:
    """True if a task of the run queues what it cannot start on time."""
    return any(task.result.overrun == "queue" for task in run.tasks)


def task_or_tasks(run: RunData) -> str:
    """Write "the task" or "the tasks"."""
    return "the task" if len(run.tasks) == 1 else "the tasks"


def asked_of(task: TaskResult) -> str:
    """Write what was asked of a task in one line."""
    deadline = "none" if task.deadline_ns is None else format_duration_ns(task.deadline_ns)
    every = "without a period"
    if task.period_ns is not None:
        every = f"every {format_duration_ns(task.period_ns)}"
    overrun = "" if task.overrun == "not known" else f", overrun {task.overrun}"
    batch = f"each job {task.calls} calls, " if task.calls > 1 else ""
    return (
        f"{words_of(task.workload, task.args)} {every}, {batch}"
        f"deadline {deadline}, {scheduling_of(task)}{overrun}"
    )


def pair_of(page: PageData) -> tuple[RunData, RunData] | None:
    """Return the first run with co-runners and the first of its tasks without; None: not both."""
    interfered = next((run for run in page.runs if run.manifest.corunners), None)
    if interfered is None:
        return None
    names = [task.result.name for task in interfered.tasks]
    alone = [
        run
        for run in page.runs
        if run.tasks
        and not run.manifest.corunners
        and [task.result.name for task in run.tasks] == names
    ]
    return (alone[0], interfered) if alone else None


def source_note(task: TaskData, run: RunData) -> str | None:
    """Say where distributions come from if not from every row."""
    if task.is_whole:
        return None
    return (
        f"The run kept only part of its rows (--keep {run.keep}). This distribution comes from the "
        f"histogram that counts every finished job: {_BUCKETS}."
        if run.keep != "all"
        else "Rows are missing; this distribution comes from the histogram that counts every "
        f"finished job: {_BUCKETS}."
    )


def interval_text(lower_ns: int, upper_ns: int) -> str:
    """Write an interval of durations."""
    return f"{show_duration(lower_ns)} to {show_duration(upper_ns)}"
