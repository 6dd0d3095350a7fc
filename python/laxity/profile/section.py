# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of a profile: a table of times per program, and how its jobs spread."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from laxity.core.wording import visible
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Kind,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    join_words,
    number_cell,
    show_bound,
    show_count,
    show_duration,
    text_cell,
)
from laxity.page.figures import Labelled
from laxity.profile.counted_section import (
    cache_blocks,
    cache_sentence,
    intensity_blocks,
    intensity_sentence,
    placement_blocks,
    quantities,
)
from laxity.profile.document import (
    QUANTITIES,
    Analysis,
    MetRecord,
    Profile,
    TimesRecord,
    names_of,
    read_profile,
)
from laxity.profile.document import Quantity as TimesOf
from laxity.profile.figure import LOOKS, MetLine, heat_map, met_lines, violins
from laxity.profile.join import processes_of
from laxity.profile.lines_section import lines_blocks, lines_quantities, lines_sentence
from laxity.profile.need_section import (
    need_blocks,
    need_overview,
    need_quantities,
    need_sentence,
)
from laxity.profile.traffic_section import traffic_blocks, traffic_sentence
from laxity.profile.versus_section import versus_section, versus_sentences
from laxity.profile.wcet import MEDIAN, QUANTILES
from laxity.statistics.distribution import from_samples, samples_needed
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run

_SHOWN_PERCENTS = (20, 40, 60, 80, 100)
_MOST_SENTENCES = 8
_METHOD = (
    "The maximum is the longest that was seen, not a bound. The process is the unit of each "
    "interval (95 %, Korn and Graubard's share, Woodruff's quantile): jobs of one process share "
    "its addresses and its moment. “Beyond”: so many jobs after the longest one were not longer; "
    "if jobs may be exchanged for each other, at most that share of all jobs is longer, with 95 % "
    "confidence: 1 − 0.05^(1/n)."
)


def sentences(asked: Profile) -> tuple[str, ...]:
    """Say of each program what the worst scenario does to it."""
    if "memory-need" in asked.analyses:
        say = lines_sentence if asked.kind == "simulated" else need_sentence
        named = enumerate(names_of(asked))
        return tuple(say(asked, target, visible(name)) for target, name in named)
    if "versus" in asked.analyses:
        return versus_sentences(asked)
    if not asked.times:
        return ("No process ended well, so no job counts.",)
    tell = _SENTENCES[asked.analyses[0]]
    names = names_of(asked)
    told = sorted(range(len(names)), key=lambda target: -_most_slowed(asked, target))
    if len(names) <= _MOST_SENTENCES:
        told = list(range(len(names)))
    said = [tell(asked, target, visible(names[target])) for target in told[:_MOST_SENTENCES]]
    if len(told) > _MOST_SENTENCES:
        others = count_noun(len(told) - _MOST_SENTENCES, "other program")
        said.append(f"These lose most; {others} below.")
    return tuple(filter(None, said))


def _most_slowed(asked: Profile, target: int) -> float:
    return max(
        (
            one.slowdown_max or 1.0
            for one in asked.times
            if (one.target, one.quantity) == (target, "execution")
        ),
        default=0.0,
    )


def _met_sentence(asked: Profile, target: int, name: str) -> str:
    told, unknown = [], []
    for at, scenario in enumerate(asked.scenarios):
        points = [one for one in asked.met if (one.target, one.scenario) == (target, at)]
        if points:
            told.append(f"{_all_meet(points)} ({scenario.name})")
        else:
            unknown.append(scenario.name)
    if not told:
        return f"{name}: nobody tells which deadlines it meets: no process of it ended well."
    left = f" (not known: {join_words(unknown)})" if unknown else ""
    return f"{name}: all jobs met their deadlines {', '.join(told)}{left}; {asked.kind}."


def _sentence(asked: Profile, target: int, name: str) -> str:
    of_it = [one for one in asked.times if (one.target, one.quantity) == (target, "execution")]
    if not of_it:
        return ""
    longest = max(of_it, key=lambda one: one.max_ns)
    told = (
        f"{name}: observed maximum {show_duration(longest.max_ns)} "
        f"({asked.scenarios[longest.scenario].name}, n = {show_count(longest.jobs)} jobs of "
        f"{count_noun(longest.processes, 'process')})"
    )
    if longest.slowdown_max is None:
        return f"{told}, execution, {asked.kind}."
    return f"{told}, {longest.slowdown_max:.2f} times that alone; execution, {asked.kind}."


