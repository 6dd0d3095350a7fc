# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The threads of a program that ran already: period, confidence, and what was left out."""

from laxity.jobs.run_data import RunData
from laxity.page.blocks import (
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.store.observation import WITH_WAKE_UPS, Observation, ObservedThread
from laxity.trace.observed_words import release_source, with_half_width
from laxity.trace.sampled_words import sampling_lines

_HEAD = (
    "thread",
    "verdict",
    "period",
    "first release since t0",
    "spread",
    "n, used",
    "jobs",
    "releases without a job",
    "left out",
)
_WHAT_A_JOB_IS = (
    "A job begins with a wake-up of its thread and ends when the thread blocks. Of a thread with a "
    "period it is all that the thread does from one release to the next, so a job may also block; "
    "two jobs between which the thread did not block are one."
)
_WITHOUT_PERIOD = {
    True: "Without a period the release of a job is the wake-up of its thread.",
    False: (
        "Without a period the release of a job is not known: this trace has no wake-ups, and "
        f"starts alone show not every period; {WITH_WAKE_UPS}."
    ),
}


def build(run: RunData) -> Section | None:
    """Build the section; None for a run that was not observed."""
    observation = run.manifest.observation
    if observation is None:
        return None
    blocks: list[Block] = [Paragraph(_WHAT_A_JOB_IS)]
    if observation.threads:
        blocks.append(_table(observation, run))
    blocks.append(
        Paragraph(
            "Period and first release are estimated with 95 % confidence. Releases are put "
            f"{release_source(observation)}, so what every job is late by is not seen: release "
            "latency and response time count from the most punctual one. "
            + _WITHOUT_PERIOD[bool(observation.has_wake_ups)]
        )
    )
    blocks += [Paragraph(f"{line[:1].upper()}{line[1:]}.") for line in sampling_lines(run.manifest)]
    quantities = tuple(one for thread in observation.threads for one in _quantities(thread, run))
    return Section(f"{run.prefix}-observed", "Observed threads", tuple(blocks), quantities)


def _table(observation: Observation, run: RunData) -> Table:
    arrivals = "wake-ups" if observation.has_wake_ups else "starts"
    rows = tuple(_row(one, run) for one in observation.threads)
    return Table(f"Threads (modelled from n {arrivals}; counts are measured)", _HEAD, rows)


def _row(one: ObservedThread, run: RunData) -> tuple[Cell, ...]:
    clock = run.manifest.clock
    t0_ns = clock.t0_ns if clock is not None else None
    period = first = spread = "none"
    if one.period_ns is not None and one.period_half_width_ns is not None:
        period = with_half_width(one.period_ns, one.period_half_width_ns)
    if one.first_release_ns is not None and t0_ns is not None:
        half = round(one.first_release_half_width_ns or 0)
        first = f"{show_duration(one.first_release_ns - t0_ns)} ± {show_duration(half)}"
    if one.spread_ns is not None:
        spread = show_duration(round(one.spread_ns))
    n_jobs = 0 if one.task is None else run.manifest.tasks[one.task].released
    reasons = {"cut off": one.n_cut, "lost": one.n_lost, "contradictory": one.n_contradictory}
    left_out = ", ".join(f"{show_count(n)} {why}" for why, n in reasons.items() if n)
    return (
        text_cell(one.comm, f"thread {one.tid}"),
        text_cell(one.rhythm),
        number_cell(period),
        number_cell(first),
        number_cell(spread),
        number_cell(f"{show_count(one.n_used)} of {show_count(one.n_arrivals)}"),
        number_cell(show_count(n_jobs)),
        number_cell(show_count(one.n_without_job)),
        number_cell(show_count(sum(reasons.values())), left_out),
    )


def _quantities(one: ObservedThread, run: RunData) -> list[Quantity]:
    found = {
        "period": one.period_ns,
        "period_half_width": one.period_half_width_ns,
        "first_release_half_width": one.first_release_half_width_ns,
        "spread": one.spread_ns,
    }
    return [
        Quantity(
            name=f"thread_{one.tid}_{name}",
            value=value,
            unit="ns",
            n=one.n_used,
            kind="modelled",
            run=run.label,
            note=None if value is not None else one.rhythm,
        )
        for name, value in found.items()
    ]
