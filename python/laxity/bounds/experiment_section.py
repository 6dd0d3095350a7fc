# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The share of schedulable sets against utilisation: figure, table, costs, and how it was found."""

from collections.abc import Sequence
from functools import partial

from laxity.bounds.experiment_data import ShareCurve, SharePoint
from laxity.bounds.experiment_figure import share_curves
from laxity.bounds.schedulability_tests import DRAWN_TESTS
from laxity.core.percent import format_percent, show_percent
from laxity.core.units import exact_size, format_size_bytes
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import quantity
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
    count_noun,
    duration_cell,
    number_cell,
    show_count,
    show_ratio,
    text_cell,
)
from laxity.store.experiment_result import CostsUsed, CostUsed, ExperimentRun

_TEXT = (
    "At each utilisation task sets were drawn at random, and each was put to every test. A set "
    "that is not proven schedulable may still be: with costs the tests are sufficient only. The "
    "bands are 95 % intervals (Wilson) of the share among all sets that could be drawn."
)
_NOT_TESTED = "not tested"
_MEANINGS = (
    ("no costs", "zero overheads: neither switches nor caches nor interrupts take time"),
    ("with costs", "C' = C + 2 delta + gamma, timer latency, timers and ticks: docs/bounds.md"),
    *((drawn.title, drawn.meaning) for drawn in DRAWN_TESTS.values()),
    (
        "weighted",
        "sum u S(u) / sum u over the utilisations u, with the share S(u): one figure for a curve "
        "(Bastoni, Brandenburg, Anderson 2010)",
    ),
    (
        "uunifast-discard, randfixedsum",
        "how a utilisation is split among tasks: uniformly over all that is possible with no task "
        "above 1 (Davis, Burns 2011; Emberson, Stafford, Davis 2010)",
    ),
    ("automotive", "periods of engine control software (Kramer, Ziegenbein, Hamann 2015)"),
)


def build(run: RunData) -> Section | None:
    """Build the section with the figure."""
    curves = _curves(run)
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    blocks.append(Paragraph(_TEXT, is_explanation=True))
    if curves:
        identity = f"{run.prefix}-shares"
        caption = _caption(curves)
        draw = partial(share_curves, curves, identity, caption)
        blocks.append(Figures((FigureBlock(identity, draw, caption),)))
        blocks.append(_weights(curves))
        blocks.append(Paragraph(_width_text(curves)))
        blocks.append(Folded("All shares", (_table(curves),), is_figures=True))
    quantities = tuple(one for curve in curves for one in _quantities(run, curve))
    title = "Schedulable sets against utilisation"
    return Section(f"{run.prefix}-experiment", title, tuple(blocks), quantities)


def build_costs(run: RunData) -> Section | None:
    """Build the section of the figures that sets were tested with; None: zero overheads."""
    asked = run.manifest.experiment
    if asked is None or asked.costs is None:
        return None
    costs = asked.costs
    blocks: list[Block] = [
        Paragraph(
            f"From {costs.path}, machine {costs.machine_hash}: {costs.use} of each, "
            f"{costs.margin} on top. What was measured is observed, not proven."
        ),
        _costs_table(costs.entries),
        _gamma_table(costs),
        Paragraph(f"Not accounted for: {'; '.join(costs.not_accounted)}.", "note"),
    ]
    return Section(f"{run.prefix}-costs", "Costs that were counted", tuple(blocks))


def build_method(run: RunData) -> Section:
    """Build the section that says what the words mean."""
    rows = tuple((text_cell(name), text_cell(meaning)) for name, meaning in _MEANINGS)
    table = Table("What the words mean", ("word", "meaning"), rows)
    return Section(f"{run.prefix}-method", "Method and limits", (table,))


def sentences(run: RunData) -> tuple[str, ...]:
    """Say for each test what the costs take, where they take most."""
    curves = _curves(run)
    found = []
    for test in dict.fromkeys(curve.test_name for curve in curves):
        pair = [curve for curve in curves if curve.test_name == test]
        found.append(f"{test[0].upper()}{test[1:]}: {_compared(pair)}.")
    return tuple(found)


def machine_line(asked: ExperimentRun) -> str:
    """Say which machine the figures are about."""
    if asked.costs is None:
        return "none: zero overheads, nothing was measured"
    return f"costs of machine {asked.costs.machine_hash}; nothing was measured here"


def asked_line(asked: ExperimentRun) -> str:
    """Say in one line what was drawn."""
    where = "one CPU" if asked.cpus == 1 else f"{asked.cpus} CPUs"
    n_sets = show_count(asked.sets)
    return f"{n_sets} sets of {count_noun(asked.tasks, 'task')} at each utilisation, on {where}"


def _curves(run: RunData) -> tuple[ShareCurve, ...]:
    curves: tuple[ShareCurve, ...] = run.findings
    return curves