def sections(run: Run) -> tuple[Section, ...]:
    """Build a section for each program.

    Raises:
        RecordError: profile.json or a run within is missing or damaged.
    """
    asked = read_profile(run.path)
    runs = {child.path.name: child for child in run.children}
    names = names_of(asked)
    if "versus" in asked.analyses:
        return (versus_section(asked, runs),)
    return tuple(
        Section(
            f"target{target}",
            visible(name),
            tuple(_blocks(asked, runs, target, visible(name))),
            tuple(_quantities(asked, run, target, name)),
        )
        for target, name in enumerate(names)
    )


def left_out(manifest: Manifest) -> tuple[Block, ...]:
    """Name the programs of a suite that were not profiled, and why."""
    rows = tuple((text_cell(one.what), text_cell(one.reason)) for one in manifest.fallbacks)
    return (Table("Programs that were left out", ("program", "why"), rows),) if rows else ()


def overview(asked: Profile) -> tuple[Block, ...]:
    """Say what ran beside the programs, and what the words mean."""
    if "memory-need" in asked.analyses:
        return need_overview(asked)
    if "versus" in asked.analyses:
        return ()
    rows = tuple(
        (text_cell(one.name), text_cell("; ".join(one.interfere) or "nothing"))
        for one in asked.scenarios
    )
    table = Table("What ran beside the task", ("scenario", "co-runners"), rows)
    names = [visible(name) for name in names_of(asked)]
    placed = placement_blocks(asked, names) if "intensity" in asked.analyses else ()
    met = _heat_blocks(asked, names) if "schedulability" in asked.analyses else ()
    calls = asked.options.get("calls", "1")
    batch = Paragraph(f"A job is {calls} calls of its program in a row.", "note")
    told = () if calls == "1" else (batch,)
    return (*placed, *met, table, *told, Paragraph(_METHOD, is_explanation=True))


def _blocks(asked: Profile, runs: Mapping[str, Run], target: int, name: str) -> Iterator[Block]:
    if "wcet" in asked.analyses:
        yield from _times_blocks(asked, runs, target, name)
    if "schedulability" in asked.analyses:
        yield from _met_blocks(asked, target, name)
    if "cache" in asked.analyses:
        yield from cache_blocks(asked, target, name)
    if "intensity" in asked.analyses:
        yield from intensity_blocks(asked, target, name)
    if "memory-traffic" in asked.analyses:
        yield from traffic_blocks(asked, target, name)
    if "memory-need" in asked.analyses:
        show = lines_blocks if asked.kind == "simulated" else need_blocks
        yield from show(asked, target, name)


def _times_blocks(
    asked: Profile, runs: Mapping[str, Run], target: int, name: str
) -> Iterator[Block]:
    for quantity in QUANTITIES:
        rows = [one for one in asked.times if (one.target, one.quantity) == (target, quantity)]
        if rows:
            yield _table(asked, rows, quantity, name)
    yield from (Paragraph(line) for line in _procedure(asked, target, name))
    yield from (Paragraph(line) for line in _pwcets(asked, target, name))
    yield from (Paragraph(line, "warning") for line in _missing(asked, target, name))
    drawn = [
        figure
        for quantity in QUANTITIES
        for draw in (_violins, _figure)
        if (figure := draw(asked, runs, target, quantity, name)) is not None
    ]
    if drawn:
        yield Figures(tuple(drawn))


def _procedure(asked: Profile, target: int, name: str) -> Iterator[str]:
    """Say where RT-Bench's search would have ended, alone, and what came afterwards."""
    for one in asked.times:
        if (one.target, one.quantity, one.scenario) != (target, "execution", 0) or not one.rt_bench:
            continue
        found = one.rt_bench
        yield (
            f"RT-Bench's search for the WCET of {name} (raise a deadline to the longest job until "
            f"a process has no miss) ends at {show_duration(found.limit_ns)} after "
            f"{count_noun(found.batches, 'process')}; {show_count(found.longer)} of the "
            f"{count_noun(found.later_jobs, 'job')} behind them took longer."
        )


def _pwcets(asked: Profile, target: int, name: str) -> Iterator[str]:
    """Give the pWCET of each scenario, or why there is none."""
    for one in asked.times:
        if one.target != target or one.pwcet is None:
            continue
        where = f"{name}, {asked.scenarios[one.scenario].name}, n = {show_count(one.jobs)} jobs"
        found = one.pwcet
        if found.bound_ns is None:
            yield f"No pWCET of {where}: {found.reason}."
        else:
            bound = show_bound(found.bound_ns)
            yield f"pWCET of {where}: {bound}, exceeded in {found.exceedance:g} of jobs at most."


