# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Gamma against the working set: figures, tables, and how it was measured."""

from collections.abc import Iterator, Sequence
from functools import partial

from laxity.core.units import format_size_bytes
from laxity.costs.crpd.data import GammaCurve
from laxity.costs.crpd.figure import gamma_curves
from laxity.costs.crpd.rows import Gamma, upper_bound
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import VERDICTS, method_section, quantile_cell, quantity
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Folded,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    noise_floor_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.statistics import distribution
from laxity.store.measurements import CrpdMeasurement

_TEXT = (
    "Gamma is what a preemption costs its victim beyond the switch itself: the loss when the "
    "preemptor evicts, minus the median loss when it spins equally long. A median that is not "
    "above the noise floor is “not measurable”, never zero; its marker is hollow."
)
_CODE_TEXT = (
    "The same for instructions: the victim executes a generated code of the size of its working "
    "set. The preemptor writes data, flushes, or executes a code of its own, which also takes the "
    "victim's place in caches that hold instructions only and in branch predictors."
)
_P90 = 0.9
_MEANINGS = (
    (
        "loss",
        "preempted pass + following passes until one is warm − as many warm passes; asynchronous: "
        "also − the time of the preemptor",
    ),
    ("warm", "no longer than 9 of 10 passes that were timed just before a preemption"),
    ("gamma", "loss of an evicting preemption − median loss of the spinning ones"),
    ("synchronous", "the victim hands over between two passes and is back when that is done"),
    (
        "asynchronous",
        "the victim makes endless passes; a timer releases the preemptor at a random phase. "
        "Interrupt, wake-up and switch cancel against spinning, with their noise left",
    ),
    ("sequential", "a pass reads a byte, writes the next one, and goes on by 32 bytes"),
    ("chase", "a pass follows the lines in random order; no prefetcher can hide a refill"),
    ("code", "a pass executes its working set straight on, an add after the other"),
    ("jumps", "of each line only a jump to the next line is executed: 100 % spatial misses"),
    ("write, read", "the preemptor uses a buffer of its own, block by block, three times each"),
    ("flush", "the preemptor flushes the victim's lines out of every cache, the last level too"),
    ("execute", "the preemptor executes code, as much as it would write, with a jump per line"),
    (
        "noise floor",
        "the larger of: what two roles that both spin differ by (A/B/A control); the half-widths "
        "of the 95 % intervals of the two medians together",
    ),
    (
        "bound",
        "monotone, linear between the points: the upper end of the 95 % interval of p90. Single "
        "larger observations, mostly interrupts and a stolen CPU, are in the maximum",
    ),
    ("rise", "line of least relative squares up to the highest median; Sebek: through the origin"),
)

_SIMULATED = {
    "asynchronous": "the victim makes endless passes; a timer releases the preemptor at a random "
    "phase. The switch cancels against spinning",
    "bound": "monotone, linear between the points: the upper end of the 95 % interval of p90",
}

_VERBS = {"write": "writing", "read": "reading", "flush": "flushing", "execute": "executing"}


def build(run: RunData) -> Section | None:
    """Build the section of a run that measured crpd: working sets of data."""
    curves = tuple(one for one in _curves(run) if not _is_code(one))
    if not curves and _curves(run):
        return None
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    blocks += [Paragraph(_TEXT, is_explanation=True), *_curve_blocks(run, curves)]
    if not curves:
        blocks.append(Paragraph("No observation was kept, so there is nothing to show.", "note"))
    return _section(run, "gamma", "Cache-related preemption delay", blocks, curves)


def build_code(run: RunData) -> Section | None:
    """Build the section of working sets of instructions, where there are any."""
    curves = tuple(one for one in _curves(run) if _is_code(one))
    if not curves:
        return None
    blocks = [Paragraph(_CODE_TEXT, is_explanation=True), *_curve_blocks(run, curves)]
    title = "Cache-related preemption delay of instructions"
    return _section(run, "gamma-code", title, blocks, curves)


