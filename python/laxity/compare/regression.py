# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether what `--fail-on` states has happened: violated, holds, or not to be told.

A difference is violated only where its whole interval, widened by the noise floor, lies beyond the
threshold, and holds only where all of it lies on this side. In between nothing is told: neither a
failure nor a pass would be justified. An exact difference lies on one side or the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from laxity.compare.comparison import Figure, Point
from laxity.compare.fail_on import MAX, MISSES, FailOn, Unit
from laxity.core.units import format_duration_ns, shown_duration

Answer = Literal["violated", "holds", "no_verdict"]
VIOLATED: Answer = "violated"
HOLDS: Answer = "holds"
UNKNOWN: Answer = "no_verdict"

_PPM = 1_000_000
_PS_PER_NS = 1000
# More than so many times the jobs is no advice.
_MOST_TIMES = 100
# The largest of much fewer jobs is smaller by that alone. Skips make runs of equal length differ.
_FEWEST_SHARE = Fraction(9, 10)
_NOT_THERE = "there is no such figure on both sides"


@dataclass(frozen=True, slots=True)
class TaskMisses:
    """Releases of one task that were not met: missed, skipped, aborted, pending too late.

    `doubt`: why what became of all jobs is not known; None: nothing is known against it.
    `can_be_missed`: there is a deadline, or jobs are skipped while the one before them runs.
    """

    task: str
    base_not_met: int
    base_released: int
    new_not_met: int
    new_released: int
    doubt: str | None = None
    can_be_missed: bool = True


