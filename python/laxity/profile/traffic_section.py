# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of the course of jobs: memory traffic over time, and the phases it has."""

from collections.abc import Iterator, Sequence
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
    show_rate,
    text_cell,
)
from laxity.page.figures import RateLine
from laxity.profile.document import CourseRecord, PhasesRecord, Profile
from laxity.profile.events import TRAFFIC

_NS_PER_S = 1e9
_PERCENT = 100
_METHOD = (
    "Jobs are laid over each other by the instructions that they have executed, and drawn over the "
    "mean time at which they were so far. Phases are those of the program alone: where mean or "
    "variance of its rate changes (PELT, BIC)."
)


def traffic_sentence(asked: Profile, target: int, name: str) -> str:
    """Say how many phases there are, and which becomes slowest."""
    phases, courses = _phases(asked, target), _courses(asked, target)
    if phases is None or not courses:
        return f"{name}: {_why_none(asked, target)}."
    said = f"{name}: {count_noun(len(phases.ends), 'phase')}"
    slowest = max(
        (
            (_slowdown(courses[0], course, first, end), at, asked.scenarios[course.scenario].name)
            for course in courses[1:]
            for at, (first, end) in enumerate(_spans(phases), 1)
        ),
        default=None,
    )
    if slowest is not None:
        ratio, at, scenario = slowest
        said = f"{said}, phase {at} up to {ratio:.2f} times as long ({scenario})"
    return f"{said}; {asked.kind}."


def traffic_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Draw the course of a job in each scenario, and give its phases."""
    phases, courses = _phases(asked, target), _courses(asked, target)
    if phases is None or not courses:
        yield Paragraph(f"{name}: {_why_none(asked, target)}.", "warning")
        return
    yield _table(asked, phases, courses, name)
    lines = [
        RateLine(
            asked.scenarios[course.scenario].name,
            np.concatenate([[0.0], np.cumsum(course.times_ns)]),
            _per_s(course, phases.events),
        )
        for course in courses
    ]
    prefix = f"target{target}-traffic"
    what = join_words(phases.events)
    n = min(course.jobs for course in courses)
    caption = (
        f"{what} of {name} in the course of a job; mean of n ≥ {show_count(n)} jobs, {asked.kind}."
    )
    unit = "B/s" if _is_bytes(phases) else "/s"
    alt = f"Rate of {what} of {name} over the time of a job, by scenario"
    draw = partial(figures.rates, lines, None, what, unit, prefix, alt)
    yield Figures((FigureBlock(prefix, draw, caption),))
    yield Paragraph(_METHOD, is_explanation=True)


def _why_none(asked: Profile, target: int) -> str:
    if _courses(asked, target):
        return "no cache was missed but by the first job"
    return "its jobs are too short to be sampled, or no event was"


def _phases(asked: Profile, target: int) -> PhasesRecord | None:
    return next((one for one in asked.phases if one.target == target), None)


def _courses(asked: Profile, target: int) -> list[CourseRecord]:
    return [one for one in asked.courses if one.target == target]


def _spans(phases: PhasesRecord) -> list[tuple[int, int]]:
    return list(zip([0, *phases.ends[:-1]], phases.ends, strict=True))


def _is_bytes(phases: PhasesRecord) -> bool:
    return all(name in TRAFFIC for name in phases.events)


def _per_s(course: CourseRecord, events: Sequence[str]) -> FloatArray:
    counts = np.sum([course.counts[name] for name in events], axis=0)
    rates: FloatArray = counts / np.maximum(course.times_ns, 1) * _NS_PER_S
    return rates


def _slowdown(alone: CourseRecord, course: CourseRecord, first: int, end: int) -> float:
    return sum(course.times_ns[first:end]) / max(sum(alone.times_ns[first:end]), 1)


def _table(
    asked: Profile, phases: PhasesRecord, courses: Sequence[CourseRecord], name: str
) -> Table:
    alone, *others = courses
    whole = len(alone.times_ns)
    by = "instructions" if "instructions" in _counted(asked, alone.target) else "time"
    rows = tuple(
        (
            text_cell(f"{at}"),
            number_cell(f"{_PERCENT * (end - first) / whole:.0f} %"),
            duration_cell(sum(alone.times_ns[first:end])),
            _rate_cell(phases, alone, first, end),
            *(number_cell(f"{_slowdown(alone, one, first, end):.2f}") for one in others),
        )
        for at, (first, end) in enumerate(_spans(phases), 1)
    )
    slower = (f"slowdown, {asked.scenarios[one.scenario].name}" for one in others)
    head = ("phase", f"share of {by}", "time alone", f"{join_words(phases.events)} alone", *slower)
    return Table(f"phases of {name} ({asked.kind})", head, rows)


def _counted(asked: Profile, target: int) -> set[str]:
    return {one.under for one in asked.ratios if one.target == target}


def _rate_cell(phases: PhasesRecord, course: CourseRecord, first: int, end: int) -> Cell:
    n = sum(sum(course.counts[name][first:end]) for name in phases.events)
    per_s = n / max(sum(course.times_ns[first:end]), 1) * _NS_PER_S
    return number_cell(
        format_bytes_per_s(per_s) if _is_bytes(phases) else show_rate(per_s, "misses/s")
    )
