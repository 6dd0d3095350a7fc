# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Access times against the size of the array: levels, figures, tables, how it was measured."""

from collections.abc import Sequence
from functools import partial

from laxity.core.streams import MEMORY_CASES
from laxity.core.units import format_bytes_per_s, format_size_bytes
from laxity.costs.memory_latency.cache_levels import Level
from laxity.costs.memory_latency.data import AccessCurve, Findings, Hierarchy, case_name, place_name
from laxity.costs.memory_latency.figure import MOST_CURVES, bandwidth_figure, time_figure
from laxity.costs.memory_latency.rows import CHASE, PS_PER_NS, AccessTime, upper_bound
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import VERDICTS, method_section, quantity
from laxity.page.blocks import (
    NOT_MEASURED,
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
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.store.measurements import MemoryLatencyMeasurement

_TEXT = (
    "Chase: each access names the next one, so nothing overlaps; this is the latency. Read and "
    "write: 4096 accesses at random indices that are known before, so that as many overlap as the "
    "processor can. A median that is not above the noise floor is “not measurable”, never zero."
)
_AGREEMENTS = {"agrees": "agrees", "differs": "differs", "not_detected": "not detected"}
_MEANINGS = (
    (
        "time per access",
        "(a batch − the median of empty batches) / its accesses. Each batch has physical pages and "
        "a random order of its own, so that what depends on them is in the spread",
    ),
    ("chase", "a closed chain through all lines in random order; 65536 steps warm up, 4096 count"),
    (
        "read, write",
        "4096 32-bit words at random, as Raffeck et al., figures 4 and 5. Their indices, 16 KiB, "
        "are read in order and share the first cache with the array",
    ),
    ("stream", "from the first byte to the last in steps of 16 bytes; a copied byte counts once"),
    (
        "level",
        "a plateau of the chase: sizes over at least an octave with medians within 25 %; "
        "neighbouring levels differ by more than 50 %",
    ),
    (
        "size of a level",
        "from the largest array that surely fits (at most 25 % above the plateau) to the smallest "
        "that surely does not (twice as slow, or halfway to the next level)",
    ),
    (
        "agrees",
        "what the system claims lies in that range; where a cache keeps no copy of the inner ones, "
        "their sizes may add to it",
    ),
    (
        "noise floor",
        "the larger of: what medians of even and odd repetitions differ by (A/A control); the "
        "half-widths of the 95 % intervals of the medians of batches and of empty batches",
    ),
    ("bound", "monotone, linear between the points: the upper end of the 95 % interval of p90"),
)

_SIMULATED = {
    "time per access": "(a batch − the median of empty batches) / its accesses. Each batch has a "
    "random order of its own, so that what depends on it is in the spread",
    "read, write": "4096 32-bit words at random, as Raffeck et al., figures 4 and 5. Their indices "
    "take an instruction each, and no cache",
    "agrees": "what the platform file says lies in that range",
}


def build(run: RunData) -> Section:
    """Build the section of a run that measured memory_latency."""
    found: Findings = run.findings
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    blocks.append(Paragraph(_TEXT, is_explanation=True))
    for hierarchy in found.hierarchies:
        blocks += _hierarchy_blocks(run, hierarchy)
    if found.curves:
        blocks.append(_overview(run, found))
    drawn = (*_time_figures(run, found), *_bandwidth_figures(run, found))
    if drawn:
        blocks.append(Figures(drawn))
    blocks += [
        Folded(f"Figures of {_curve_name(curve)}", (_table(run, curve),)) for curve in found.curves
    ]
    if not found.curves:
        blocks.append(Paragraph("No batch was kept, so there is nothing to show.", "note"))
    quantities = [one for curve in found.curves for one in _quantities(run, curve)]
    quantities += [one for each in found.hierarchies for one in _level_quantities(run, each)]
    return Section(
        f"{run.prefix}-memory-latency", "Memory access times", tuple(blocks), tuple(quantities)
    )


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean and how it was measured."""
    asked = run.manifest.measurement
    facts: tuple[tuple[str, str], ...] = ()
    if isinstance(asked, MemoryLatencyMeasurement):
        facts = (
            ("probe", f"{asked.probe}, CPU {asked.cpus}, priority {asked.priority}"),
            ("memory", f"node {', '.join(map(str, asked.nodes)) or 'not chosen'}"),
            ("pages", asked.pages),
            ("repetitions", f"{asked.repetitions} batches of each case and size"),
            ("line", format_size_bytes(asked.line_bytes)),
        )
    return method_section(run, _MEANINGS, facts, _SIMULATED)


def sentences(run: RunData) -> tuple[str, ...]:
    """Say in one sentence per CPU and node which levels were detected, and what was not."""
    found: Findings = run.findings
    return tuple(_sentence(run, hierarchy) for hierarchy in found.hierarchies)


def _size_words(level: Level) -> str:
    """Write from which to which size a level ends: `48 KiB to 56 KiB`."""
    if level.fits_bytes is None:
        return "the last level"
    if level.full_bytes is None:
        return f"at least {format_size_bytes(level.fits_bytes)}"
    return f"{format_size_bytes(level.fits_bytes)} to {format_size_bytes(level.full_bytes)}"


def _shown(value_ps: float) -> str:
    return show_duration(value_ps / PS_PER_NS)


def _sentence(run: RunData, hierarchy: Hierarchy) -> str:
    if not hierarchy.levels:
        return f"{hierarchy.name}: the curve is nowhere level, so no level was detected."
    levels = "; ".join(
        f"level {number}, {_size_words(level)}: {_shown(level.latency_ps)} (median, "
        f"n = {show_count(level.n)})"
        for number, level in enumerate(hierarchy.levels, 1)
    )
    claims = ", ".join(
        f"L{one.comparison.claim.level} {format_size_bytes(one.comparison.claim.size_bytes)} "
        f"{_AGREEMENTS[one.comparison.agreement]}"
        for one in hierarchy.claims
    )
    return f"{hierarchy.name} ({run.kind}): {levels}. Claimed: {claims or 'nothing'}."


def _curve_name(curve: AccessCurve) -> str:
    return f"{place_name(curve)}, {case_name(curve)}"


def _claimant(run: RunData) -> str:
    """Name who says which caches there are."""
    return "the platform file" if run.kind == "simulated" else "the system"


def _hierarchy_blocks(run: RunData, hierarchy: Hierarchy) -> list[Block]:
    rows = tuple(
        (
            text_cell(f"level {number}"),
            text_cell(_size_words(level)),
            duration_cell(level.latency_ps / PS_PER_NS),
            text_cell(" to ".join(_shown(end) for end in level.latency_range_ps)),
            number_cell(show_count(level.n)),
        )
        for number, level in enumerate(hierarchy.levels, 1)
    )
    head = ("detected", "ends at", "latency, median", "ends of the 95 % intervals", "n")
    blocks: list[Block] = [Table(f"Levels, {hierarchy.name} ({run.kind})", head, rows)]
    if not hierarchy.levels:
        blocks = [Paragraph(_sentence(run, hierarchy), "note")]
    claims = tuple(
        (
            text_cell(f"L{one.comparison.claim.level}"),
            number_cell(format_size_bytes(one.comparison.claim.size_bytes)),
            text_cell(
                "none near it"
                if one.comparison.found is None
                else _size_words(one.comparison.found)
            ),
            text_cell(_AGREEMENTS[one.comparison.agreement], "; ".join(one.causes)),
        )
        for one in hierarchy.claims
    )
    system = _claimant(run)
    if claims:
        claimed = ("cache", f"{system} says", "detected", "verdict, possible causes")
        blocks.append(Table(f"What {system} claims, {hierarchy.name}", claimed, claims))
    else:
        text = f"{hierarchy.name}: {system} tells of no cache, so there is nothing to compare."
        blocks.append(Paragraph(text, "note"))
    return blocks


def _overview(run: RunData, found: Findings) -> Table:
    """Show medians of powers of two; every size is in the figures of its curve."""
    cases = sorted({curve[0].place.case for curve in found.curves})
    rows: dict[tuple[str, int], dict[int, AccessTime]] = {}
    for curve in found.curves:
        for one in curve:
            key = (place_name(curve), one.place.working_set_bytes)
            rows.setdefault(key, {})[one.place.case] = one
    shown = {key: row for key, row in rows.items() if key[1] & (key[1] - 1) == 0} or rows
    cells = tuple(
        (
            text_cell(name),
            number_cell(format_size_bytes(size)),
            number_cell(_counts(row)),
            *(_median_cell(row.get(case)) for case in cases),
        )
        for (name, size), row in sorted(shown.items())
    )
    names = (MEMORY_CASES[case].replace("_", " ") for case in cases)
    return Table(f"Medians ({run.kind})", ("measured on", "array", "n", *names), cells)


def _counts(row: dict[int, AccessTime]) -> str:
    """All cases have the same number of batches, unless the run was ended."""
    counts = sorted({one.n for one in row.values()})
    return "-".join(show_count(n) for n in {counts[0]: 0, counts[-1]: 0})


def _median_cell(one: AccessTime | None) -> Cell:
    if one is None:
        return number_cell(NOT_MEASURED)
    if one.verdict == "not_measurable":
        return number_cell(VERDICTS[one.verdict])
    if one.place.is_stream and one.bytes_per_s is not None:
        return _bandwidth_cell(one)
    return duration_cell(one.median_ps / PS_PER_NS)


def _time_figures(run: RunData, found: Findings) -> list[FigureBlock]:
    """Build one figure per case; of several nodes one per CPU too, as in the paper."""
    has_nodes = len({curve[0].place.node for curve in found.curves}) > 1
    groups: dict[tuple[int, int], list[AccessCurve]] = {}
    for curve in found.curves:
        place = curve[0].place
        if not place.is_stream and any(one.median_ps > 0 for one in curve):
            groups.setdefault((place.case, place.cpu if has_nodes else 0), []).append(curve)
    return [
        _time_figure(run, found, group[at : at + MOST_CURVES], f"{case}-{cpu}-{at}")
        for (case, cpu), group in groups.items()
        for at in range(0, len(group), MOST_CURVES)
    ]


def _time_figure(
    run: RunData, found: Findings, curves: Sequence[AccessCurve], suffix: str
) -> FigureBlock:
    place = curves[0][0].place
    identity = f"{run.prefix}-memory-{suffix}"
    n = min(one.n for curve in curves for one in curve)
    caption = (
        f"{MEMORY_CASES[place.case].capitalize()}: time per access against the size of the array; "
        f"median and quartiles of n ≥ {show_count(n)} batches each, {run.kind}; dotted: caches "
        f"that {_claimant(run)} tells of."
    )
    named = [(place_name(curve), curve) for curve in curves]
    claims = {
        (f"L{one.comparison.claim.level}", one.comparison.claim.size_bytes)
        for hierarchy in found.hierarchies
        if hierarchy.chase[0].place.cpu == place.cpu
        for one in hierarchy.claims
    }
    return FigureBlock(
        identity, partial(time_figure, named, sorted(claims), identity, caption), caption
    )


def _bandwidth_figures(run: RunData, found: Findings) -> list[FigureBlock]:
    """Build one figure per CPU and node."""
    groups: dict[str, list[AccessCurve]] = {}
    for curve in found.curves:
        if any(one.bytes_per_s is not None for one in curve):
            groups.setdefault(place_name(curve), []).append(curve)
    figures = []
    for number, (name, curves) in enumerate(groups.items()):
        identity = f"{run.prefix}-bandwidth-{number}"
        n = min(one.n for curve in curves for one in curve)
        caption = (
            f"Bandwidth of streams against the size of the array, {name}; medians of n ≥ "
            f"{show_count(n)} batches each, {run.kind}; a copied byte counts once."
        )
        named = [(case_name(curve).removeprefix("stream "), curve) for curve in curves]
        figures.append(
            FigureBlock(identity, partial(bandwidth_figure, named, identity, caption), caption)
        )
    return figures


def _table(run: RunData, curve: AccessCurve) -> Table:
    is_stream = curve[0].place.is_stream
    bounds = dict(upper_bound(curve))
    rows = tuple(
        (
            text_cell(format_size_bytes(one.place.working_set_bytes)),
            number_cell(show_count(one.n)),
            duration_cell(one.median_ps / PS_PER_NS, _interval_text(one)),
            *((_bandwidth_cell(one),) if is_stream else ()),
            duration_cell(int(one.samples_ps.max()) / PS_PER_NS),
            number_cell(NOT_MEASURED, "needs 6 batches")
            if one.noise_floor_ps is None
            else duration_cell(one.noise_floor_ps / PS_PER_NS),
            duration_cell(bounds[one.place.working_set_bytes] / PS_PER_NS),
            text_cell(VERDICTS[one.verdict]),
        )
        for one in curve
    )
    what = "per 64 bytes" if is_stream else "per access"
    head = (
        *("array", "n", "median, 95 % interval"),
        *(("bandwidth",) if is_stream else ()),
        *("maximum", "noise floor", "bound", "verdict"),
    )
    return Table(f"Time {what}, {_curve_name(curve)} ({run.kind})", head, rows)


def _bandwidth_cell(one: AccessTime) -> Cell:
    rate = one.bytes_per_s
    return number_cell(NOT_MEASURED if rate is None else format_bytes_per_s(rate))


def _interval_text(one: AccessTime) -> str:
    interval = one.interval_ps
    return "" if interval is None else f"{_shown(interval[0])} to {_shown(interval[1])}"


def _quantities(run: RunData, curve: AccessCurve) -> list[Quantity]:
    found = []
    for one in curve:
        place = one.place
        node = "" if place.node < 0 else f"_node{place.node}"
        pages = "_huge" if place.pages else ""
        where = f"cpu{place.cpu}{node}_{MEMORY_CASES[place.case]}{pages}_{place.working_set_bytes}B"
        note = None if one.verdict == "ok" else VERDICTS[one.verdict]
        values: tuple[tuple[str, int | None, str], ...] = (
            ("p50", one.median_ps, "ps"),
            ("max", int(one.samples_ps.max()), "ps"),
        )
        if place.is_stream:
            values = (*values, ("bandwidth", one.bytes_per_s, "bytes_per_s"))
        for name, value, unit in values:
            full = f"memory_latency_{where}_{name}"
            found.append(quantity(run, None, full, value, unit=unit, n=one.n, note=note))
    return found


def _level_quantities(run: RunData, hierarchy: Hierarchy) -> list[Quantity]:
    place = hierarchy.chase[0].place
    node = "" if place.node < 0 else f"_node{place.node}"
    found = []
    for number, level in enumerate(hierarchy.levels, 1):
        where = f"cpu{place.cpu}{node}_{MEMORY_CASES[CHASE]}_level{number}"
        for name, value, unit in (
            ("latency", level.latency_ps, "ps"),
            ("fits", level.fits_bytes, "bytes"),
            ("full", level.full_bytes, "bytes"),
        ):
            note = None if value is not None else "the curve ends before"
            found.append(
                quantity(run, None, f"{where}_{name}", value, unit=unit, n=level.n, note=note)
            )
    return found