def _missing(asked: Profile, target: int, name: str) -> Iterator[str]:
    """Say which jobs have no times: the longest, mostly."""
    for at, scenario in enumerate(asked.scenarios):
        rows = [one for one in asked.times if (one.target, one.scenario) == (target, at)]
        if not rows:
            yield f"{scenario.name}: no process of {name} ended well, so no job of it counts."
        elif rows[0].aborted:
            jobs = f"{count_noun(rows[0].aborted, 'job')} of {name}"
            yield f"{scenario.name}: {jobs} did not come to an end; the longest are missing."


def _met_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    lines = [
        MetLine(scenario.name, points)
        for at, scenario in enumerate(asked.scenarios)
        if (points := [one for one in asked.met if (one.target, one.scenario) == (target, at)])
    ]
    if not lines:
        return
    head = ("scenario", "jobs", "all meet up to", *(f"{at} %" for at in _SHOWN_PERCENTS))
    rows = tuple(
        (
            text_cell(line.name),
            number_cell(show_count(line.points[0].jobs)),
            number_cell(_all_meet(line.points)),
            *(_met_cell(one) for one in line.points if one.utilisation_percent in _SHOWN_PERCENTS),
        )
        for line in lines
    )
    remarks = ("", "", "", *("95 % interval" for _ in _SHOWN_PERCENTS))
    caption = f"jobs of {name} that met deadline = WCET / utilisation ({asked.kind})"
    yield Table(caption, head, rows, remarks=remarks)
    prefix = f"target{target}-met"
    alt = f"Share of jobs of {name} that met their deadline, against utilisation, by scenario"
    n = min(line.points[0].jobs for line in lines)
    text = f"{caption[:-1]}); WCET: observed maximum alone, n ≥ {show_count(n)} jobs each."
    drawn = lines[: len(LOOKS)]
    yield Figures((FigureBlock(prefix, partial(met_lines, drawn, prefix, alt), text),))


def _heat_blocks(asked: Profile, names: Sequence[str]) -> Iterator[Block]:
    """Lay the deadlines that several programs met over each other."""
    rows = [
        MetLine(f"{name}, {scenario.name}", points)
        for target, name in enumerate(names)
        for at, scenario in enumerate(asked.scenarios)
        if (points := [one for one in asked.met if (one.target, one.scenario) == (target, at)])
    ]
    if len(names) > 1 and rows:
        alt = "Share of jobs that met their deadline, by program and scenario, over utilisation"
        text = f"{alt} ({asked.kind}); WCET: observed maximum alone."
        yield Figures((FigureBlock("met-all", partial(heat_map, rows, "met-all", alt), text),))


def _all_meet(points: Sequence[MetRecord]) -> str:
    """Return the highest utilisation up to which no job missed."""
    failing = [one.utilisation_percent for one in points if one.met < one.jobs]
    held = [at for one in points if (at := one.utilisation_percent) < min(failing, default=101)]
    return f"up to {max(held)} %" if held else "at no utilisation"


def _met_cell(one: MetRecord) -> Cell:
    text = f"{100 * one.met / one.jobs:.1f} %"
    if one.low is None or one.high is None:
        return number_cell(text)
    return number_cell(text, f"{100 * one.low:.1f} to {100 * one.high:.1f} %")


def _table(asked: Profile, rows: Sequence[TimesRecord], quantity: str, name: str) -> Table:
    head = (
        *("scenario", "processes", "jobs", "observed maximum", "beyond"),
        *("median" if q == MEDIAN else f"p{100 * q:g}" for q in QUANTILES),
        *("slowdown, median", "slowdown, maximum"),
    )
    cells = tuple(
        (
            text_cell(asked.scenarios[row.scenario].name),
            number_cell(show_count(row.processes)),
            number_cell(show_count(row.jobs)),
            duration_cell(row.max_ns, f"{show_count(row.jobs_since_max)} jobs since"),
            number_cell(_beyond(row.share_beyond, asked.kind)),
            *(_quantile_cell(row, q) for q in QUANTILES),
            number_cell(_times(row.slowdown_median), _doubt(row, rows[0])),
            number_cell(_times(row.slowdown_max)),
        )
        for row in rows
    )
    has_noise = asked.kind == "measured"
    intervals = tuple("95 % interval" for _ in QUANTILES)
    remarks = ("", "", "", "", "", *intervals, "remark") if has_noise else ()
    return Table(f"{quantity} time of {name} ({asked.kind})", head, cells, remarks=remarks)


