# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a migration costs against the working set: figures, tables, and how it was measured."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from laxity.core.streams import CRPD_PATTERNS
from laxity.core.units import format_size_bytes
from laxity.costs.excess import Excess, join
from laxity.costs.migration.data import (
    MigrationAnswer,
    MigrationCurve,
    answers,
    contradiction_words,
    contradictions_of,
    domain_words,
    domains_of,
    gamma_of,
    memory_words,
    topology_words,
    unsteady_words,
)
from laxity.costs.migration.figure import Line, is_drawable, migration_lines
from laxity.costs.migration.rows import Migration
from laxity.costs.samples import upper_bound
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import VERDICTS, method_section, quantity, stated_cell
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
from laxity.store.measurements import MigrationMeasurement

_TEXT = (
    "What a task loses by going on on another CPU: its passes there until one is warm, minus as "
    "many warm ones, minus the median of the same after a call that moves nothing. A median that "
    "is not above the noise floor is “not measurable”, never zero; its marker is hollow."
)
# Colour and marker of what two CPUs have in common, nearest first.
_LOOKS = (("alone", "o"), ("interfered", "s"), ("missed", "^"), ("rest", "D"))
_MEANINGS = (
    (
        "loss",
        "first pass after the event + following passes until one is warm − as many warm passes of "
        "the CPU that they run on",
    ),
    ("warm", "no longer than 9 of 10 passes that were timed there just before an event"),
    ("migration", "loss of a task that moved − median loss of one that asked for its own CPU"),
    (
        "the move itself",
        "sched_setaffinity to the other CPU, from the call to the return there, − the median of "
        "the same call that moves nothing. A scheduler that migrates takes another way",
    ),
    ("asleep as long", "loss of a task that slept for as long as a move takes, on its own CPU"),
    ("there and back", "loss of a task that moved, moved back at once, and found its lines"),
    ("sequential", "a pass reads a byte, writes the next one, and goes on by 32 bytes"),
    ("chase", "a pass follows the lines in random order; no prefetcher can hide a miss"),
    (
        "noise floor",
        "the larger of: what two roles that both stay differ by (A/B/A control); how far the "
        "median of the one that moves may be too high and theirs too low, by 95 % intervals",
    ),
    (
        "bound",
        "monotone, linear between the points: the upper end of the 95 % interval of p90. Single "
        "larger observations, mostly interrupts and a stolen CPU, are in the maximum",
    ),
)

_SIMULATED = {
    "the move itself": "from the end of the last pass on the one core to the beginning of the "
    "first one on the other: a switch, if somebody else was on that core last",
    "bound": "monotone, linear between the points: the upper end of the 95 % interval of p90",
}


