# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What switches, wake-ups and interrupts take: figures, table, and how it was measured."""

from collections.abc import Sequence
from functools import partial

from laxity.core.units import format_size_bytes
from laxity.costs import model
from laxity.costs.switch.costs import Cost
from laxity.costs.switch.data import Switching
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import (
    VERDICTS,
    method_section,
    quantile_cell,
    quantile_name,
    quantity,
)
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    noise_floor_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.page.figures import Labelled
from laxity.statistics.distribution import supports_quantile
from laxity.store.measurements import SwitchMeasurement

_TEXT = (
    "Each figure is what tasks themselves see: they stamp the clock, and what is missing between "
    "two stamps is the kernel's, the interrupts' and, in a virtual machine, the host's. δ stands "
    "twice in what a preemption costs. A median that is not above the noise floor is “not "
    "measurable”, never zero; maxima bound nothing."
)
_TITLES = {False: "Switches, wake-ups and interrupts", True: "Switches"}
_MEANINGS = (
    (
        "switch_kernel",
        "the kernel takes one task off a CPU → it has put the next one on, by its own records of "
        "both switches of a preemption, less switch_recording",
    ),
    (
        "switch_recording",
        "what is between two records of the same event: what recording adds to switch_kernel",
    ),
    ("preempt_in", "last stamp of the victim → first stamp of the task that preempts it"),
    ("preempt_out", "last stamp of that task, which then sleeps → first stamp of the victim"),
    ("delta", "(preempt_in + preempt_out) / 2 of one preemption, rounded up"),
    ("switch_sync", "half a round of two tasks that hand over to each other by a futex"),
    (
        "timer_latency",
        "expiry of an absolute timer → first stamp of who slept on it; idle: the CPU was idle, "
        "busy: a task was preempted",
    ),
    (
        "release_isr",
        "what a running task loses in gaps that end within 100 µs after the expiry of a timer for "
        "a task below it, less the median of what it loses without such a timer; worst: the "
        "running task has evicted before the expiry, with a timer and without",
    ),
    ("tick", "a gap of a task that only stamps, at an instant of the kernel's periodic tick"),
    ("tick_period", "from one tick that shows to the next one"),
    (
        "ipi_wakeup",
        "stamp before a futex is woken on one CPU → first stamp of who slept on it on another, "
        "idle for 100 µs",
    ),
    (
        "irq",
        "the only gap in a window of 1 ms in which this CPU counted exactly one interrupt, by the "
        "label of /proc/interrupts; none: it counted none, so the gap is the host's or firmware's",
    ),
    ("best", "nothing is evicted between two observations but by what runs"),
    (
        "worst",
        "victim and preemptor each write a buffer before they leave the CPU, and flush each "
        "other's code and stamps out of every cache where an instruction does that",
    ),
    (
        "noise floor",
        "the largest of: the period of the victim's stamps; half the 95 % interval of the median; "
        "ipi_wakeup: how far the two clocks may be apart; tick and irq: the shortest gap that "
        "counts; release_isr: the period and half the interval of what is lost anyway",
    ),
)
_SIMULATED_TEXT = (
    "Each figure is what tasks themselves see: they stamp the clock, and what is missing between "
    "two stamps is the switch's. δ stands twice in what a preemption costs. A median that is not "
    "above the noise floor is “not measurable”, never zero; maxima bound nothing."
)
_SIMULATED = {
    **dict.fromkeys(
        ("switch_kernel", "switch_recording", "release_isr", "tick", "tick_period"), ""
    ),
    **dict.fromkeys(("ipi_wakeup", "irq"), ""),
    "switch_sync": "half a round of two tasks that wait for each other in turn",
    "timer_latency": "release → first stamp of who waited for it; idle: the core was idle, busy: a "
    "task was preempted",
    "worst": "victim and preemptor each write a buffer before they leave the core",
    "noise floor": "the larger of: the period of the victim's stamps; half the 95 % interval of "
    "the median",
}
# Which costs are drawn, and how they are called on an axis. The first one stands beside the
# sentence about it.
_DRAWN = (
    (model.DELTA, "switch (δ)"),
    (model.PREEMPT_IN, "victim to preemptor"),
    (model.PREEMPT_OUT, "preemptor to victim"),
    (model.SWITCH_SYNC, "half a futex round"),
    (model.TIMER_LATENCY, "expiry to first stamp"),
)
_INKS = ("alone", "interfered")
_SHOWN_QUANTILES = (0.5, 0.99)