@dataclass(frozen=True, slots=True)
class Subject:
    """What a statement may speak of, compared or not: a task, or an entry of a cost model.

    `cost`: name of the cost, with `axes`; None: a task.
    """

    name: str
    cost: str | None = None
    axes: tuple[tuple[str, int | str], ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One statement about one figure; `detail` says in words what was compared with what."""

    expression: str
    subject: str
    answer: Answer
    detail: str


def judge_statement(
    statement: FailOn,
    figures: Sequence[Figure],
    misses: Sequence[TaskMisses],
    subjects: Sequence[Subject] = (),
) -> tuple[Judgement, ...]:
    """Judge a statement about everything that it speaks of.

    Args:
        statement: What was stated.
        figures: All that could be compared, of jobs and of costs.
        misses: Of the tasks that both runs have.
        subjects: All that there is, compared or not.

    Returns:
        One judgement per figure, and one without verdict per subject that should have one and has
        none: a task with too few jobs is no pass because another one has enough.
    """
    if statement.name == MISSES:
        asked = [one for one in misses if statement.task in {None, one.task}]
        if not any(one.can_be_missed for one in asked):
            asked = [replace(one, doubt="there is no deadline") for one in asked]
        found = [
            Judgement(statement.text, one.task, *_judge_misses(statement, one)) for one in asked
        ]
    else:
        found = [
            Judgement(statement.text, one.subject, *_judge_figure(statement, one))
            for one in figures
            if _speaks_of(statement, one)
        ]
    judged = {one.subject for one in found}
    found += [
        Judgement(statement.text, one.name, UNKNOWN, _NOT_THERE)
        for one in subjects
        if one.name not in judged and _concerns(statement, one)
    ]
    if found:
        return tuple(found)
    return (Judgement(statement.text, statement.task or statement.name, UNKNOWN, _NOT_THERE),)


def overall(judgements: Sequence[Judgement]) -> Answer:
    """Join the judgements of several figures: one violation is one, and nothing unknown passes."""
    answers = {one.answer for one in judgements}
    if VIOLATED in answers:
        return VIOLATED
    return UNKNOWN if UNKNOWN in answers else HOLDS


def _speaks_of(statement: FailOn, figure: Figure) -> bool:
    if figure.quantity != statement.name or figure.statistic != statement.statistic:
        return False
    if not statement.is_of_cost:
        return statement.task in {None, figure.subject}
    axes = dict(figure.axes)
    return all(axes.get(key) == value for key, value in statement.axes)


def _concerns(statement: FailOn, subject: Subject) -> bool:
    if not statement.is_of_cost:
        return subject.cost is None and statement.task in {None, subject.name}
    axes = dict(subject.axes)
    is_same = subject.cost == statement.name
    return is_same and all(axes.get(key) == value for key, value in statement.axes)


def _judge_figure(statement: FailOn, figure: Figure) -> tuple[Answer, str]:
    base, new, threshold = figure.base, figure.new, statement.threshold
    if base is None or new is None or figure.reason is not None:
        return UNKNOWN, figure.reason or "one side has none"
    ends = _shift_ends(figure) if threshold.is_shift else _own_ends(figure, new)
    if ends is None or ends[0] is None or ends[1] is None:
        return UNKNOWN, "it has no interval"
    if not threshold.is_shift:
        limit = Fraction(threshold.value * _units_per_ns(figure))
        detail = f"NEW {_written(figure, new.value)}, {_between(figure, ends[0], ends[1])}"
        return _against(statement, ends[0], ends[1], limit), detail
    limit = Fraction(threshold.value * _units_per_ns(figure))
    if threshold.unit is Unit.PPM:
        # Of an exact figure of nothing every share is nothing.
        if base.value < 0 or (base.value == 0 and not figure.is_exact):
            return UNKNOWN, "the baseline is not above zero, so nothing is a share of it"
        limit = Fraction(threshold.value * base.value, _PPM)
    low, high = ends[0] - figure.floor, ends[1] + figure.floor
    answer = _against(statement, low, high, limit)
    detail = f"shift {_written(figure, new.value - base.value)}, {_between(figure, low, high)}"
    if answer is HOLDS and _is_of_fewer(statement, base, new):
        return UNKNOWN, f"{detail}; of n = {new.n}, BASE {base.n}: the largest grows with n"
    if answer is UNKNOWN:
        detail += _advice(figure, limit)
    if answer is VIOLATED and not figure.knows_scatter and not figure.is_exact:
        return _beyond_drift(statement, figure, (low, high), limit, detail)
    return answer, detail


def _beyond_drift(
    statement: FailOn, figure: Figure, ends: tuple[int, int], limit: Fraction, detail: str
) -> tuple[Answer, str]:
    """Judge a violation without repeated baselines: only more than drift has been seen to do."""
    advice = "add repeated baseline runs with --noise RUN, or use laxity versus"
    if figure.drift is None:
        return UNKNOWN, f"{detail}; run-to-run variation is unknown: {advice}"
    beyond = ends[0] - figure.drift, ends[1] + figure.drift
    seen = f"drift within one run reached {_written(figure, figure.drift)}"
    if _against(statement, *beyond, limit) is VIOLATED:
        return VIOLATED, f"{detail}; {seen}"
    return UNKNOWN, f"{detail}; {seen}: {advice}"


def _is_of_fewer(statement: FailOn, base: Point, new: Point) -> bool:
    """Say whether the side whose largest must not be larger has much fewer samples."""
    if statement.statistic != MAX:
        return False
    fewer, more = (new, base) if statement.is_above else (base, new)
    return fewer.n < _FEWEST_SHARE * more.n


def _judge_misses(statement: FailOn, misses: TaskMisses) -> tuple[Answer, str]:
    threshold, released = statement.threshold, misses.new_released
    detail = f"NEW {misses.new_not_met} of {released}, BASE {misses.base_not_met} of "
    detail += str(misses.base_released)
    if not released:
        return UNKNOWN, f"{detail}: nothing was released"
    counted = Fraction(misses.new_not_met)
    limit = Fraction(threshold.value)
    if threshold.unit is Unit.PPM:
        counted, limit = Fraction(misses.new_not_met, released), Fraction(threshold.value, _PPM)
    if threshold.is_shift:
        if misses.base_released != released:
            return UNKNOWN, f"{detail}: not as many releases; compare runs of equal --jobs"
        counted -= misses.base_not_met
    answer = _against(statement, counted, counted, limit)
    if misses.doubt is not None and not (answer is VIOLATED and statement.is_above):
        return UNKNOWN, f"{detail}; {misses.doubt}"
    return answer, detail


def _shift_ends(figure: Figure) -> tuple[int, int] | None:
    """Return the interval of a shift; that of the largest samples is what they were stored with."""
    base, new = figure.base, figure.new
    if figure.is_exact and figure.shift is not None:
        return figure.shift, figure.shift
    if figure.low is not None and figure.high is not None:
        return figure.low, figure.high
    if figure.statistic != MAX or base is None or new is None:
        return None
    if base.low is None or base.high is None or new.low is None or new.high is None:
        return None
    return new.low - base.high, new.high - base.low


def _own_ends(figure: Figure, point: Point) -> tuple[int | None, int | None]:
    return (point.value, point.value) if figure.is_exact else (point.low, point.high)


def _against(
    statement: FailOn, low: int | Fraction, high: int | Fraction, limit: Fraction
) -> Answer:
    """Compare an interval with a threshold that must not be passed."""
    if statement.is_above:
        return VIOLATED if low > limit else HOLDS if high <= limit else UNKNOWN
    return VIOLATED if high < limit else HOLDS if low >= limit else UNKNOWN


def _advice(figure: Figure, limit: Fraction) -> str:
    """Say what would tell: an interval shrinks with the root of the number of jobs."""
    if figure.low is None or figure.high is None or figure.shift is None:
        return ""
    distance = abs(figure.shift - limit) - figure.floor
    if distance <= 0:
        return "; the threshold is within the noise floor, more jobs do not help"
    half = max(figure.high - figure.shift, figure.shift - figure.low)
    times = math.ceil((half / distance) ** 2)
    return f"; about {times} times as many jobs would tell" if times <= _MOST_TIMES else ""


def _units_per_ns(figure: Figure) -> int:
    return _PS_PER_NS if figure.unit == "ps" else 1


def _between(figure: Figure, low: int, high: int) -> str:
    if figure.is_exact:
        return "exact"
    return f"within {_written(figure, low)} to {_written(figure, high)}"


def _written(figure: Figure, value: int) -> str:
    """Write what is exact exactly, and three digits of what is not."""
    if figure.unit != "ns":
        return f"{value} ps"
    return shown_duration(value) if figure.is_exact else format_duration_ns(value)