def _compared(pair: Sequence[ShareCurve]) -> str:
    """Compare a test without and with costs; a lone curve is told by its weighted share."""
    weights = " and ".join(_weight_text(curve) for curve in pair)
    weighted = f"of all sets, weighted by utilisation, {weights} are proven schedulable"
    if len(pair) == 1:
        return weighted
    taken = [
        (alone.share.value - costly.share.value, alone, costly)
        for alone, costly in zip(pair[0].points, pair[1].points, strict=True)
        if alone.share is not None and costly.share is not None
    ]
    most, alone, costly = max(taken, key=lambda one: one[0], default=(0.0, None, None))
    if alone is None or costly is None or not most or not alone.share or not costly.share:
        return f"{weighted}; the costs take none"
    return (
        f"{weighted}; the costs take most at {show_percent(alone.utilisation_ppm)}, where "
        f"{show_ratio(alone.share.value)} become {show_ratio(costly.share.value)} "
        f"(n = {show_count(alone.share.n)})"
    )


def _weight_text(curve: ShareCurve) -> str:
    share = _NOT_TESTED if curve.weighted is None else show_ratio(curve.weighted)
    return f"{share} {'with' if curve.asked.has_costs else 'without'} costs"


def _caption(curves: Sequence[ShareCurve]) -> str:
    counts = [point.share.n for point in curves[0].points if point.share is not None]
    n = f"n = {show_count(min(counts))}"
    if min(counts) < max(counts):
        n = f"n = {show_count(min(counts))} to {show_count(max(counts))}"
    return (
        f"Share of task sets that are proven schedulable; {n} sets at each utilisation, modelled; "
        "bands: 95 % intervals."
    )


def _weights(curves: Sequence[ShareCurve]) -> Table:
    rows = tuple((text_cell(curve.name), _percent_cell(curve.weighted)) for curve in curves)
    return Table("Weighted schedulability (modelled)", ("test", "weighted share"), rows)


def _table(curves: Sequence[ShareCurve]) -> Table:
    rows = tuple(
        (
            text_cell(show_percent(points[0].utilisation_ppm)),
            number_cell("0" if points[0].share is None else show_count(points[0].share.n)),
            *(_share_cell(one) for one in points),
        )
        for points in zip(*(curve.points for curve in curves), strict=True)
    )
    head = ("utilisation", "n, sets", *(curve.name for curve in curves))
    return Table("Sets proven schedulable, with 95 % intervals (modelled)", head, rows)


def _width_text(curves: Sequence[ShareCurve]) -> str:
    shares = [point.share for curve in curves for point in curve.points if point.share is not None]
    widest = max((max(one.upper - one.value, one.value - one.lower) for one in shares), default=0.0)
    reach = f"{100 * widest:.1f} percentage points"
    return f"95 % intervals (Wilson) reach {reach} at most to either side of a share."


def _share_cell(point: SharePoint) -> Cell:
    share = point.share
    if share is None:
        return number_cell(_NOT_TESTED)
    return number_cell(
        show_ratio(share.value), f"{show_ratio(share.lower)} to {show_ratio(share.upper)}"
    )


def _percent_cell(share: float | None) -> Cell:
    return number_cell(_NOT_TESTED if share is None else show_ratio(share))


def _costs_table(entries: Sequence[CostUsed]) -> Table:
    rows = tuple(
        (
            text_cell(one.name),
            duration_cell(one.value_ns),
            text_cell(one.kind),
            number_cell(show_count(one.n)),
            text_cell(one.verdict.replace("_", " ")),
            text_cell(", ".join(filter(None, (one.case, one.evict)))),
            text_cell("" if one.cpu is None else f"CPU {one.cpu}"),
            text_cell("" if one.working_set_bytes is None else exact_size(one.working_set_bytes)),
        )
        for one in entries
    )
    head = ("cost", "value", "kind", "n", "verdict", "case", "CPU", "working set")
    return Table("Figures of the cost model", head, rows)


def _gamma_table(costs: CostsUsed) -> Table:
    rows = tuple(
        (text_cell(format_size_bytes(size)), duration_cell(gamma_ns))
        for size, gamma_ns in costs.gamma_steps
    )
    return Table("Gamma of a drawn working set", ("working set up to", "gamma"), rows)


def _quantities(run: RunData, curve: ShareCurve) -> list[Quantity]:
    found = []
    costs = "with_costs" if curve.asked.has_costs else "no_costs"
    test = curve.asked.test.replace("-", "_")
    for point in curve.points:
        if point.share is None:
            continue
        name = f"share_{test}_{costs}_{format_percent(point.utilisation_ppm)}"
        share = point.share
        note = f"95 % interval {share.lower:.6f} to {share.upper:.6f}"
        found.append(quantity(run, None, name, share.value, unit="ratio", n=share.n, note=note))
    return found