def build(run: RunData) -> Section:
    """Build the section of a run that measured switch."""
    found: Switching = run.findings
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    text = _SIMULATED_TEXT if run.kind == "simulated" else _TEXT
    blocks.append(Paragraph(text, is_explanation=True))
    cpus = sorted({one.place.cpu for one in found.costs})
    for cpu in cpus:
        drawn = tuple(block for name, label in _DRAWN for block in _drawn(run, cpu, name, label))
        if drawn:
            blocks.append(Figures(drawn))
    if found.costs:
        blocks.append(_table(run, found.costs))
    else:
        blocks.append(Paragraph("No observation was kept, so there is nothing to show.", "note"))
    blocks += [Paragraph(f"{check}.") for check in found.checks]
    blocks += [Paragraph(f"{remark}.", "note") for remark in found.remarks]
    quantities = tuple(one for cost in found.costs for one in _quantities(run, cost))
    return Section(
        f"{run.prefix}-switch", _TITLES[run.kind == "simulated"], tuple(blocks), quantities
    )


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean and how it was measured."""
    asked = run.manifest.measurement
    facts: tuple[tuple[str, str], ...] = ()
    if isinstance(asked, SwitchMeasurement):
        facts = (
            ("probe", f"{asked.probe}, CPU {asked.cpus}, victim at priority {asked.priority}"),
            ("repetitions", f"{asked.repetitions} of each kind, in random order"),
            ("evicting buffer", format_size_bytes(asked.evict_bytes)),
        )
        if {"spin", "irq"} & {*asked.quantities}:
            looked = f"{show_duration(asked.spin_ns)} per CPU"
            facts = (*facts, ("interrupts were looked for", looked))
    return method_section(run, _MEANINGS, facts, _SIMULATED)


def sentences(run: RunData) -> tuple[str, ...]:
    """Say in one sentence per CPU what a preemption costs, and in one what its tick does."""
    found: Switching = run.findings
    deltas = [one for one in found.costs if one.place.name == model.DELTA]
    return (
        *(_delta_sentence(run, one) for one in deltas),
        *(
            f"CPU {cpu} ticks at {tick.rate_hz} Hz (n = {show_count(tick.lengths_ns.size)} ticks, "
            f"{run.kind})."
            for cpu, tick in found.ticks
        ),
    )


def _delta_sentence(run: RunData, one: Cost) -> str:
    doubt = "" if one.verdict == "ok" else f", {VERDICTS[one.verdict]}"
    return (
        f"A switch (δ) takes {show_duration(one.median_ns)} on CPU {one.place.cpu}, "
        f"{one.place.case} case (median, n = {show_count(one.n)}, {run.kind}), at most "
        f"{show_duration(one.samples.max_ns)} seen{doubt}."
    )


def _drawn(run: RunData, cpu: int, name: str, label: str) -> list[FigureBlock]:
    """Draw a cost of one CPU, its cases over each other: histogram and tail."""
    found: Switching = run.findings
    cases = [
        one
        for one in found.costs
        if (one.place.name, one.place.cpu, one.place.cpu_to) == (name, cpu, None)
    ]
    if not cases:
        return []
    data = [
        Labelled(one.samples, ink, f"{one.place.case}, n = {show_count(one.n)}")
        for one, ink in zip(cases, _INKS, strict=False)
    ]
    prefix = f"{run.prefix}-switch-{cpu}-{name.replace('_', '-')}"
    medians = ", ".join(
        f"{one.place.case} {show_duration(one.median_ns)} (n = {show_count(one.n)})"
        for one in cases
    )
    text = f"of {name} on CPU {cpu}, {run.kind}; medians: {medians}"
    noun = "observations"
    return [
        FigureBlock(
            f"{prefix}-histogram",
            partial(
                figures.histogram, data, label, None, f"{prefix}-h", f"Histogram {text}.", noun
            ),
            f"Histogram {text}.",
        ),
        FigureBlock(
            f"{prefix}-tail",
            partial(figures.tail, data, label, None, f"{prefix}-1mf", f"Tail {text}.", noun),
            f"Tail, 1 − F, {text}. The dots are the largest samples.",
        ),
    ]


def _table(run: RunData, costs: Sequence[Cost]) -> Table:
    rows = tuple(
        (
            text_cell(one.place.name),
            text_cell(one.place.case or ""),
            text_cell(_where(one)),
            number_cell(show_count(one.n)),
            *(quantile_cell(one.samples, q) for q in _SHOWN_QUANTILES),
            duration_cell(one.samples.max_ns),
            noise_floor_cell(one.noise_floor_ns),
            text_cell(VERDICTS[one.verdict], _remark(one)),
        )
        for one in costs
    )
    names = ("median", *(quantile_name(q) for q in _SHOWN_QUANTILES[1:]))
    head = ("cost", "case", "CPU", "n", *names, "maximum", "noise floor", "verdict")
    return Table(f"Costs ({run.kind})", head, rows)


def _where(one: Cost) -> str:
    to = one.place.cpu_to
    return str(one.place.cpu) if to is None else f"{one.place.cpu} → {to}"


def _remark(one: Cost) -> str:
    if not one.n_left_out:
        return ""
    return f"{count_noun(one.n_left_out, 'observation')} more gave no sample"


def _quantities(run: RunData, one: Cost) -> list[Quantity]:
    place = one.place
    to = "" if place.cpu_to is None else f"_to{place.cpu_to}"
    case = "" if place.case is None else f"_{place.case}"
    name = f"{place.name}_cpu{place.cpu}{to}{case}"
    note = None if one.verdict == "ok" else VERDICTS[one.verdict]
    values = [
        (f"p{round(100 * q)}", one.samples.quantile_ns(q))
        for q in _SHOWN_QUANTILES
        if supports_quantile(one.n, q)
    ]
    values.append(("max", one.samples.max_ns))
    return [
        quantity(run, None, f"{name}_{suffix}", value, unit="ns", n=one.n, note=note)
        for suffix, value in values
    ]