def _doubt(row: TimesRecord, alone: TimesRecord) -> str:
    """Say of a slowdown that the intervals of the two medians have values in common."""
    one, other = (
        next((one for one in of.quantiles if one.q == MEDIAN), None) for of in (row, alone)
    )
    if row is alone or one is None or other is None:
        return ""
    if one.low_ns is None or one.high_ns is None or other.low_ns is None or other.high_ns is None:
        return ""
    is_apart = one.low_ns > other.high_ns or one.high_ns < other.low_ns
    return "" if is_apart else "not told from noise"


def _beyond(share: float | None, kind: Kind) -> str:
    if kind == "simulated":
        return "not stated"
    return "still moves" if share is None else f"< {_upper_percent(share):.3g} %"


def _upper_percent(share: float) -> float:
    """Write an upper limit in percent with two digits, never rounded down."""
    percent = 100 * share
    step = 10.0 ** (math.floor(math.log10(percent)) - 1)
    return math.ceil(percent / step) * step


def _quantile_cell(row: TimesRecord, q: float) -> Cell:
    one = next((one for one in row.quantiles if one.q == q), None)
    if one is None:
        return number_cell(f"needs {samples_needed(q)} jobs")
    if one.low_ns is None or one.high_ns is None:
        return duration_cell(one.value_ns)
    interval = f"{show_duration(one.low_ns)} to {show_duration(one.high_ns)}"
    return duration_cell(one.value_ns, interval)


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _figure(
    asked: Profile, runs: Mapping[str, Run], target: int, quantity: TimesOf, name: str
) -> FigureBlock | None:
    data = []
    for scenario, one in enumerate(asked.scenarios[: len(LOOKS)]):
        jobs = [part for part in processes_of(asked, runs, target, scenario, quantity) if part.size]
        if jobs:
            data.append(Labelled(from_samples(np.concatenate(jobs)), LOOKS[scenario][0], one.name))
    if not data:
        return None
    prefix = f"target{target}-{quantity}"
    alt = f"Share of jobs of {name} that took at least so long, by scenario"
    label = f"{quantity} time"
    n = min(one.samples.n for one in data)
    return FigureBlock(
        prefix,
        partial(figures.tail, data, label, None, prefix, alt),
        f"{label} of {name}: share of jobs that took at least x, by scenario; n ≥ {show_count(n)} "
        f"jobs each, {asked.kind}.",
    )


def _violins(
    asked: Profile, runs: Mapping[str, Run], target: int, quantity: TimesOf, name: str
) -> FigureBlock | None:
    """Draw how times spread; None: simulated, where they hardly do, or nothing to draw."""
    rows = [
        (one.name, np.concatenate(jobs))
        for scenario, one in enumerate(asked.scenarios[: len(LOOKS)])
        if (jobs := processes_of(asked, runs, target, scenario, quantity))
    ]
    rows = [(scenario, times_ns) for scenario, times_ns in rows if np.unique(times_ns).size > 1]
    if asked.kind == "simulated" or not rows:
        return None
    prefix = f"target{target}-{quantity}-violins"
    alt = f"How {quantity} times of {name} spread, by scenario"
    n = min(times_ns.size for _, times_ns in rows)
    text = f"{alt}: median and ends; n ≥ {show_count(n)} jobs each, {asked.kind}."
    draw = partial(violins, rows, f"{quantity} time", prefix, alt)
    return FigureBlock(prefix, draw, text)


def _quantities(asked: Profile, run: Run, target: int, name: str) -> Iterator[Quantity]:
    for row in asked.times:
        if row.target != target:
            continue
        scenario = asked.scenarios[row.scenario].name
        named = (("max", row.max_ns), *((f"q{one.q:g}", one.value_ns) for one in row.quantiles))
        for what, value in named:
            yield Quantity(
                name=f"{row.quantity}_{scenario}_{what}",
                value=value,
                unit="ns",
                n=row.jobs,
                kind=asked.kind,
                run=str(run.path),
                task=name,
                note=count_noun(row.processes, "process"),
            )
    yield from quantities(asked, str(run.path), target, name)
    yield from need_quantities(asked, str(run.path), target, name)
    yield from lines_quantities(asked, str(run.path), target, name)


# The first of the analyses that were asked for is the answer.
_SENTENCES: Mapping[Analysis, Callable[[Profile, int, str], str]] = {
    "wcet": _sentence,
    "schedulability": _met_sentence,
    "cache": cache_sentence,
    "intensity": intensity_sentence,
    "memory-traffic": traffic_sentence,
}
