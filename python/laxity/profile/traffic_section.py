# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of the course of jobs: memory traffic over time, and the phases it has."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from laxity.core.units import format_bytes_per_s
from laxity.jobs.rates import FloatArray
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Table,
    count_noun,
    duration_cell,
    join_words,
    number_cell,
    show_count,
    show_duration,
    show_rate,
    text_cell,
)
from laxity.page.figures import RateLine
from laxity.profile.document import CourseRecord, NamedPhaseRecord, PhasesRecord, Profile
from laxity.profile.events import TRAFFIC
from laxity.profile.traffic import PROGRESS, drawn_event

_NS_PER_S = 1e9
_PERCENT = 100
_METHOD = (
    "Jobs are laid over each other by the instructions that they have executed, and drawn over the "
    "mean time at which they were so far."
)
_FOUND = (
    "Phases are those of the program alone: where mean or variance of its rate changes (PELT, BIC)."
)
_NAMED = (
    "Phases are those that the program names (laxity_phase), from mark to mark; what a job does "
    "before its first mark is in none. Times are means of the jobs that have the phase, all its "
    "times in a job added. A mark between two samples has a count between theirs: a column shows "
    "the least and the most that this allows."
)


@dataclass(frozen=True, slots=True)
class _Phase:
    """A row of the table.

    Attributes:
        label: What it is called.
        place: Two cells that say which part of a job it is.
        time_ns: Of the program alone.
        counts: Of events that are drawn, of the program alone: the least and the most that it can
            be; None: they were not sampled.
        slowdowns: By scenario; None: it has no such phase there.
    """

    label: str
    place: tuple[Cell, Cell]
    time_ns: int
    counts: tuple[float, float] | None
    slowdowns: Mapping[int, float | None]


def traffic_sentence(asked: Profile, target: int, name: str) -> str:
    """Say how many phases there are, and which becomes slowest."""
    phases = _phases(asked, target)
    if not phases:
        return f"{name}: {_why_none(asked, target)}."
    named = " that it names" if _named(asked, target) else ""
    said = f"{name}: {count_noun(len(phases), 'phase')}{named}"
    slowest = max(
        (
            (ratio, phase.label, asked.scenarios[scenario].name)
            for phase in phases
            for scenario, ratio in phase.slowdowns.items()
            if ratio is not None
        ),
        default=None,
        key=lambda one: one[0],
    )
    if slowest is not None:
        ratio, label, scenario = slowest
        said = f"{said}, phase {label} up to {ratio:.2f} times as long ({scenario})"
    return f"{said}; {asked.kind}."