def _section(
    run: RunData, name: str, title: str, blocks: Sequence[Block], curves: Sequence[GammaCurve]
) -> Section:
    quantities = tuple(one for curve in curves for one in _quantities(run, curve))
    return Section(f"{run.prefix}-{name}", title, tuple(blocks), quantities)


def _curve_blocks(run: RunData, curves: Sequence[GammaCurve]) -> list[Block]:
    drawn = tuple(_figure(run, group) for group in _groups(curves) if _is_drawable(group))
    blocks: list[Block] = [Figures(drawn)] if drawn else []
    blocks += [Paragraph(f"{_name(curve)}: {_lines_text(curve)}.") for curve in curves]
    if curves:
        blocks.append(Folded("All figures", (_table(run, curves),), is_figures=True))
    return blocks


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean and how it was measured."""
    asked = run.manifest.measurement
    facts: tuple[tuple[str, str], ...] = ()
    if isinstance(asked, CrpdMeasurement):
        facts = (
            ("probe", f"{asked.probe}, CPU {asked.cpus}, victim at priority {asked.priority}"),
            ("repetitions", f"{asked.repetitions} evicting, twice as many spinning, per figure"),
            ("evicting buffer", ", ".join(map(format_size_bytes, asked.evict_sizes_bytes))),
            (
                "preemption",
                "as long as evicting takes"
                if not asked.preemption_ns
                else f"at least {show_duration(asked.preemption_ns)}",
            ),
        )
    return method_section(run, _MEANINGS, facts, _SIMULATED)


def sentences(run: RunData) -> tuple[str, ...]:
    """Say in one sentence per way of evicting where gamma was highest."""
    found: dict[tuple[bool, str], list[GammaCurve]] = {}
    for curve in _curves(run):
        found.setdefault((_is_code(curve), curve.points[0].place.evict_name), []).append(curve)
    return tuple(_highest_sentence(run, *way, curves) for way, curves in found.items())


def _highest_sentence(run: RunData, is_code: bool, evict: str, curves: Sequence[GammaCurve]) -> str:
    whose = "caches of instructions" if is_code else "caches"
    how = f"\N{GREEK SMALL LETTER GAMMA}, evicted by {_VERBS[evict]}"
    highest = max(
        (one for curve in curves for one in curve.measurable),
        key=lambda one: one.median_ns,
        default=None,
    )
    if not any(curve.has_verdict for curve in curves):
        return f"What a preemption costs the {whose} ({how}): no verdict, too few observations."
    if highest is None:
        return f"What a preemption costs the {whose} ({how}) is not measurable here."
    if all(curve.is_zero for curve in curves):
        n = min(one.n for curve in curves for one in curve.points)
        return (
            f"A preemption costs the {whose} nothing ({how}) at any working set, but for the "
            f"rounding of times (medians of n ≥ {show_count(n)}, {run.kind})."
        )
    place = highest.place
    return (
        f"A preemption costs the {whose} up to {show_duration(highest.median_ns)} ({how}; median, "
        f"n = {show_count(highest.n)}, {run.kind}), at a working set of "
        f"{format_size_bytes(place.working_set_bytes)}, {place.case_name.replace('_', ' ')}, "
        f"on CPU {place.cpu}."
    )


def _curves(run: RunData) -> tuple[GammaCurve, ...]:
    curves: tuple[GammaCurve, ...] = run.findings
    return curves


def _is_code(curve: GammaCurve) -> bool:
    return curve.points[0].place.is_code


def _name(curve: GammaCurve) -> str:
    return f"CPU {curve.points[0].place.cpu}, {curve.name}"


def _groups(curves: Sequence[GammaCurve]) -> list[list[GammaCurve]]:
    """Curves that share a figure: all but the way of evicting is the same, longest preemptions."""
    found: dict[tuple[int, int, int], dict[int, GammaCurve]] = {}
    for curve in curves:
        place = curve.points[0].place
        # Later ones evict by larger buffers.
        found.setdefault((place.cpu, place.pattern, place.case), {})[place.evict] = curve
    return [list(group.values()) for group in found.values()]


def _is_drawable(group: Sequence[GammaCurve]) -> bool:
    return any(one.median_ns > 0 for curve in group for one in curve.points)


def _figure(run: RunData, group: Sequence[GammaCurve]) -> FigureBlock:
    place = group[0].points[0].place
    identity = f"{run.prefix}-gamma-{place.cpu}-{place.case_name}"
    title = f"CPU {place.cpu}, {place.case_name.replace('_', ' ')}"
    n = min(one.n for curve in group for one in curve.points)
    caption = (
        f"Gamma against the working set, {title}; median of n ≥ {show_count(n)} preemptions each, "
        f"{run.kind}; hollow: not measurable."
    )
    return FigureBlock(identity, partial(gamma_curves, group, identity, caption), caption)


def _highest_text(curve: GammaCurve) -> str:
    highest = curve.highest
    if not curve.has_verdict:
        return "no verdict on gamma at any working set, too few observations"
    if highest is None:
        return "gamma is not measurable here at any working set"
    if curve.is_zero:
        return "gamma is 0 at every working set, but for the rounding of times"
    return (
        f"gamma is highest, {show_duration(highest.median_ns)} (median, n = {highest.n}), at a "
        f"working set of {format_size_bytes(highest.place.working_set_bytes)}"
    )


def _lines_text(curve: GammaCurve) -> str:
    text = _highest_text(curve)
    rise = curve.rise
    if rise is not None:
        origin = (
            "a line through the origin"
            if rise.starts_in_origin
            else "not through the origin, so another component is in it"
        )
        text += (
            f"; it rises by {show_duration(rise.slope_ns_per_byte * 1024)} per KiB from "
            f"{show_duration(rise.intercept_ns)} ± {show_duration(rise.intercept_half_width_ns)} "
            f"(95 %, {rise.n} working sets): {origin}"
        )
    if curve.falling_zero_bytes is not None:
        text += f"; its fall would meet zero at {format_size_bytes(curve.falling_zero_bytes)}"
    return text


def _table(run: RunData, curves: Sequence[GammaCurve]) -> Table:
    head = (
        *("CPU", "case", "evict", "preemption", "working set", "n", "gamma, median", "p90"),
        *("maximum", "noise floor", "bound", "warm pass", "verdict"),
    )
    rows = tuple(row for curve in curves for row in _rows(curve))
    return Table(f"Gamma ({run.kind})", head, rows)


def _rows(curve: GammaCurve) -> Iterator[tuple[Cell, ...]]:
    bounds = dict(upper_bound(curve.points))
    for one in curve.points:
        place = one.place
        buffer = f" {format_size_bytes(place.evict_bytes)}" if place.evict_bytes else ""
        yield (
            text_cell(place.cpu),
            text_cell(place.case_name.replace("_", " ")),
            text_cell(place.evict_name + buffer),
            duration_cell(one.preemptor_ns),
            number_cell(format_size_bytes(place.working_set_bytes)),
            number_cell(show_count(one.n)),
            duration_cell(one.median_ns),
            quantile_cell(distribution.from_samples(one.samples_ns), _P90),
            duration_cell(one.samples_ns.max()),
            noise_floor_cell(one.noise_floor_ns),
            duration_cell(bounds[place.working_set_bytes]),
            duration_cell(one.warm_ns),
            text_cell(VERDICTS[one.verdict], _remark(one)),
        )


def _remark(one: Gamma) -> str:
    if not one.n_not_warm:
        return ""
    return f"{show_count(one.n_not_warm)} not warm after the last pass that was timed"


def _quantities(run: RunData, curve: GammaCurve) -> list[Quantity]:
    found = []
    for one in curve.points:
        place = one.place
        evict = place.evict_name + (f"{place.evict_bytes}B" if place.evict_bytes else "")
        where = f"cpu{place.cpu}_{place.case_name}_{evict}_{place.working_set_bytes}B"
        note = None if one.verdict == "ok" else VERDICTS[one.verdict]
        for name, value in (("p50", one.median_ns), ("max", int(one.samples_ns.max()))):
            found.append(
                quantity(
                    run,
                    None,
                    f"{place.cost_name}_{where}_{name}",
                    value,
                    unit="ns",
                    n=one.n,
                    note=note,
                )
            )
    return found
