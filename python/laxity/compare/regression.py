# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether what `--fail-on` states has happened: violated, holds, or not to be told.

A difference is violated only where its whole interval, widened by the noise floor, lies beyond the
threshold, and holds only where all of it lies on this side. In between nothing is told: neither a
failure nor a pass would be justified. An exact difference lies on one side or the other.

One native run of each side does not tell how far two runs differ by themselves. Each part of NEW is
held against each part of BASE then, so that drift which either has seen is neither a failure nor a
pass. Runs with fewer than six parts have their interval, widened by that drift.
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
_NO_INTERVAL = "it has no interval"
_NO_SHARE = "the baseline is not above zero, so nothing is a share of it"
_ADVICE = "add repeated baseline runs with --noise RUN, or use laxity versus"


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
    if base is None or new is None:
        return UNKNOWN, figure.reason or "one side has none"
    if threshold.is_shift and _is_judged_by_parts(figure):
        return _judge_parts(statement, figure, base)
    if figure.reason is not None:
        return UNKNOWN, figure.reason
    if threshold.is_shift:
        return _judge_shift(statement, figure, base, new)
    low, high = _own_ends(figure, new)
    if low is None or high is None:
        return UNKNOWN, _NO_INTERVAL
    limit = Fraction(threshold.value * _units_per_ns(figure))
    detail = f"NEW {_written(figure, new.value)}, {_between(figure, low, high)}"
    return _against(statement, low, high, limit), detail


def _is_judged_by_parts(figure: Figure) -> bool:
    """Tell whether parts of both runs say more than an interval and repeated baselines."""
    has_both = figure.knows_scatter and figure.low is not None
    return figure.parts_low is not None and not figure.is_exact and not has_both


def _judge_parts(statement: FailOn, figure: Figure, base: Point) -> tuple[Answer, str]:
    """Judge by each part of NEW against each part of BASE: drift that was seen lies between them.

    No interval is needed, which jobs that are autocorrelated over long stretches do not have.
    """
    limit = _limit(statement, figure, base)
    if limit is None or figure.parts_low is None or figure.parts_high is None:
        return UNKNOWN, _NO_SHARE
    floor = figure.floor_without_drift
    low, high = figure.parts_low - floor, figure.parts_high + floor
    answer = _against(statement, low, high, limit)
    detail = f"shift {_written(figure, figure.shift or 0)}; parts of NEW exceed parts of BASE by "
    detail += f"{_written(figure, low)} to {_written(figure, high)}"
    return answer, f"{detail}: {_ADVICE}" if answer is UNKNOWN else detail


def _judge_shift(statement: FailOn, figure: Figure, base: Point, new: Point) -> tuple[Answer, str]:
    ends, limit = _shift_ends(figure), _limit(statement, figure, base)
    if ends is None:
        return UNKNOWN, _NO_INTERVAL
    if limit is None:
        return UNKNOWN, _NO_SHARE
    low, high = ends[0] - figure.floor, ends[1] + figure.floor
    answer = _against(statement, low, high, limit)
    detail = f"shift {_written(figure, new.value - base.value)}, {_between(figure, low, high)}"
    if answer is HOLDS and _is_of_fewer(statement, base, new):
        return UNKNOWN, f"{detail}; of n = {new.n}, BASE {base.n}: the largest grows with n"
    if answer is UNKNOWN:
        return answer, detail + _advice(figure, limit)
    if figure.knows_scatter or figure.is_exact:
        return answer, detail
    return _with_drift(statement, figure, (answer, detail), (low, high), limit)


def _with_drift(
    statement: FailOn,
    figure: Figure,
    judged: tuple[Answer, str],
    ends: tuple[int, int],
    limit: Fraction,
) -> tuple[Answer, str]:
    """Judge without repeated baselines: nothing is shown that drift has been seen to do."""
    answer, detail = judged
    # The largest is judged as it was seen; of a pass without any parts nothing else is known.
    if answer is HOLDS and (figure.drift is None or statement.statistic == MAX):
        return judged
    if figure.drift is None:
        return UNKNOWN, f"{detail}; run-to-run variation is unknown: {_ADVICE}"
    beyond = ends[0] - figure.drift, ends[1] + figure.drift
    seen = f"drift within one run reached {_written(figure, figure.drift)}"
    if _against(statement, *beyond, limit) is answer:
        return answer, f"{detail}; {seen}"
    return UNKNOWN, f"{detail}; {seen}: {_ADVICE}"


def _limit(statement: FailOn, figure: Figure, base: Point) -> Fraction | None:
    """Return the threshold of a shift; None: a share of a baseline that is not above zero."""
    if statement.threshold.unit is not Unit.PPM:
        return Fraction(statement.threshold.value * _units_per_ns(figure))
    # Of an exact figure of nothing every share is nothing.
    if base.value < 0 or (base.value == 0 and not figure.is_exact):
        return None
    return Fraction(statement.threshold.value * base.value, _PPM)


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
