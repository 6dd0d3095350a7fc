# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What watching takes from the tasks that are watched."""

import numpy as np

from laxity.core.cpus import parse_cpus
from laxity.jobs.intrusion import IntArray, Intrusion, Watched, intrusion_of
from laxity.jobs.monitor import OBSERVED, UNOBSERVED
from laxity.jobs.rows import finished, present
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import quantity
from laxity.page.blocks import (
    Block,
    Cell,
    Kind,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    show_ratio,
    text_cell,
)

_TEXT = (
    "The same jobs, from start to finish, unobserved and observed: what they take more is what "
    "reading takes itself, and what they reload of what it has evicted. Jobs that other tasks "
    "preempted more often in one of the runs are left out."
)
_HEAD = (
    "task",
    "unobserved",
    "observed",
    "longer by",
    "for each sample",
    "n, jobs",
    "samples in them",
)
_FEWEST_SAMPLES = 30
Found = list[tuple[TaskData, Intrusion]]


def build(page: PageData) -> Section | None:
    """Build the section; None unless the page has a run without samples and the one with them."""
    observed, found = _compared(page)
    if observed is None or not found:
        return None
    rows = tuple(_row(task, one, observed.kind) for task, one in found)
    blocks: list[Block] = [
        *(Paragraph(line) for line in sentences(page)),
        Table(f"Start to finish of jobs ({observed.kind})", _HEAD, rows),
        Paragraph(_TEXT, is_explanation=True),
    ]
    quantities = [
        one for task, intrusion in found for one in _quantities(observed, task, intrusion)
    ]
    return Section("intrusion", "What the probe takes", tuple(blocks), tuple(quantities))


def sentences(page: PageData) -> tuple[str, ...]:
    """Say by how much jobs became longer; nothing where there is nothing to compare."""
    observed, found = _compared(page)
    if observed is None or not found:
        return ()
    return (_answer(found, observed),)


def _is_sampled(run: RunData) -> bool:
    return run.samples is not None and len(run.samples) > 0


def _compared(page: PageData) -> tuple[RunData | None, Found]:
    by_name = {run.label: run for run in page.runs}
    unobserved, observed = by_name.get(UNOBSERVED), by_name.get(OBSERVED)
    if unobserved is None or observed is None or not _is_sampled(observed):
        return observed, []
    return observed, _found(unobserved, observed)


def _found(unobserved: RunData, observed: RunData) -> Found:
    names = [task.result.name for task in unobserved.tasks]
    before = {
        task.result.name: Watched.of(
            task.rows, unobserved.attributions.get(task.result.index), names
        )
        for task in unobserved.tasks
    }
    found = []
    probes = [task for task in observed.tasks if task.result.name not in before]
    for task in observed.tasks:
        alone = before.get(task.result.name)
        seen = Watched.of(task.rows, observed.attributions.get(task.result.index), names)
        one = (
            None if alone is None else intrusion_of(alone, seen, _taken_ns(observed, task, probes))
        )
        if one is not None:
            found.append((task, one))
    return found


def _taken_ns(run: RunData, task: TaskData, probes: list[TaskData]) -> IntArray:
    """Tell when counters were read on the CPUs of a task.

    A probe that is a task takes a sample with each job, and none once its jobs have ended, though
    the others may go on; natively each task has a thread that reads, and may oversleep.
    """
    cpus = set(parse_cpus(task.result.cpus))
    reading = [probe for probe in probes if cpus & set(parse_cpus(probe.result.cpus))]
    if probes:
        releases = [present(finished(probe.rows)["release_ns"]) for probe in reading]
        return np.unique(np.concatenate([np.empty(0, np.int64), *releases]))
    every_ns, clock = _every_ns(run), run.manifest.clock
    if run.kind == "simulated" and every_ns and clock is not None and clock.t0_ns is not None:
        ends_ns = present(task.rows["finish_ns"])
        return np.arange(clock.t0_ns + every_ns, ends_ns.max(initial=0) + 1, every_ns)
    of_task = np.ma.getdata(run.samples["task"]) == task.result.index
    return np.unique(np.ma.getdata(run.samples["time_ns"])[of_task])


def _every_ns(run: RunData) -> int | None:
    return None if run.manifest.sampling is None else run.manifest.sampling.bucket_ns


def _why_not_told(intrusion: Intrusion, kind: Kind) -> str:
    """Say why longer jobs are no effect of sampling; empty: they are one."""
    test = intrusion.test
    if kind != "simulated" and test is not None and test.high_ns < 0:
        return "shorter: of something else than samples"
    if intrusion.share <= 0:
        return "not longer on average"
    if kind == "simulated" or (test is not None and test.low_ns > 0):
        return ""
    return "not told from noise"


def _answer(found: Found, observed: RunData) -> str:
    kind = observed.kind
    every = f"A sample every {show_duration(_every_ns(observed))}"
    told = [(task, one) for task, one in found if not _why_not_told(one, kind)]
    if not told and kind == "simulated":
        return f"{every} makes the jobs of no task longer on average ({kind})."
    if not told:
        return f"{every} cannot be told from noise in the jobs of any task ({kind})."
    task, most = max(told, key=lambda one: one[1].share)
    # Of few samples the lengthening of all jobs is divided by what hardly caused it.
    each = most.per_sample_ns if most.n_samples >= _FEWEST_SAMPLES else None
    of_each = "" if each is None else f", {show_duration(round(each))} for each sample"
    of_all = ": most of all tasks" if len(found) > 1 else ""
    if len(told) < len(found):
        of_all = ": most of those told from noise" if len(told) > 1 else ", alone told from noise"
    return (
        f"{every} makes the jobs of {task.result.name} longer by {show_ratio(most.share)}{of_each} "
        f"({kind}, n = {show_count(most.n)}){of_all}."
    )


def _row(task: TaskData, intrusion: Intrusion, kind: Kind) -> tuple[Cell, ...]:
    note = _why_not_told(intrusion, kind)
    each = intrusion.per_sample_ns
    return (
        text_cell(task.result.name),
        duration_cell(round(intrusion.unobserved_ns / intrusion.n)),
        duration_cell(round(intrusion.observed_ns / intrusion.n)),
        number_cell(show_ratio(intrusion.share), note),
        number_cell("no sample") if each is None else duration_cell(round(each)),
        number_cell(show_count(intrusion.n)),
        number_cell(show_count(intrusion.n_samples)),
    )


def _quantities(run: RunData, task: TaskData, intrusion: Intrusion) -> list[Quantity]:
    note = _why_not_told(intrusion, run.kind) or None
    values = [("probe_share", intrusion.share, "ratio")]
    if intrusion.per_sample_ns is not None:
        values.append(("probe_per_sample", intrusion.per_sample_ns, "ns"))
    return [
        quantity(run, task, name, value, unit=unit, n=intrusion.n, note=note)
        for name, value, unit in values
    ]
