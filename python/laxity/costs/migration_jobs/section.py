# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs that migrated against jobs that were only preempted: figures, tests, how it was measured."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from laxity.costs.migration.data import domain_words, topology_words
from laxity.costs.migration_jobs.data import Jobs, Rows, load_words, statement
from laxity.costs.migration_jobs.figure import SHOWN_JOBS, Series, by_place, job_series
from laxity.costs.migration_jobs.rows import SETTLED_AFTER, Contrast, IntArray, Load, loads
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import method_section, quantile_cell, quantity
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.statistics import distribution
from laxity.store.measurements import MigrationJobsMeasurement

_TEXT = (
    "A real-time task changes its CPU every few jobs. Between two jobs it sleeps, and an ordinary "
    "task on its CPU uses a working set of the same size: so every job follows a preemption, and "
    "the first one after a change, crossed in the figures, follows a migration, too."
)
_MEANINGS = (
    ("migrated", "the first job on another CPU"),
    (
        "preempted",
        f"a job on a CPU on which at least {SETTLED_AFTER} of the task's jobs ran before, after a "
        "pause in which the ordinary task there finished a pass",
    ),
    ("without company", "jobs before which the ordinary task did not run; they are left out"),
    ("MEM", "one pass over the working set: a byte is read, the next one written, 32 bytes on"),
    ("CPU", "counting primes up to one of two limits in turn; each limit is tested by itself"),
    (
        "shift",
        "median of all differences between a migrated and a preempted job (Hodges and Lehmann), "
        "with its 95 % interval: what is outside is excluded, what is inside may be there",
    ),
    (
        "p",
        "of the rank-sum test (Mann and Whitney): how probable ranks so far apart are if both "
        "are of one distribution. Jobs are taken as independent, which those close in time are not "
        "quite",
    ),
    ("control", "the same test between preempted jobs, of every second round over all CPUs"),
)