def build(run: RunData) -> Section:
    """Build the section of a run that measured migrations."""
    curves = _curves(run)
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    blocks.append(Paragraph(_TEXT, is_explanation=True))
    figures = tuple(_figures(run))
    if figures:
        blocks.append(Figures(figures))
    blocks += [Paragraph(_sentence(run, one)) for one in _answers(run)]
    asked = run.manifest.measurement
    pairs = asked.pairs if isinstance(asked, MigrationMeasurement) else []
    remarks = (memory_words(curves, pairs, run.machine), topology_words(run.machine))
    blocks += [Paragraph(f"{_capitalised(words)}.", "note") for words in remarks if words]
    withdrawn = (contradiction_words(one) for one in contradictions_of(curves))
    blocks += [Paragraph(f"{words}.", "warning") for words in withdrawn]
    if unsteady_words(curves):
        blocks.append(Paragraph(f"{_capitalised(unsteady_words(curves))}.", "warning"))
    if curves:
        blocks.append(Folded("All figures", (_table(run, curves),), is_figures=True))
    else:
        blocks.append(Paragraph("No observation was kept, so there is nothing to show.", "note"))
    quantities = tuple(one for curve in curves for one in _quantities(run, curve))
    return Section(f"{run.prefix}-migration", "Migration", tuple(blocks), quantities)


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean and how it was measured."""
    asked = run.manifest.measurement
    facts: tuple[tuple[str, str], ...] = ()
    if isinstance(asked, MigrationMeasurement):
        pairs = ", ".join(
            f"{pair.cpu} → {pair.cpu_to} ({domain_words(pair.domain)})" for pair in asked.pairs
        )
        facts = (
            ("probe", f"{asked.probe}, CPUs {asked.cpus}, task at priority {asked.priority}"),
            ("pairs", pairs),
            (
                "repetitions",
                f"{asked.repetitions} of each role, fewer within {show_duration(asked.budget_ns)}",
            ),
        )
    return method_section(run, _MEANINGS, facts, _SIMULATED)


def sentences(run: RunData) -> tuple[str, ...]:
    """Say in one sentence per kind of pair and pattern what one migration costs."""
    return tuple(_sentence(run, one) for one in _answers(run))


def _answers(run: RunData) -> tuple[MigrationAnswer, ...]:
    return answers(_curves(run), run.machine, gamma_of(run.manifest.measurement))


def _curves(run: RunData) -> tuple[MigrationCurve, ...]:
    curves: tuple[MigrationCurve, ...] = run.findings
    return curves


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(run: RunData, one: MigrationAnswer) -> str:
    sizes = ", ".join(
        f"{one.shown(loss)} at {format_size_bytes(size)}" for size, loss in one.losses
    )
    n = min(loss.n for _, loss in one.losses)
    gamma = f" {_capitalised(one.gamma_words)}." if one.gamma else ""
    return (
        f"One migration between {one.words}, {one.case.replace('_', ' ')}: {sizes} (medians, "
        f"n ≥ {show_count(n)}, {run.kind}); {_move_words(one.move)}.{gamma}"
    )


def _move_words(move: Excess) -> str:
    n = f"n = {show_count(move.n)}"
    if move.verdict == "no_verdict":
        return f"of the move itself there is no verdict ({n})"
    if move.verdict == "not_measurable":
        floor = "" if move.noise_floor_ns is None else f"{show_duration(move.noise_floor_ns)}, "
        return f"the move itself is not measurable (noise floor {floor}{n})"
    return f"the move itself takes another {show_duration(move.median_ns)} (median, {n})"


def _figures(run: RunData) -> Iterator[FigureBlock]:
    """One per pattern and memory: migrations of every pair, and the controls of all together.

    Chase first, which the answer is of where there is any.
    """
    groups: dict[str, list[MigrationCurve]] = {}
    for curve in _curves(run):
        groups.setdefault(curve.points[0].route.case_name, []).append(curve)
    for case, group in sorted(groups.items(), key=lambda one: not one[0].startswith("chase")):
        lines = [*_pair_lines(group), *_control_lines(group)]
        if not is_drawable(lines):
            continue
        identity = f"{run.prefix}-migration-{case}"
        n = min(one.loss.n for curve in group for one in curve.points)
        words = CRPD_PATTERNS[group[0].points[0].route.pattern]
        memory = ", memory taken along" if group[0].points[0].route.is_fetched else ""
        caption = (
            f"What a migration loses against the working set, {words}{memory}; one solid line per "
            f"pair of CPUs, medians of n ≥ {show_count(n)} each, {run.kind}; dashed: controls of "
            "all pairs; hollow: not measurable."
        )
        yield FigureBlock(identity, partial(migration_lines, lines, identity, caption), caption)


def _pair_lines(group: Sequence[MigrationCurve]) -> Iterator[Line]:
    order = domains_of(group)
    named: set[str] = set()
    for curve in group:
        domain = curve.points[0].domain
        ink, marker = _LOOKS[min(order.index(domain), len(_LOOKS) - 1)]
        label = "" if domain in named else domain_words(domain)
        named.add(domain)
        points = tuple((one.route.working_set_bytes, one.loss) for one in curve.points)
        yield Line(label, ink, marker, points)


def _control_lines(group: Sequence[MigrationCurve]) -> Iterator[Line]:
    yield _control("asleep as long", "skipped", "x", group, lambda one: one.sleep)
    yield _control("there and back", "latency", "+", group, lambda one: one.round_trip)


def _control(
    label: str,
    ink: str,
    marker: str,
    group: Sequence[MigrationCurve],
    of_one: Callable[[Migration], Excess],
) -> Line:
    sizes: dict[int, list[Excess]] = {}
    for curve in group:
        for one in curve.points:
            sizes.setdefault(one.route.working_set_bytes, []).append(of_one(one))
    points = tuple((size, join(sizes[size])) for size in sorted(sizes))
    return Line(label, ink, marker, points, is_control=True)


def _table(run: RunData, curves: Sequence[MigrationCurve]) -> Table:
    head = (
        *("CPUs", "pattern", "working set", "n", "migration, median", "p90", "maximum"),
        *("noise floor", "bound", "warm pass", "move itself", "asleep as long", "there and back"),
        "verdict",
    )
    rows = tuple(row for curve in curves for row in _rows(curve))
    return Table(f"Migration ({run.kind}; medians but for p90, maximum and bound)", head, rows)


def _rows(curve: MigrationCurve) -> Iterator[tuple[Cell, ...]]:
    bounds = dict(
        upper_bound((one.route.working_set_bytes, one.loss.bound_ns) for one in curve.points)
    )
    for one in curve.points:
        route, loss = one.route, one.loss
        unsteady = "" if one.is_steady else ", not steady"
        yield (
            text_cell(f"{route.cpu} → {route.cpu_to}"),
            text_cell(route.case_name.replace("_", " ")),
            number_cell(format_size_bytes(route.working_set_bytes)),
            number_cell(show_count(loss.n)),
            duration_cell(loss.median_ns),
            stated_cell(loss.quantiles.get("0.9"), 0.9),
            duration_cell(loss.max_ns),
            noise_floor_cell(loss.noise_floor_ns),
            duration_cell(bounds[route.working_set_bytes]),
            duration_cell(one.warm_ns),
            duration_cell(one.move.median_ns),
            duration_cell(one.sleep.median_ns),
            duration_cell(one.round_trip.median_ns),
            text_cell(VERDICTS[loss.verdict] + unsteady, _remark(one)),
        )


def _remark(one: Migration) -> str:
    remarks = []
    if one.n_not_warm:
        remarks.append(f"{show_count(one.n_not_warm)} not warm after the last pass that was timed")
    if not one.is_steady:
        remarks.append("its halves differ")
    return "; ".join(remarks)


def _quantities(run: RunData, curve: MigrationCurve) -> list[Quantity]:
    found = []
    for one in curve.points:
        route, loss = one.route, one.loss
        where = f"cpu{route.cpu}to{route.cpu_to}_{route.case_name}_{route.working_set_bytes}B"
        note = None if loss.verdict == "ok" else VERDICTS[loss.verdict]
        for name, value in (("p50", loss.median_ns), ("max", loss.max_ns)):
            found.append(
                quantity(
                    run, None, f"migration_{where}_{name}", value, unit="ns", n=loss.n, note=note
                )
            )
    return found
