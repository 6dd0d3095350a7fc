# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What each figure means, how it was measured, and what was not."""

from collections.abc import Iterator

from laxity.jobs.run_data import PageData, RunData
from laxity.jobs.section_parts import KINDS, is_queued
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Paragraph,
    Section,
    Table,
    join_words,
    show_count,
    show_duration,
    text_cell,
)
from laxity.store.manifest import kind_of_figures, knob_rows, result_rows
from laxity.trace.sched_trace import coverage_of

_MEANINGS = (
    ("release", "nominal time t0 + offset + j · period; a late wake-up does not move it"),
    ("response time", "finish − release, of finished jobs only"),
    (
        "execution",
        "min(max(processor time − cost of reading the clocks, 0), finish − start): the cost is a "
        "median and varies from job to job, but no job executes for less than nothing or for "
        "longer than it took",
    ),
    ("not attributed", "start to finish − execution: preempted, interrupted, blocked, or error"),
    ("not met", "missed + skipped + aborted + pending jobs whose deadline had passed"),
    ("laxity", "deadline − response time: what was left"),
    ("quantile", "nearest rank: the ⌈q · n⌉-th smallest sample, always a value that occurred"),
    (
        "95 % interval",
        "of order statistics: two samples that enclose the quantile, whatever the distribution, "
        "if jobs are independent; neighbouring jobs often are not, so take it as a lower bound "
        "of the uncertainty",
    ),
    (
        "not stated",
        "a quantile for which n is too small for such an interval: p99 needs 368, p99.9 3688 jobs",
    ),
    ("wcet_observed", "the largest execution time seen; a WCET is a bound, this is not one"),
)
# What these words mean where there is neither a kernel nor a clock that is read.
_SIMULATED = {
    "release": "nominal time t0 + offset + j · period",
    "release latency": "start − release: higher tasks had its cores, and the core had to switch",
    "execution": "time that the core worked for the job: instructions, and waiting for memory",
    "not attributed": "start to finish − execution: other tasks had the core, it switched, loads "
    "under way ended when it stopped, or the kernel's interrupts had it",
    "not stated": "a quantile of few jobs: p99 needs 368, p99.9 3688 of them",
    "result hash": "SHA-256 over the streams: what “sha256sum *.npy | sha256sum” prints in the run "
    "directory; the same platform, programs and experiment give the same one anywhere",
}
_SIMULATED_LIMITS = (
    "The platform is a model: counts and times are exact for it, and never those of the real "
    "machine to the cycle.",
    "What lies between two jobs of a program is not simulated. Which task preempted a job is not "
    "stored.",
)
_LIMITS = (
    "A run shows what happened in it. A maximum over n jobs says little about the next n.",
    "A job whose start and finish CPU differ has migrated; one whose CPUs are equal may have "
    "migrated and come back.",
)

_NO_TRACE = (
    "{what}: who preempted a job, which interrupts came, and how release latency divides into "
    "timer and scheduler is not measured{where}."
)
_UNTRACED = {
    False: "No scheduler trace was recorded",
    True: "A scheduler trace was asked for and not recorded to the end",
}
_NO_PMU = (
    "No hardware counters (PMU) were read: cycles, instructions and cache misses are not measured."
)


def build(page: PageData) -> Section:
    """Build the section."""
    kinds = dict.fromkeys(kind_of_figures(run.manifest) for run in page.runs)
    is_simulated = list(kinds) == ["simulated"]
    words = {
        **dict(_MEANINGS[:2]),
        "release latency": _latency_meaning(page),
        **dict(_MEANINGS[2:]),
        **{kind: KINDS[kind] for kind in kinds or ("measured",)},
    }
    if is_simulated:
        words |= _SIMULATED
        del words["95 % interval"]
    meanings = tuple((text_cell(name), text_cell(meaning)) for name, meaning in words.items())
    blocks: list[Block] = [Table("What the words mean", ("word", "meaning"), meanings)]
    for run in (one for one in page.runs if one.manifest.measurement is None):
        of_run = f" of run “{run.label}”" if page.is_composite else ""
        rows = tuple((text_cell(name), text_cell(value)) for name, value in _how(run))
        blocks.append(Table(f"How it was measured{of_run}", ("", ""), rows))
    if is_simulated:
        blocks += [Paragraph(text) for text in (_LIMITS[0], *_SIMULATED_LIMITS)]
        return Section("method", "Method and limits", tuple(blocks))
    limits = (_LIMITS[0], *_trace_limits(page), *_LIMITS[1:])
    blocks += [Paragraph(text) for text in limits]
    if not any(event.scope == "core" for run in page.runs for event in run.manifest.events):
        blocks.append(Paragraph(_NO_PMU))
    return Section("method", "Method and limits", tuple(blocks))


def _trace_limits(page: PageData) -> Iterator[str]:
    """Say of which runs no trace was recorded; what a trace does not supply is told beside it."""
    runs = [run for run in page.runs if run.tasks]
    for was_asked, what in _UNTRACED.items():
        lacking = [
            run
            for run in runs
            if coverage_of(run.manifest.trace) is None
            and (run.manifest.trace is not None) == was_asked
        ]
        if lacking:
            labels = join_words([f"“{run.label}”" for run in lacking])
            where = "" if len(lacking) == len(runs) else f" in {labels}"
            yield _NO_TRACE.format(what=what, where=where)


def _latency_meaning(page: PageData) -> str:
    meaning = "start − release: timer latency + scheduling latency"
    if any(is_queued(run) for run in page.runs):
        meaning += (
            "; with overrun queue also the wait behind the task's own earlier jobs, where those "
            "had not finished at the release"
        )
    return meaning


def _how(run: RunData) -> list[tuple[str, str]]:
    clock = run.manifest.clock
    length = None
    if clock is not None and clock.t0_ns is not None and clock.end_ns is not None:
        length = clock.end_ns - clock.t0_ns
    return [
        ("clock", "not known" if clock is None else f"{clock.name}, integer nanoseconds"),
        ("measured span", "not known" if length is None else f"{show_duration(length)} from t0"),
        ("snapshots", _snapshots(run)),
        ("rows kept", _kept(run)),
        *result_rows(run.manifest),
        ("fallbacks", str(len(run.manifest.fallbacks)) if run.manifest.fallbacks else "none used"),
        *knob_rows(run.manifest.knobs),
    ]


def _snapshots(run: RunData) -> str:
    cost = run.manifest.snapshots
    if run.kind == "simulated":
        return "none needed: the simulator sees begin and end of each job at no cost"
    if cost is None:
        return NOT_MEASURED
    if cost.mode == "none":
        return "none: no processor time, no preemptions, no faults per job"
    return (
        f"{cost.mode}; an empty pair costs {show_duration(cost.exec_ns)} of processor time "
        f"(subtracted from execution) and {show_duration(cost.wall_ns)} on the wall clock "
        f"(median of n = {show_count(cost.n)}, {run.kind}); it varies from job to job, so every "
        "execution time is uncertain by about that much"
    )


def _kept(run: RunData) -> str:
    kept = sum(len(task.rows) for task in run.tasks)
    released = sum(task.result.released for task in run.tasks)
    return f"{show_count(kept)} of {show_count(released)} releases (--keep {run.keep})"