def build(run: RunData) -> Section:
    """Build the section of a run that measured jobs that change their CPU."""
    found = _jobs(run)
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    blocks.append(Paragraph(_TEXT, is_explanation=True))
    figures = tuple(_figures(run, found.rows)) if found.rows is not None else ()
    if figures:
        blocks.append(Figures(figures))
    blocks += [Paragraph(f"{statement(one)}.") for one in found.contrasts]
    words = topology_words(run.machine)
    if words:
        blocks.append(Paragraph(f"{words[:1].upper()}{words[1:]}.", "note"))
    if found.contrasts:
        blocks.append(_table(run, found.contrasts))
    else:
        blocks.append(Paragraph("There are too few jobs to compare.", "note"))
    quantities = tuple(one for contrast in found.contrasts for one in _quantities(run, contrast))
    return Section(
        f"{run.prefix}-migration-jobs", "Migrated and preempted jobs", tuple(blocks), quantities
    )


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean and how it was measured."""
    asked = run.manifest.measurement
    facts: tuple[tuple[str, str], ...] = ()
    if isinstance(asked, MigrationJobsMeasurement):
        changes = ", ".join(
            f"{pair.cpu} → {pair.cpu_to} ({domain_words(pair.domain)})" for pair in asked.changes
        )
        facts = (
            ("probe", f"{asked.probe}, CPUs {asked.cpus}, task at priority {asked.priority}"),
            ("changes", changes),
            (
                "jobs",
                f"{show_count(asked.repetitions)} of each load, about {asked.jobs_per_cpu} on one "
                f"CPU, at least {show_duration(asked.pause_ns)} apart",
            ),
        )
    return method_section(run, _MEANINGS, facts)


def sentences(run: RunData) -> tuple[str, ...]:
    """Say per load whether migrated jobs differ from preempted ones."""
    return tuple(f"{statement(one)}." for one in _jobs(run).contrasts)


def _jobs(run: RunData) -> Jobs:
    found: Jobs = run.findings
    return found


def _figures(run: RunData, rows: Rows) -> Iterator[FigureBlock]:
    seen: set[tuple[int, int]] = set()
    for load, part in loads(rows):
        key = (load.workload, load.working_set_bytes)
        if key in seen:
            continue
        seen.add(key)
        words = load_words(load).split(",")[0]
        identity = f"{run.prefix}-jobs-{load.workload}-{load.working_set_bytes}"
        shown = part[:SHOWN_JOBS]
        caption = (
            f"Execution times of the first {show_count(len(shown))} jobs, {words}, {run.kind}; "
            "crosses are the first jobs on another CPU."
        )
        yield FigureBlock(
            identity, partial(job_series, _series(run, shown), identity, caption), caption
        )
        changed = part[~np.ma.getmaskarray(part["since_change"])]
        if not len(changed):
            continue
        identity += "-places"
        caption = (
            f"Execution time by jobs since the change of CPU, {words}: median and middle half of "
            f"n = {show_count(len(changed))} jobs, {run.kind}."
        )
        since = np.ma.getdata(changed["since_change"]).astype(np.int64)
        times = np.ma.getdata(changed["exec_ns"]).astype(np.int64)
        yield FigureBlock(identity, partial(by_place, since, times, identity, caption), caption)


def _series(run: RunData, part: Rows) -> Series:
    names = _regions(run.machine, np.ma.getdata(part["cpu"]).tolist())
    return Series(
        job=np.ma.getdata(part["job"]).astype(np.int64),
        exec_ns=np.ma.getdata(part["exec_ns"]).astype(np.int64),
        region=np.array([names[cpu] for cpu in np.ma.getdata(part["cpu"]).tolist()]),
        is_migrated=np.ma.filled(part["since_change"], -1) == 0,
    )


def _regions(machine: dict[str, Any], cpus: list[int]) -> dict[int, str]:
    """Name the NUMA node of each CPU where there are several, else the CPU itself."""
    nodes = machine.get("stable", {}).get("nodes", [])
    by_cpu = {cpu: f"node {one['node']}" for one in nodes for cpu in one.get("cpus", [])}
    if len({by_cpu.get(cpu) for cpu in cpus} - {None}) > 1:
        return {cpu: by_cpu.get(cpu, f"CPU {cpu}") for cpu in cpus}
    return {cpu: f"CPU {cpu}" for cpu in cpus}


def _table(run: RunData, found: tuple[Contrast, ...]) -> Table:
    rows = tuple(
        (
            text_cell(f"{load_words(one.load)}, {domain_words(one.domain)}"),
            number_cell(show_count(one.migrated_ns.size)),
            *_quantile_cells(one.migrated_ns),
            number_cell(show_count(one.preempted_ns.size + one.control_ns.size)),
            *_quantile_cells(np.concatenate([one.preempted_ns, one.control_ns])),
            *_test_cells(one),
            number_cell(show_count(one.n_alone)),
        )
        for one in found
    )
    head = (
        "load",
        *("migrated, n", "median", "p90"),
        *("preempted, n", "median", "p90"),
        "shift",
        "control",
        "without company",
    )
    return Table(f"Migrated against preempted jobs ({run.kind})", head, rows)


def _quantile_cells(samples_ns: IntArray) -> tuple[Cell, ...]:
    samples = distribution.from_samples(samples_ns)
    return duration_cell(samples.quantile_ns(0.5)), quantile_cell(samples, 0.9)


def _test_cells(one: Contrast) -> tuple[Cell, Cell]:
    cells = []
    for test in (one.test, one.control):
        if test is None:
            cells.append(number_cell("too few jobs"))
            continue
        interval = f"{show_duration(test.low_ns)} to {show_duration(test.high_ns)}"
        cells.append(duration_cell(test.shift_ns, f"{interval}, p = {test.p_value:.2g}"))
    return cells[0], cells[1]


def _quantities(run: RunData, one: Contrast) -> list[Quantity]:
    test = one.test
    where = f"{_where(one.load)}_{one.domain}"
    n = one.migrated_ns.size + one.preempted_ns.size + one.control_ns.size
    if test is None:
        note = "too few jobs"
        return [quantity(run, None, f"shift_{where}", None, unit="ns", n=n, note=note)]
    note = f"95 %: {test.low_ns} to {test.high_ns} ns"
    return [
        quantity(run, None, f"shift_{where}", test.shift_ns, unit="ns", n=n, note=note),
        quantity(run, None, f"p_value_{where}", test.p_value, unit="ratio", n=n),
        quantity(run, None, f"longer_{where}", test.is_larger_ratio, unit="ratio", n=n),
    ]


def _where(load: Load) -> str:
    return f"{load.case_name}_{load.working_set_bytes}B"