def traffic_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Draw the course of a job in each scenario, and give its phases."""
    phases, events = _phases(asked, target), _events(asked, target)
    if not phases:
        yield Paragraph(f"{name}: {_why_none(asked, target)}.", "warning")
        return
    is_named = bool(_named(asked, target))
    yield _table(asked, target, phases, f"phases of {name} ({asked.kind})")
    if events:
        yield Figures((_course_figure(asked, target, events, name),))
        yield Paragraph(_METHOD, is_explanation=True)
    yield Paragraph(_NAMED if is_named else _FOUND, is_explanation=True)


def _course_figure(asked: Profile, target: int, events: Sequence[str], name: str) -> FigureBlock:
    courses = _courses(asked, target)
    lines = [
        RateLine(
            asked.scenarios[course.scenario].name,
            np.concatenate([[0.0], np.cumsum(course.times_ns)]),
            _per_s(course, events),
        )
        for course in courses
    ]
    prefix = f"target{target}-traffic"
    what = join_words(events)
    n = min(course.jobs for course in courses)
    caption = (
        f"{what} of {name} in the course of a job; mean of n ≥ {show_count(n)} jobs, {asked.kind}."
    )
    unit = "B/s" if _is_bytes(events) else "/s"
    alt = f"Rate of {what} of {name} over the time of a job, by scenario"
    draw = partial(figures.rates, lines, None, what, unit, prefix, alt)
    return FigureBlock(prefix, draw, caption)


def _why_none(asked: Profile, target: int) -> str:
    if _courses(asked, target):
        return "no cache was missed but by the first job"
    return "its jobs are too short to be sampled, or no event was"


def _courses(asked: Profile, target: int) -> list[CourseRecord]:
    return [one for one in asked.courses if one.target == target]


def _named(asked: Profile, target: int, scenario: int = 0) -> list[NamedPhaseRecord]:
    return [one for one in asked.named_phases if (one.target, one.scenario) == (target, scenario)]


def _events(asked: Profile, target: int) -> tuple[str, ...]:
    """Name the events whose rate is drawn; none: there is no course to draw."""
    courses = _courses(asked, target)
    return drawn_event(courses[0].counts) if courses else ()


def _phases(asked: Profile, target: int) -> list[_Phase]:
    """Take the phases that a program names, else those that were found; none: there are neither."""
    named = _named(asked, target)
    if named:
        return [_named_phase(asked, one) for one in named]
    found = next((one for one in asked.phases if one.target == target), None)
    courses = _courses(asked, target)
    if found is None or not courses:
        return []
    spans = zip([0, *found.ends[:-1]], found.ends, strict=True)
    return [
        _found_phase(found, courses, at, first, end) for at, (first, end) in enumerate(spans, 1)
    ]


def _named_phase(asked: Profile, alone: NamedPhaseRecord) -> _Phase:
    events = _events(asked, alone.target)
    # Documents of versions that did not know how exact counts are have none.
    ranges = alone.ranges
    has_counts = bool(events) and all(name in ranges for name in events)
    lies = "several times"
    if alone.from_ns is not None and alone.to_ns is not None:
        lies = f"{show_duration(alone.from_ns)} to {show_duration(alone.to_ns)}"
    n_instructions = ranges.get(PROGRESS)
    slowdowns: dict[int, float | None] = {}
    for scenario in range(1, len(asked.scenarios)):
        others = {one.phase: one for one in _named(asked, alone.target, scenario)}
        one = others.get(alone.phase)
        slowdowns[scenario] = None if one is None else one.time_ns / max(alone.time_ns, 1)
    return _Phase(
        label=f"{alone.phase}",
        place=(
            text_cell(lies),
            number_cell("" if n_instructions is None else _show_range(n_instructions, _count)),
        ),
        time_ns=alone.time_ns,
        counts=_sum(ranges[name] for name in events) if has_counts else None,
        slowdowns=slowdowns,
    )


def _found_phase(
    found: PhasesRecord, courses: Sequence[CourseRecord], at: int, first: int, end: int
) -> _Phase:
    alone, *others = courses
    count = sum(sum(alone.counts[name][first:end]) for name in found.events)
    share = f"{_PERCENT * (end - first) / len(alone.times_ns):.0f} %"
    return _Phase(
        label=f"{at}",
        place=(text_cell(f"parts {first + 1} to {end}"), number_cell(share)),
        time_ns=sum(alone.times_ns[first:end]),
        counts=(count, count),
        slowdowns={one.scenario: _slowdown(alone, one, first, end) for one in others},
    )


def _is_bytes(events: Sequence[str]) -> bool:
    return all(name in TRAFFIC for name in events)


def _per_s(course: CourseRecord, events: Sequence[str]) -> FloatArray:
    counts = np.sum([course.counts[name] for name in events], axis=0)
    rates: FloatArray = counts / np.maximum(course.times_ns, 1) * _NS_PER_S
    return rates


def _slowdown(alone: CourseRecord, course: CourseRecord, first: int, end: int) -> float:
    return sum(course.times_ns[first:end]) / max(sum(alone.times_ns[first:end]), 1)


def _table(asked: Profile, target: int, phases: Sequence[_Phase], caption: str) -> Table:
    events = _events(asked, target)
    by = "instructions" if PROGRESS in _counted(asked, target) else "time"
    place = ("lies at", PROGRESS) if _named(asked, target) else ("of the job", f"share of {by}")
    rows = tuple(
        (
            text_cell(one.label),
            *one.place,
            duration_cell(one.time_ns),
            _rate_cell(events, one),
            *(
                number_cell("" if ratio is None else f"{ratio:.2f}")
                for ratio in one.slowdowns.values()
            ),
        )
        for one in phases
    )
    slower = (f"slowdown, {asked.scenarios[at].name}" for at in phases[0].slowdowns)
    traffic = f"{join_words(events)} alone" if events else "traffic alone"
    return Table(caption, ("phase", *place, "time alone", traffic, *slower), rows)


def _counted(asked: Profile, target: int) -> set[str]:
    return {one.under for one in asked.ratios if one.target == target}


def _rate_cell(events: Sequence[str], phase: _Phase) -> Cell:
    if phase.counts is None:
        return number_cell("")

    def show(count: float) -> str:
        per_s = count / max(phase.time_ns, 1) * _NS_PER_S
        return format_bytes_per_s(per_s) if _is_bytes(events) else show_rate(per_s, "misses/s")

    return number_cell(_show_range(phase.counts, show))


def _sum(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*ranges, strict=True)
    return sum(lows), sum(highs)


def _count(count: float) -> str:
    return show_count(round(count))


def _show_range(ends: tuple[float, float], show: Callable[[float], str]) -> str:
    """Show both ends of a range, or one where they look alike."""
    low, high = (show(end) for end in ends)
    return low if low == high else f"{low} to {high}"
